"""The web app that services call back at, behind a real socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from embedded_stack.conditions import wait_for
from tests.airflow_home import use_own_home


@contextmanager
def receiving() -> Iterator[int]:
    """Run the app as Airflow mounts it; give its port."""
    use_own_home()
    import uvicorn
    from fastapi import FastAPI

    from reporting.airflow_edge.callback_address import ROUTE
    from reporting.airflow_edge.callback_app import callback_app

    around = FastAPI()
    around.mount(ROUTE, callback_app())
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(around, log_level="critical", lifespan="off"))
        thread = Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            wait_for(lambda: server.started or None, seconds=30, otherwise=lambda: "never started")
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()
