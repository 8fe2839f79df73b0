"""Marker files: what is to happen at which point of which run; each is used up by one process."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

STRUCK, GO = ".struck", ".go"
PAUSE_SECONDS = 0.1
LONGEST_HOLD = 120.0  # whoever holds a process may be dead itself


@dataclass(frozen=True)
class Markers:
    """The markers of one stack.

    Attributes:
        folder: where they are; task processes find it in their environment.
    """

    folder: Path

    def lay(self, report: str, run_id: str, marker: tuple[str, str, str]) -> None:
        """Ask for something.

        Args:
            report: of the run.
            run_id: of the run.
            marker: task, point, and what is to happen there.
        """
        task, point, what = marker
        path = self._path(report, run_id, task, point)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(what)

    def points(self, report: str, task: str) -> set[str]:
        """Return the points at which something is asked for of a task, in any run."""
        paths = self.folder.glob(f"{quote(report, safe='')}/*/{quote(task, safe='')}@*")
        return {path.name.partition("@")[2] for path in paths if not path.suffix}

    def take(self, report: str, run_id: str, task: str, point: str) -> str | None:
        """Return what is to happen here and now; whoever gets it is the only one."""
        path = self._path(report, run_id, task, point)
        with suppress(FileNotFoundError):
            return path.rename(path.with_suffix(STRUCK)).read_text()
        return None

    def has_struck(self, report: str, run_id: str, task: str, point: str) -> bool:
        """Say whether a process has come by and used the marker up."""
        return self._path(report, run_id, task, point).with_suffix(STRUCK).exists()

    def let_go(self, report: str, run_id: str, task: str, point: str) -> None:
        """Let a process that is held go on."""
        self._path(report, run_id, task, point).with_suffix(GO).touch()

    def hold(self, report: str, run_id: str, task: str, point: str) -> None:
        """Wait until the process may go on."""
        path = self._path(report, run_id, task, point).with_suffix(GO)
        deadline = time.monotonic() + LONGEST_HOLD
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(PAUSE_SECONDS)

    def _path(self, report: str, run_id: str, task: str, point: str) -> Path:
        names = [quote(name, safe="") for name in (report, run_id, task)]
        return self.folder / names[0] / names[1] / f"{names[2]}@{point}"
