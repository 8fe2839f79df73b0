"""The one operator of all worker steps: runs a step and keeps the reason when it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import AirflowException

from reporting.core.airflow_names import FAILURE
from reporting.core.redact import without_secrets

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.report import Report

Step = Callable[["Report", "Context"], Any]


class StepOperator(BaseOperator):
    """Runs `step(report, context)`; what it returns is the XCom, so it must be small."""

    def __init__(self, *, report: Report, step: Step, **kwargs: Any) -> None:
        """Keep what `execute` runs."""
        super().__init__(**kwargs)
        self.report = report
        self.step = step

    def execute(self, context: Context) -> Any:
        """Run the step; on an error leave its text for the alert and raise it again."""
        try:
            return self.step(self.report, context)
        except AirflowException:
            raise
        except Exception as error:
            reason = without_secrets(f"{type(error).__name__}: {error}")
            context["ti"].xcom_push(key=FAILURE, value=reason)
            raise
