"""The definitions that DAGs carry: as text on their task `init`, see `build_dag`.

They are read once per version of a DAG: its hash says when another one is in force.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from reporting.core.states import INIT

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

Definition = Mapping[str, Any]
# By DAG, the hash of the version that was read last and what it carries.
_read: dict[str, tuple[str, Definition]] = {}


def definitions(session: Session, names: Collection[str]) -> dict[str, Definition]:
    """Return the definition in force of each DAG that carries one."""
    hashes = _hashes(session, names)
    stale = [name for name, found in hashes.items() if _read.get(name, ("",))[0] != found]
    if stale:
        for name, carried in _carried(session, stale).items():
            _read[name] = (hashes[name], carried)
    return {name: _read[name][1] for name in hashes if name in _read}


def definition_in(serialized: Mapping[str, Any]) -> Definition:
    """Return what a serialized DAG carries; nothing when it was built without a definition."""
    tasks = (task.get("__var", task) for task in serialized.get("dag", {}).get("tasks", ()))
    text = next((task.get("doc_json") for task in tasks if task.get("task_id") == INIT), None)
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}


def secret_params(definition: Definition) -> set[str]:
    """Return the params whose values nobody is shown, nor their defaults."""
    declared = definition.get("params", {})
    return {name for name, one in declared.items() if one["schema"].get("format") == "password"}


def _hashes(session: Session, names: Collection[str]) -> dict[str, str]:
    from airflow.models.serialized_dag import SerializedDagModel as Serialized
    from sqlalchemy import select

    query = select(Serialized.dag_id, Serialized.dag_hash).where(Serialized.id.in_(_newest(names)))
    return {name: str(found) for name, found in session.execute(query)}


def _carried(session: Session, names: Collection[str]) -> dict[str, Definition]:
    from airflow.models.serialized_dag import SerializedDagModel as Serialized
    from sqlalchemy import select
    from sqlalchemy.orm import lazyload

    query = select(Serialized).where(Serialized.id.in_(_newest(names))).options(lazyload("*"))
    return {row.dag_id: definition_in(row.data or {}) for row in session.scalars(query)}


def _newest(names: Collection[str]) -> Any:
    """Return the query of the newest version of each DAG; its ids grow with time."""
    from airflow.models.dag_version import DagVersion
    from airflow.models.serialized_dag import SerializedDagModel as Serialized
    from sqlalchemy import func, select

    newest = (
        select(DagVersion.dag_id, func.max(DagVersion.version_number).label("number"))
        .where(DagVersion.dag_id.in_(sorted(names)))
        .group_by(DagVersion.dag_id)
        .subquery()
    )
    return (
        select(Serialized.id)
        .join(DagVersion, DagVersion.id == Serialized.dag_version_id)
        .join(
            newest,
            (newest.c.dag_id == DagVersion.dag_id) & (newest.c.number == DagVersion.version_number),
        )
    )
