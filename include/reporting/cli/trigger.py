"""`reports trigger`: starts a run, and with `--wait` follows it to its end."""

from __future__ import annotations

import argparse
import json
from shlex import quote
from typing import TYPE_CHECKING, Any

from reporting.cli import exit_codes
from reporting.cli.asked_params import asked_conf
from reporting.cli.console import say, say_aside
from reporting.cli.follow import Follower
from reporting.cli.login import airflow_of
from reporting.cli.period_over import demand_over
from reporting.cli.progress import Progress
from reporting.cli.report_dags import report_dag, run_url
from reporting.cli.run_text import outcome_lines, run_json
from reporting.cli.run_view import RunView, read_run
from reporting.cli.typed import as_typed, command
from reporting.cli.verdict import exit_code_of
from reporting.cli.waking import ensure_awake
from reporting.definition.params import PERIOD, REFRESH

if TYPE_CHECKING:
    from reporting.cli.console import Say
    from reporting.core.airflow_api import AirflowApi

EXAMPLES = f"""examples:
  reports trigger airline_on_time --period 2013-01-01 --wait
  reports trigger airline_on_time --period 2013-01-01 --param carrier=UA
  reports trigger airline_on_time --period 2013-01-01 --refresh --wait
  reports trigger exchange_rates --period 2013-01
  reports trigger airline_on_time --wait --json > run.json

A run whose period and params another run already works on does nothing; --wait follows the
other one. Nor is anything done when they are published already: --refresh makes the next version.

{exit_codes.IN_WORDS}
"""


def add_command(commands: Any, login: argparse.ArgumentParser) -> None:
    """Describe the command."""
    command = commands.add_parser(
        "trigger",
        parents=[login],
        help="start a run",
        description="Start a run of a report.",
        epilog=as_typed(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("report", metavar="REPORT", help="name of the report; see: reports list")
    command.add_argument(
        "--period",
        metavar="PERIOD",
        help="what to report on: a day YYYY-MM-DD or, of a monthly report, a month YYYY-MM "
        "(default: the last complete one)",
    )
    command.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a param of the report; repeat for more; an empty value means none",
    )
    command.add_argument(
        "--refresh",
        action="store_true",
        help="make a new version of figures that are published already",
    )
    command.add_argument("--wait", action="store_true", help="follow the run to its end")
    command.add_argument(
        "--unpause", action="store_true", help="unpause the report if it is paused"
    )
    command.add_argument(
        "--json", action="store_true", help="print one JSON object, progress aside"
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Start the run; follow it when asked to."""
    api = airflow_of(options)
    progress = say_aside if options.json else say
    run_id = start(api, options, progress)
    return end(api, options, run_id, progress)


def end(api: AirflowApi, options: argparse.Namespace, run_id: str, progress: Say) -> int:
    """Follow the run when asked to, else say how to look at it, and return the exit code."""
    if options.wait:
        return wait(api, options.report, run_id, progress, as_json=options.json)
    if options.json:
        url = run_url(api, options.report, run_id)
        say(json.dumps({"report": options.report, "run_id": run_id, "url": url}, indent=2))
    else:
        say(f"Look at it: {command()} status {quote(run_id)} --report {options.report}")
    return exit_codes.OK


def start(api: AirflowApi, options: argparse.Namespace, progress: Say) -> str:
    """Start a run and return its id.

    Raises:
        InputError: the report is unknown or paused, params are not allowed, or the period is not
            over.
    """
    dag = report_dag(api, options.report)
    declared = {name: param["schema"] for name, param in dag["params"].items()}
    conf = asked_conf(declared, _built_in(options), options.param)
    if options.period is not None:
        demand_over(api, options.report, options.period)
    ensure_awake(api, dag, progress, may_unpause=options.unpause)
    run_id = str(api.trigger(options.report, conf)["dag_run_id"])
    progress(f"Started {run_id}")
    progress(f"Open    {run_url(api, options.report, run_id)}")
    return run_id


def _built_in(options: argparse.Namespace) -> dict[str, Any]:
    """Return the params that have options of their own, where they were given."""
    period = {} if options.period is None else {PERIOD: options.period}
    return period | ({REFRESH: True} if options.refresh else {})


def wait(api: AirflowApi, report: str, run_id: str, progress: Say, *, as_json: bool) -> int:
    """Follow a run, print what came of it and return the exit code."""
    try:
        view = followed(api, report, run_id, progress)
    except KeyboardInterrupt:
        look = f"{command()} status {quote(run_id)}"
        progress(f"Not waiting any more; the run goes on. Look at it: {look}")
        return exit_codes.INTERRUPTED
    say(run_json(view) if as_json else "\n".join(outcome_lines(view)).lstrip("\n"))
    return exit_code_of(view)


def followed(api: AirflowApi, report: str, run_id: str, progress: Say) -> RunView:
    """Follow a run to its end and return the run that did the work."""
    worked = Follower(api, Progress(progress)).follow(report, run_id)
    return read_run(api, report, worked)
