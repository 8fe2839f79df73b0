"""Takes the batches of a source: what fits is staged, what does not fails or is set aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reporting.core.fit import Convert, Refused, fit
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.core.staging import Attempt
    from reporting.definition.source import Source


class Intake:
    """One stream of rows of a source into an attempt.

    Attributes:
        where: the stream, for messages.
        seen: rows taken of it so far, those set aside included.
        newest: largest value so far of the column that tells how fresh the source is.
    """

    def __init__(self, source: Source, attempt: Attempt, where: str = "") -> None:
        """Open a writer of the attempt; the stream is named by the source unless it has a name."""
        self.where = where or f"Source {source.name!r}"
        self.seen = 0
        self.newest: Any = None
        self._body = ""
        self._source = source
        self._attempt = attempt
        self._writer = attempt.open_writer()
        attempt.intakes.append(self)

    def begin(self, where: str, body: str) -> None:
        """Count the rows of the next of several bodies from 1.

        Args:
            where: names the body in messages.
            body: names it in the reason of rows set aside; empty where there is only one.
        """
        self.go_on(where, body)
        self.seen = 0

    def go_on(self, where: str, body: str) -> None:
        """Name the next piece of a body whose rows are counted on; see `begin`."""
        self.where = where
        self._body = body

    def take(self, data: pa.Table, convert: Convert, malformed: Sequence[Refused] = ()) -> None:
        """Convert a batch and stage what fits.

        Args:
            data: columns in any order.
            convert: makes them what is declared.
            malformed: rows that came among these and were no rows at all.

        Raises:
            ContractError: more rows do not fit than the source allows.
        """
        table, refused = fit(data, self._attempt.schema, convert, self.seen)
        self.accept(table, self.counted(refused, malformed))

    @staticmethod
    def counted(refused: Sequence[Refused], malformed: Sequence[Refused]) -> list[Refused]:
        """Return all in order, the numbers of the first counted with the malformed ones."""
        numbered = [replace(row, row=_number(row.row, malformed)) for row in refused]
        return sorted([*numbered, *malformed], key=lambda row: row.row)

    def accept(self, table: pa.Table, refused: Sequence[Refused]) -> None:
        """Stage the rows of a batch that fit, and deal with the others.

        Raises:
            ContractError: more rows do not fit than the source allows.
        """
        self.seen += table.num_rows + len(refused)
        self._set_aside(refused)
        self._writer.write(table)
        self._note_newest(table)
        self._attempt.note_progress()

    def _set_aside(self, refused: Sequence[Refused]) -> None:
        limit = self._source.quarantine
        if refused and not limit:
            raise refused[0].error(self.where)
        self._attempt.refused += [self._with_body(row) for row in refused]
        if len(self._attempt.refused) > limit:
            raise ContractError(
                f"{self.where}: {len(self._attempt.refused)} of the first {self.seen} rows do "
                f"not fit; quarantine allows {limit}. The first: "
                f"{self._attempt.refused[0].error(self.where)}"
            )

    def _with_body(self, row: Refused) -> Refused:
        return replace(row, reason=f"{self._body}: {row.reason}") if self._body else row

    def _note_newest(self, table: pa.Table) -> None:
        import pyarrow.compute as pc

        fresh = self._source.fresh
        if fresh is not None and table.num_rows:
            found = pc.max(table.column(fresh.column)).as_py()
            known = [value for value in (found, self.newest) if value is not None]
            self.newest = max(known, default=None)


def _number(row: int, malformed: Sequence[Refused]) -> int:
    """Return the row's number when the malformed ones before it are counted too."""
    for other in malformed:
        row += other.row <= row
    return row
