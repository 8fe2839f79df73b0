"""The cell formats of a workbook; one object serves all its sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format


class Formats:
    """Formats by meaning; floats have none, which is Excel's General."""

    def __init__(self, workbook: Workbook) -> None:
        """Add the formats to the workbook."""
        self._workbook = workbook
        self._decimals: dict[int, Format] = {}
        self.heading = workbook.add_format({"bold": True, "bottom": 1})
        self.quoted = workbook.add_format({"quote_prefix": True})
        self.exact = workbook.add_format({"align": "right"})
        self.integer = workbook.add_format({"num_format": "0"})
        self.date = workbook.add_format({"num_format": "yyyy-mm-dd"})
        self.time_second = workbook.add_format({"num_format": "hh:mm:ss"})
        self.time_millisecond = workbook.add_format({"num_format": "hh:mm:ss.000"})
        self.second = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self.millisecond = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})

    def decimal(self, scale: int) -> Format:
        """Return the format that shows `scale` digits after the point."""
        if scale not in self._decimals:
            pattern = "0." + "0" * scale if scale else "0"
            self._decimals[scale] = self._workbook.add_format({"num_format": pattern})
        return self._decimals[scale]
