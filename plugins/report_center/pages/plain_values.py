"""Values of any kind as short texts: params, facts of a manifest, results of a step."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from report_center.pages.formats import Formats

LONGEST = 200


def plain_text(value: Any) -> str:
    """Return a value as text, cut where it is long."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def plain_pairs(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return names and values as texts; those without a value are left out."""
    return tuple(
        (name, plain_text(value)) for name, value in values.items() if value not in (None, "", {})
    )


def result_text(fmt: Formats, result: Mapping[str, Any]) -> str:
    """Return the key numbers of what a step returned, e.g. `carrier_day: 42 rows, 2.1 MB`."""
    return " · ".join(_amounts(fmt, result))


def _amounts(fmt: Formats, result: Mapping[str, Any]) -> Iterator[str]:
    rows, size = result.get("rows"), result.get("bytes")
    if isinstance(rows, Mapping):
        counts = ((name, count) for name, count in rows.items() if isinstance(count, int))
        yield from (f"{name}: {fmt.texts.count('count.rows', count)}" for name, count in counts)
    elif isinstance(rows, int):
        yield fmt.texts.count("count.rows", rows)
    if isinstance(size, int):
        yield fmt.size(size)
    if isinstance(messages := result.get("messages"), int):
        yield fmt.texts.count("count.messages", messages)
    if isinstance(version := result.get("version"), int):
        yield fmt.texts("today.version", version=version)
    if result.get("reused"):
        yield fmt.texts("run.reused")
