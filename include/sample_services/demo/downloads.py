"""Copies of the published files in a folder of the reader."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from reporting.core.objects import Bucket


def download(bucket: Bucket, keys: Sequence[str], folder: Path) -> list[Path]:
    """Write every file of a release into `folder` and return the paths.

    Raises:
        IntegrityError: a file the release names is not in the bucket.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return [_download(bucket, key, folder) for key in keys]


def _download(bucket: Bucket, key: str, folder: Path) -> Path:
    body = bucket.get(key)
    if body is None:
        raise IntegrityError(f"Bucket {bucket.name!r} lacks {key}, which the release names.")
    path = folder / key.rpartition("/")[2]
    draft = path.with_name(f".{path.name}")
    draft.write_bytes(body)
    draft.replace(path)  # a reader of an earlier copy never sees half of this one
    return path
