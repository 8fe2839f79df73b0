"""The floor of reading: boto3's own download to the local disk, then pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import boto3
import pandas as pd
import pyarrow.dataset
import pyarrow.parquet

PARTS = (pyarrow.dataset, pyarrow.parquet)  # imported outside the measured time


def prepare(**given: Any) -> dict[str, Any]:
    """Make the client, as a compute function's inputs have theirs."""
    client = boto3.client("s3")
    client.head_bucket(Bucket=given["bucket"])  # its connection is open then
    return {**given, "client": client}


def work(client: Any, keys: list[str], bucket: str, folder: str) -> int:
    """Download the objects, read them as one frame and return the number of its rows."""
    for number, key in enumerate(keys):
        client.download_file(bucket, key, str(Path(folder) / f"{number}.parquet"))
    return len(pd.read_parquet(folder, dtype_backend="pyarrow"))
