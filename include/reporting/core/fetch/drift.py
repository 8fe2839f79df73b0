"""What a source gives, compared with what is declared: added, missing and changed columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.definition.columns import Column

NEXT = "Change `columns` of the source, or what it reads."


def check_drift(
    where: str,
    declared: Sequence[Column],
    got: Sequence[str],
    changed: Sequence[str] = (),
) -> None:
    """Refuse columns that are not the declared ones; their order does not matter.

    Args:
        where: source, for the message.
        declared: what is declared.
        got: names of the columns it gives.
        changed: columns of other types than declared, in words.

    Raises:
        ContractError: naming every column that differs.
    """
    names = [column.name for column in declared]
    faults = {
        "missing": [name for name in names if name not in got],
        "added": [name for name in dict.fromkeys(got) if name not in names],
        "repeated": sorted({name for name in got if got.count(name) > 1}),
        "changed": list(changed),
    }
    found = [f"{kind}: {', '.join(listed)}" for kind, listed in faults.items() if listed]
    if found:
        raise ContractError(
            f"{where}: columns differ from the declared ones: {'; '.join(found)}. {NEXT}"
        )
