"""All comparisons, in the order of the work, and the repair of each kind of difference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.reconcile.claims import CLAIM, claims, claims_of_ended, release_claim
from reporting.core.reconcile.dead_messages import (
    MESSAGE_GONE,
    ORPHANED_MESSAGE,
    kept_messages,
    letter_again,
    messages_gone,
    orphaned_messages,
    remove_message,
    waiting_letters,
)
from reporting.core.reconcile.ended_runs import (
    EXPIRED,
    OPEN_RUN,
    expired_staging,
    note_again,
    notes,
    open_runs,
    remove_expired,
    undo_open_run,
)
from reporting.core.reconcile.orphaned_files import (
    ORPHANED_FILES,
    file_folders,
    orphaned_files,
    remove_files,
)
from reporting.core.reconcile.orphaned_staging import (
    ORPHANED_STAGING,
    orphaned_staging,
    remove_staging,
    staging_runs,
)
from reporting.core.reconcile.published_rows import (
    PUBLISHED_ROWS,
    UNKNOWN_RELEASE,
    published_rows,
    result_tables,
    unknown_releases,
)
from reporting.core.reconcile.release_files import FILE, release_files
from reporting.core.reconcile.releases import recent_releases, release_again
from reporting.core.reconcile.reply_queues import REPLY_QUEUE, remove_reply_queue, reply_queues
from reporting.core.reconcile.requests import OPEN_REQUEST, cancel_requests, open_requests
from reporting.core.reconcile.staged_counts import (
    COMPUTED_ROWS,
    SOURCE_COUNT,
    STAGED_ROWS,
    computed_rows,
    source_counts,
    staged_rows,
)

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Difference, Scope
    from reporting.core.reconcile.installation import Installation


@dataclass(frozen=True)
class Comparison:
    """One comparison.

    Attributes:
        what: what is compared, in words.
        items: the things to look at.
        differences: looks at one thing.
        again: returns a thing as it is now, or None when it is gone.
    """

    what: str
    items: Callable[[Installation, Scope], Iterable[Any]]
    differences: Callable[[Installation, Scope, Any], list[Difference]]
    again: Callable[[Installation, Any], Any | None]


def _same(_here: Installation, item: Any) -> Any:
    return item


COMPARISONS: tuple[Comparison, ...] = (
    Comparison(SOURCE_COUNT, recent_releases, source_counts, release_again),
    Comparison(STAGED_ROWS, recent_releases, staged_rows, release_again),
    Comparison(COMPUTED_ROWS, recent_releases, computed_rows, release_again),
    Comparison(PUBLISHED_ROWS, recent_releases, published_rows, release_again),
    Comparison(UNKNOWN_RELEASE, result_tables, unknown_releases, _same),
    Comparison(FILE, recent_releases, release_files, release_again),
    Comparison(CLAIM, claims, claims_of_ended, _same),
    Comparison(OPEN_RUN, notes, open_runs, note_again),
    Comparison(OPEN_REQUEST, notes, open_requests, note_again),
    Comparison(REPLY_QUEUE, notes, reply_queues, note_again),
    Comparison(EXPIRED, notes, expired_staging, note_again),
    Comparison(ORPHANED_STAGING, staging_runs, orphaned_staging, _same),
    Comparison(ORPHANED_FILES, file_folders, orphaned_files, _same),
    Comparison(MESSAGE_GONE, waiting_letters, messages_gone, letter_again),
    Comparison(ORPHANED_MESSAGE, kept_messages, orphaned_messages, _same),
)
REPAIRS: Mapping[str, Callable[[Installation, Scope, Difference], None]] = {
    CLAIM: release_claim,
    OPEN_RUN: undo_open_run,
    OPEN_REQUEST: cancel_requests,
    REPLY_QUEUE: remove_reply_queue,
    EXPIRED: remove_expired,
    ORPHANED_STAGING: remove_staging,
    ORPHANED_FILES: remove_files,
    ORPHANED_MESSAGE: remove_message,
}
