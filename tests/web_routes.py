"""Every web route of the package with who may use it; a route without a rule fails a test."""

from __future__ import annotations

from typing import Literal

Rule = Literal[
    "anyone",  # who is logged in; what they may not read is left out
    "nothing",  # who is logged in; there is nothing at that address
    "reader",  # who may read the report; for others it is not there
    "changer",  # who may change the report's runs, too
    "keeper",  # who may see every report and the connection of the broker
    "keeper changes",  # who may change every report's runs, too
]
RULES: dict[tuple[str, str], Rule] = {
    ("GET", "/reports/api/openapi.json"): "anyone",
    ("GET", "/reports/api/docs"): "anyone",
    ("GET", "/reports/api/reports"): "anyone",
    ("GET", "/reports/api/reports/{report}"): "reader",
    ("GET", "/reports/api/runs"): "anyone",
    ("GET", "/reports/api/reports/{report}/runs/{run_id}"): "reader",
    ("GET", "/reports/api/reports/{report}/runs/{run_id}/progress"): "reader",
    ("GET", "/reports/api/reports/{report}/runs/{run_id}/result"): "reader",
    ("POST", "/reports/api/reports/{report}/runs"): "changer",
    ("POST", "/reports/api/reports/{report}/runs/{run_id}/rerun"): "changer",
    ("POST", "/reports/api/reports/{report}/runs/{run_id}/cancel"): "changer",
    ("GET", "/reports/api/releases"): "anyone",
    ("GET", "/reports/api/releases/{release_id}"): "reader",
    ("GET", "/reports/api/releases/{release_id}/files/{name}"): "reader",
    ("POST", "/reports/api/releases/{release_id}/roll-back"): "changer",
    ("POST", "/reports/api/releases/{release_id}/withdraw"): "changer",
    ("GET", "/reports/api/health"): "anyone",
    ("GET", "/reports/api/dead-letters"): "anyone",
    ("GET", "/reports/api/dead-letters/{number}"): "reader",
    ("GET", "/reports/api/dead-letters/{number}/payload"): "reader",
    ("POST", "/reports/api/dead-letters/{number}/replay"): "changer",
    ("POST", "/reports/api/dead-letters/{number}/discard"): "changer",
    ("GET", "/reports/api/reconciliation"): "keeper",
    ("POST", "/reports/api/reconciliation/repair"): "keeper changes",
    ("GET", "/reports/api/{path:path}"): "nothing",
    ("GET", "/reports/report/{name}/trigger"): "changer",
    ("POST", "/reports/report/{name}/trigger"): "changer",
    ("GET", "/reports/runs/{name}/{run_id}/rerun"): "changer",
    ("POST", "/reports/runs/{name}/{run_id}/rerun"): "changer",
    ("GET", "/reports/runs/{name}/{run_id}/cancel"): "changer",
    ("POST", "/reports/runs/{name}/{run_id}/cancel"): "changer",
    ("GET", "/reports/releases/{release_id}/roll-back"): "changer",
    ("POST", "/reports/releases/{release_id}/roll-back"): "changer",
    ("GET", "/reports/releases/{release_id}/withdraw"): "changer",
    ("POST", "/reports/releases/{release_id}/withdraw"): "changer",
    ("GET", "/reports/dead-letters/several"): "changer",
    ("POST", "/reports/dead-letters/several"): "changer",
    ("GET", "/reports/"): "anyone",
    ("GET", "/reports/runs"): "anyone",
    ("GET", "/reports/runs/{name}/{run_id}"): "reader",
    ("GET", "/reports/report/{name}"): "reader",
    ("GET", "/reports/dead-letters"): "anyone",
    ("GET", "/reports/dead-letters/{number}"): "reader",
    ("GET", "/reports/health"): "anyone",
    ("GET", "/reports/static/{name}"): "anyone",
    ("GET", "/reports/{path:path}"): "nothing",
}
WITH_LOGIN = list(RULES)
# The address itself is the login.
SIGNED = [("POST", "/reports/api/callbacks/{token}")]
