"""The function that makes the tables of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import isfunction, signature
from typing import TYPE_CHECKING, Any

from reporting.errors import DefinitionError

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs

    Compute = Callable[[Inputs], Mapping[str, pd.DataFrame]]
else:
    Compute = Callable  # the whole of it needs imports that parsing must not pay for


def check_compute(where: str, compute: Any) -> None:
    """Refuse what is no plain function of the inputs.

    Its file is read: beside it lie the queries, and its text is part of what a result depends on.

    Raises:
        DefinitionError: naming what was got.
    """
    if not isfunction(compute):
        raise DefinitionError(
            f"{where}: compute is a {type(compute).__name__}; allowed: a plain function."
        )
    try:
        signature(compute).bind("inputs")
    except TypeError:
        raise DefinitionError(
            f"{where}: compute is {compute.__name__}{signature(compute)}; "
            "allowed: a function of one argument, the inputs."
        ) from None
