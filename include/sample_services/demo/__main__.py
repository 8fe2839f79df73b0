"""Runs the sample report for one day and shows what readers see."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reporting.cli import exit_codes
from reporting.cli.console import say
from reporting.cli.guarded import guarded
from reporting.cli.login import airflow_of, login_options
from reporting.cli.progress import Progress
from reporting.cli.report_dags import run_url, unpause
from reporting.cli.trigger import followed
from reporting.cli.verdict import exit_code_of, has_failed, release_of
from reporting.definition.params import PERIOD, REFRESH
from sample_services.demo import REPORT, places
from sample_services.demo.aftermath import aftermath_lines, find_aftermath
from sample_services.demo.closing_text import Published, headline, next_lines, place_lines
from sample_services.demo.downloads import download
from sample_services.demo.figures import figure_lines, read_figures
from sample_services.demo.known_dag import wait_until_known
from sample_services.demo.sample_day import demand_sample_day
from sample_services.demo.stack_home import REPORTS, StackHome, load_environment, shown

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView
    from reporting.core.airflow_api import AirflowApi
    from reporting.core.warehouse.release import Release


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo and return its exit code: 0 only if the figures were published."""
    options = parser().parse_args(arguments)
    home = load_environment(os.environ)
    return guarded(lambda: demo(options, home))


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    described = argparse.ArgumentParser(
        prog="python -m sample_services.demo",
        description="Run the sample report for one day on the embedded stack and show the result.",
        epilog=exit_codes.IN_WORDS,
        parents=[login_options()],
    )
    described.add_argument(
        "--period", default="2013-01-01", metavar="DAY", help="day of 2013 (default: %(default)s)"
    )
    described.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help=f"folder for copies of the files (default: var/out/{REPORT}/DAY)",
    )
    return described


def demo(options: argparse.Namespace, home: StackHome) -> int:
    """Trigger, follow, show."""
    demand_sample_day(options.period)
    api = airflow_of(options)
    if wait_until_known(api, REPORT, Progress(say))["is_paused"]:
        unpause(api, REPORT)
    # Who runs the demo again wants to see it run.
    asked = {PERIOD: options.period, REFRESH: True}
    run_id = str(api.trigger(REPORT, asked)["dag_run_id"])
    say(f"\nStarted {run_id}\nOpen    {run_url(api, REPORT, run_id)}")
    try:
        view = followed(api, REPORT, run_id, say)
    except KeyboardInterrupt:
        look = f". {shown(home.environment)} && {REPORTS} status '{run_id}'"
        say(f"Not waiting any more; the run goes on. To see how it went:\n  {look}")
        return exit_codes.INTERRUPTED
    show(view, api, options.out or home.copies / REPORT / str(view.period), home)
    return exit_code_of(view)


def show(view: RunView, api: AirflowApi, folder: Path, home: StackHome) -> None:
    """Show the figures if there are any, and the failure if there was one."""
    release = release_of(view)
    if release is not None:
        show_figures(view, release, folder, home)
    if has_failed(view):
        say("\n" + "\n".join(aftermath_lines(view, find_aftermath(view), home)))
    say("\n" + "\n".join(next_lines(view, api.base_url, api.user, home)))


def show_figures(view: RunView, release: Release, folder: Path, home: StackHome) -> None:
    """Read back what was published and copy the files."""
    with places.open_warehouse() as warehouse:
        seen, rows = read_figures(warehouse, str(view.period))
    say(f"\n{headline(view, release, seen)}\n")
    say("\n".join(figure_lines(rows)))
    bucket = places.reports_bucket()
    with places.answering("report store"):
        copies = download(bucket, release.files, folder)
    store = str(bucket.client.meta.endpoint_url)
    found = Published(release, places.warehouse_parts(), bucket.name, store, copies)
    say("\n" + "\n".join(place_lines(view, found, home)))


if __name__ == "__main__":
    sys.exit(main())
