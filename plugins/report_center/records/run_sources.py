"""The sources of one run: what each has staged, or waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.run import SourceRow, StepRow, Wait
from reporting.core.service.request_record import RequestRecords
from reporting.core.staging import Staging
from reporting.core.states import AWAIT, FETCH_PREFIX
from reporting.core.warehouse.release import SET_ASIDE

if TYPE_CHECKING:
    from report_center.records.elsewhere import Elsewhere
    from reporting.core.manifest import Manifest
    from reporting.core.objects import Bucket
    from reporting.core.run import RunId
    from reporting.core.service.request_record import RequestRecord

# What `_facts` of a release has besides the facts of the manifest.
COUNTS = ("rows", "attempt", SET_ASIDE)
LINED_UP = ("scheduled", "queued")


@dataclass(frozen=True)
class Staged:
    """What is known of the sources besides their tasks.

    Attributes:
        released: facts per source of what the run has published.
        manifests: manifest per source that is staged now.
        requests: request record per source that waits for a service.
    """

    released: Mapping[str, Mapping[str, Any]]
    manifests: Mapping[str, Manifest]
    requests: Mapping[str, RequestRecord]


def staged(
    elsewhere: Elsewhere,
    run: RunId,
    steps: Sequence[StepRow],
    released: Mapping[str, Mapping[str, Any]],
) -> Staged:
    """Ask the store of what the release does not tell: one object per source.

    Args:
        elsewhere: where the store is.
        run: whose.
        steps: its tasks.
        released: facts per source of what it has published.
    """
    fetches = {s.name.removeprefix(FETCH_PREFIX): s for s in steps if _is_fetch(s)}
    ready = [n for n, s in fetches.items() if s.state == "success" and n not in released]
    waiting = [name for name, step in fetches.items() if step.state == "deferred"]

    def read(bucket: Bucket) -> Staged:
        staging, records = Staging(bucket, run), RequestRecords(bucket, run)
        manifests = {name: staging.manifest(name) for name in ready}
        requests = {name: records.read(name) for name in waiting}
        return Staged(
            released,
            {name: found for name, found in manifests.items() if found},
            {name: found for name, found in requests.items() if found},
        )

    nothing = Staged(released, {}, {})
    return elsewhere.staging(read, nothing) if ready or waiting else nothing


def source_rows(
    steps: Sequence[StepRow], definition: Mapping[str, Any], known: Staged
) -> tuple[SourceRow, ...]:
    """Return the sources in declared order; those of an older version behind, by name."""
    declared = {source["name"]: source for source in definition.get("sources", ())}
    fetches = {s.name.removeprefix(FETCH_PREFIX): s for s in steps if _is_fetch(s)}
    order = [*(n for n in declared if n in fetches), *(n for n in fetches if n not in declared)]
    missing = _missing(steps)
    return tuple(
        _row(name, fetches[name], declared.get(name, {}), known, missing.get(name))
        for name in order
    )


def _row(
    name: str, step: StepRow, declared: Mapping[str, Any], known: Staged, missing: str | None
) -> SourceRow:
    counts = step.result if isinstance(step.result, Mapping) else {}
    manifest, released = known.manifests.get(name), known.released.get(name, {})
    facts = manifest.facts if manifest else {k: v for k, v in released.items() if k not in COUNTS}
    return SourceRow(
        name=name,
        kind=declared.get("kind", ""),
        is_required=declared.get("required", True),
        step=step,
        rows=counts.get("rows"),
        bytes=counts.get("bytes"),
        set_aside=counts.get("quarantined", 0),
        facts=facts,
        staged_at=datetime.fromisoformat(manifest.committed_at) if manifest else None,
        missing=missing,
        waits_for=_wait(step, declared, known.requests.get(name)),
    )


def _wait(step: StepRow, declared: Mapping[str, Any], record: RequestRecord | None) -> Wait | None:
    asks = str(declared.get("asks") or "")
    if step.state in LINED_UP:
        return Wait("slot", str(declared.get("pool", "")), step.queued_at)
    if step.state == "up_for_retry":
        return Wait("retry", "", step.ended_at)
    if step.state != "deferred":
        return None
    if record is None:
        return Wait("drop", asks, step.started_at)
    sent_at = datetime.fromisoformat(record.sent_at)
    return (
        Wait("job", record.job, sent_at) if record.way == "http" else Wait("reply", asks, sent_at)
    )


def _missing(steps: Sequence[StepRow]) -> Mapping[str, str]:
    waited = next((step.result for step in steps if step.name == AWAIT), None)
    found: Mapping[str, str] = waited.get("missing", {}) if isinstance(waited, Mapping) else {}
    return found


def _is_fetch(step: StepRow) -> bool:
    return step.name.startswith(FETCH_PREFIX)
