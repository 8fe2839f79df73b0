"""Backfill of three days: each is published once, under its own day."""

from __future__ import annotations

from tests.e2e.live import Live, eventually


def test_three_days(live: Live) -> None:
    backfill = live.api.post(
        "backfills",
        {
            "dag_id": "airline_on_time",
            "from_date": "2013-05-01T00:00:00-04:00",
            "to_date": "2013-05-03T23:59:59-04:00",
            "max_active_runs": 2,
            "reprocess_behavior": "none",
        },
    )
    eventually(
        "the backfill to end",
        lambda: live.api.get(f"backfills/{backfill['id']}")["completed_at"],
        seconds=240,
    )
    released = live.rows(
        "SELECT period, version, run_id LIKE 'backfill__%%' FROM reporting.release "
        "WHERE period BETWEEN '2013-05-01' AND '2013-05-03' ORDER BY period, version"
    )
    assert released == [(f"2013-05-0{day}", 1, True) for day in (1, 2, 3)]
    published = dict(
        live.rows(
            "SELECT period, sum(flights) FROM results.airline_on_time__carrier_day "
            "WHERE period BETWEEN '2013-05-01' AND '2013-05-03' GROUP BY period"
        )
    )
    assert published == _flights_by_local_day(live)


def _flights_by_local_day(live: Live) -> dict[str, int]:
    with live.database("OPERATIONS_DB") as operations:
        rows = operations.execute(
            "SELECT make_date(year::int, month::int, day::int)::text, count(*) FROM flights "
            "WHERE year = 2013 AND month = 5 AND day <= 3 GROUP BY 1"
        ).fetchall()
    return dict(rows)
