"""Imports once, before tasks are forked, what every task would import again.

A task is a fork of the scheduler (LocalExecutor) or of a Celery worker, so what these have
loaded is there at once and shares their memory. It takes about two seconds off every task:
more than most reports compute. The other processes stay as small as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from reporting.airflow_edge.s3_clients import loaded_models

log = logging.getLogger(__name__)

STEPS = (
    "init", "fetch", "fetch_drop", "fetch_job", "fetch_messages", "compute", "store", "deliver",
    "compensate",
)  # fmt: skip
HEAVY = (
    "airflow.providers.amazon.aws.hooks.s3",
    "airflow.providers.postgres.hooks.postgres",
    "airflow.providers.slack.hooks.slack_webhook",
    "airflow.providers.smtp.hooks.smtp",
    "boto3",
    "jsonschema",
    "pandas",
    "pika",
    "psycopg",
    "pyarrow.csv",
    "pyarrow.parquet",
    "requests",
    "xlsxwriter",
    *(f"reporting.airflow_edge.steps.{step}" for step in STEPS),
)


def forks_tasks(arguments: Sequence[str]) -> bool:
    """Say whether the process with this command line forks tasks."""
    return "scheduler" in arguments or ("celery" in arguments and "worker" in arguments)


def warm_start() -> None:
    """Load all of `HEAVY`; what cannot be loaded is left for the tasks to fail on.

    A scheduler must start however broken one report's needs are.
    """
    ahead: dict[str, Callable[[], object]] = {
        **{module: partial(import_module, module) for module in HEAVY},
        "what botocore knows of S3": loaded_models,
    }
    for what, load in ahead.items():
        try:
            load()
        except Exception:  # noqa: BLE001 - whatever it is, the scheduler goes on
            log.warning("%s could not be loaded ahead; tasks that need it will fail.", what)
