"""Strategies for the values of every kind of column, in the form PostgreSQL gives them back."""

from __future__ import annotations

import json
from datetime import UTC
from typing import Any

from hypothesis import strategies as st

LETTERS = st.characters(codec="utf-8", exclude_characters="\0")
TEXTS = st.text(LETTERS, max_size=12) | st.text("\\\"'{},. \t\r\nNULLn", max_size=8)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
JSON = st.builds(json.dumps, DOCUMENTS, ensure_ascii=st.booleans(), indent=st.none() | st.just(1))


def iso_interval(months: int, days: int, micros: int) -> str:
    """Return the interval as PostgreSQL writes it."""
    years, months = _split(months, 12)
    minutes, micros = _split(micros, 60_000_000)
    hours, minutes = _split(minutes, 60)
    date_part = "".join(f"{n}{unit}" for n, unit in ((years, "Y"), (months, "M"), (days, "D")) if n)
    time_part = "".join(f"{n}{unit}" for n, unit in ((hours, "H"), (minutes, "M")) if n)
    if micros:
        seconds = f"{abs(micros) / 1_000_000:.6f}".rstrip("0").rstrip(".")
        time_part += f"{'-' if micros < 0 else ''}{seconds}S"
    if not date_part and not time_part:
        return "PT0S"
    return f"P{date_part}" + (f"T{time_part}" if time_part else "")


def _split(number: int, size: int) -> tuple[int, int]:
    """Divide towards nought, so that both parts have the sign of the number."""
    whole, rest = divmod(abs(number), size)
    return (whole, rest) if number >= 0 else (-whole, -rest)


def _whole(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _without_fold(moment: Any) -> Any:
    return moment.replace(fold=0)


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "int64": _whole(64),
    "int32": _whole(32),
    "int16": _whole(16),
    "float64": st.floats(),
    "float32": st.floats(width=32),
    "decimal(9,2)": st.decimals(-9_999_999, 9_999_999, places=2),
    "decimal(38,20)": st.decimals(-(10**17), 10**17, places=20),
    "decimal(38,0)": st.decimals(1 - 10**38, 10**38 - 1, places=0),
    "text": TEXTS,
    "bool": st.booleans(),
    "date": st.dates(),
    "time": st.times().map(_without_fold),
    "timestamp": st.datetimes().map(_without_fold),
    "timestamptz": st.datetimes(timezones=st.just(UTC)).map(_without_fold),
    "interval": st.builds(
        iso_interval, st.integers(-(10**5), 10**5), _whole(32), st.integers(-(10**12), 10**12)
    ),
    "bytes": st.binary(max_size=12),
    "uuid": st.uuids().map(str),
    "json": JSON,
    "jsonb": JSON,
}
LISTS = {f"{word}[]": st.lists(st.none() | one, max_size=4) for word, one in VALUES.items()}
"""The same as lists, some elements NULL."""
