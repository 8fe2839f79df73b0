"""Measures several contenders in turns, so that a busy minute of the machine hits them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from benchmarks.figure import middle

Contenders = Mapping[str, Callable[[], float]]


def in_turns(contenders: Contenders, rounds: int, before: Callable[[], None]) -> dict[str, float]:
    """Return the median seconds of each contender.

    Args:
        contenders: by name, what does the work once and returns its seconds.
        rounds: how often each does it.
        before: called before each of them, outside the measured time.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(1, rounds + 1):
        for name, work in contenders.items():
            before()
            seconds[name].append(work())
        told = ", ".join(f"{name} {taken[-1]:.2f} s" for name, taken in seconds.items())
        print(f"  round {number}: {told}", flush=True)
    return {name: middle(taken) for name, taken in seconds.items()}
