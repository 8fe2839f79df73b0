"""Reads Google-style docstrings of classes."""

from __future__ import annotations

import inspect
import re

from docs.generator.markdown import joined

_ENTRY = re.compile(r"^    (\w+): ", re.MULTILINE)


def summary(what: object) -> str:
    """Return the docstring before its first section, each paragraph as one line."""
    text = re.split(r"\n(?:Attributes|Args|Returns|Raises|Yields):\n", inspect.getdoc(what) or "")
    return "\n\n".join(joined(part) for part in text[0].split("\n\n") if part.strip())


def attributes(kind: type) -> dict[str, str]:
    """Return what the docstrings of a class and of its bases say of each attribute."""
    found: dict[str, str] = {}
    for base in kind.__mro__:
        for name, text in _section(base).items():
            found.setdefault(name, text)
    return found


def _section(kind: type) -> dict[str, str]:
    # Its own docstring only: that of a base is read in its turn.
    text = inspect.cleandoc(kind.__dict__.get("__doc__") or "").partition("Attributes:\n")[2]
    parts = _ENTRY.split(text)
    return {name: joined(words) for name, words in zip(parts[1::2], parts[2::2], strict=True)}
