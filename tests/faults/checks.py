"""The invariants of the design, as checks of what is found: each returns what breaks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from tests.faults.found import Found, FoundRun
from tests.faults.subject import Figures

SHOWN = 3
Expected = Mapping[tuple[str, str], Figures]  # per report and period


@dataclass(frozen=True)
class Breach:
    """A broken invariant.

    Attributes:
        invariant: its number in the design.
        about: the period or the run it is about, by which its plan is found.
        text: what is wrong.
    """

    invariant: int
    about: str
    text: str

    def __str__(self) -> str:
        """Return it in words."""
        return f"invariant {self.invariant}: {self.about}: {self.text}"


Check = Callable[[Found, Expected], Iterator[Breach]]


def check_figures(found: Found, expected: Expected) -> Iterator[Breach]:
    """1: every release, whether current or not, has exactly what its sources held."""
    for release in found.releases:
        wanted = expected.get((release.report, release.period))
        if wanted is not None and not release.lacks_sources:
            for said in differences(wanted, release.figures):
                yield Breach(1, release.period, f"{release.report}, {release.life}: {said}")


def check_current(found: Found, _: Expected) -> Iterator[Breach]:
    """2: of the releases for one business key exactly one is current."""
    counts = Counter[tuple[str, str, str]]()
    for release in found.releases:
        counts[release.report, release.request_key, release.period] += release.is_current
    for (report, _key, period), count in counts.items():
        if count != 1:
            yield Breach(2, period, f"{report} has {count} current releases")


def check_green(found: Found, _: Expected) -> Iterator[Breach]:
    """3: a green run has published, or is a duplicate of one that has or that did not point on."""
    published = {(release.report, release.life[0]) for release in found.releases}
    duplicates = {(run.report, run.run_id) for run in found.runs if run.duplicate_of is not None}
    for run in found.runs:
        if run.state != "success" or (run.report, run.run_id) in published:
            continue
        if run.duplicate_of is None:
            yield Breach(3, run.run_id, "is green and has published nothing")
        elif (run.report, run.duplicate_of) in duplicates - published:
            yield Breach(3, run.run_id, f"points to {run.duplicate_of}, a duplicate itself")


def check_failed(found: Found, _: Expected) -> Iterator[Breach]:
    """4: a failed run is compensated, unless its figures are out, and each channel was told."""
    published = {(release.report, *release.life) for release in found.releases}
    sent = {(alert.subject, alert.channel) for alert in found.alerts if alert.is_sent}
    for run in found.runs:
        if run.state != "failed":
            continue
        if (run.report, *run.life) not in found.closed | published:
            yield Breach(4, run.run_id, f"failed in life {run.life[1:]} and is not compensated")
        for channel in sorted(found.channels[run.report]):
            if (_subject(run), channel) not in sent:
                yield Breach(4, run.run_id, f"failed in life {run.life[1:]}, not told by {channel}")


def check_told_once(found: Found, _: Expected) -> Iterator[Breach]:
    """4: a channel holds one alert per receipt and no more."""
    receipts = Counter[tuple[str, str]]()
    for alert in found.alerts:
        receipts[alert.channel, _run_of(alert.subject)] += alert.is_sent
    for key in sorted(set(receipts) | set(found.told)):
        if receipts[key] != (count := found.told.get(key, 0)):
            channel, run_id = key
            yield Breach(4, run_id, f"{count} alerts by {channel}, {receipts[key]} receipts")


def check_nothing_left(found: Found, _: Expected) -> Iterator[Breach]:
    """5: nothing of an ended run is left anywhere."""
    for kind, names in found.leftovers.items():
        for name in names:
            yield Breach(5, name, f"left: {kind}")


def check_files(found: Found, _: Expected) -> Iterator[Breach]:
    """5: every file is named by a release, and every named file is there."""
    named = {key for release in found.releases for key in release.files}
    yield from (Breach(5, key, "a file that no release names") for key in found.files - named)
    yield from (
        Breach(5, key, "a release names a file that is gone") for key in named - found.files
    )


def check_ended(found: Found, _: Expected) -> Iterator[Breach]:
    """8: every run comes to its end, and no task of it goes on."""
    for run in found.runs:
        if run.state not in ("success", "failed"):
            yield Breach(8, run.run_id, f"is {run.state} for good")
        elif run.under_way:
            yield Breach(8, run.run_id, f"has ended, and not: {', '.join(run.under_way)}")


CHECKS: tuple[Check, ...] = (
    check_figures,
    check_current,
    check_green,
    check_failed,
    check_told_once,
    check_nothing_left,
    check_files,
    check_ended,
)


def breaches(found: Found, expected: Expected) -> list[Breach]:
    """Return all that is broken."""
    return [breach for check in CHECKS for breach in check(found, expected)]


def check_seen(
    seen: Figures, release_ids: Collection[int], wanted: Figures, period: str
) -> Iterator[Breach]:
    """2: what a reader sees at one moment is one whole release.

    Args:
        seen: rows per table, of one period.
        release_ids: the releases they belong to.
        wanted: what a release has.
        period: the period.
    """
    if len(release_ids) > 1:
        yield Breach(2, period, f"a reader saw releases {sorted(release_ids)} at once")
    yield from (Breach(2, period, f"a reader saw {said}") for said in differences(wanted, seen))


def differences(wanted: Figures, got: Figures) -> Iterator[str]:
    """Yield, per table, rows that are lost and rows that should not be there."""
    for table in sorted(set(wanted) | set(got)):
        left, right = Counter(wanted.get(table, ())), Counter(got.get(table, ()))
        for said, rows in (("lacks", left - right), ("has besides", right - left)):
            if rows:
                some = ", ".join(list(rows.elements())[:SHOWN])
                yield f"table {table} {said} {rows.total()} rows, such as {some}"


def _subject(run: FoundRun) -> str:
    return f"failed {run.report} {run.run_id} #{run.clear_number} {run.started}"


def _run_of(subject: str) -> str:
    """Return the run that an alert is about; its id may have spaces."""
    return subject.rpartition(" #")[0].split(" ", 2)[2]
