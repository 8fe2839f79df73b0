"""What a run is triggered with, and what is answered."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from report_center.api.run_models import Answer, Run

LONGEST_KEY = 200
Word = Literal["created", "same_key", "under_way", "published"]


class Trigger(BaseModel):
    """What is asked of a report."""

    model_config = ConfigDict(extra="forbid")

    period: Annotated[str, Field(max_length=20)] | None = Field(
        None,
        description="what to report on; nothing for the last complete period",
        examples=["2013-07-04", "2013-07"],
    )
    params: dict[str, Any] = Field(
        default_factory=dict,
        description="params of the report; `period` and `refresh` stand beside them",
    )
    refresh: bool = Field(
        default=False, description="whether to make figures again that are published already"
    )


class Triggered(Answer):
    """The run that answers."""

    answer: Word = Field(
        description="`created`: a run was made. `same_key`: the key has made this run before. "
        "`under_way`: this run works on the same period and params. `published`: this run has "
        "published them; ask with `refresh` to make a new version."
    )
    run: Run | None = Field(description="null when the run that published is deleted")
    release_id: int | None = Field(description="of what is published; null otherwise")
