"""Airflow, asked within the process, has a time limit as over a network."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from reporting.errors import TransientError


async def silent(*_: Any, **__: Any) -> None:
    await asyncio.Event().wait()


def test_an_airflow_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from report_center import as_user

    monkeypatch.setattr(as_user.AsUser, "_sent", silent)
    monkeypatch.setattr(as_user, "PATIENCE_SECONDS", 0.01)
    with pytest.raises(TransientError, match="look whether it was done"):
        asyncio.run(as_user.AsUser("token").get("dags"))
