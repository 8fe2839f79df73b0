"""What the page of one report shows: its definition in words, and its versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from report_center.pages.check_lines import CheckLine, check_lines
from report_center.pages.formats import Formats
from report_center.pages.plain_values import plain_text
from report_center.pages.schedule_words import end_words, is_by_schedule, start_words
from report_center.pages.unseen import unseen_texts
from report_center.records.checks import checks_of
from report_center.records.reports import ReportRow
from report_center.records.versions import VersionRow, VersionsPage

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class SourceWords:
    """One source in words: where from, what is asked, what it must keep to."""

    name: str
    kind: str
    origin: str
    is_required: bool
    rules: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TableWords:
    """One table it publishes: where it is read, its key and its columns."""

    name: str
    relation: str
    key: str
    columns: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ParamWords:
    """One param: what is allowed, and what holds when nothing is chosen."""

    name: str
    description: str
    allowed: tuple[str, ...]
    default: str


@dataclass(frozen=True)
class VersionLine:
    """One version with what it changed and the checks it has passed, in words."""

    version: VersionRow
    checks: tuple[CheckLine, ...]
    rows: tuple[tuple[str, str, str], ...]
    params: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ReportPage:
    """The page.

    Attributes:
        report: the report.
        owner: who answers for it; empty when unknown.
        starts: what starts a run, in sentences.
        ended: that its schedule has ended, in words; None while it has not.
        rules: its retries and limits, in sentences.
        sources: what it reads.
        params: what may be chosen.
        tables: what it publishes.
        exports: files it makes.
        recipients: who is sent the files, alerts and notices: label and address.
        versions: its versions, the newest first.
        next_before: where the next page of them begins; None on the last one.
        is_known: whether its definition could be read.
        unseen: what could not be asked, in words.
    """

    report: ReportRow
    owner: str
    starts: tuple[str, ...]
    ended: str | None
    rules: tuple[str, ...]
    sources: tuple[SourceWords, ...]
    params: tuple[ParamWords, ...]
    tables: tuple[TableWords, ...]
    exports: tuple[str, ...]
    recipients: tuple[tuple[str, str], ...]
    versions: tuple[VersionLine, ...]
    next_before: int | None
    is_known: bool
    unseen: tuple[str, ...]


def report_page(
    fmt: Formats, report: ReportRow, versions: VersionsPage, unseen: Sequence[str]
) -> ReportPage:
    """Return the page of a report."""
    told = report.definition
    return ReportPage(
        report=report,
        owner=str(told.get("owner", "")),
        starts=_starts(fmt, report),
        ended=end_words(fmt.texts, report),
        rules=_rules(fmt, told),
        sources=tuple(_source(fmt, source) for source in told.get("sources", ())),
        params=tuple(_param(fmt, *param) for param in told.get("params", {}).items()),
        tables=tuple(_table(table) for table in told.get("tables", ())),
        exports=tuple(told.get("exports", ())),
        recipients=_recipients(fmt, told),
        versions=tuple(_version(fmt, told, one) for one in versions.rows),
        next_before=versions.next_before,
        is_known=bool(told),
        unseen=unseen_texts(fmt.texts, unseen),
    )


def _starts(fmt: Formats, report: ReportRow) -> tuple[str, ...]:
    texts = fmt.texts
    sentences = [texts("report.starts_so", words=words) for words in start_words(texts, report)]
    end = report.definition.get("schedule", {}).get("end")
    if end and is_by_schedule(report):
        sentences.append(texts("report.until", period=end))
    return tuple(sentences)


def _rules(fmt: Formats, told: Mapping[str, Any]) -> tuple[str, ...]:
    texts = fmt.texts
    rules = []
    if tries := told.get("tries"):
        rules.append(texts("report.tries", tries=tries))
    if again := told.get("retry_run"):
        after = fmt.duration(again["after"])
        rules.append(texts("report.retry_run", times=again["times"], after=after))
    spans = (name for name in ("run_limit", "step_limit", "keep_staging") if name in told)
    rules += [texts(f"report.{name}", duration=fmt.duration(told[name])) for name in spans]
    return tuple(rules)


def _source(fmt: Formats, told: Mapping[str, Any]) -> SourceWords:
    asks = told.get("asks")
    origin = f"{told['conn_id']}: {asks}" if asks else str(told["conn_id"])
    return SourceWords(
        name=told["name"],
        kind=told["kind"],
        origin=origin,
        is_required=bool(told["required"]),
        rules=tuple(_source_rules(fmt, told)),
        columns=_columns(told),
    )


def _source_rules(fmt: Formats, told: Mapping[str, Any]) -> list[str]:
    texts = fmt.texts
    rules = []
    if least := told.get("min_rows"):
        rules.append(texts("report.min_rows", rows=texts.count("count.rows", least)))
    if fresh := told.get("fresh"):
        within = fmt.duration(fresh["within"])
        rules.append(texts("report.fresh", column=fresh["column"], within=within))
    if most := told.get("quarantine"):
        rules.append(texts("report.quarantine", most=plain_text(most)))
    if limit := told.get("time_limit"):
        rules.append(texts("report.time_limit", duration=fmt.duration(limit)))
    return rules


def _param(fmt: Formats, name: str, told: Mapping[str, Any]) -> ParamWords:
    schema, default = told.get("schema", {}), told.get("default")
    told_apart = ("title", "description", "default", "$schema", "description_md")
    return ParamWords(
        name=name,
        description=str(schema.get("description") or schema.get("description_md") or ""),
        allowed=tuple(
            f"{rule}: {plain_text(value)}"
            for rule, value in schema.items()
            if rule not in told_apart and value is not None
        ),
        default=fmt.texts("report.no_default") if default is None else plain_text(default),
    )


def _table(told: Mapping[str, Any]) -> TableWords:
    return TableWords(told["name"], told["relation"], ", ".join(told["key"]), _columns(told))


def _columns(told: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple((name, plain_text(kind)) for name, kind in told.get("columns", {}).items())


def _recipients(fmt: Formats, told: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    texts = fmt.texts
    found = [
        (texts(f"report.{part}"), ", ".join(one.get("to", ())) or str(one.get("conn_id", "")))
        for part in ("deliver", "alerts")
        for one in told.get(part, ())
    ]
    return (*found, *((texts("report.notices"), str(one)) for one in told.get("notices", ())))


def _version(fmt: Formats, definition: Mapping[str, Any], one: VersionRow) -> VersionLine:
    counts = one.release.row_counts
    rows = tuple(
        (name, fmt.number(counts.get(name, 0)), _signed(one.differences.get(name)))
        for name in dict.fromkeys((*counts, *one.differences))
    )
    params = tuple((name, plain_text(value)) for name, value in one.release.params.items())
    checks = check_lines(fmt, checks_of(definition, one.release))
    return VersionLine(one, checks, rows, () if one.release.is_default else params)


def _signed(difference: int | None) -> str:
    """Return a change with its sign; nothing for a first version."""
    if difference is None:
        return ""
    sign = "+" if difference > 0 else MINUS if difference < 0 else "±"
    return f"{sign}{abs(difference):,}"
