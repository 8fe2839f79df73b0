"""Whether a step may read what is staged: it may have been cleared without what comes before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from reporting.core.completeness import Expected, outlook_on
from reporting.core.origin import origin_of
from reporting.errors import StagingGoneError

if TYPE_CHECKING:
    from reporting.core.manifest import Manifest
    from reporting.core.run import Run
    from reporting.core.states import TaskStates
    from reporting.definition.report import Report


def settled_manifests(
    report: Report,
    run: Run,
    states: TaskStates,
    missing: Mapping[str, str],
    manifest_of: Callable[[str], Manifest | None],
) -> dict[str, Manifest]:
    """Return the manifests of all sources the run has, if nothing has changed since it waited.

    Args:
        report: whose sources they are.
        run: what is asked for.
        states: state per task of the run, now.
        missing: the optional sources `await_sources` has decided to go on without.
        manifest_of: reads the manifest of a source.

    Raises:
        StagingGoneError: a source is not staged, is staged as something else, or comes and goes
            without `await_sources`; names each task to clear.
    """
    found = {source.name: manifest_of(source.name) for source in report.sources}
    faults = list(_unsettled(report, states, missing, found))
    faults += _unfit(report, run, missing, found)
    if faults:
        raise StagingGoneError(" ".join(faults))
    return {
        name: manifest
        for name, manifest in found.items()
        if manifest is not None and name not in missing
    }


def _unsettled(
    report: Report,
    states: TaskStates,
    missing: Mapping[str, str],
    found: Mapping[str, Manifest | None],
) -> Iterator[str]:
    expected = [Expected(s.name, s.required, s.min_rows) for s in report.sources]
    outlook = outlook_on(expected, states, found.get)
    for name in outlook.pending:
        yield (
            f"fetch_{name} has not ended, and await_sources did not wait for it; "
            "clear await_sources with its downstream."
        )
    for name, fault in outlook.lost.items():
        if found[name] is None:
            yield f"Source {name!r} is not staged any more; clear fetch_{name} with its downstream."
        else:
            yield f"Source {name!r}: {fault}; clear fetch_{name} with its downstream."
    for name in sorted(set(outlook.missing) ^ set(missing)):
        if name not in (*outlook.pending, *outlook.lost):
            yield (
                f"Source {name!r} has come or gone since await_sources looked; "
                "clear await_sources with its downstream."
            )


def _unfit(
    report: Report, run: Run, missing: Mapping[str, str], found: Mapping[str, Manifest | None]
) -> Iterator[str]:
    for source in report.sources:
        manifest = found[source.name]
        if manifest is None or source.name in missing:
            continue
        if manifest.origin != origin_of(source, report.folder, run):
            yield (
                f"Source {source.name!r} was staged for another query, period or params than the "
                f"report has now; clear fetch_{source.name} with its downstream."
            )
