"""What a run went on without, in words: a success that lacks something is no plain one."""

from report_center.pages.badges import UNDOING, Badge
from report_center.pages.texts import Texts
from report_center.records.runs import RunRow


def run_marks(texts: Texts, run: RunRow) -> tuple[Badge, ...]:
    """Return a mark for sources that are missing, and one for rows that were set aside."""
    told = {}
    if run.missing:
        told["missing"] = texts("marks.missing", sources=", ".join(run.missing))
    if run.set_aside:
        told["set_aside"] = texts.count("run.set_aside", run.set_aside)
    return tuple(Badge(UNDOING, "warn", text, code) for code, text in told.items())
