"""Errors as the documents of web routes describe them: RFC 9457 problems."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

CONTENT_TYPE = "application/problem+json"


class Problem(BaseModel):
    """What went wrong, and what to do."""

    type: str = Field("about:blank", description="always `about:blank`: the status says it all")
    title: str = Field(description="the status in words")
    status: int = Field(description="the HTTP status")
    detail: str = Field(description="what exactly, with the field and the value where there is one")


def described(words: Mapping[int, str]) -> dict[int | str, dict[str, Any]]:
    """Return statuses of problems for the document of a route.

    It is written down as plain JSON Schema, because FastAPI would document a model as
    `application/json`.

    Args:
        words: what each status means.
    """
    content = {CONTENT_TYPE: {"schema": Problem.model_json_schema()}}
    return {
        status: {"description": text, "content": content} for status, text in sorted(words.items())
    }
