"""The words of the pages: the same in both languages, and every one that a template names."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

from report_center.api.trigger_models import Triggered
from report_center.pages.shell import PLACE, SECTIONS
from report_center.pages.state_path import AHEAD, BROKEN, DONE, NEVER, NOW
from report_center.pages.texts import LANGUAGES, WORDS, Texts, language_of, texts_in

NAMED = re.compile(r'\b(?:t|texts)(?:\.(count))?\(\s*"([a-zA-Z_.]+)"')
CODE = [
    path for folder in ("templates", "pages", "actions") for path in PLACE.glob(f"{folder}/*.*")
]


def fields(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_with_the_same_placeholders(language: str) -> None:
    own, first = texts_in(language).words, texts_in("en").words
    assert sorted(own) == sorted(first)
    ones = [key for key in own if key.endswith(".one")]
    assert ones
    # "once" needs no number
    counted = {key.removesuffix(".one") for key in ones}
    for key, text in own.items():
        if key.rpartition(".")[0] in counted:
            assert set(fields(text)) <= {"count"}, key
        else:
            assert fields(text) == fields(first[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_holds_markup(language: str) -> None:
    for key, text in texts_in(language).words.items():
        assert text.strip() == text != "", key
        assert not re.search(r"[<>&]", text), key


@pytest.mark.parametrize("path", CODE, ids=lambda path: path.name)
def test_every_text_that_is_named_is_known(path: Path) -> None:
    texts = texts_in("en")
    for counted, key in NAMED.findall(path.read_text(encoding="utf-8")):
        if key.endswith("."):
            continue  # the rest is a value; see below
        assert texts.knows(f"{key}.other" if counted else key), key


def test_every_text_whose_key_is_made_of_a_value_is_known() -> None:
    texts = texts_in("en")
    keys = [f"section.{name}" for _, name in SECTIONS]
    keys += [f"standing.{standing}" for standing in (AHEAD, BROKEN, DONE, NEVER, NOW)]
    kinds = ("page", "report", "run", "letter", "file", "release")
    faults = [f"no_{kind}" for kind in kinds]
    faults += ["login", "forbidden", "other_site", "input", "refused", "away", "program"]
    keys += [f"fault.{fault}.{part}" for fault in faults for part in ("title", "hint")]
    keys += [f"wait.{kind}{end}" for kind in WAITS for end in ("", "_unknown")]
    keys += [f"report.{part}" for part in ("deliver", "alerts", "run_limit", "step_limit")]
    keys += [f"today.{key}" for key in ("paused", "is_late", "under_way", "by_hand", "on_time")]
    keys += [f"act.{act}" for act in ("replay", "discard", "rerun_failed", "rerun_all")]
    keys += [f"rerun.{part}_title" for part in ("failed", "all")]
    keys += [f"{move}.{part}" for move in ("roll_back", "withdraw") for part in ("title", "button")]
    keys += [f"trigger.period_{unit}" for unit in ("day", "month")]
    settled = [f"{act}_{many}" for act in ("replay", "discard") for many in ("one", "several")]
    answers = [f"trigger_{word}" for word in get_args(Triggered.model_fields["answer"].annotation)]
    done = [*settled, *answers, "rerun_failed", "rerun_all", "cancel", "roll_back", "withdraw"]
    keys += [f"done.{key}" for key in (*done, "none_chosen")]
    assert [key for key in keys if not texts.knows(key)] == []


def test_what_was_done_is_told_without_a_value() -> None:
    told = [text for key, text in texts_in("en").words.items() if key.startswith("done.")]
    assert told
    assert not [text for text in told if fields(text)]


WAITS = ("slot", "retry", "job", "reply", "drop")


def test_a_text_that_nobody_knows_is_a_fault() -> None:
    with pytest.raises(KeyError):
        texts_in("en")("no.such.text")


def test_numbers_are_told_in_their_form() -> None:
    texts = texts_in("en")
    assert texts.count("count.rows", 1) == "1 row"
    assert texts.count("count.rows", 1204) == "1,204 rows"


@pytest.mark.parametrize(
    ("chosen", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        (None, "en-GB,en;q=0.9,zh;q=0.8", "en"),
        (None, "fr,zh;q=0.4,en;q=0.5", "en"),
        (None, "en;q=0,zh", "zh"),
        (None, "de-DE", "en"),
        ("zh", "en", "zh"),
        ("en", "zh", "en"),
        ("xx", "zh", "zh"),
        (None, ";;;q=,=,,,", "en"),
        (None, "zh;q=x", "en"),
        (None, "en;q=0.1," * 10_000, "en"),
    ],
)
def test_the_language_is_the_chosen_one_or_the_browsers(
    chosen: str | None, accepted: str, language: str
) -> None:
    assert language_of(chosen, accepted) == language


def test_each_language_is_one_file() -> None:
    files = sorted(path.stem for path in WORDS.glob("*.toml"))
    assert files == sorted(LANGUAGES)
    for name in files:
        assert tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))
        assert isinstance(texts_in(name), Texts)
