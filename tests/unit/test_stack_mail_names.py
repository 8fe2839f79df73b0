"""Names of kept mails: sorted by time, and telling what the mail is about."""

from email.message import EmailMessage
from pathlib import Path

import pytest

from sample_services.inbox import Inbox
from sample_services.subject_slug import LONGEST, subject_slug

pytestmark = pytest.mark.unit


def mail(subject: str) -> bytes:
    message = EmailMessage()
    message["Subject"] = subject
    return bytes(message)


@pytest.mark.parametrize(
    ("subject", "slug"),
    [
        ("[failed] Flights, 2013-07-05: compute", "failed-flights-2013-07-05-compute"),
        ("Größe: 100 %", "groe-100"),
        ("../../etc/passwd", "etc-passwd"),
        ("航班", ""),
        ("", ""),
        ("a" * 500, "a" * LONGEST),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_a_subject_becomes_a_part_of_a_name(subject: str, slug: str) -> None:
    assert subject_slug(mail(subject)) == slug


@pytest.mark.parametrize(
    "content",
    [b"", b"\r\nbody", b"Subject: =?nonsense?b?YQ==?=\r\n\r\n", b"Subject: =?utf-8?b?/?=\r\n\r\n",
     b"Subject: \xff\xfe\r\n\r\n"],
)  # fmt: skip
def test_what_cannot_be_read_tells_nothing_and_is_kept(content: bytes, tmp_path: Path) -> None:
    slug = subject_slug(content)

    assert slug == ""
    assert Inbox(tmp_path, ".eml").put(content, slug).read_bytes() == content


def test_names_sort_by_time_whatever_they_are_about(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path, ".eml")
    paths = [inbox.put(b"", about) for about in ("z", "", "a")]

    assert sorted(tmp_path.iterdir()) == paths
    assert "Z-z-" in paths[0].name
