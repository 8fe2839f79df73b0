"""What a downloaded file is called, and of which type it is (RFC 6266, RFC 5987)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from report_center.records.releases import ReleaseRow

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "zip": "application/zip",
}
# A page of HTML would be one of Airflow's own site, so it goes as bytes that are kept.
OTHER = "application/octet-stream"
# Of RFC 5987's attr-char, what Python does not leave as it is anyway.
ATTRIBUTE_CHARACTERS = "!#$&+^`|"
# What file systems take for something else.
FORBIDDEN = set('/\\:*?"<>|%')
LONGEST_BYTES = 200  # of 255 that a file's name may have


def content_type(name: str) -> str:
    """Return the type of a file by its suffix."""
    return TYPES.get(name.rpartition(".")[2].lower(), OTHER)


def download_name(title: str, release: ReleaseRow, name: str) -> str:
    """Return what a reader's copy is called: title, table, period and version.

    Args:
        title: what people call the report.
        release: whose file.
        name: what the file is called in it.
    """
    stem, dot, suffix = name.rpartition(".")
    table = stem.removeprefix(f"{release.report}_")
    words = safe_name(f"{title} {table} {release.period} v{release.version}")
    return f"{words}{dot}{suffix}"


def safe_name(text: str) -> str:
    """Return a text as a name that every file system takes."""
    kept = "".join("_" if _is_unsafe(char) else char for char in unicodedata.normalize("NFC", text))
    cut = kept.encode("utf-8", "replace")[:LONGEST_BYTES].decode("utf-8", "ignore")
    return cut.strip(" .") or "report"


def disposition(name: str, plain: str) -> str:
    """Return the header by which a browser keeps the file.

    Args:
        name: the file's name, of any characters.
        plain: a name of ASCII letters, for programs that know no other.
    """
    encoded = quote(name, safe=ATTRIBUTE_CHARACTERS, errors="replace")
    ascii_name = "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in plain)
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{encoded}"


def _is_unsafe(char: str) -> bool:
    # Cc, Cf and Cs: control characters, marks that turn the direction of text, half characters.
    return char in FORBIDDEN or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
