"""Batch reports on Airflow that publish complete, correct figures or fail loudly and clean up.

Everything a report file needs is imported from here; nothing heavy is loaded by it.
"""

from reporting.definition.bodies import CsvBody, JsonBody, NdjsonBody, ParquetBody
from reporting.definition.complete import Exists, ListedIn, Marker, Unchanged
from reporting.definition.daily import Daily
from reporting.definition.delivery import AlertByEmail, AlertBySlack, Email, NoticeBySlack
from reporting.definition.drops import S3Source
from reporting.definition.fresh import Fresh
from reporting.definition.jobs import HttpJobSource, Job
from reporting.definition.messages import MessageSource
from reporting.definition.monthly import Monthly
from reporting.definition.pages import CursorPages, LinkPages, NumberPages
from reporting.definition.params import Param
from reporting.definition.period import Period
from reporting.definition.report import Report
from reporting.definition.retry import Retry
from reporting.definition.run_retry import RunRetry
from reporting.definition.shards import Shards
from reporting.definition.sources import HttpSource, PostgresSource
from reporting.definition.starts import OnSchedule, UpstreamEvent
from reporting.definition.tables import Csv, Table, Xlsx

__all__ = [
    "AlertByEmail",
    "AlertBySlack",
    "Csv",
    "CsvBody",
    "CursorPages",
    "Daily",
    "Email",
    "Exists",
    "Fresh",
    "HttpJobSource",
    "HttpSource",
    "Job",
    "JsonBody",
    "LinkPages",
    "ListedIn",
    "Marker",
    "MessageSource",
    "Monthly",
    "NdjsonBody",
    "NoticeBySlack",
    "NumberPages",
    "OnSchedule",
    "Param",
    "ParquetBody",
    "Period",
    "PostgresSource",
    "Report",
    "Retry",
    "RunRetry",
    "S3Source",
    "Shards",
    "Table",
    "Unchanged",
    "UpstreamEvent",
    "Xlsx",
]
