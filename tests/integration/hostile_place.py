"""Where the hostile run takes place: what its processes are told on their command line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from embedded_stack import store
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.service.broker import Broker
from reporting.core.service.conversation import Conversation
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.definition.messages import MessageSource
from reporting.messages import Request
from tests.integration.hostile_plan import Plan
from tests.specimens import a_message_source

BUCKET = "staging"


@dataclass(frozen=True)
class Place:
    """What all processes of a hostile run know.

    Attributes:
        plan: what is asked and answered.
        report: a name that no other test uses.
        store_home: folder of the stack that has the store.
        store_ports: its ports.
        broker_home: folder of the stack that has the broker.
        broker_ports: its ports.
        progress: gets a line for every request that is done with, perhaps twice.
    """

    plan: Plan
    report: str
    store_home: Path
    store_ports: Ports
    broker_home: Path
    broker_ports: Ports
    progress: Path

    def to_text(self) -> str:
        """Write it for a command line; it has no password."""
        return json.dumps(asdict(self), default=str)

    @property
    def source(self) -> MessageSource:
        """The source that asks."""
        return a_message_source(queue=f"hostile.{self.report}")

    @property
    def broker(self) -> Broker:
        """The broker that is killed again and again."""
        stack = Stack(self.broker_home, self.broker_ports, write=lambda _: None)
        known = json.loads(stack.environment()["AIRFLOW_CONN_REPORTS_BROKER"])
        return Broker(
            known["host"], known["port"], known["login"], known["password"], known["schema"]
        )

    @property
    def bucket(self) -> Bucket:
        """The bucket of staged data."""
        stack = Stack(self.store_home, self.store_ports, write=lambda _: None)
        return Bucket(store.client(stack.layout), BUCKET)

    def run(self, number: int) -> RunId:
        """Return the run that sends request `number`."""
        return RunId(self.report, f"run{number}")

    def conversation(
        self, broker: Broker, records: RequestRecords, record: RequestRecord, number: int
    ) -> Conversation:
        """Return the conversation of one try at a request."""
        asked = {"number": number, "try": record.number}
        run = records.run
        key = record.key(run.task_key)
        request = Request(key, self.report, self.source.name, run.run_id, asked, {})
        return Conversation(self.source, broker, records, record, request)

    def note_progress(self) -> None:
        """Note that one request is done with."""
        with self.progress.open("a") as file:
            file.write("done\n")

    def numbers(self, share: int, shares: int) -> Iterator[int]:
        """Yield the requests of one of so many processes."""
        yield from range(share, self.plan.count, shares)


def place_from(text: str) -> Place:
    """Read what `to_text` wrote."""
    told = json.loads(text)
    return Place(
        Plan(**told["plan"]),
        told["report"],
        Path(told["store_home"]),
        Ports(**told["store_ports"]),
        Path(told["broker_home"]),
        Ports(**told["broker_ports"]),
        Path(told["progress"]),
    )
