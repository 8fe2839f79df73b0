"""The words of the pages in the reader's language."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORDS = Path(__file__).resolve().parent.parent / "words"
# In the order in which they are offered; the first is for readers of any other language.
LANGUAGES = {"en": "English", "zh": "中文"}
HTML_NAMES = {"en": "en", "zh": "zh-Hans"}
MOST_TAGS = 20


@dataclass(frozen=True)
class Texts:
    """All texts of one language.

    Attributes:
        language: its code.
        words: text per key, with `{name}` where a value goes.
    """

    language: str
    words: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        """Return a text with its values filled in; an unknown key is a fault of the program."""
        return self.words[key].format(**values)

    def count(self, key: str, number: int) -> str:
        """Return a text for so many of something, e.g. `1 row` or `1,204 rows`."""
        form = "one" if number == 1 else "other"
        return self.words[f"{key}.{form}"].format(count=f"{number:,}")

    def knows(self, key: str) -> bool:
        """Say whether there is a text."""
        return key in self.words

    @property
    def html_name(self) -> str:
        """The language as HTML names it."""
        return HTML_NAMES[self.language]


@cache
def texts_in(language: str) -> Texts:
    """Return the texts of a known language."""
    found = tomllib.loads((WORDS / f"{language}.toml").read_text(encoding="utf-8"))
    return Texts(language, dict(_flat(found)))


def language_of(chosen: str | None, accepted: str) -> str:
    """Return the language for a reader.

    Args:
        chosen: what the reader picked once, if anything.
        accepted: the header `Accept-Language` of the browser.
    """
    if chosen in LANGUAGES:
        return str(chosen)
    wanted = (tag.partition("-")[0].lower() for tag in _by_weight(accepted))
    return next((code for code in wanted if code in LANGUAGES), next(iter(LANGUAGES)))


def _by_weight(accepted: str) -> list[str]:
    weighed = []
    for item in accepted.split(",")[:MOST_TAGS]:
        tag, _, parameter = item.partition(";")
        if (weight := _weight(parameter)) > 0:
            weighed.append((weight, tag.strip()))
    return [tag for _, tag in sorted(weighed, key=lambda pair: -pair[0])]


def _weight(parameter: str) -> float:
    _, _, number = parameter.strip().partition("q=")
    try:
        return float(number) if number else 1.0
    except ValueError:
        return 0.0


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
