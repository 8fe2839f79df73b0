"""The DAG files Airflow cannot read, and why: what is broken is not in any list of reports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reporting.errors import TerminalError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

_MODULE = re.compile(r"^(?:\w+\.)+(?=\w+(?::|\Z))")


@dataclass(frozen=True)
class BrokenFile:
    """A file with an import error.

    Attributes:
        file: its path as Airflow names it.
        message: the last line of the error.
        trace: the whole error.
    """

    file: str
    message: str
    trace: str

    def is_about(self, report: str) -> bool:
        """Say whether the file may be the one of a report: by its name or what the error says."""
        stem = PurePosixPath(self.file).stem
        return report in stem or stem in report or repr(report) in self.trace


def broken_files(api: AirflowApi) -> list[BrokenFile]:
    """Return every file with an import error, by name."""
    found = api.pages("importErrors", "import_errors")
    files = [
        BrokenFile(item["filename"], last_line(item["stack_trace"]), item["stack_trace"])
        for item in found
    ]
    return sorted(files, key=lambda broken: broken.file)


def fitting_file(api: AirflowApi, report: str) -> BrokenFile | None:
    """Return the broken file that may be a report's; None also when one may not see them."""
    try:
        return next((file for file in broken_files(api) if file.is_about(report)), None)
    except TerminalError:
        return None


def last_line(trace: str) -> str:
    """Return the error itself, without the path of its class."""
    lines = trace.strip().splitlines()
    return _MODULE.sub("", lines[-1].strip()) if lines else "no reason was left"
