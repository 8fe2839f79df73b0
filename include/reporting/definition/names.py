"""Names that are safe as task id, object key and SQL identifier at once."""

from __future__ import annotations

import re

from reporting.errors import DefinitionError

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
MAX_NAME = 40
MAX_QUEUE_BYTES = 255


def check_name(what: str, name: str) -> str:
    """Return `name`, or raise when it is no safe name.

    Raises:
        DefinitionError: it is empty, too long or holds other characters than a-z, 0-9 and _.
    """
    if len(name) <= MAX_NAME and _NAME.match(name) and "__" not in name:
        return name
    raise DefinitionError(
        f"{what} {name!r} is not a valid name; allowed: a-z, 0-9 and single _, "
        f"starting with a letter, at most {MAX_NAME} characters."
    )


def is_storable(text: str) -> bool:
    """Say whether a database can hold the text: no NUL, no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)


def check_line(what: str, text: str) -> None:
    """Raise when `text` is blank or more than one line, as neither a subject nor an id may be.

    Raises:
        DefinitionError: naming what was got.
    """
    if not text.strip() or not text.isprintable():
        raise DefinitionError(f"{what}={text!r}; allowed: one line of text, not blank.")


def check_unique(what: str, names: list[str]) -> None:
    """Raise when a name occurs twice.

    Raises:
        DefinitionError: naming the first repeated name.
    """
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DefinitionError(f"{what} {name!r} is declared twice; each name may occur once.")
        seen.add(name)


def is_queue_name(text: str) -> bool:
    """Say whether RabbitMQ lets others than itself give a queue this name."""
    return len(text.encode()) <= MAX_QUEUE_BYTES and not text.startswith("amq.")
