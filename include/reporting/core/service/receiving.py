"""Takes replies off the queue: kept first, acknowledged then; what nobody can use is set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.core.fetch.bodies import take_body
from reporting.core.fetch.json_rows import fit_json
from reporting.core.redact import without_secrets
from reporting.core.service.broker import reply_queue
from reporting.core.service.inbox import Inbox, referenced
from reporting.definition.bodies import NdjsonBody
from reporting.messages import MessageError, reply_from
from reporting.queues import set_aside

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

    from reporting.core.intake import Intake
    from reporting.core.objects import Bucket
    from reporting.definition.messages import MessageSource


SHOWN = 200


def receive(channel: BlockingChannel, inbox: Inbox) -> int:
    """Take the replies that wait now; return how many, signs of life included.

    Each is kept, or set aside as a dead letter, before it is acknowledged. Those that come
    meanwhile are for the next time: from a service that never pauses there is always another.
    """
    count, left = 0, 1
    while left:
        found: Any = channel.basic_get(reply_queue(inbox.key))
        method, _, body = found
        if method is None:
            break
        left = left - 1 if count else method.message_count
        count += 1
        try:
            _keep(inbox, body)
        except MessageError as error:
            set_aside(channel, body, {"reason": str(error), **_told(inbox)})
        channel.basic_ack(method.delivery_tag)
    return count


def _told(inbox: Inbox) -> dict[str, str]:
    return {
        "queue": reply_queue(inbox.key),
        "source": inbox.source,
        "report": inbox.run.report,
        "run_id": inbox.run.run_id,
    }


def _keep(inbox: Inbox, body: bytes) -> None:
    reply = reply_from(body)
    if reply.key != inbox.key:
        raise MessageError(f"it answers another request, {reply.key[:40]!r}")
    if reply.failed:
        inbox.give_up(f"the service refused: {without_secrets(reply.failed)[:SHOWN]}")
    elif not reply.is_sign_of_life:
        inbox.keep(reply, body)


def take_parts(inbox: Inbox, references: Bucket, source: MessageSource, intake: Intake) -> set[str]:
    """Stage the rows of all parts in order; return the names of all fields.

    Raises:
        ContractError: rows do not fit, or a reference leads nowhere.
    """
    fields: set[str] = set()
    for reply in inbox.parts():
        if reply.reference is None:
            intake.accept(*fit_json(reply.rows, source.schema, intake.seen))
            fields.update(*reply.rows)
        else:
            with referenced(references, reply, source.name) as file:
                stream: Any = file
                fields |= take_body(NdjsonBody(), stream, source.schema, intake)
    return fields
