"""Names in Airflow by which steps, janitor and command line find what the others left."""

from __future__ import annotations

TAG = "report"
"""Tag of every report's DAG."""

FAILURE = "failure"
"""XCom of a failed task: its error in words."""

FAILURE_CLASSES = "failure_classes"
"""XCom of a failed task: the names of its error's classes, which a report's `retry_run` names."""

RETRY_WAIT = "retry_wait"
"""XCom of a failed task: the least and the most seconds until its next try, if it may have one."""

RUN_AGAIN = "run_again"
"""XCom of `compensate`: what was decided about running the failed run again, in words."""

DUPLICATE_OF = "duplicate_of"
"""XCom of `init`: the run that works on the same request, or has published it."""

PUBLISHED_ALREADY = "published_already"
"""XCom of `init`: the current release that answers the request, when that is published already."""

OPTIONAL = "optional"
"""In what `init` returns: the sources the run can go on without."""

PROGRESS = "progress"
"""In the state store of a running fetch: the rows and bytes it has read so far."""
