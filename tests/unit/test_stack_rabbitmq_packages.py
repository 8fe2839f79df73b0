"""Fetching RabbitMQ: whole or not at all, once, and with a way on where it cannot be had."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from embedded_stack import broker, planes, rabbitmq, rabbitmq_packages
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports
from embedded_stack.progress import Progress
from embedded_stack.stack import Stack

pytestmark = pytest.mark.unit

# What the tools of a Debian do, with an archive of two packages.
APT_GET = """
echo "$*" >> "$CALLS"
case "$*" in
  *" update") echo 'W: archive.example does not answer' >&2 ;;
  *" download "*) touch rabbitmq-server_1.deb erlang-base_1.deb ;;
esac
"""
APT_CACHE = """
[ "$VERSION" != none ] || { echo 'E: No packages found' >&2; exit 100; }
printf '%s\\n' rabbitmq-server '  Depends: erlang-asn1' erlang-asn1 '<erlang-abi-17.0>' \\
  erlang-dbg libc6 '  Depends: libc6' erlang-base rabbitmq-server
"""
DPKG = """
mkdir -p "$3/usr/lib/erlang/erts-13/bin" "$3/usr/lib/rabbitmq/lib/rabbitmq_server-$VERSION"
printf '#!/bin/sh\\nexit %s\\n' "$TRIAL" > "$3/usr/lib/erlang/erts-13/bin/erlexec"
chmod +x "$3/usr/lib/erlang/erts-13/bin/erlexec"
"""
Say = Callable[[str], None]


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with these tools, with nothing unpacked and nothing installed; the cache."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg", DPKG)):
        (tools / name).write_text(f"#!/bin/sh\nset -eu\n{text}")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.setenv("VERSION", "3.10.8")
    monkeypatch.setenv("TRIAL", "0")
    cache = tmp_path / "it's a cache"
    monkeypatch.setattr(rabbitmq, "CACHE", cache)
    monkeypatch.setattr(rabbitmq, "find", lambda: rabbitmq.RabbitMq.below(rabbitmq.unpacked()))
    return cache


def provide(say: Say = lambda _: None) -> None:
    rabbitmq_packages.provide(Progress(say))


def calls(tmp_path: Path) -> list[str]:
    return [line.split()[-1] for line in (tmp_path / "calls").read_text().splitlines()]


def left(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.suffix != ".lock")


def test_exactly_erlang_and_the_server_are_fetched(archive: Path, tmp_path: Path) -> None:
    provide()

    words = (tmp_path / "calls").read_text().splitlines()[-1].split()
    assert words[words.index("download") + 1 :] == ["erlang-asn1", "erlang-base", "rabbitmq-server"]
    assert "APT::Get::AllowUnauthenticated=false" in words
    assert left(archive) == [rabbitmq.unpacked().name]
    assert rabbitmq.find()


def test_what_is_there_is_not_fetched_again(archive: Path, tmp_path: Path) -> None:
    provide()
    provide()

    assert len(calls(tmp_path)) == 2
    assert archive.exists()


def test_of_two_at_once_one_fetches_and_one_waits(archive: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: provide(said.append), range(2)))

    assert len(calls(tmp_path)) == 2
    assert sum("fetching RabbitMQ" in line for line in said) == 1
    assert archive.exists()


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("VERSION", "3.9.27", r"RabbitMQ 3\.10 or newer is needed; .* has 3\.9\.27"),
        ("VERSION", "none", "`apt-cache depends` ended with 100:.*does not answer.*No packages"),
        ("TRIAL", "1", "`erlexec` ended with 1"),
        ("CALLS", "/nowhere/at/all", "`apt-get download` ended with 2:.*nowhere"),
    ],
)
def test_a_failure_leaves_nothing_and_says_how_to_go_on(
    archive: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(StackError, match=rf"(?s){said}.*id reports_broker, type generic"):
        provide()
    assert left(archive) == []


def test_what_a_crash_left_is_in_nobodys_way(archive: Path) -> None:
    half = archive / f"{rabbitmq.unpacked().name}.new" / "root" / "usr"
    half.mkdir(parents=True)
    provide()

    assert left(archive) == [rabbitmq.unpacked().name]


def test_without_tools_all_that_are_missing_are_named(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if name.startswith("apt") else name)

    with pytest.raises(StackError, match="that takes apt-get, apt-cache, which Debian"):
        provide()
    assert left(archive) == []


def test_the_rest_of_the_stack_goes_on_without_it(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    stack, said = Stack(tmp_path / "home", Ports()), list[str]()

    wanted = stack._obtainable(None, Progress(said.append))

    assert not {broker.NAME, planes.NAME} & set(wanted)
    assert {"postgres", "airflow-scheduler"} <= set(wanted)
    assert "without broker and planes: no RabbitMQ on this machine" in said[0]
    with pytest.raises(StackError, match="no RabbitMQ on this machine"):
        stack._obtainable([broker.NAME], Progress(said.append))
    assert stack._obtainable(["postgres"], Progress(said.append)) == ["postgres"]
    assert not archive.exists() or left(archive) == []
