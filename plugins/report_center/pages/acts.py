"""What a reader may do on a page: links to the pages that say what will happen and ask."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from report_center.pages.frame import Frame
from report_center.records.releases import ReleaseRow
from report_center.records.run import RunView
from report_center.records.versions import VersionRow
from reporting.airflow_edge.web_rights import RUNS, Rights
from reporting.core.warehouse.dead_letters import WAITING, DeadLetter

LETTERS = "dead-letters"
SETTLING = ("replay", "discard")
MAIN, DANGER = "main", "danger"


@dataclass(frozen=True)
class Act:
    """One thing to do.

    Attributes:
        text: what the button says.
        address: the page that asks for confirmation.
        tone: `main` for what is wanted most, `danger` for what cannot be undone, or empty.
        value: what a form sends when the button is pressed, where several things are chosen.
    """

    text: str
    address: str = ""
    tone: str = ""
    value: str = ""


def report_acts(frame: Frame, rights: Rights, report: str) -> tuple[Act, ...]:
    """Return what may be done to a report."""
    if not rights.may("POST", report, RUNS):
        return ()
    return (Act(frame.texts("act.trigger"), frame.to("report", report, "trigger"), MAIN),)


def run_acts(frame: Frame, rights: Rights, view: RunView) -> tuple[Act, ...]:
    """Return what may be done to a run as it stands."""
    run, texts = view.run, frame.texts
    place = ("runs", run.report, run.run_id)
    may_change = rights.may("PUT", run.report, RUNS)
    acts = []
    if may_change and not run.is_over:
        acts.append(Act(texts("act.cancel"), frame.to(*place, "cancel"), DANGER))
    if may_change and run.is_over and view.failure and view.failure.to_clear:
        address = frame.to(*place, "rerun", what="failed")
        acts.append(Act(texts("act.rerun_failed"), address, MAIN))
    if may_change and run.is_over:
        acts.append(Act(texts("act.rerun_all"), frame.to(*place, "rerun", what="all")))
    if run.is_over and rights.may("POST", run.report, RUNS):
        address = frame.to("report", run.report, "trigger", like=run.run_id)
        tone = MAIN if view.failure and not view.failure.to_clear else ""
        acts.append(Act(texts("act.trigger_again"), address, tone))
    return tuple(acts)


def version_acts(
    frame: Frame, rights: Rights, report: str, versions: Sequence[VersionRow]
) -> Mapping[int, tuple[Act, ...]]:
    """Return what may be done to each version of a report, by the id of its release."""
    if not rights.may("PUT", report, RUNS):
        return {}
    return {
        one.release.release_id: (_version_act(frame, one.release, one.seen or 0),)
        for one in versions
    }


def _version_act(frame: Frame, release: ReleaseRow, current: int) -> Act:
    texts, place = frame.texts, ("releases", release.release_id)
    if release.is_current:
        return Act(texts("act.withdraw"), frame.to(*place, "withdraw"))
    key = "act.roll_back" if release.version < current else "act.make_current"
    return Act(texts(key), frame.to(*place, "roll-back"))


def letter_acts(frame: Frame, rights: Rights, letter: DeadLetter) -> tuple[Act, ...]:
    """Return what may be done to a dead letter."""
    if letter.state != WAITING or not rights.may("PUT", letter.report, RUNS):
        return ()
    number = letter.dead_letter_id
    addresses = {act: frame.to(LETTERS, "several", action=act, number=number) for act in SETTLING}
    return tuple(
        Act(frame.texts(f"act.{act}"), address, tone)
        for (act, address), tone in zip(addresses.items(), (MAIN, DANGER), strict=True)
    )


def list_acts(frame: Frame, rights: Rights, letters: Iterable[DeadLetter]) -> tuple[Act, ...]:
    """Return what may be done to chosen letters of a list; nothing when none of them may be."""
    reports = {letter.report for letter in letters if letter.state == WAITING}
    if not any(rights.may("PUT", report, RUNS) for report in reports):
        return ()
    return tuple(_settling(frame))


def _settling(frame: Frame) -> Iterator[Act]:
    for act in SETTLING:
        yield Act(frame.texts(f"act.{act}"), value=act)
