"""What is asked of a run or of what readers see, and what is answered."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from report_center.api.cursor import LARGEST_RUN
from report_center.api.run_models import Answer
from reporting.airflow_edge.web_rights import LARGEST_NUMBER


class RerunAsked(BaseModel):
    """What is to be run again."""

    model_config = ConfigDict(extra="forbid")

    part: Literal["failed", "all"] = Field(
        "failed", description="what failed with all that comes after it, or the whole run"
    )
    dry_run: bool = Field(default=False, description="whether only to say what would be cleared")
    seen: Annotated[int, Field(ge=0, le=LARGEST_RUN)] | None = Field(
        None,
        description="`clear_number` of the run when you looked: refused if somebody has run it "
        "again since",
    )


class Rerun(Answer):
    """What is run again."""

    report: str = Field(description="name of the report")
    run_id: str = Field(description="Airflow's run id")
    tasks: list[str] = Field(description="tasks that are cleared, in the order of the work")
    is_done: bool = Field(description="whether they were cleared; false for a dry run")


class PointerAsked(BaseModel):
    """What readers saw when it was decided."""

    model_config = ConfigDict(extra="forbid")

    seen: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)] | None = Field(
        None,
        description="`release_id` of what readers saw of the period when you looked, 0 for "
        "nothing: refused if that has changed since",
    )
