"""Links lead somewhere, and files, folders and variables that are named exist."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from docs.generator.settings import INTERNAL, OTHERS

from embedded_stack.credentials import Credentials
from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from reporting.airflow_edge.settings import Settings
from tests.docs_pages import PAGES

pytestmark = pytest.mark.unit

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(
    r"(?<![\w/.])((?:dags|docs|include|plugins|tests|benchmarks|var)/[\w./-]*\w"
    r"|(?:Makefile|Dockerfile|docker-compose\.yaml|requirements[\w-]*\.(?:in|txt)|\.env\.example))"
)
VARIABLE = re.compile(r"\b(?:REPORTS|REPORTING|SECRET|AIRFLOW__)_?[A-Z_]*[A-Z]\b(?![_<])")
# What the stack, the demo and the reader of a page make below var/.
MADE = {
    "run", "log", "postgres", "store", "airflow", "mail", "slack", "out", "second",
    "stack.env", "secrets.json", "ports.json", "chaos",
}  # fmt: skip
WRITTEN_BY_READER = {"dags/my_report.py"}
SHOWN_AS_EXAMPLE = {"AIRFLOW__CORE__EXECUTOR"}

by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))


@by_page
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://")):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in anchors(target), f"{page.name}: {link}"


def anchors(page: Path) -> set[str]:
    """Return what headings can be linked by, as GitHub makes it of them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


@by_page
def test_named_files_exist(page: Path) -> None:
    for name in set(PATH.findall(page.read_text(encoding="utf-8"))) - WRITTEN_BY_READER:
        folder, _, rest = name.partition("/")
        if folder == "var":
            assert rest.partition("/")[0] in MADE, f"{page.name}: {name}"
        else:
            assert (CHECKOUT / name).exists(), f"{page.name}: {name}"


@by_page
def test_named_variables_exist(page: Path) -> None:
    known = ours() | airflows()
    named = set(VARIABLE.findall(page.read_text(encoding="utf-8")))
    assert named <= known, f"{page.name}: {sorted(named - known)}"


@by_page
def test_a_page_says_first_what_it_is_for(page: Path) -> None:
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line]
    assert lines[0].startswith("# ")
    assert not lines[1].startswith(("#", "|", "-", "`", "<"))


def test_every_variable_in_the_code_is_documented() -> None:
    sources = [*(CHECKOUT / "include").rglob("*.py"), *(CHECKOUT / "dags").glob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    found = set(re.findall(r"[\"'](REPORT(?:S|ING)_[A-Z_]*[A-Z])[\"']", text))
    assert found <= ours() | INTERNAL


def ours() -> set[str]:
    """Return every variable of this package."""
    return {
        *OTHERS,
        *(f"REPORTING_{field.name.upper()}" for field in fields(Settings)),
        *Ports().to_environment(),
        *(f"SECRET_{field.name.upper()}" for field in fields(Credentials)),
    }


def airflows() -> set[str]:
    """Return every variable by which Airflow is set up."""
    place = distribution("apache-airflow-core").locate_file("airflow/config_templates/config.yml")
    sections = yaml.safe_load(Path(str(place)).read_text(encoding="utf-8"))
    return {
        f"AIRFLOW__{section.upper()}__{option.upper()}"
        for section, content in sections.items()
        for option in content["options"]
    }
