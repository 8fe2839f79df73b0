"""The small charts: what is drawn, and the same in words."""

from __future__ import annotations

import re
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from report_center.pages.charts import HEIGHT, STEP, day_chart
from report_center.pages.formats import Formats
from report_center.pages.texts import texts_in
from report_center.records.today import DAYS, DayDuration, Took
from tests.center_samples import DAY, days

FMT = Formats(texts_in("en"))
TOOK = Took(15.5, 94.4)
BAR = re.compile(r"M(\d+) 32v-(\d+)h4v\d+z")


def test_each_day_has_its_bar_and_a_day_with_a_failure_its_cross() -> None:
    chart = day_chart(FMT, days(30), TOOK, DAY)
    assert len(BAR.findall(chart.bars)) == 28  # one failed, one has a bar of another colour
    assert len(BAR.findall(chart.troubled)) == 1
    assert chart.crosses.count("M") == 2


def test_the_words_say_what_is_drawn() -> None:
    chart = day_chart(FMT, days(3), TOOK, DAY)
    assert chart.words == (
        "Usually 15.5 s, at most 1 min 34 s. Runs due in the last 30 days: 3 succeeded, 0 failed."
    )


def test_days_without_a_success_have_words_without_durations() -> None:
    chart = day_chart(FMT, [DayDuration(DAY, None, 0, 2)], None, DAY)
    assert chart.words == "Runs due in the last 30 days: 0 succeeded, 2 failed."
    assert chart.bars == ""


def test_other_days_are_left_out() -> None:
    others = [DayDuration(DAY + timedelta(days=apart), 1.0, 1, 0) for apart in (-30, 1)]
    assert day_chart(FMT, others, TOOK, DAY).bars == ""


@given(st.lists(st.floats(0, 10**7), min_size=1, max_size=DAYS))
def test_every_bar_lies_within_the_chart_and_can_be_seen(seconds: list[float]) -> None:
    found = [
        DayDuration(DAY - timedelta(days=back), took, 1, 0) for back, took in enumerate(seconds)
    ]
    bars = BAR.findall(day_chart(FMT, found, TOOK, DAY).bars)
    assert len(bars) == len(seconds)
    for left, high in bars:
        assert 0 <= int(left) <= (DAYS - 1) * STEP + 1
        assert 2 <= int(high) <= HEIGHT - 6
