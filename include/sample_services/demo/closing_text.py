"""Where everything is, and what to try next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.relation import SCHEMA, rows_name, view_name
from sample_services.demo import REPORT, TABLE
from sample_services.demo.stack_home import StackHome, shown

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView
    from reporting.core.warehouse.release import Release

PASSWORD_KEY = "airflow_admin_password"  # noqa: S105 - the name of the entry


@dataclass(frozen=True)
class Published:
    """A release and the places it can be found at.

    Attributes:
        release: what was published.
        warehouse: connection of the warehouse.
        bucket: name of the reports bucket.
        copies: files that were downloaded.
    """

    release: Release
    warehouse: Mapping[str, Any]
    bucket: str
    copies: Sequence[Path]


def headline(view: RunView, release: Release, seen: int) -> str:
    """Say which version there is now, and whether it is the release that readers see."""
    text = f"{view.title}, {view.period}: version {release.version} is published"
    if seen != release.release_id:
        return f"{text}; readers see release {seen}, published since."
    if release.version == 1:
        return f"{text}, the first of this period."
    return (
        f"{text}, a new one: readers see it instead of version {release.version - 1}, "
        "which is kept."
    )


def place_lines(found: Published) -> list[str]:
    """Say where rows and files are."""
    where = found.warehouse
    view = f"{SCHEMA}.{view_name(REPORT, TABLE)}"
    release = found.release
    return [
        f"Rows, in database {where['schema']} at {where['host']}:{where['port']}:",
        f"  {view}              current figures",
        f"  {view}__by_params   the same for every choice of params",
        f"  {SCHEMA}.{rows_name(REPORT, TABLE)}    every version that is kept",
        f"Files, in bucket {found.bucket}:",
        *(f"  {key}" for key in release.files),
        "Copies on this machine:",
        *(f"  {shown(path)}" for path in found.copies),
        *(f"Published without {name}: {why}" for name, why in release.missing.items()),
    ]


def next_lines(view: RunView, api_url: str, user: str, home: StackHome) -> list[str]:
    """Say how to look at it and what to try."""
    one_carrier = f"{REPORT} --period {view.period} --param carrier=UA --wait"
    return [
        f"Airflow: {api_url} (user {user}, password: {PASSWORD_KEY} in {shown(home.secrets)})",
        f"This run: {view.url}",
        "",
        "Try next:",
        f"  . {shown(home.environment)}",
        "  .venv/bin/reports list",
        f"  .venv/bin/reports status '{view.run_id}'",
        *([f"  .venv/bin/reports trigger {one_carrier}"] if view.state == "SUCCESS" else []),
        "  make demo PERIOD=2013-02-08    another day: a snow storm",
        "  make down                      stop everything; data stays",
    ]
