"""What a page's address may ask for; a form sends empty values for what was left open."""

from typing import Annotated, Literal

from fastapi import Path
from pydantic import BaseModel, BeforeValidator, Field

from report_center.api.run_routes import PeriodKey, RunState
from report_center.pages.letters_view import LettersWanted
from report_center.pages.today_view import PAGE, Sought
from report_center.records.runs import RunsWanted
from reporting.airflow_edge.web_rights import LARGEST_NUMBER, PLAIN, Text
from reporting.core.service.dead_facts import LONGEST

Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER)]
Name = Annotated[str, Path(max_length=LONGEST, pattern=PLAIN)]


def _given(value: object) -> object:
    return None if value == "" else value


Blank = BeforeValidator(_given)
Offset = Annotated[int, Field(ge=0, le=LARGEST_NUMBER)]


class TodayAsked(BaseModel):
    """Which reports, and whether only the part that changes is wanted."""

    q: Text = ""
    offset: Offset = 0
    part: Literal["reports"] | None = None

    @property
    def sought(self) -> Sought:
        """The same, as the view takes it."""
        return Sought(self.q.strip(), self.offset)


class RunsAsked(BaseModel):
    """Which runs, and whether only the part that changes is wanted."""

    report: Annotated[Text | None, Blank] = None
    state: Annotated[RunState | None, Blank] = None
    by: Annotated[Text | None, Blank] = None
    first: Annotated[PeriodKey | None, Blank, Field(alias="from")] = None
    last: Annotated[PeriodKey | None, Blank, Field(alias="to")] = None
    before: Annotated[int | None, Field(ge=1, le=LARGEST_NUMBER)] = None
    part: Literal["runs"] | None = None

    @property
    def wanted(self) -> RunsWanted:
        """The same, as the records take it."""
        return RunsWanted(
            self.report, self.state, self.first, self.last, self.by, None, self.before, PAGE
        )


class VersionsAsked(BaseModel):
    """Which versions of a report."""

    period: Annotated[PeriodKey | None, Blank] = None
    before: Annotated[int | None, Field(ge=1, le=LARGEST_NUMBER)] = None


class LettersAsked(BaseModel):
    """Which dead letters."""

    report: Annotated[Text | None, Blank] = None
    source: Annotated[Text | None, Blank] = None
    state: Literal["waiting", "replayed", "discarded"] = "waiting"
    offset: Offset = 0

    @property
    def wanted(self) -> LettersWanted:
        """The same, as the view takes it."""
        return LettersWanted(self.report, self.source, self.state, self.offset)
