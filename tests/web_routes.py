"""Every web route of the package; a test compares this with the apps, another walks it."""

from __future__ import annotations

WITH_LOGIN = [
    ("GET", "/reports/api/dead-letters"),
    ("GET", "/reports/api/dead-letters/{number}"),
    ("GET", "/reports/api/dead-letters/{number}/payload"),
    ("POST", "/reports/api/dead-letters/{number}/replay"),
    ("POST", "/reports/api/dead-letters/{number}/discard"),
    ("GET", "/reports/api/reconciliation"),
    ("POST", "/reports/api/reconciliation/repair"),
]
# The address itself is the login.
SIGNED = [("POST", "/reports/api/callbacks/{token}")]
