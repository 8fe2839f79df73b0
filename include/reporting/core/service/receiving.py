"""Takes replies off the queue: kept first, acknowledged then; what nobody can use is set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.bodies import take_body
from reporting.core.fetch.json_rows import fit_json
from reporting.core.service.broker import reply_queue, send_dead
from reporting.core.service.inbox import Inbox, referenced
from reporting.definition.bodies import NdjsonBody
from reporting.messages import MessageError, reply_from

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.intake import Intake
    from reporting.core.objects import Bucket
    from reporting.definition.messages import MessageSource


@dataclass(frozen=True)
class Received:
    """What came.

    Attributes:
        count: how many messages, signs of life included.
        failed: why there will be no answer; empty when that was not said.
    """

    count: int
    failed: str


def receive(channel: BlockingChannel, inbox: Inbox) -> Received:
    """Take all replies that wait now."""
    count, failed = 0, ""
    while True:
        found: Any = channel.basic_get(reply_queue(inbox.key))
        method, _, body = found
        if method is None:
            return Received(count, failed)
        count += 1
        try:
            failed = _kept(inbox, body) or failed
        except MessageError as error:
            send_dead(channel, body, {"reason": str(error), **_told(inbox)})
        channel.basic_ack(method.delivery_tag)


def _told(inbox: Inbox) -> dict[str, str]:
    return {
        "queue": reply_queue(inbox.key),
        "source": inbox.source,
        "report": inbox.run.report,
        "run_id": inbox.run.run_id,
    }


def _kept(inbox: Inbox, body: bytes) -> str:
    """Keep a reply; return why there will be no answer, if that is what it says."""
    reply = reply_from(body)
    if reply.key != inbox.key:
        raise MessageError(f"it answers another request, {reply.key[:40]!r}")
    if reply.part:
        inbox.keep(reply, body)
    return reply.failed


def take_parts(inbox: Inbox, references: Bucket, source: MessageSource, intake: Intake) -> set[str]:
    """Stage the rows of all parts in order; return the names of all fields.

    Raises:
        ContractError: rows do not fit, or a reference leads nowhere.
    """
    import io

    fields: set[str] = set()
    for reply in inbox.parts():
        if reply.reference is None:
            intake.accept(*fit_json(reply.rows, source.schema, intake.seen))
            fields.update(*reply.rows)
        else:
            stream: Any = io.BytesIO(referenced(references, reply, source.name))
            fields |= take_body(NdjsonBody(), stream, source.schema, intake)
    return fields
