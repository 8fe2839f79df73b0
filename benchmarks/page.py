"""The page `docs/performance.md`: figures, where they come from, and how they were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from benchmarks.figure import HEAD

if TYPE_CHECKING:
    from benchmarks.figure import Figure
    from benchmarks.machine import Machine
    from benchmarks.options import Options

PAGE = """# Performance

How fast the package is and how much memory it takes, next to what else does the same work. The
table is made by this command, which measures everything anew and writes this page:

```console
{command}
```

{table}

Measured on {day} on {hardware}. The load that others put on it was
{load:g} in the minute before. Versions: {versions}.

## What the figures are

A ratio compares two medians of {rounds} rounds; the contenders take turns, so that a busy minute of
the machine hits them alike. All use one PostgreSQL server and one S3 store, which run on the same
machine and share its cores with them.

Each measurement is a process of its own. Its time is the wall time of the work alone: imports do
not count, as a task of Airflow is a fork of a process that has them, but opening connections does.
The time of psql is that of its whole process. Before each measurement the server writes out what is
left of the one before.

The rows have 12 columns: `bigint`, `int4`, `int2`, `numeric(12,2)`, `numeric(20,6)`, `float8`,
`bool`, a short and a longer `text`, `date`, `timestamp` and `timestamptz`. Seven of them hold some
NULLs.

## Goals that nobody can reach here

- *Three times quicker than dlt with connectorx*: that would be quicker than `psql COPY` to nowhere,
  which does nothing with the rows. A fetch costs the server what psql costs it, and the client
  about as much again for decoding, Parquet, SHA-256 and the upload; both cores are busy all the
  time.
- *Fifteen times quicker than `insert_rows`*: that would be quicker than `psql \\copy`. The
  provider's `insert_rows` pipelines its statements since it uses psycopg 3.

## How each thing is measured
{sections}"""


@dataclass(frozen=True)
class Conditions:
    """Under which conditions figures were found.

    Attributes:
        machine: what they were measured on.
        options: how much was measured.
        day: when.
        command: what was typed.
    """

    machine: Machine
    options: Options
    day: date
    command: str


def page(figures: Sequence[Figure], texts: Mapping[str, str], conditions: Conditions) -> str:
    """Return the page.

    Args:
        figures: what was found.
        texts: how each benchmark measures, by its name.
        conditions: under which conditions.
    """
    machine = conditions.machine
    return PAGE.format(
        command=f"$ {conditions.command}",
        table=_table(figures),
        day=conditions.day.isoformat(),
        hardware=machine.hardware,
        load=machine.load,
        versions=", ".join(f"{name} {number}" for name, number in machine.versions.items()),
        rounds=conditions.options.rounds,
        sections="".join(f"\n### {name}\n\n{text}\n" for name, text in texts.items()),
    )


def _table(figures: Sequence[Figure]) -> str:
    rows = [HEAD, tuple("---" for _ in HEAD), *(figure.cells for figure in figures)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
