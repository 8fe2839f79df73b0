"""Secrets are made once, kept, closed to others, and never printed."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError

pytestmark = pytest.mark.unit


def test_secrets_are_kept_in_a_file_only_the_owner_reads(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    first = Credentials.keep(path)

    assert Credentials.keep(path) == first
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["secrets.json"]


def test_every_secret_differs_from_all_others(tmp_path: Path) -> None:
    values = [
        *asdict(Credentials.keep(tmp_path / "a")).values(),
        *asdict(Credentials.keep(tmp_path / "b")).values(),
    ]

    assert len(values) == len(set(values))


def test_a_secret_that_is_new_is_added_and_the_old_ones_stay(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    first = Credentials.keep(path)
    known = asdict(first)
    del known["supervisor_password"]
    path.write_text(json.dumps(known))

    second = Credentials.keep(path)

    assert second.supervisor_password
    assert second.postgres_superuser == first.postgres_superuser


def test_a_damaged_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    path.write_text('{"postgres_superuser": "hid')

    with pytest.raises(StackError, match=r"secrets\.json: not valid JSON") as caught:
        Credentials.keep(path)

    assert "hid" not in str(caught.value)
    assert path.read_text().endswith("hid")


def test_a_printed_object_shows_no_secret() -> None:
    credentials = Credentials()

    assert credentials.airflow_admin_password not in repr(credentials)
