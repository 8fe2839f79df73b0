"""Where RabbitMQ is found: unpacked before installed, and only if it is new enough."""

from pathlib import Path

import pytest

from embedded_stack import rabbitmq
from embedded_stack.rabbitmq import RabbitMq

pytestmark = pytest.mark.unit


def install(root: Path, version: str) -> Path:
    (root / "usr/lib/erlang/erts-13.1.5/bin").mkdir(parents=True)
    (root / "usr/lib/rabbitmq/lib" / f"rabbitmq_server-{version}").mkdir(parents=True)
    return root


def below(root: Path) -> RabbitMq:
    found = RabbitMq.below(root)
    assert found
    return found


def test_both_erlang_and_the_server_are_needed(tmp_path: Path) -> None:
    assert RabbitMq.below(tmp_path) is None
    (tmp_path / "usr/lib/erlang/erts-13.1.5").mkdir(parents=True)
    assert RabbitMq.below(tmp_path) is None
    (tmp_path / "usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8").mkdir(parents=True)
    assert below(tmp_path).series == (3, 10)


def test_what_is_too_old_counts_as_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rabbitmq, "unpacked", lambda: tmp_path / "a")
    install(tmp_path / "a", "3.9.27")
    assert rabbitmq.find() != RabbitMq.below(tmp_path / "a")

    monkeypatch.setattr(rabbitmq, "unpacked", lambda: tmp_path / "b")
    install(tmp_path / "b", "4.0.5")
    assert rabbitmq.find() == RabbitMq.below(tmp_path / "b")


def test_every_release_and_processor_has_its_own_place(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = set()
    for release in ({"ID": "debian", "VERSION_ID": "12"}, {"ID": "debian", "VERSION_ID": "13"}):
        for processor in ("x86_64", "aarch64"):
            monkeypatch.setattr("platform.freedesktop_os_release", lambda it=release: it)
            monkeypatch.setattr("platform.machine", lambda it=processor: it)
            seen.add(rabbitmq.unpacked())

    assert len(seen) == 4
    assert {path.parent for path in seen} == {rabbitmq.CACHE}


def test_a_system_without_a_name_has_a_place_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def unnamed() -> dict[str, str]:
        raise OSError

    monkeypatch.setattr("platform.freedesktop_os_release", unnamed)

    assert rabbitmq.unpacked().name.startswith("linux-rolling-")


def test_programs_are_called_where_they_are(tmp_path: Path) -> None:
    found = below(install(tmp_path / "it's a ü", "3.10.8"))
    environment = found.environment()

    assert environment["BINDIR"] == str(found.starter.parent) == str(found.runtime / "bin")
    assert environment["ROOTDIR"] == str(tmp_path / "it's a ü" / "usr/lib/erlang")
    assert environment["ERL_LIBS"].startswith(environment["RABBITMQ_HOME"])
