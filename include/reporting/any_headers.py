"""Lets a message be read whatever its headers hold.

On a date beyond all years, or on lists in lists without end, pika breaks the connection off. The
broker then gives the same message out again, and nobody gets past it.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

SIZE = struct.Struct(">I")
FAULTS = (ValueError, ArithmeticError, OSError, RecursionError)


@cache
def take_any_headers() -> None:
    """Make pika leave out a table that it cannot read; one within another goes alone."""
    from pika import data

    read = data.decode_table

    def read_or_leave_out(encoded: bytes, offset: int) -> tuple[dict[Any, Any], int]:
        try:
            return read(encoded, offset)
        except FAULTS:
            (size,) = SIZE.unpack_from(encoded, offset)
            return {}, offset + SIZE.size + size

    data.decode_table = read_or_leave_out
