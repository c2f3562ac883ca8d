"""The end of a campaign: required decisions over its annotators' daily rate, with a range from their days.

- An even pace gives one day and no range; an uneven one a range that holds the truth as often as stated.
- Two more annotators count like those who work; days off count, today does not, and one day gives no forecast.
- The database's counts by annotator and day equal those of single decisions.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from benchwright.annotation.forms.submission import Submission
from benchwright.annotation.progress.forecast import Forecast, forecast_from
from benchwright.annotation.progress.overview import Overview
from benchwright.annotation.store.counts.campaign_counts import DayOfWork
from benchwright.annotation.store.review_store import ReviewStore

TODAY = date(2026, 3, 20)


def worked(**counts: list[int]) -> list[DayOfWork]:
    """Return days of work, the last of each list being yesterday's; six active seconds a decision."""
    return [
        DayOfWork(name, TODAY - timedelta(days=len(days) - place), times, 6.0 * times, times)
        for name, days in counts.items()
        for place, times in enumerate(days)
        if times
    ]


def forecast(days: list[DayOfWork], wanted: int, *, missing: int = 1, seed: int = 4) -> Forecast:
    return forecast_from(days, wanted, today=TODAY, missing=missing, seed=seed)


def test_an_even_pace_gives_its_day_and_two_more_people_an_earlier_one() -> None:
    even = forecast(worked(ann=[10, 10, 10, 10], ben=[10, 10, 10, 10]), 200)
    assert (even.people, even.days, even.a_day, even.hours) == (2, 4, 20, pytest.approx(200 * 6 / 3600))
    assert even.end == (TODAY + timedelta(days=10),) * 3
    assert even.end_with_more == (TODAY + timedelta(days=5),) * 3
    assert even.lacking == 0
    assert forecast(worked(ann=[10, 10]), 20, missing=3).lacking == 2


def test_days_off_count_and_today_does_not() -> None:
    rests = forecast([*worked(ann=[20, 0, 0, 20]), DayOfWork("ann", TODAY, 500, 1, 1)], 100)
    assert rests.a_day == 10
    assert rests.end is not None
    assert rests.end.low < rests.end.median == TODAY + timedelta(days=10) < (rests.end.high or date.max)


def test_of_one_day_or_of_no_work_no_end_is_named() -> None:
    assert forecast([DayOfWork("ann", TODAY, 30, 60, 30)], 100)[1:4] == (1, 1, 30)
    assert forecast([DayOfWork("ann", TODAY, 30, 60, 30)], 100).end is None
    assert forecast([], 100)[:6] == (100, 0, 0, 0, None, None)
    assert forecast(worked(ann=[1, 1]), 0).end is None
    assert forecast(worked(ann=[1, 1]), 10_000).end is None  # in some thirty years


def test_the_range_holds_the_end_of_what_the_same_people_go_on_to_do() -> None:
    rng = np.random.default_rng(11)
    rates = {"ann": 40, "ben": 25, "cas": 8}
    inside, runs = 0, 120
    for run in range(runs):
        # Nobody comes on each day, and each day differs.
        def day(rate: int) -> int:
            return int(rng.poisson(rate) * (rng.random() < 0.7))

        days = worked(**{name: [day(rate) for _ in range(14)] for name, rate in rates.items()})
        end = forecast(days, 2000, seed=run).end
        assert end is not None
        done, true_days = 0, 0
        while done < 2000:
            done, true_days = done + sum(day(rate) for rate in rates.values()), true_days + 1
        true_end = TODAY + timedelta(days=true_days)
        inside += end.low - timedelta(days=1) <= true_end <= (end.high or date.max) + timedelta(days=1)
    assert inside / runs > 0.8


@pytest.mark.both_databases
def test_a_campaign_is_foretold_from_its_own_decisions(open_campaign: Callable[..., ReviewStore]) -> None:
    store = open_campaign(tasks=30, slots=2)
    now = datetime(2026, 3, 20, 15, tzinfo=UTC)
    for number, task in enumerate(store.tasks("verify")[:12]):
        for name in ("ann", "ben"):
            at = now - timedelta(days=4 - number // 4)
            lease = store.claim("verify", name, now=at, task=task.id)
            assert lease is not None
            store.submit(lease.slot_id, name, Submission("accept", active_s=9), now=at + timedelta(seconds=30))
            changed = Submission("reject", reasons=("unclear",), active_s=70)
            store.submit(lease.slot_id, name, changed, now=now, amend=True)
    overview = Overview(store, store.campaign("verify"))
    foretold = overview.forecast(now=now)
    assert (foretold.wanted, foretold.people, foretold.days, foretold.a_day) == (36, 2, 4, 6)
    assert foretold.hours == pytest.approx(36 * 9 / 3600)  # by the first versions
    assert foretold == overview.forecast(now=now)
    assert foretold.end is not None
    assert foretold.end.median == date(2026, 3, 26)
    late = overview.forecast(now=now + timedelta(days=40))
    assert (late.people, late.end, late.lacking) == (0, None, 2)
