"""Changed code of the library restarts Airflow; a changed DAG file does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedded_stack import loaded_code

pytestmark = pytest.mark.unit


def digest_of(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(loaded_code, "CHECKOUT", checkout)
    loaded_code.digest.cache_clear()
    try:
        return loaded_code.digest()
    finally:
        loaded_code.digest.cache_clear()


def test_code_counts_and_dag_files_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "include" / "reporting" / "core" / "run.py"
    module.parent.mkdir(parents=True)
    module.write_text("A = 1\n")
    before = digest_of(tmp_path, monkeypatch)
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "mine.py").write_text("B = 1\n")
    assert digest_of(tmp_path, monkeypatch) == before
    module.write_text("A = 2\n")
    assert digest_of(tmp_path, monkeypatch) != before
