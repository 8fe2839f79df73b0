"""Airflow's own REST API, as the command line and the janitor use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.errors import InputError, TerminalError, TransientError

if TYPE_CHECKING:
    import requests

TIMEOUT_SECONDS = 30
PAGE = 100
EVERY_DAG = "~"


@dataclass
class AirflowApi:
    """A logged-in client; the token is fetched when first needed.

    Attributes:
        base_url: address of Airflow's api-server.
        user: login name.
        password: its password.
        root: path below which is called: of Airflow's own API, or of a plugin's.
        patience: seconds that an answer may take.
    """

    base_url: str
    user: str
    password: str = field(repr=False)
    root: str = "/api/v2"
    patience: float = TIMEOUT_SECONDS
    _session: requests.Session | None = field(default=None, repr=False)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Return the answer to a GET below the root."""
        return self._call("GET", path, params=query)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a POST below the root."""
        return self._call("POST", path, json=body)

    def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a PATCH below the root."""
        return self._call("PATCH", path, json=body)

    def delete(self, path: str) -> None:
        """Delete what lies below the root."""
        self._call("DELETE", path)

    def pages(self, path: str, items: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield the items of a listing, however many pages it has."""
        seen = 0
        while True:
            page = self.get(path, limit=PAGE, offset=seen, **query)
            yield from page[items]
            seen += len(page[items])
            if not page[items] or seen >= page["total_entries"]:
                return

    def trigger(self, report: str, conf: Mapping[str, Any]) -> dict[str, Any]:
        """Start a run and return it.

        Raises:
            InputError: Airflow's form check refuses a param.
        """
        return self.post(
            f"dags/{quote(report, safe='')}/dagRuns", {"logical_date": None, "conf": conf}
        )

    def run(self, report: str, run_id: str) -> dict[str, Any]:
        """Return one run."""
        return self.get(run_path(report, run_id))

    def task_states(self, report: str, run_id: str) -> dict[str, str | None]:
        """Return the state of every task of a run."""
        found = self.pages(f"{run_path(report, run_id)}/taskInstances", "task_instances")
        return {task["task_id"]: task["state"] for task in found}

    def xcom(self, report: str, run_id: str, task: str, key: str = "return_value") -> Any:
        """Return an XCom value, or None when there is none."""
        path = f"{run_path(report, run_id)}/taskInstances/{quote(task)}/xcomEntries/{quote(key)}"
        try:
            return self.get(path, deserialize=True)["value"]
        except NotFoundError:
            return None

    def _call(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        import requests

        try:
            answer = self._logged_in().request(
                method, f"{self.base_url}{self.root}/{path}", timeout=self.patience, **arguments
            )
        except requests.RequestException as error:
            raise self._unreachable(error) from None
        _check(method, path, answer)
        return self._told(answer) if answer.content else {}

    def _told(self, answer: requests.Response) -> dict[str, Any]:
        try:
            return dict(answer.json())
        except ValueError:  # the page of the UI, which Airflow shows for any path it does not know
            raise TerminalError(
                f"{self.base_url}{self.root} answers with no JSON: that Airflow lacks the plugin "
                "of the reports, or could not load all of it; the log of its API server says why."
            ) from None

    def _logged_in(self) -> requests.Session:
        import requests

        if self._session is None:
            session = requests.Session()
            answer = session.post(
                f"{self.base_url}/auth/token",
                json={"username": self.user, "password": self.password},
                timeout=TIMEOUT_SECONDS,
            )
            self._demand_login(answer)
            session.headers["Authorization"] = f"Bearer {answer.json()['access_token']}"
            self._session = session
        return self._session

    def _demand_login(self, answer: requests.Response) -> None:
        try:
            _check("POST", "auth/token", answer)
        except NotFoundError as error:
            raise TerminalError(f"{error}; is {self.base_url} the address of Airflow?") from None

    def _unreachable(self, error: Exception) -> TransientError:
        return TransientError(
            f"Airflow at {self.base_url} does not answer ({type(error).__name__}); "
            "is it up? Start the embedded one with: make up"
        )


class NotFoundError(TerminalError):
    """Airflow knows no such DAG, run, task, XCom or pool."""


class ConflictError(TerminalError):
    """What is asked for does not fit how things are now; the text is the answer's own."""


def run_path(report: str, run_id: str) -> str:
    """Return the path of a run below the root of Airflow's own API."""
    return f"dags/{quote(report, safe='')}/dagRuns/{quote(run_id, safe='')}"


def _check(method: str, path: str, answer: requests.Response) -> None:
    if answer.ok:
        return
    where = f"Airflow's API, {method} {path}"
    reason = f"{where}: {answer.status_code} {_detail(answer)}"
    if answer.status_code == HTTPStatus.NOT_FOUND:
        raise NotFoundError(reason)
    if answer.status_code == HTTPStatus.CONFLICT:
        raise ConflictError(_detail(answer))
    if answer.status_code in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        raise InputError(_detail(answer).partition("\n")[0])
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise TransientError(reason)
    raise TerminalError(reason)


def _detail(answer: requests.Response) -> str:
    try:
        return str(answer.json().get("detail"))
    except (ValueError, AttributeError):
        return answer.text[:200]
