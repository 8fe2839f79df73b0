"""Checks what a definition is built with: unknown, missing and wrong fields are refused in words.

The annotations of a class are its one description: the type checker and the editor read them
while a report is written, and this decorator reads them when the report file is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from functools import cache, wraps
from typing import Any, TypeVar, get_type_hints

from reporting.definition.fits import got, is_needed, misfit
from reporting.errors import DefinitionError, choices

Kind = TypeVar("Kind")


def checked(kind: type[Kind]) -> type[Kind]:
    """Make a dataclass compare what it is given with its annotations before it is built."""
    build: Any = kind.__init__

    @wraps(build)
    def checked_init(self: Kind, *values: Any, **named: Any) -> None:
        _check(kind, values, named)
        build(self, *values, **named)

    kind.__init__ = checked_init  # type: ignore[method-assign, assignment]
    return kind


def _check(kind: type, values: Sequence[Any], named: Mapping[str, Any]) -> None:
    unnamed = [field.name for field in _fields(kind) if not field.kw_only]
    given = {**dict(zip(unnamed, values, strict=False)), **named}
    where = kind.__name__
    if isinstance(given.get("name"), str):
        where += f" {given['name']!r}"
    _check_names(where, kind, given)
    if len(values) > len(unnamed):
        raise DefinitionError(
            f"{where}: {got(values[len(unnamed)])} has no name; write it as field=value."
        )
    for name in set(unnamed[: len(values)]) & set(named):
        raise DefinitionError(f"{where}: {name} is given twice.")
    for name, value in given.items():
        if fault := misfit(name, value, _hints(kind)[name]):
            raise DefinitionError(f"{where}: {fault}")


def _check_names(where: str, kind: type, given: Mapping[str, Any]) -> None:
    known = tuple(field.name for field in _fields(kind))
    for name in given:
        if name not in known:
            raise DefinitionError(f"{where}: no field is called {name!r}; {choices(known, name)}")
    missing = [field.name for field in _fields(kind) if is_needed(field)]
    if missing := [name for name in missing if name not in given]:
        raise DefinitionError(f"{where}: {', '.join(missing)} not given; each is needed.")


@cache
def _fields(kind: Any) -> tuple[Field[Any], ...]:
    return tuple(field for field in fields(kind) if field.init)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)
