"""What was decided about a run, in the reader's words."""

from report_center.pages.formats import NOTHING, Formats
from report_center.records.run import AnswerRow
from reporting.core.run_retry import Plan


def again_words(fmt: Formats, plan: Plan, zone: str) -> str:
    """Return whether a failed run is run again; a reason stays in the words it was given in."""
    goes, times = plan.goes, plan.times
    if plan.given_up is None:
        moment = fmt.moment(plan.due_at, zone)
        at = NOTHING if moment is None else moment.short
        return fmt.texts("again.next", go=goes + 1, times=times, at=at)
    if goes >= times:
        return fmt.texts("again.used", goes=goes, times=times)
    return fmt.texts("again.never", goes=goes, times=times, why=plan.given_up)


def answer_words(fmt: Formats, answer: AnswerRow, zone: str) -> str:
    """Return which release answers a duplicate, and how to get a new one."""
    texts, moment = fmt.texts, fmt.moment(answer.published_at, zone)
    at = NOTHING if moment is None else moment.short
    told = [texts("answer.published", version=answer.version, run=answer.run_id, at=at)]
    if answer.missing:
        told.append(texts("answer.lacks", sources=", ".join(answer.missing)))
    return " ".join([*told, texts("answer.anew")])
