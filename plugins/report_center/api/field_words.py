"""What fields of answers mean: where a model does not say it, the record it is made of does."""

import re
from collections.abc import Mapping
from inspect import getdoc
from typing import Any

from report_center.records.checks import CheckRow
from report_center.records.failure import FailureRow
from report_center.records.health import (
    Backlog,
    DifferenceRow,
    Health,
    OverdueRow,
    PoolRow,
    QueueDepth,
    ReconciliationRow,
    StalledRow,
)
from report_center.records.progress import RunProgress, StepProgress
from report_center.records.releases import FileRow, ReleaseRow
from report_center.records.reports import ReportRow
from report_center.records.run import DeliveryRow, RunView, SourceRow, StepRow, UndoRow, Wait
from report_center.records.runs import RunsPage
from report_center.records.transitions import Transition

RECORDS: Mapping[str, type] = {
    "Backlog": Backlog,
    "Check": CheckRow,
    "Delivery": DeliveryRow,
    "Failure": FailureRow,
    "File": FileRow,
    "FoundDifference": DifferenceRow,
    "Health": Health,
    "Overdue": OverdueRow,
    "Pool": PoolRow,
    "Progress": RunProgress,
    "QueueDepth": QueueDepth,
    "Reconciliation": ReconciliationRow,
    "Release": ReleaseRow,
    "Report": ReportRow,
    "ReportDetail": ReportRow,
    "RunDetail": RunView,
    "RunList": RunsPage,
    "Source": SourceRow,
    "Stalled": StalledRow,
    "Step": StepRow,
    "StepProgress": StepProgress,
    "Transition": Transition,
    "Undo": UndoRow,
    "Wait": Wait,
}
ATTRIBUTE = re.compile(r"^    (\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def tell_fields(schemas: Mapping[str, dict[str, Any]]) -> None:
    """Give each field that has no description that of its record."""
    for name, record in RECORDS.items():
        words = words_of(record)
        for field, told in schemas[name]["properties"].items():
            if field in words:
                told.setdefault("description", words[field])


def words_of(record: type) -> dict[str, str]:
    """Return what the docstring of a record says of its attributes, in the words of JSON."""
    told = (getdoc(record) or "").partition("Attributes:\n")[2]
    return {
        name: re.sub(r"\bNone\b", "null", " ".join(text.split())).removesuffix(".")
        for name, text in ATTRIBUTE.findall(told)
    }
