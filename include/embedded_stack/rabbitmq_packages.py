"""Fetches RabbitMQ from the machine's own Debian or Ubuntu: no root, and nothing is installed."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from embedded_stack import rabbitmq
from embedded_stack.errors import StackError
from embedded_stack.lock import exclusive
from embedded_stack.progress import Progress
from embedded_stack.rabbitmq import RabbitMq

PACKAGE = "rabbitmq-server"
TOOLS = ("apt-get", "apt-cache", "dpkg")
# Its other needs are libraries that every Debian has.
OURS = re.compile(r"(erlang|rabbitmq)-(?!dbg$)[a-z0-9-]+")
NO_EXTRAS = tuple(
    f"--no-{kind}"
    for kind in ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
)
# Loads the server's parts with all they need, and a native library that needs the machine's.
TRIAL = """
    Load = fun Load(Name) ->
        case application:load(Name) of
            {error, {already_loaded, _}} -> ok;
            ok -> {ok, Needs} = application:get_key(Name, applications), lists:foreach(Load, Needs)
        end
    end,
    lists:foreach(Load, [rabbit, rabbitmq_management]), crypto:strong_rand_bytes(1), halt().
"""
Done = subprocess.CompletedProcess[str]
SECONDS = 300.0  # for one step, on a slow line
SHOWN = 600  # letters of an error
OLDEST = ".".join(map(str, rabbitmq.OLDEST))
WITHOUT = (
    "Everything else runs without a broker; the sample report is published without its planes, and "
    f"says so. Next: install {PACKAGE} {OLDEST} or newer, or name a broker of your own to Airflow, "
    "under Admin > Connections: id reports_broker, type generic, with host, port, login, password "
    "and, as schema, the virtual host; then serve the planes: BROKER_URL=amqp://user:password@host/"
    "virtual-host .venv/bin/python -m sample_services.planes"
)


def provide(progress: Progress) -> None:
    """Fetch and unpack RabbitMQ unless it is there already.

    Raises:
        StackError: says why it cannot be had, and what goes on without it.
    """
    if rabbitmq.find():
        return
    folder = rabbitmq.unpacked()
    with exclusive(
        folder.with_name(f"{folder.name}.lock"),
        on_wait=lambda: progress.step("another stack fetches RabbitMQ; waiting for it"),
    ):
        if rabbitmq.find() is None:
            _demand_tools()
            progress.step("fetching RabbitMQ from this machine's package archive, about 35 MB")
            _fetch(folder)


def _demand_tools() -> None:
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        raise StackError(
            "no RabbitMQ on this machine, and it cannot be fetched: that takes "
            f"{', '.join(missing)}, which Debian and Ubuntu have. {WITHOUT}"
        )


def _fetch(folder: Path) -> None:
    """Everything is made beside its place and moved there when it has proved to run."""
    draft = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    root = draft / "root"
    root.mkdir(parents=True)
    try:
        for package in _download(draft / "apt"):
            _run(draft, "dpkg", "-x", str(package), str(root))
        _demand_usable(root)
        shutil.rmtree(folder, ignore_errors=True)
        root.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _download(apt: Path) -> list[Path]:
    """The packages as files; apt compares them with what the archive has signed."""
    for part in ("lists", "archives"):
        (apt / part / "partial").mkdir(parents=True)
    options = _options(apt)
    # It fails if any archive does not answer; ours may have done so all the same.
    told = _said(_call(apt, "apt-get", *options, "update"))
    depends = ("apt-cache", *options, "depends", "--recurse", *NO_EXTRAS, PACKAGE)
    tree = _said(_run(apt, *depends, told=told))
    names = sorted({line for line in tree.splitlines() if OURS.fullmatch(line)})
    _run(apt, "apt-get", *options, "download", *names)
    return sorted(apt.glob("*.deb"))


def _options(apt: Path) -> list[str]:
    settings = {
        "Dir::State::lists": str(apt / "lists"),
        "Dir::Cache": str(apt),
        "Debug::NoLocking": "1",
        # Root's apt would work as a user that may not enter our folders.
        "APT::Sandbox::User": "",
        "APT::Get::AllowUnauthenticated": "false",
        "Acquire::AllowInsecureRepositories": "false",
        "Acquire::Retries": "2",
        "Acquire::http::Timeout": "20",
    }
    return [
        "-qq",
        *(word for name, value in settings.items() for word in ("-o", f"{name}={value}")),
    ]


def _demand_usable(root: Path) -> None:
    found = RabbitMq.below(root)
    if found is None or found.series < rabbitmq.OLDEST:
        version = found.version if found else "none"
        raise StackError(
            f"RabbitMQ {OLDEST} or newer is needed; this machine's archive has {version}. {WITHOUT}"
        )
    trial = (str(found.starter), "-noinput", "-eval", TRIAL)
    _run(root, *trial, environment=found.environment())


def _run(
    folder: Path, *words: str, environment: Mapping[str, str] | None = None, told: str = ""
) -> Done:
    """A call that must succeed; `told` is shown with its error."""
    done = _call(folder, *words, environment=environment)
    if done.returncode != 0:
        output = f"{told}{_said(done)}".strip()[-SHOWN:]
        raise StackError(_failure(words, f"ended with {done.returncode}:\n{output}"))
    return done


def _call(folder: Path, *words: str, environment: Mapping[str, str] | None = None) -> Done:
    quiet = {"LC_ALL": "C.UTF-8", "ERL_CRASH_DUMP_SECONDS": "0"}
    try:
        return subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **quiet, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise StackError(_failure(words, f"took more than {SECONDS:.0f} s")) from None


def _said(done: Done) -> str:
    return done.stdout + done.stderr


def _failure(words: tuple[str, ...], what: str) -> str:
    verb = next((word for word in words[1:] if word.isalpha()), "")
    call = f"{Path(words[0]).name} {verb}".strip()
    return f"RabbitMQ could not be fetched: `{call}` {what}.\n{WITHOUT}"
