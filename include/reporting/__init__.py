"""Batch reports on Airflow that publish complete, correct figures or fail loudly and clean up.

Everything a report file needs is imported from here; nothing heavy is loaded by it.
"""

from reporting.definition.bodies import CsvBody, JsonBody, NdjsonBody, ParquetBody
from reporting.definition.delivery import AlertByEmail, AlertBySlack, Email
from reporting.definition.fresh import Fresh
from reporting.definition.jobs import HttpJobSource, Job
from reporting.definition.messages import MessageSource
from reporting.definition.pages import CursorPages, LinkPages, NumberPages
from reporting.definition.params import Param
from reporting.definition.period import Daily, Period
from reporting.definition.report import Report
from reporting.definition.retry import Retry
from reporting.definition.shards import Shards
from reporting.definition.sources import HttpSource, PostgresSource, S3Source
from reporting.definition.tables import Csv, Table, Xlsx

__all__ = [
    "AlertByEmail",
    "AlertBySlack",
    "Csv",
    "CsvBody",
    "CursorPages",
    "Daily",
    "Email",
    "Fresh",
    "HttpJobSource",
    "HttpSource",
    "Job",
    "JsonBody",
    "LinkPages",
    "MessageSource",
    "NdjsonBody",
    "NumberPages",
    "Param",
    "ParquetBody",
    "Period",
    "PostgresSource",
    "Report",
    "Retry",
    "S3Source",
    "Shards",
    "Table",
    "Xlsx",
]
