"""The services of a stack, in the order people think of them."""

from collections.abc import Iterable

from embedded_stack import airflow_services, broker, planes, postgres, sample, store
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.service import Service


def all_services(layout: Layout) -> dict[str, Service]:
    """Every service by name."""
    services = (
        postgres.service(layout),
        store.service(layout),
        broker.service(layout),
        *sample.services(layout),
        planes.service(layout),
        *airflow_services.services(layout),
    )
    return {service.name: service for service in services}


def choose(layout: Layout, names: Iterable[str] | None) -> dict[str, Service]:
    """The named services; all when nothing is named.

    Raises:
        StackError: for a name there is no service of.
    """
    services = all_services(layout)
    if names is None:
        return services
    wanted = set(names)
    if unknown := sorted(wanted - services.keys()):
        raise StackError(
            f"services: got {', '.join(unknown)}; allowed are {', '.join(services)}. "
            "Next: python -m embedded_stack up --only postgres,store"
        )
    return {name: service for name, service in services.items() if name in wanted}
