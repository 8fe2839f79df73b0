"""States as badges: a colour, a sign and a word, so that none of them is needed alone."""

from dataclasses import dataclass

from report_center.pages.texts import Texts

FETCHING = "FETCHING_DATA"
GOOD, BAD, BUSY, IDLE, UNDOING, LEFT_OUT = "good", "bad", "busy", "idle", "undoing", "left-out"
SIGNS = {
    GOOD: "check",
    BAD: "cross",
    BUSY: "run",
    IDLE: "clock",
    UNDOING: "undo",
    LEFT_OUT: "skip",
}
RUN_TONES = {"SUCCESS": GOOD, "FAILED": BAD, "COMPENSATING": UNDOING, "INIT": IDLE}
STEP_TONES = {
    "success": GOOD,
    "failed": BAD,
    "upstream_failed": LEFT_OUT,
    "running": BUSY,
    "restarting": BUSY,
    "deferred": BUSY,
    "up_for_retry": UNDOING,
    "up_for_reschedule": BUSY,
    "skipped": LEFT_OUT,
    "removed": LEFT_OUT,
}
LETTER_TONES = {"waiting": IDLE, "replayed": GOOD, "discarded": LEFT_OUT}


@dataclass(frozen=True)
class Badge:
    """How one state looks.

    Attributes:
        tone: what kind of state it is; decides the colour.
        sign: name of the sign in front of the word.
        text: the word.
        code: the state as programs call it.
    """

    tone: str
    sign: str
    text: str
    code: str


def run_badge(texts: Texts, state: str, *, is_duplicate: bool = False) -> Badge:
    """Return the badge of a run's state of R3."""
    if is_duplicate:
        return _badge(LEFT_OUT, texts("state.duplicate"), state)
    tone = RUN_TONES.get(state, BUSY)
    return _badge(tone, state_text(texts, state), state)


def state_text(texts: Texts, state: str) -> str:
    """Return a state of R3 in words, with the source where it names one."""
    if state.startswith(FETCHING):
        source = state.removeprefix(FETCHING).lstrip("_").lower()
        return texts("state.fetching", source=source) if source else texts("state.FETCHING_DATA")
    key = f"state.{state}"
    return texts(key) if texts.knows(key) else state


def step_badge(texts: Texts, state: str | None) -> Badge:
    """Return the badge of a task's state."""
    code = state or "none"
    key = f"step_state.{code}"
    text = texts(key) if texts.knows(key) else code
    return _badge(STEP_TONES.get(code, IDLE), text, code)


def letter_badge(texts: Texts, state: str) -> Badge:
    """Return the badge of a dead letter's state."""
    key = f"letter_state.{state}"
    text = texts(key) if texts.knows(key) else state
    return _badge(LETTER_TONES.get(state, IDLE), text, state)


def _badge(tone: str, text: str, code: str) -> Badge:
    return Badge(tone, SIGNS[tone], text, code)
