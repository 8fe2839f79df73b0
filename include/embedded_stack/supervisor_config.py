"""The supervisor's configuration: one entry per service, everything inside home."""

import os
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK
from embedded_stack.service import Service

USER = "stack"
HEAD = """\
[supervisord]
logfile={log}/supervisord.log
logfile_maxbytes=5MB
logfile_backups=2
pidfile={run}/supervisord.pid
childlogdir={log}
directory={home}
umask=077
{user}
[inet_http_server]
port={host}:{port}
username={name}
password={password}

[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
"""
PROGRAM = """
[program:{name}]
command={command}
autostart=false
autorestart=true
startsecs=1
startretries=20
stopsignal={stop_signal}
stopwaitsecs=25
stopasgroup={group}
killasgroup=true
redirect_stderr=true
stdout_logfile={log}
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=3
"""


def config_path(layout: Layout) -> Path:
    """Where the supervisor reads its configuration."""
    return layout.run / "supervisord.conf"


def order_path(layout: Layout, service: str) -> Path:
    """Where the launcher reads what to start."""
    return layout.run / f"{service}.json"


def render(layout: Layout, services: Iterable[Service]) -> str:
    """The text of the configuration; the same as long as home and ports are."""
    head = HEAD.format(
        log=_plain(layout.log),
        run=_plain(layout.run),
        home=_plain(layout.home),
        user="user=root\n" if os.geteuid() == 0 else "",
        host=LOOPBACK,
        port=layout.ports.supervisor,
        name=USER,
        password=layout.credentials.supervisor_password,
    )
    return head + "".join(_program(layout, service) for service in services)


def _program(layout: Layout, service: Service) -> str:
    command = [sys.executable, "-m", "embedded_stack.launcher"]
    command.append(str(order_path(layout, service.name)))
    return PROGRAM.format(
        name=service.name,
        command=_plain(shlex.join(command)),
        stop_signal=service.stop_signal,
        group=str(service.stop_group).lower(),
        # Names of log files, and only they, are expanded twice.
        log=_plain(_plain(layout.log / f"{service.name}.log")),
    )


def _plain(value: object) -> str:
    """The supervisor expands `%`; a path means it literally."""
    return str(value).replace("%", "%%")
