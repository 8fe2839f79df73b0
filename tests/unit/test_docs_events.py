"""The page on events can be followed: its report starts on what its commands tell."""

from __future__ import annotations

from typing import Any

import pytest

from embedded_stack.layout import CHECKOUT
from reporting.core.warehouse.reports import event_queues
from tests.docs_pages import blocks

pytestmark = pytest.mark.unit

PAGE = CHECKOUT / "docs" / "how-to" / "start-on-an-event.md"


def test_the_report_of_the_page_starts_on_the_event_it_tells() -> None:
    (file,), (shell,), (script,) = (blocks(PAGE, kind) for kind in ("python", "sh", "py"))
    made: dict[str, Any] = {}
    text = file.text.replace("from reporting.airflow_edge.dag import build_dag", "build_dag = id")
    exec(compile(text, CHECKOUT / "dags" / "my_report.py", "exec"), made)  # noqa: S102 - our page

    ((queue, event),) = event_queues(made["report"]).items()
    assert (event in shell.text, event in script.text, f'"{queue}"' in script.text) == (True,) * 3
    assert made["report"].name == "my_report"  # as the file, and the command that switches it on
