"""An HTTP server that keeps the JSON of every POST, as Slack's webhooks would take it.

Usage: python -m sample_services.webhook_sink --port 8091 --folder var/slack
"""

import argparse
import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from sample_services.inbox import Inbox

LOOPBACK = "127.0.0.1"
LARGEST_BODY = 1 << 20


class WebhookServer(ThreadingHTTPServer):
    """A server that knows where messages go."""

    daemon_threads = True

    def __init__(self, port: int, inbox: Inbox, host: str = LOOPBACK) -> None:
        super().__init__((host, port), KeepWebhook)
        self.inbox = inbox


class KeepWebhook(BaseHTTPRequestHandler):
    """Answers one request."""

    server: WebhookServer

    def do_GET(self) -> None:
        """Tell that the sink is alive."""
        if self.path == "/health":
            self._answer(HTTPStatus.OK, '{"webhook": {"status": "healthy"}}')
        else:
            self._answer(HTTPStatus.NOT_FOUND, "allowed are GET /health and POST of JSON")

    def do_POST(self) -> None:
        """Store the body if it is JSON, then answer as Slack does."""
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST_BODY:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "payload_too_large")
            return
        body = self.rfile.read(length)
        try:
            json.loads(body)
        except ValueError:
            self._answer(HTTPStatus.BAD_REQUEST, "invalid_payload")
            return
        self.server.inbox.put(body)
        self._answer(HTTPStatus.OK, "ok")

    def _answer(self, status: HTTPStatus, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Keep the JSON of every POST as a file.")
    parser.add_argument("--host", default=LOOPBACK, help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    inbox = Inbox(options.folder, ".json")
    WebhookServer(options.port, inbox, options.host).serve_forever()


if __name__ == "__main__":
    main()
