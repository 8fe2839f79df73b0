"""Dead letters as the API answers them."""

from datetime import datetime

from pydantic import Field

from report_center.api.run_models import Answer


class DeadLetter(Answer):
    """A message that nobody could use."""

    dead_letter_id: int = Field(description="names it in addresses and on the command line")
    digest: str = Field(description="SHA-256 of the message")
    queue: str = Field(description="the queue it was for")
    bytes: int = Field(description="size of the message")
    reason: str = Field(description="why nobody could use it")
    source: str | None = Field(description="source that asked; null when that is unknown")
    report: str | None = Field(description="name of the report; null when that is unknown")
    run_id: str | None = Field(description="Airflow's run id; null when that is unknown")
    tries: int = Field(description="how often it was delivered in all")
    state: str = Field(description="waiting, replayed or discarded")
    first_at: datetime = Field(description="when it died first")
    last_at: datetime = Field(description="when it died last")
    settled_at: datetime | None = Field(description="when it was replayed or discarded")
    settled_by: str | None = Field(description="user who did that")
    payload: str = Field(description="key of the message in the bucket of staged data")


class LetterList(Answer):
    """One page of dead letters."""

    dead_letters: list[DeadLetter] = Field(description="the letters")
    total_entries: int = Field(description="how many there are on all pages")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one")
    uncollected: int | None = Field(
        description="how many more, of any report, the janitor has to collect from the broker; "
        "null when the broker does not answer at once, or there is none"
    )


class Payload(Answer):
    """The message of a dead letter."""

    bytes: int = Field(description="size of the whole message")
    beginning: str | None = Field(
        description="up to 1,000 characters without secrets; null when it is kept no more"
    )
