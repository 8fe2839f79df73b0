"""What all tests share: how much Hypothesis tries, and which tests go to one process."""

from pathlib import PurePosixPath
from typing import Any

from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

settings.register_profile(
    "steady",
    deadline=None,  # a busy machine must not fail a test
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# Two live stacks do the work of one in half the time: their tests mostly wait.
ON_SECOND_STACK = {
    "test_backfill_matrix",
    "test_center_api",
    "test_center_fuzz",
    "test_clearing",
    "test_dead_letters",
    "test_definition_broken",
    "test_drops",
    "test_no_orphans",
    "test_reconcile",
    "test_routes_rights",
    "test_run_retry",
    "test_started_together",
    "test_upstream_events",
}


def pytest_xdist_make_scheduler(config: Any, log: Any) -> LoadScopeScheduling:
    """Give the tests that start something together to one process."""
    return Together(config, log)


class Together(LoadScopeScheduling):  # type: ignore[misc]  # it has no types
    """Parts tests by file, and those on a live stack by their stack."""

    def _split_scope(self, nodeid: str) -> str:
        path = PurePosixPath(nodeid.partition("::")[0])
        folder, file = path.parent.name, path.stem
        if folder == "e2e":
            return "second stack" if file in ON_SECOND_STACK else "first stack"
        # Long and alone it would come last, and be waited for.
        return "faults" if folder == "faults" or file == "test_hostile_broker" else str(path)
