"""A mail server that keeps every mail as an `.eml` file and sends none on.

Usage: python -m sample_services.mail_sink --port 8025 --folder var/mail
"""

import argparse
import asyncio
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from sample_services.inbox import Inbox
from sample_services.subject_slug import subject_slug

LOOPBACK = "127.0.0.1"
ENVELOPE_HEADERS = ("X-Envelope-From", "X-Envelope-To")


class KeepMail:
    """Answers the SMTP commands of one server."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def handle_DATA(  # noqa: N802 - the name the server calls
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Store a mail with its envelope, then accept it."""
        values = (envelope.mail_from or "", ", ".join(envelope.rcpt_tos))
        head = "".join(
            f"{name}: {value}\r\n" for name, value in zip(ENVELOPE_HEADERS, values, strict=True)
        )
        content = envelope.original_content or b""
        await asyncio.to_thread(self._inbox.put, head.encode() + content, subject_slug(content))
        return "250 OK"


async def serve(port: int, folder: Path, host: str = LOOPBACK) -> None:
    """Receive mails until the process is ended."""
    handler = KeepMail(Inbox(folder, ".eml"))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(handler, hostname="localhost", enable_SMTPUTF8=True), host, port
    )
    async with server:
        await server.serve_forever()


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Keep every mail as a file.")
    parser.add_argument("--host", default=LOOPBACK, help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    options = parser.parse_args()
    asyncio.run(serve(options.port, options.folder, options.host))


if __name__ == "__main__":
    main()
