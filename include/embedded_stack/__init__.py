"""Real services for reports in one folder: PostgreSQL, an S3 store, samples, Airflow."""

from embedded_stack.errors import StackError
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack

__all__ = ["Ports", "Stack", "StackError"]
