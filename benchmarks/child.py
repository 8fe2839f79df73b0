"""A measured process: `python -m benchmarks.child WORK JSON` does one piece of work and tells.

The clock starts when everything is imported and what the work may take for granted is prepared. It
stops when the work is done.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from importlib import import_module


def main(name: str, arguments: str) -> None:
    """Do the work named `name` and print what was measured, in the last line.

    The function `prepare` of the work, if it has one, turns what was given into what `work` takes.
    """
    module = import_module(f"benchmarks.work.{name}")
    given = getattr(module, "prepare", dict)(**json.loads(arguments))
    started = time.perf_counter()
    facts = module.work(**given)
    seconds = time.perf_counter() - started
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "peak_mb": peak_kib / 1024, "facts": facts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
