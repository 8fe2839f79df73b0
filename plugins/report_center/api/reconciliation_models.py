"""Differences between what should be and what is, as the API answers them."""

from pydantic import Field

from report_center.api.run_models import Answer
from reporting.core.reconcile.difference import Rule


class Difference(Answer):
    """One thing that is not as it should be."""

    kind: str = Field(description="which comparison has found it, such as `published rows`")
    report: str | None = Field(description="whose it is; null when no report is known")
    run_id: str | None = Field(description="Airflow's run it belongs to; null when unknown")
    what: str = Field(description="what was compared: a table of a release, a file, a claim")
    expected: str = Field(description="what should be")
    found: str = Field(description="what is")
    rule: Rule = Field(
        description="what the janitor does: remove, release, cancel or undo; `decide` leaves it to "
        "a person"
    )
    advice: str = Field(description="command by which a person mends it; empty where a rule does")


class Differences(Answer):
    """What differs."""

    differences: list[Difference] = Field(description="what differs")
    unseen: list[str] = Field(description="what could not be looked at or repaired, in words")


class Repaired(Differences):
    """What was repaired, and what differs after that."""

    repaired: list[Difference] = Field(description="what was repaired")
