"""An S3 client that refuses to delete some keys, and answers 200 all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.integration.breaking_client import BreakingClient

A_FEW = 100


class Sparing(BreakingClient):
    """A store that answers a delete with 200 and errors for some keys."""

    def __init__(self, client: Any, spared: Mapping[str, str]) -> None:
        super().__init__(client, 10**6, after=False)
        self._spared = spared

    def delete_objects(self, **wanted: Any) -> Any:
        asked = [one["Key"] for one in wanted["Delete"]["Objects"]]
        due = [{"Key": key} for key in asked if key not in self._spared]
        for start in range(0, len(due), A_FEW):  # a busy store takes long over a thousand
            some = {"Objects": due[start : start + A_FEW]}
            self._client.delete_objects(Bucket=wanted["Bucket"], Delete=some)
        refused = [key for key in asked if key in self._spared]
        return {"Errors": [{"Key": key, "Code": self._spared[key]} for key in refused]}
