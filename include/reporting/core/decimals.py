"""Decimals with exactly the digits that a column declares.

Arrow makes another number, without a word, of some that have too many digits: of a text of more
than 38, and of any number that more digits after the point make longer than that. At an exponent
such as e-1000000000 the process dies. So Arrow gets only what cannot come to that.
"""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Inexact, InvalidOperation
from functools import cache
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_type
from reporting.definition.columns import MAX_PRECISION

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

TOO_LONG = "more than {} digits before the point"
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def decimals_from(texts: pa.Array, column: Column) -> pa.Array:
    """Return texts that are numbers as the column's type.

    Raises:
        ValueError: a text is no number, or has more digits than are declared.
    """
    import pyarrow as pa

    if _are_safe(texts, column):
        return texts.cast(arrow_type(column))
    made = [None if text is None else fitted(read(text), column) for text in texts.to_pylist()]
    return pa.array(made, arrow_type(column))


def read(text: str) -> Decimal:
    """Return a text as a number.

    Raises:
        ValueError: it is none; NaN and infinity are none either.
    """
    if not _NUMBER.fullmatch(text):
        raise ValueError("no decimal number")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("an exponent that no decimal has") from None


def fitted(number: Decimal, column: Column) -> Decimal:
    """Return the same number with as many digits after the point as the column has.

    Raises:
        ValueError: digits would be lost, or there are too many.
    """
    try:
        return number.quantize(*_measure(column.precision, column.scale))
    except Inexact:
        raise ValueError(f"more than {column.scale} digits after the point") from None
    except InvalidOperation:
        raise ValueError(TOO_LONG.format(column.precision - column.scale)) from None


def fitted_within(value: Any, column: Column) -> Any:
    """Return a decimal, or a list of them, with the column's digits; anything else as it is."""
    if isinstance(value, Decimal) and value.is_finite():
        return fitted(value, column)
    if isinstance(value, str):  # Arrow would read it
        raise TypeError("text never becomes a decimal")
    if column.is_list and hasattr(value, "__iter__"):
        return [fitted_within(each, column.element) for each in value]
    return value


def rescaled(numbers: pa.Array, column: Column) -> pa.Array:
    """Return whole numbers or decimals as the column's type.

    Raises:
        ValueError: digits would be lost, or there are too many.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(numbers.type):
        # Arrow judges integers by their type's range, decimals by their value.
        numbers = numbers.cast(pa.decimal128(MAX_PRECISION, 0))
    digits = column.precision - column.scale
    for end in pc.min_max(numbers).as_py().values():
        if end is not None and abs(end) >= 10**digits:
            raise ValueError(TOO_LONG.format(digits))
    return numbers.cast(arrow_type(column), safe=True)


@cache
def _measure(precision: int, scale: int) -> tuple[Decimal, None, Context]:
    """Return what `quantize` is to be called with."""
    exact = Context(prec=precision, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[Inexact, InvalidOperation])
    return Decimal((0, (1,), -scale)), None, exact


def _are_safe(texts: pa.Array, column: Column) -> bool:
    import pyarrow.compute as pc

    lengths, points = pc.binary_length(texts), pc.find_substring(texts, ".")
    before_point = pc.if_else(pc.less(points, 0), lengths, points)
    return (
        (pc.max(lengths).as_py() or 0) <= MAX_PRECISION
        and (pc.max(before_point).as_py() or 0) <= MAX_PRECISION - column.scale
        and not any(pc.any(pc.match_substring(texts, letter)).as_py() for letter in "eE")
    )
