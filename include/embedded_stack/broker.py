"""The message broker: one RabbitMQ node on loopback that no other node can reach."""

import logging
from http.client import HTTPException

import pika
from pika.exceptions import AMQPError

from embedded_stack import broker_api, rabbitmq
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK
from embedded_stack.private_file import write_private
from embedded_stack.service import Service, dies_with_supervisor

NAME = "broker"
NODE = "broker@localhost"
SETTINGS = {
    # A message may be worked on for a day before it is handed to somebody else.
    "consumer_timeout": "86400000",
    "disk_free_limit": "50000000",
    # Above it publishers wait; the rest of the memory belongs to the reports.
    "vm_memory_high_watermark": "{absolute,419430400}",
}
# Erlang nodes find each other through a daemon that would outlive us and serve all stacks. A node
# that listens for no other needs none: it asks for a port, is given this one, and never uses it.
ALONE = "-start_epmd false -dist_listen false -erl_epmd_port 1"
# Linux's name for the working folder: any other path would meet shells that take it apart.
HERE = "/proc/self/cwd"

# A client that is refused logs so; until the broker is up, that is no news.
logging.getLogger("pika").addHandler(logging.NullHandler())


def service(layout: Layout) -> Service:
    """The broker as a supervised process; without a command where there is no RabbitMQ."""
    programs = rabbitmq.find()
    start = (str(programs.starter), *_arguments(layout)) if programs else ()
    return Service(
        name=NAME,
        argv=dies_with_supervisor("TERM", *start) if start else (),
        folder=layout.broker,
        ports=("broker", "broker_admin"),
        url=f"amqp://{LOOPBACK}:{layout.ports.broker}",
        environment={**programs.environment(), **_environment(layout)} if programs else {},
        program=str(programs.emulator) if programs else "",
    )


def prepare(layout: Layout) -> None:
    """Note which series made the data; refuse data of another one.

    Raises:
        StackError: says whose data they are and what to do.
    """
    programs = rabbitmq.find()
    if programs is None:
        return
    note = layout.broker / "series"
    offered = ".".join(map(str, programs.series))
    if not note.exists():
        write_private(note, offered)
    if (found := note.read_text()) != offered:
        raise StackError(
            f"{layout.broker}: made by RabbitMQ {found}, but the one found is {programs.version}; "
            "they must be the same. Queues hold what runs under way wait for. If there are none: "
            f"remove {layout.broker}, then `make up`"
        )


def connect(layout: Layout) -> pika.BlockingConnection:
    """A connection to the reports' virtual host."""
    return pika.BlockingConnection(
        pika.ConnectionParameters(
            host=layout.broker_host,
            port=layout.ports.broker,
            virtual_host=broker_api.VHOST,
            credentials=pika.PlainCredentials(broker_api.USER, layout.credentials.broker_password),
            socket_timeout=5,
            stack_timeout=10,
        )
    )


def answers(layout: Layout) -> bool:
    """Whether a client can log in to the reports' virtual host, which is made where missing."""
    try:
        broker_api.make_vhost(layout)
        connect(layout).close()
    except (OSError, HTTPException, AMQPError):
        return False
    return True


def _arguments(layout: Layout) -> tuple[str, ...]:
    settings = [word for name, value in SETTINGS.items() for word in ("-rabbit", name, value)]
    page = f'[{{ip,"{LOOPBACK}"}},{{port,{layout.ports.broker_admin}}}]'
    return (
        "-sname", NODE, "-noinput", "-boot", "start_sasl", "-s", "rabbit", "boot",
        # Two threads at most, and none that spins while it waits.
        "+S", "2:2", "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none",
        # As RabbitMQ's own script has them: less memory, and no log but ours.
        "+MBas", "ageffcbf", "+MHas", "ageffcbf", "+MBlmbcs", "512", "+MHlmbcs", "512",
        "+MMmcs", "30", "+W", "w", "-syslog", "logger", "[]", "-syslog", "syslog_error_logger",
        "false", "-kernel", "prevent_overlapping_partitions", "false",
        *settings, "-rabbitmq_management", "tcp_config", page,
    )  # fmt: skip


def _environment(layout: Layout) -> dict[str, str]:
    return {
        "ERL_AFLAGS": ALONE,
        "ERL_CRASH_DUMP_SECONDS": "0",  # a dump would hold messages and passwords
        # Erlang's cookie, settings, data and log: none in anybody else's folder.
        "HOME": HERE,
        "SYS_PREFIX": HERE,
        "RABBITMQ_NODENAME": NODE,
        "RABBITMQ_NODE_IP_ADDRESS": LOOPBACK,
        "RABBITMQ_NODE_PORT": str(layout.ports.broker),
        # Instead of the user guest; only the first start reads it.
        "RABBITMQ_DEFAULT_USER": broker_api.USER,
        "RABBITMQ_DEFAULT_PASS": layout.credentials.broker_password,
        "RABBITMQ_ENABLED_PLUGINS": "rabbitmq_management",
        "RABBITMQ_ENABLED_PLUGINS_FILE": f"{HERE}/enabled_plugins",
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_LOG": "warning",
    }
