"""An S3 client that may not list what lies under one prefix."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError


class Unlistable:
    """Passes calls on, except for lists under `prefix`."""

    def __init__(self, client: Any, prefix: str) -> None:
        self._client, self._prefix = client, prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def get_paginator(self, name: str) -> Any:
        pages = self._client.get_paginator(name)

        def paginate(**wanted: Any) -> Any:
            if wanted["Prefix"].startswith(self._prefix):
                reason: Any = {"Error": {"Code": "AccessDenied", "Message": "not today"}}
                raise ClientError(reason, name)
            return pages.paginate(**wanted)

        return SimpleNamespace(paginate=paginate)
