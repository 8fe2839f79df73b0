"""What every page knows of the request it answers: where it stands, and in whose language."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlencode

from fastapi import Request

from report_center.pages.texts import Texts, language_of, texts_in

LANGUAGE_COOKIE = "reports_language"
LANGUAGE_PARAM = "lang"
PLACE = "/reports"
DONE = "done"  # in the query of the page that is shown after a change: which words tell of it
# Words below `done` that tell why nothing was done.
NOT_DONE = ("none_chosen", "trigger_under_way", "trigger_published")


@dataclass(frozen=True)
class Frame:
    """The frame of one page.

    Attributes:
        base: address of the report center, without a slash at its end.
        path: address of the page, percent-encoded.
        query: its query, as name and value pairs.
        texts: the words in the reader's language.
    """

    base: str
    path: str
    query: tuple[tuple[str, str], ...]
    texts: Texts

    @property
    def airflow(self) -> str:
        """Address of Airflow, without a slash at its end."""
        return self.base.removesuffix(PLACE)

    @property
    def section(self) -> str:
        """The first name of the page's path below the report center."""
        return self.path.removeprefix(self.base).strip("/").partition("/")[0]

    @property
    def done(self) -> str | None:
        """What was done just before the page is shown, in words; None for nothing."""
        key = f"{DONE}.{dict(self.query).get(DONE)}"
        return self.texts(key) if self.texts.knows(key) else None

    @property
    def is_done(self) -> bool:
        """Whether that tells of a change, and not why there was none."""
        return dict(self.query).get(DONE) not in NOT_DONE

    def to(self, *names: object, **query: object) -> str:
        """Return the address of a page; every name is encoded, what is None is left out."""
        path = "/".join(quote(str(name), safe="") for name in names)
        given = [(name, str(value)) for name, value in query.items() if value is not None]
        return f"{self.base}/{path}" + (f"?{urlencode(given)}" if given else "")

    def here(self, **changed: object) -> str:
        """Return this page's address with some values of its query changed; None removes one."""
        kept = [pair for pair in self.query if pair[0] not in (*changed, DONE)]
        added = [(name, str(value)) for name, value in changed.items() if value is not None]
        query = urlencode([*kept, *added])
        return self.path + (f"?{query}" if query else "")

    def in_airflow(self, *names: object) -> str:
        """Return the address of a page of Airflow's own."""
        return f"{self.airflow}/" + "/".join(quote(str(name), safe="") for name in names)


def frame_of(request: Request) -> Frame:
    """Return the frame of the page that a request asks for."""
    texts = texts_in(chosen_language(request.cookies, request.headers))
    query = tuple(parse_qsl(request.url.query, keep_blank_values=True))
    base = quote(str(request.scope.get("root_path", "")).rstrip("/"))
    return Frame(base, quote(request.url.path, safe="/%:+@~"), query, texts)


def chosen_language(cookies: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """Return the language that the reader has picked, or that the browser asks for."""
    return language_of(cookies.get(LANGUAGE_COOKIE), headers.get("accept-language", ""))
