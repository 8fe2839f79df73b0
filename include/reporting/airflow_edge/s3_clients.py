"""Clients of S3 from Airflow's connections, made in a tenth of the time that Airflow's hook takes.

The hook reads the source of everything that calls it, to name the caller in the user agent, and
botocore reads its description of S3 anew for each session. Together that was half of what a short
task costs.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from reporting.airflow_edge.known_connection import S3, known_connection


def s3_client(conn_id: str) -> Any:
    """Return a boto3 S3 client; a long-lived process makes one per connection as it is now."""
    return _s3_client(conn_id, known_connection(conn_id, S3).get_uri())


@lru_cache(maxsize=8)
def _s3_client(conn_id: str, _uri: str) -> Any:
    from airflow.providers.amazon.aws.hooks.s3 import S3Hook

    hook = S3Hook(conn_id)
    session = hook.get_session()
    session._session.register_component("data_loader", loaded_models())  # noqa: SLF001
    return session.client(
        "s3",
        endpoint_url=hook.conn_config.get_service_endpoint_url("s3"),
        config=hook.config,
        verify=hook.verify,
    )


@cache
def loaded_models() -> Any:
    """Return botocore's loader with its description of S3 in memory; forks share it."""
    import botocore.session

    session, nobody = botocore.session.get_session(), "nobody"  # else it looks for a login
    session.create_client(
        "s3", region_name="us-east-1", aws_access_key_id=nobody, aws_secret_access_key=nobody
    )
    return session.get_component("data_loader")
