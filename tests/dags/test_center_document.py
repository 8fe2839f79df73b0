"""The API's own document is complete: nothing in it is left without words."""

from __future__ import annotations

import json
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
    from report_center.api.document import page_of

    page = page_of(document)
    assert page.count("<table><thead>") == page.count("<table>")
    assert '<th scope="row"><code>Idempotency-Key</code></th>' in page


def test_its_page_shows_every_route_and_loads_nothing(document: dict[str, Any]) -> None:
    from report_center.api.document import page_of

    page = page_of(document)
    for name, operation in operations(document):
        method, _, path = name.partition(" ")
        assert f"{method.upper()} /reports{path}" in page
        assert operation["summary"] in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")


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
