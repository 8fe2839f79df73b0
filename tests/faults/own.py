"""The harness's own reports: what their sources hold is known, and so are the figures."""

from __future__ import annotations

from collections.abc import Sequence

from tests.faults.ground import Ground
from tests.faults.plan import Plan
from tests.faults.samples import SUBJECTS, model
from tests.faults.stocking import make_table, stock
from tests.faults.subject import Figures, Subject
from tests.faults.trial import Trial


def _ready(ground: Ground) -> Sequence[Subject]:
    make_table(ground)
    return SUBJECTS


def _prepare(ground: Ground, plan: Plan) -> Figures:
    stock(ground, plan)
    return model(plan.case)


OWN = Trial([subject.report for subject in SUBJECTS], _ready, _prepare)
