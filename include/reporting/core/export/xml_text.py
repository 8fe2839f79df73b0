"""Text as an XLSX cell can hold it."""

from __future__ import annotations

import re

# Everything outside the Char production of XML 1.0, NUL and lone surrogates included.
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def legal(text: str) -> str:
    """Return the text with each character that XML cannot hold replaced by U+FFFD."""
    return ILLEGAL.sub("\ufffd", text)


def utf16_units(text: str) -> int:
    """Return the length as Excel counts it: characters beyond U+FFFF count twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
