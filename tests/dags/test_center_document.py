"""The API's own document is complete: nothing in it is left without words."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from reporting.definition.description import description_of
from tests.specimens import a_report

ALWAYS = {"401", "403", "422", "500", "503"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    from report_center.api.document import document_of
    from report_center.app import report_center_app

    return document_of(report_center_app(), "/reports")


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{method} {path}", operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_route_says_what_it_does_and_answers(document: dict[str, Any]) -> None:
    assert len(operations(document)) >= 20
    for name, operation in operations(document):
        assert operation["summary"], name
        assert operation["description"], name
        good = [answer for status, answer in operation["responses"].items() if status < "300"]
        assert good, name
        assert all(answer["content"] for answer in good), name


def test_every_route_tells_of_its_problems(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        with_login = operation.get("security") != []
        assert set(operation["responses"]) >= (ALWAYS if with_login else ALWAYS - {"401"}), name
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert list(answer["content"]) == ["application/problem+json"], (name, status)


def test_it_holds_no_page_of_html(document: dict[str, Any]) -> None:
    assert all(path.startswith("/api/") for path in document["paths"])
    assert document["security"] == [{"airflow": []}]


def test_only_what_services_call_back_at_needs_no_login(document: dict[str, Any]) -> None:
    signed = [name for name, one in operations(document) if one.get("security") == []]
    assert signed == ["post /api/callbacks/{token}"]


def test_every_answer_in_json_has_a_schema(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        content = operation["responses"]["200"]["content"]
        schema = content.get("application/json", {"schema": "of another type"})["schema"]
        assert schema, name
        if "openapi.json" not in name and schema != "of another type":
            known = schema["$ref"].rpartition("/")[2]
            assert document["components"]["schemas"][known]["properties"], name


def test_its_tables_have_headers(document: dict[str, Any]) -> None:
    from report_center.api.document_page import page_of

    page = page_of(document)
    assert page.count("<table><thead>") == page.count("<table>")
    assert '<th scope="row"><code>Idempotency-Key</code></th>' in page


def test_its_page_shows_every_route_and_loads_nothing(document: dict[str, Any]) -> None:
    from report_center.api.document_page import page_of

    page = page_of(document)
    for name, operation in operations(document):
        method, _, path = name.partition(" ")
        assert f"{method.upper()} /reports{path}" in page
        assert operation["summary"] in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_every_field_says_what_it_means(document: dict[str, Any]) -> None:
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, told in schema.get("properties", {}).items()
        if not told.get("description")
    ]
    assert bare == []
    assert not re.search(r"\bR3\b|reporting\.core", json.dumps(document))


def test_its_page_shows_every_field_of_bodies_and_answers(document: dict[str, Any]) -> None:
    from report_center.api.document_page import page_of

    page = page_of(document)
    for name, schema in document["components"]["schemas"].items():
        section = page.partition(f'<section id="{name}">')[2].partition("</section>")[0]
        assert section, name
        for field in schema.get("properties", {}):
            assert f"<code>{field}</code>" in section, (name, field)
    places = set(re.findall(r'href="#([^"]+)"', page))
    assert places <= set(re.findall(r' id="([^"]+)"', page))
    assert {"Trigger", "Run", "Release", "Wait", "Problem"} <= places


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Trigger", ["true or false", "<code>false</code>", "at most 20 characters"]),
        ("RerunAsked", ["<code>failed</code>, <code>all</code>", "0 or more"]),
        ("RunDetail", ['list of <a href="#Step">Step</a>', '<a href="#Run">Run</a>', "or null"]),
        ("Kind", ["<code>set_aside</code>"]),
    ],
)
def test_a_field_has_its_type_default_and_what_is_allowed(
    document: dict[str, Any], name: str, words: list[str]
) -> None:
    from report_center.api.document_page import page_of

    section = page_of(document).partition(f'<section id="{name}">')[2].partition("</section>")[0]
    assert [word for word in words if word not in section] == []
    assert "^[" not in section


def test_a_serialized_dag_carries_the_definition() -> None:
    from airflow.serialization.serialized_objects import DagSerialization

    from report_center.records.definitions import definition_in
    from reporting.airflow_edge.dag import build_dag

    dag = build_dag(a_report())
    serialized = json.loads(json.dumps(DagSerialization.to_dict(dag)))
    assert definition_in(serialized) == description_of(a_report())


def test_a_dag_of_an_earlier_version_carries_none() -> None:
    from report_center.records.definitions import definition_in

    assert definition_in({}) == {}
    assert definition_in({"dag": {"tasks": [{"__var": {"task_id": "init"}}]}}) == {}
