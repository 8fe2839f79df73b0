"""The report: one typed, frozen definition that the factory only reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from inspect import getfile
from pathlib import Path

from reporting.definition.checked import checked
from reporting.definition.compute import Compute, check_compute
from reporting.definition.delivery import Alert, Email, NoticeBySlack, recipients
from reporting.definition.names import check_line, check_name, check_unique
from reporting.definition.params import (
    PERIOD,
    REFRESH,
    REFRESH_PARAM,
    Param,
    check_schema,
    checked_params,
)
from reporting.definition.placeholders import BUILT_IN
from reporting.definition.retry import Retry
from reporting.definition.run_retry import RunRetry
from reporting.definition.schedule import Schedule
from reporting.definition.source import Source
from reporting.definition.starts import OnSchedule, Start, start_names
from reporting.definition.tables import Export, Table
from reporting.errors import DefinitionError, InputError

MAX_RELATION_BYTES = 63
LONGEST_SUFFIX = "__by_params"


@checked
@dataclass(frozen=True, kw_only=True)
class Report:
    """One report type.

    Attributes:
        name: name of the report and of its DAG.
        title: what people call it.
        schedule: when it runs and which period it covers.
        starts_on: what starts a run, besides people; without `OnSchedule()` the clock does not, and
            `schedule` only says what a period is.
        sources: what it reads.
        compute: pure function from `Inputs` to one frame per table.
        tables: what it publishes.
        params: what may be chosen per run, besides `period` and `refresh`.
        exports: files made of each table.
        deliver: who is sent the files.
        alerts: who is told when a run fails.
        notices: who is told when a version was published; best effort, without a receipt.
        owner: team or person that answers for it.
        tags: further Airflow tags.
        retry: tries and waits of every step.
        retry_run: when a failed run is run again as a whole; without it never.
        run_limit: a run that takes longer is ended as failed.
        step_limit: the same for each step other than a fetch.
        keep_staging: how long staged data stays after the run has ended, so that a single step
            can be cleared without fetching again.
    """

    name: str
    title: str
    schedule: Schedule
    sources: Sequence[Source]
    compute: Compute
    tables: Sequence[Table]
    params: Mapping[str, Param] = field(default_factory=dict)
    exports: Sequence[Export] = ()
    deliver: Sequence[Email] = ()
    alerts: Sequence[Alert] = ()
    notices: Sequence[NoticeBySlack] = ()
    starts_on: Sequence[Start] = (OnSchedule(),)
    owner: str = "reporting"
    tags: Sequence[str] = ()
    retry: Retry = field(default_factory=Retry)
    retry_run: RunRetry | None = None
    run_limit: timedelta = timedelta(hours=3)
    step_limit: timedelta = timedelta(minutes=30)
    keep_staging: timedelta = timedelta(days=1)

    def __post_init__(self) -> None:
        """Refuse contradictions, so that a broken report never becomes a DAG."""
        check_name("Report", self.name)
        check_unique(f"Report {self.name!r}: source", [source.name for source in self.sources])
        check_unique(f"Report {self.name!r}: table", [table.name for table in self.tables])
        check_unique(f"Report {self.name!r}: export", [export.suffix for export in self.exports])
        check_unique(f"Report {self.name!r}: starts_on", start_names(self.starts_on))
        self._check_parts()
        self._check_recipients()
        self._check_table_names()
        self._check_params()
        self._check_limits()

    def _check_parts(self) -> None:
        for part, items in (("sources", self.sources), ("tables", self.tables)):
            if not items:
                raise DefinitionError(f"Report {self.name!r}: {part} is empty; declare one.")
        check_compute(f"Report {self.name!r}", self.compute)
        check_line(f"Report {self.name!r}: title", self.title)
        check_line(f"Report {self.name!r}: owner", self.owner)

    def _check_recipients(self) -> None:
        # A receipt knows a recipient by channel and address; a second one would count as sent.
        for part, items in (("deliver", self.deliver), ("alerts", self.alerts)):
            check_unique(f"Report {self.name!r}: {part}", recipients(items))
        check_unique(f"Report {self.name!r}: notices", [part.conn_id for part in self.notices])

    def _check_table_names(self) -> None:
        for table in self.tables:
            size = len(f"{self.name}__{table.name}{LONGEST_SUFFIX}")
            if size > MAX_RELATION_BYTES:
                raise DefinitionError(
                    f"Report {self.name!r}: table {table.name!r} makes a relation name of {size} "
                    f"bytes; allowed: {MAX_RELATION_BYTES}. Shorten one of the names."
                )

    def _check_params(self) -> None:
        for name, param in self.params.items():
            if name in (*BUILT_IN, REFRESH):
                raise DefinitionError(
                    f"Report {self.name!r}: param {name!r} is built in; leave it out, or name "
                    "yours otherwise."
                )
            check_name(f"Report {self.name!r}: param", name)
            check_schema(f"Report {self.name!r}: param {name!r}", param)
        for source in self.sources:
            source.check_use(self.params, self.folder)
        try:
            checked_params(self.run_params, {})
        except InputError as error:
            raise DefinitionError(
                f"Report {self.name!r}: a default is not allowed. {error}"
            ) from None

    def _check_limits(self) -> None:
        for name, least in (("run_limit", 1), ("step_limit", 1), ("keep_staging", 0)):
            value = getattr(self, name)
            if value < timedelta(seconds=least):
                raise DefinitionError(
                    f"Report {self.name!r}: {name}={value}; allowed: {least} s or more."
                )

    @property
    def run_params(self) -> dict[str, Param]:
        """All that may be chosen per run: `period` first, `refresh` last."""
        return {**self.request_params, REFRESH: REFRESH_PARAM}

    @property
    def request_params(self) -> dict[str, Param]:
        """What makes up a request: `period` first."""
        return {PERIOD: self.schedule.period_param, **self.params}

    @property
    def folder(self) -> Path:
        """Where the file of `compute` lies; queries are kept beside it."""
        return Path(getfile(self.compute)).parent

    def source(self, name: str) -> Source:
        """Return the source of that name; the caller knows that it exists."""
        return next(source for source in self.sources if source.name == name)

    def table(self, name: str) -> Table:
        """Return the table of that name; the caller knows that it exists."""
        return next(table for table in self.tables if table.name == name)
