"""Places for ports that have to move."""

from collections.abc import Collection, Iterator

from embedded_stack.ports import (
    FREE_RANGE,
    GRPC_OFFSET,
    HIGHEST_PORT,
    NAMES,
    Ports,
    is_free,
    listeners,
)


def moved_to_free(ports: Ports, names: Collection[str]) -> dict[str, int]:
    """A free place for each of these ports: the nearest above that no other of ours has."""
    used = {port for name in NAMES if name not in names for port in ports.listeners(name)}
    moved = {}
    for name in names:
        moved[name] = next(_candidates(name, getattr(ports, name), used))
        used.update(listeners(name, moved[name]))
    return moved


def _candidates(name: str, start: int, used: Collection[int]) -> Iterator[int]:
    for port in (*range(start + 1, HIGHEST_PORT - GRPC_OFFSET + 1), *range(*FREE_RANGE)):
        if all(twin not in used and is_free(twin) for twin in listeners(name, port)):
            yield port
