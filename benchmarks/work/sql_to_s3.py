"""A peer: the operator of Airflow's Amazon provider, to Parquet, with its default settings."""

from __future__ import annotations

import pandas as pd
import psycopg
import pyarrow.parquet
import sqlalchemy.dialects.postgresql
from airflow.providers.amazon.aws.hooks import s3
from airflow.providers.amazon.aws.transfers.sql_to_s3 import SqlToS3Operator
from airflow.providers.postgres.hooks import postgres
from airflow.sdk import Context

# Imported here, so that the measured time holds no import.
PARTS = (pd, psycopg, pyarrow.parquet, sqlalchemy.dialects.postgresql, s3, postgres)


def work(sql: str, bucket: str) -> None:
    """Copy the rows of a query into one Parquet object."""
    operator = SqlToS3Operator(
        task_id="copy",
        query=sql,
        s3_bucket=bucket,
        s3_key="sql_to_s3/rows",
        sql_conn_id="operations_db",
        aws_conn_id="report_store",
        file_format="parquet",
        replace=True,
    )
    operator.execute(Context())
