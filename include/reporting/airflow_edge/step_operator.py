"""The one operator of all worker steps: runs a step and keeps the reason when it fails."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator
from airflow.sdk.exceptions import (
    AirflowRescheduleException,
    AirflowSkipException,
    AirflowTaskTimeout,
)

from reporting.airflow_edge.retry import error_classes, retry_wait
from reporting.airflow_edge.step_end import end_told
from reporting.core.airflow_names import FAILURE, FAILURE_CLASSES, RETRY_WAIT
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
        with end_told(self.report, context) as ending, self.failure_kept(context):
            found = self.step(self.report, context)
            ending.result = found or {}
            return found

    @contextmanager
    def failure_kept(self, context: Context) -> Iterator[None]:
        """Leave the text of an error for the alert, and its classes for who runs it again."""
        try:
            yield
        except (AirflowSkipException, AirflowRescheduleException):
            raise
        except (Exception, AirflowTaskTimeout) as error:
            context["ti"].xcom_push(key=FAILURE, value=self._in_words(error))
            context["ti"].xcom_push(key=FAILURE_CLASSES, value=error_classes(error))
            if wait := retry_wait(self.report.retry, error, context["ti"].try_number):
                context["ti"].xcom_push(key=RETRY_WAIT, value=wait)
            raise

    def _in_words(self, error: BaseException) -> str:
        """Return the error with the line of the report's own file that raised it, if one did."""
        if isinstance(error, AirflowTaskTimeout):
            return f"the step took longer than its limit of {self.execution_timeout}"
        own = inspect.getfile(self.report.compute)
        frames = traceback.extract_tb(error.__traceback__)
        line = next((f.lineno for f in reversed(frames) if f.filename == own), None)
        place = "" if line is None else f" ({Path(own).name}, line {line})"
        return without_secrets(f"{type(error).__name__}: {error}{place}")
