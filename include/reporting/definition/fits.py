"""Whether a value is what an annotation says, and both of them in words.

It knows the annotations that definitions use; `Annotated[type, "words"]` brings its own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime, timedelta
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

LONGEST_REPR = 80
# Python calls a truth value a number, a moment a day and a text a list; no author means that.
NOT_TAKEN_FOR: dict[Any, Any] = {int: bool, float: bool, date: datetime, Sequence: (str, bytes)}
WORDS: dict[Any, str] = {
    str: "a text",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    date: "a day such as date(2024, 1, 31)",
    timedelta: "a time span such as timedelta(minutes=5)",
    NoneType: "None",
    Callable: "a plain function",
}


def misfit(path: str, value: Any, hint: Any) -> str | None:
    """Return what is wrong with a value, or with the first part of it that does not fit.

    Args:
        path: the field, as a message names it.
        value: what it was given.
        hint: what it is annotated with.
    """
    option = next((option for option in _options(hint) if _is_a(value, option)), None)
    if option is None:
        return f"{path}={got(value)}; allowed: {allowed(hint)}.{_advice(value, hint)}"
    faults = (misfit(*part) for part in _parts(path, value, option))
    return next((fault for fault in faults if fault), None)


def got(value: Any) -> str:
    """Return a value as its author wrote it, or about so."""
    if isinstance(value, type) or callable(value):
        return str(getattr(value, "__name__", type(value).__name__))
    if is_dataclass(value):
        return f"{type(value).__name__}(...)"
    text = repr(value)
    return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 3]}..."


def allowed(hint: Any) -> str:
    """Return what an annotation allows."""
    if get_origin(hint) is Annotated:
        return str(hint.__metadata__[0])
    options = [*dict.fromkeys(kind for option in _options(hint) for kind in _kinds(option))]
    if len(options) == 1:
        return _in_words(options[0])
    words = [_short(option) if is_dataclass(option) else _in_words(option) for option in options]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def is_needed(field: Field[Any]) -> bool:
    """Say whether a field must be given."""
    return field.init and field.default is MISSING and field.default_factory is MISSING


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _kinds(option: Any) -> list[Any]:
    """Return the classes an author can build: of a base with kinds of its own, these."""
    kinds = option.__subclasses__() if is_dataclass(option) and isinstance(option, type) else []
    return list(kinds) or [option]


def _is_a(value: Any, option: Any) -> bool:
    kind = _plain(option)
    if kind is Any:
        return True
    if isinstance(value, NOT_TAKEN_FOR.get(kind, ())):
        return False
    return isinstance(value, (int, float) if kind is float else kind)


def _plain(option: Any) -> Any:
    if get_origin(option) is Annotated:
        return _plain(option.__origin__)
    return NoneType if option is None else get_origin(option) or option


def _parts(path: str, value: Any, option: Any) -> Iterator[tuple[str, Any, Any]]:
    inner = get_args(option)
    if _plain(option) is Mapping:
        for key, item in value.items():
            yield f"{path}: name", key, inner[0]
            yield f"{path}[{key!r}]", item, inner[1]
    elif _plain(option) in (Sequence, list):
        for number, item in enumerate(value):
            yield f"{path}[{number}]", item, inner[0]


def _in_words(option: Any) -> str:
    kind: Any = _plain(option)
    inner = get_args(option)
    if isinstance(kind, type) and is_dataclass(kind):
        needed = [f"{field.name}=..." for field in fields(kind) if is_needed(field)]
        return f"{kind.__name__}({', '.join(needed)})" if needed else _short(kind)
    if kind is Mapping:
        return f"a mapping, each value {allowed(inner[1])}"
    if kind in (Sequence, list):
        return f"a list, each item {allowed(inner[0])}"
    return WORDS.get(kind) or str(getattr(kind, "__name__", kind))


def _short(kind: Any) -> str:
    return f"{kind.__name__}(...)" if any(f.init for f in fields(kind)) else f"{kind.__name__}()"


def _advice(value: Any, hint: Any) -> str:
    """Say how to mend the two commonest slips: a class not called, and one item without a list."""
    for option in _options(hint):
        if isinstance(value, type) and is_dataclass(option) and value in (option, *_kinds(option)):
            return f" Did you mean {_short(value)}?"
        inner = get_args(option)
        if _plain(option) in (Sequence, list) and misfit("", value, inner[0]) is None:
            return f" Did you mean [{got(value)}]?"
    return ""
