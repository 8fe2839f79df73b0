"""Where everything is, and what to try next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.relation import SCHEMA, rows_name, view_name
from sample_services.demo import REPORT, TABLE
from sample_services.demo.sample_day import another_day
from sample_services.demo.stack_home import REPORTS, StackHome, shown

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView
    from reporting.core.warehouse.release import Release


@dataclass(frozen=True)
class Published:
    """A release and the places it can be found at.

    Attributes:
        release: what was published.
        warehouse: connection of the warehouse.
        bucket: name of the reports bucket.
        store: address of the store that has it.
        copies: files that were downloaded.
    """

    release: Release
    warehouse: Mapping[str, Any]
    bucket: str
    store: str
    copies: Sequence[Path]


def headline(view: RunView, release: Release, seen: int) -> str:
    """Say which version there is now, what it lacks, and whether readers see it."""
    text = f"{view.title}, {view.period}: version {release.version} is published"
    if release.missing:
        text += f" INCOMPLETE, without {' and '.join(release.missing)}"
    lines = [f"{text}{_place_among_versions(release, seen)}"]
    return "\n".join([*lines, *(f"  {name}: {why}" for name, why in release.missing.items())])


def _place_among_versions(release: Release, seen: int) -> str:
    if seen != release.release_id:
        return f"; readers see release {seen}, published since."
    if release.version == 1:
        return ", the first of this period."
    return f", a new one: readers see it instead of version {release.version - 1}, which is kept."


def place_lines(view: RunView, found: Published, home: StackHome) -> list[str]:
    """Say where rows and files are."""
    where = found.warehouse
    table = f"{SCHEMA}.{view_name(REPORT, TABLE)}"
    query = f"SELECT * FROM {table} WHERE period = '{view.period}'"  # noqa: S608 - to be read
    return [
        f"Rows, in database {where['schema']} at {where['host']}:{where['port']}:",
        f"  {table}              current figures",
        f"  {table}__by_params   the same for every choice of params",
        f"  {SCHEMA}.{rows_name(REPORT, TABLE)}    every version that is kept",
        f'  {home.command("psql")} "{query}"',
        f"Files, in bucket {found.bucket} of the store at {found.store}:",
        *(f"  {key}" for key in found.release.files),
        "Copies on this machine:",
        *(f"  {shown(path)}" for path in found.copies),
    ]


def next_lines(view: RunView, api_url: str, user: str, home: StackHome) -> list[str]:
    """Say how to look at it and what to try."""
    one_carrier = f"{REPORT} --period {view.period} --param carrier=UA --wait"
    day, why = another_day(view.period)
    return [
        f"Airflow: {api_url} (user {user}; password: {home.command('login')})",
        f"This run: {view.url}",
        f"Report center: {api_url}/reports/",
        "",
        "Try next:",
        f"  . {shown(home.environment)}",
        f"  {REPORTS} list",
        f"  {REPORTS} status '{view.run_id}'",
        *([f"  {REPORTS} trigger {one_carrier}"] if view.state == "SUCCESS" else []),
        f"  make demo PERIOD={day}    another day: {why}",
        "  make down                      stop everything; data stays",
    ]
