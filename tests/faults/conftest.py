"""One stack for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.ground import Ground, standing
from tests.faults.own import OWN


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """A stack that knows the harness's own reports."""
    with standing(tmp_path_factory.mktemp("faults") / "stack", OWN.reports) as ground:
        OWN.subjects(ground)
        yield ground
