"""The named points inside a step: where the harness can strike, without a hook in the product.

A point is a function of the product and a moment, before or after it. In a task's own process it
is wrapped when a marker asks for it (`tests.faults.strikes`).
"""

from __future__ import annotations

from dataclasses import dataclass

BEFORE, AFTER = "before", "after"
KILL, FATAL, HOLD = "kill", "fatal error", "hold"  # at every point
STORE_AWAY, STORE_BUSY, TORN = "store away", "store busy", "torn upload"
DATABASE_ERROR, CUT_OFF = "database error", "session cut off"
ON_STORE, ON_DATABASE = (STORE_AWAY, STORE_BUSY), (DATABASE_ERROR, CUT_OFF)
ANY_WAY = frozenset({"postgres", "http", "drop", "job", "callback", "message"})
BY_JOB, BY_MESSAGE = frozenset({"job", "callback"}), frozenset({"message"})


@dataclass(frozen=True)
class Point:
    """One place in the product.

    Attributes:
        name: unique; part of a file's name.
        target: `module:function` or `module:Class.method`.
        moment: `before` or `after` the call.
        step: `init`, `fetch`, `compute`, `store`, `deliver` or `compensate`.
        ways: of a fetch, the kinds of sources that come by.
        errors: what can be raised there, besides a kill.
    """

    name: str
    target: str
    moment: str
    step: str
    ways: frozenset[str] = ANY_WAY
    errors: tuple[str, ...] = ()


_EDGE, _CORE = "reporting.airflow_edge.steps", "reporting.core"
_RECORDED = BY_JOB | BY_MESSAGE
_COMMIT = f"{_CORE}.staging:Staging.commit"
_RECORD = f"{_CORE}.service.request_record:RequestRecords.write"
_PART = f"{_CORE}.parts:PartWriter.close"

POINTS = (
    Point("claimed", f"{_EDGE}.init:register_staging", AFTER, "init", errors=ON_DATABASE),
    Point("held", f"{_EDGE}.stage:hold", BEFORE, "fetch", errors=ON_DATABASE),
    Point("part", _PART, BEFORE, "fetch", errors=(*ON_STORE, TORN)),
    Point("before-commit", _COMMIT, BEFORE, "fetch", errors=ON_STORE),
    Point("after-commit", _COMMIT, AFTER, "fetch", errors=ON_STORE),
    Point("before-record", _RECORD, BEFORE, "fetch", _RECORDED, ON_STORE),
    Point("after-record", _RECORD, AFTER, "fetch", _RECORDED, ON_STORE),
    Point("submitted", f"{_CORE}.service.asking:submit", AFTER, "fetch", BY_JOB),
    Point("collected", f"{_EDGE}.fetch_job:stage", AFTER, "fetch", BY_JOB),
    Point("sent", f"{_CORE}.service.conversation:send_request", AFTER, "fetch", BY_MESSAGE),
    Point("kept", f"{_CORE}.service.inbox:Inbox.keep", AFTER, "fetch", BY_MESSAGE, ON_STORE),
    Point("ending", f"{_CORE}.service.conversation:Conversation.end", BEFORE, "fetch", BY_MESSAGE),
    Point("computed", f"{_CORE}.result:Results.persist", BEFORE, "compute", errors=ON_STORE),
    Point("table-part", _PART, BEFORE, "compute", errors=(*ON_STORE, TORN)),
    Point("persisted", f"{_CORE}.result:Results.persist", AFTER, "compute"),
    Point("files", f"{_CORE}.files:ReportFiles.write", AFTER, "store", errors=ON_STORE),
    Point("loaded", f"{_CORE}.warehouse.publish:load_rows", AFTER, "store", errors=ON_DATABASE),
    Point(
        "publishing", f"{_CORE}.warehouse.publish:start_keeping", AFTER, "store", errors=ON_DATABASE
    ),
    Point("published", f"{_EDGE}.store:publish", AFTER, "store", errors=(DATABASE_ERROR,)),
    Point("delivering", f"{_EDGE}.deliver:_release", AFTER, "deliver", errors=ON_STORE),
    Point("undoing", f"{_EDGE}.compensate:undo", BEFORE, "compensate", errors=(DATABASE_ERROR,)),
    Point("undone", f"{_EDGE}.compensate:undo", AFTER, "compensate", errors=(DATABASE_ERROR,)),
)
BY_NAME = {point.name: point for point in POINTS}
