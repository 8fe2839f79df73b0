"""A zipped body, piece by piece: in bounded memory, and to the end of its last member."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

PIECE_BYTES = 1024 * 1024
ZIPPED = 32 + zlib.MAX_WBITS  # gzip or zlib, told by its first bytes
FILL = b"\0"  # with which some fill up to a block, behind the end


def unzipped(received: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what zipped pieces hold, a piece of bounded size at a time; some are empty.

    Several members after one another are one body, as they are to every reader of gzip.

    Raises:
        zlib.error: the bytes are damaged.
        EOFError: they end before their own end.
    """
    member = zlib.decompressobj(ZIPPED)
    for piece in received:
        left = piece
        while left:
            if member.eof:
                left = left.lstrip(FILL)
                member = zlib.decompressobj(ZIPPED) if left else member
            if left:
                yield member.decompress(left, PIECE_BYTES)
                left = member.unconsumed_tail or member.unused_data
    while rest := member.decompress(b"", PIECE_BYTES):
        yield rest
    if not member.eof:
        raise EOFError
