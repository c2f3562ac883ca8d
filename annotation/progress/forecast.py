"""Forecast of a campaign's end, based on the number of missing decisions and the annotators' recent pace.

The range is a percentile bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). For each
resample, each annotator's days are drawn with replacement, including days without a decision, and their mean
decisions per day determine the days that the rest takes. Additional annotators are drawn from the present ones. The
forecast ignores what the data cannot show: annotators who leave, future holidays, revised items that return.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.seeds import seed_for

from ..forms.assignment_settings import assignment_settings_of
from ..store.counts import campaign_counts
from ..store.counts.campaign_counts import DayOfWork
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.settlement.further_votes import count_spared

_WINDOW_DAYS = 14
"""Number of days before today that determine the pace. Today is incomplete and is used only if it is the only day."""
_LEAST_DAYS = 2
"""Minimum number of days required for a range."""
_LATEST_DAYS = 3650
"""Maximum number of days ahead for which an end is stated; at a slower pace, the end is not foreseeable."""
RESAMPLES = 2000
_RANGE = 0.9
"""Proportion of resamples whose end lies in the range."""
_MORE = 2
"""Number of additional annotators in the second forecast."""


class EndRange(NamedTuple):
    """Predicted last day of a campaign: by `median` in half of the resamples, and from `low` to `high` in nine of ten.

    `high` is None if it lies more than ten years ahead.
    """

    median: date
    low: date
    high: date | None

    def to_json(self) -> dict[str, str | None]:
        """Return the days as strings such as `2026-03-01`."""
        return {name: None if day is None else day.isoformat() for name, day in self._asdict().items()}


class Forecast(NamedTuple):
    """Forecast of a campaign's end.

    Args:
        wanted: Number of missing decisions, without those that further votes are likely to save.
        people: Number of annotators who decided in the last `_WINDOW_DAYS` days.
        days: Number of days that determine the pace.
        a_day: Number of decisions per day by all annotators together.
        hours: Hours of work for the missing decisions, estimated from the active time of the last ones; None if none
            were timed.
        end: End with the present annotators; None if there is too little data.
        end_with_more: End with `_MORE` additional annotators; None if there is too little data.
        lacking: Number of annotators that a task needs beyond those who decided recently; 0 if they suffice.
    """

    wanted: int
    people: int
    days: int
    a_day: float
    hours: float | None
    end: EndRange | None
    end_with_more: EndRange | None
    lacking: int

    def to_json(self) -> dict[str, Any]:
        """Return the forecast as JSON values."""
        return {
            "decisions_wanted": self.wanted,
            "people": self.people,
            "days": self.days,
            "decisions_a_day": round(self.a_day, 2),
            "hours": None if self.hours is None else round(self.hours, 2),
            "end": None if self.end is None else self.end.to_json(),
            "end_with_two_more": None if self.end_with_more is None else self.end_with_more.to_json(),
            "people_lacking": self.lacking,
        }


def forecast_of(store: ReviewStore, campaign: Campaign, *, now: datetime) -> Forecast:
    """Return the forecast of a campaign's end; the database counts decisions by person and day."""
    since = datetime.combine(now.date() - timedelta(days=_WINDOW_DAYS), datetime.min.time(), now.tzinfo)
    with store.reading() as connection:
        slot_counts = campaign_counts.count_slots(connection, campaign, now=now)
        worked = campaign_counts.count_days_of_work(connection, campaign, since=since)
        missing = campaign_counts.most_missing(connection, campaign)
    wanted = slot_counts.leased + slot_counts.free
    if assignment_settings_of(campaign.settings).further_votes is not None:
        spared, submitted = count_spared(store, campaign).votes_spared, slot_counts.submitted
        wanted -= round(wanted * spared / max(1, spared + submitted))
    seed = seed_for(campaign.seed, campaign.name, "forecast")
    return forecast_from(worked, wanted, today=now.date(), missing=missing, seed=seed)


def forecast_from(worked: Sequence[DayOfWork], wanted: int, *, today: date, missing: int, seed: int) -> Forecast:
    """Return the forecast for a number of missing decisions.

    Args:
        worked: Decisions of each person on each day with any, of the last `_WINDOW_DAYS` days and of today.
        wanted: Number of missing decisions.
        today: Today, in UTC.
        missing: Maximum number of decisions that any task lacks, each of which requires a different person.
        seed: Seed of the resamples.
    """
    counts = _counts_by_day(worked, today)
    people, days = counts.shape
    timed = sum(day.timed for day in worked)
    hours = sum(day.seconds for day in worked) / timed * wanted / 3600 if timed else None
    a_day = float(counts.mean(axis=1).sum()) if people else 0.0
    end = end_with_more = None
    if wanted and people and days >= _LEAST_DAYS:
        rng = np.random.default_rng(seed)
        rates = _resampled_rates(counts, rng)
        more = _resampled_rates(counts[rng.integers(0, people, _MORE)], rng)
        end, end_with_more = _end(wanted, rates, today), _end(wanted, rates + more, today)
    return Forecast(wanted, people, days, a_day, hours, end, end_with_more, max(0, missing - people))


def _counts_by_day(worked: Sequence[DayOfWork], today: date) -> NDArray[np.float64]:
    """Return (people, days) decisions, from the first day with any to yesterday, or to today if it is the first."""
    before = [day for day in worked if day.day < today]
    counted, last = (before, today - timedelta(days=1)) if before else (list(worked), today)
    names = sorted({day.annotator for day in worked})
    if not counted:
        return np.zeros((0, 0))
    first = min(day.day for day in counted)
    counts = np.zeros((len(names), (last - first).days + 1))
    for day in counted:
        counts[names.index(day.annotator), (day.day - first).days] += day.decisions
    return counts


def _resampled_rates(counts: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Return (RESAMPLES,) decisions per day by all these people together, each value from one resample of the days."""
    people, days = counts.shape
    rates = np.zeros(RESAMPLES)
    for person in range(people):
        rates += counts[person][rng.integers(0, days, (RESAMPLES, days))].mean(axis=1)
    return rates


def _end(wanted: int, rates: NDArray[np.float64], today: date) -> EndRange | None:
    with np.errstate(divide="ignore"):
        days = np.where(rates > 0, wanted / rates, np.inf)
    low, median, high = np.quantile(days, [(1 - _RANGE) / 2, 0.5, (1 + _RANGE) / 2], method="nearest")
    if median > _LATEST_DAYS:
        return None
    return EndRange(
        today + timedelta(days=int(np.ceil(median))),
        today + timedelta(days=int(np.ceil(low))),
        None if high > _LATEST_DAYS else today + timedelta(days=int(np.ceil(high))),
    )
