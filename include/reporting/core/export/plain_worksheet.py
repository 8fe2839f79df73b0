"""A worksheet that writes text as text and numbers in full.

XlsxWriter, when it streams rows, has three habits that change data: a text from `<r>` to `</r>` is
copied into the file as markup, `_x0041_x0042_` is escaped only once, and numbers are cut to
16 digits where a double can need 17.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xlsxwriter.worksheet import Worksheet

    Attributes = Iterable[tuple[str, object]]

# Excel reads _xHHHH_ as a character; an underscore that only looks so is itself written that way.
_LOOKS_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


@cache
def plain_worksheet() -> type[Worksheet]:
    """Return the worksheet class; made on demand, so that parsing a DAG imports nothing heavy."""
    from xlsxwriter.worksheet import Worksheet

    class PlainWorksheet(Worksheet):  # type: ignore[misc, unused-ignore]
        """Worksheet of strings and numbers only, without rich text."""

        def _xml_rich_inline_string(self, string: str, attributes: Attributes = ()) -> None:
            self._xml_inline_string(string, False, attributes)

        def _xml_number_element(self, number: float, attributes: Attributes = ()) -> None:
            marks = "".join(f' {key}="{value}"' for key, value in attributes)
            self.fh.write(f"<c{marks}><v>{number!r}</v></c>")

        @staticmethod
        def _escape_control_characters(data: object) -> object:
            if not isinstance(data, str):
                return data
            # A carriage return would come back as a line feed: XML readers normalise it.
            return _LOOKS_ESCAPED.sub("_x005F_", data).replace("\r", "_x000D_")

    return PlainWorksheet
