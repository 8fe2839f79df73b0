"""A mail's subject as a part of a file name."""

import re
import unicodedata
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesHeaderParser

LONGEST = 60
UNREADABLE = (HeaderParseError, LookupError, ValueError)


def subject_slug(mail: bytes) -> str:
    """The subject in lower-case letters, digits and hyphens; empty when there is none to read."""
    subject = BytesHeaderParser().parsebytes(mail)["Subject"] or ""
    try:
        text = str(make_header(decode_header(subject)))
    except UNREADABLE:
        return ""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-")
