"""What the documentation says to Airflow: its commands are understood, its reports are built."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.dags.conftest import load
from tests.docs_pages import SHELL, Block, all_blocks, commands

AIRFLOW = sorted(
    {
        command.line.partition(" ")[2]
        for block in all_blocks(*SHELL)
        for command in commands(block)
        if command.line.partition(" ")[0].endswith("airflow")
    }
)
REPORTS = [
    block
    for block in all_blocks("python")
    if "build_dag(" in block.text and "..." not in block.text
]


@pytest.mark.parametrize("line", AIRFLOW)
def test_airflow_understands_the_command(line: str) -> None:
    from airflow.cli.cli_parser import get_parser

    assert get_parser().parse_args(shlex.split(line)).subcommand


@pytest.mark.parametrize("block", REPORTS, ids=lambda block: block.name)
def test_the_report_becomes_a_dag(block: Block, tmp_path: Path) -> None:
    path = tmp_path / "documented.py"
    path.write_text(block.text, encoding="utf-8")
    module = load(path)
    assert module.dag.dag_id == module.report.name
