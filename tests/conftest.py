"""What all tests share: how much Hypothesis tries, and which tests go together."""

import pytest
from hypothesis import HealthCheck, settings

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
    "test_dead_letters",
    "test_drops",
    "test_no_orphans",
    "test_reconcile",
    "test_routes_rights",
    "test_upstream_events",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Say which tests go to one process, for what they start together."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def _group(item: pytest.Item) -> str:
    folder, file = item.path.parent.name, item.path.stem
    if folder == "e2e":
        return "second stack" if file in ON_SECOND_STACK else "first stack"
    return "faults" if folder == "faults" else file
