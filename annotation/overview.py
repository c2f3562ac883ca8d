"""What a curator sees of a campaign: counts, agreement, annotators, reasons. Nothing here changes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

import numpy as np

from .agreement import Agreement, agreement_in
from .annotator_quality import RaterQuality, Tally, qualities_in
from .aspects import Asked
from .dawid_skene import SETTLED
from .periods import periods_of
from .ratings import Metric
from .store import Campaign, ReviewStore, tallies
from .store.said_columns import NONE, SaidColumns, read_facet, read_said, read_seconds

Split = Literal["all", "kind", "task", "category", "time"]
SPLITS: tuple[Split, ...] = ("all", "kind", "task", "category", "time")
RESAMPLES = 1000


class Group(NamedTuple):
    """Agreement over a part of the tasks."""

    name: str
    found: Agreement


class Overview:
    """One campaign as its curator sees it. Nothing here reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign) -> None:
        self.campaign = campaign
        self._store = store

    def stamp(self) -> tuple[int, ...]:
        """Return numbers that change whenever anything here does but who holds what."""
        with self._store.reading() as connection:
            return tallies.stamp(connection, self.campaign)

    def patterns(self) -> list[tallies.Pattern]:
        """Return tasks counted by what they are and what was decided."""
        with self._store.reading() as connection:
            return tallies.count_patterns(connection, self.campaign)

    def filled(self, *, now: datetime) -> tallies.Filled:
        """Return how many slots are filled, held and free."""
        with self._store.reading() as connection:
            return tallies.count_slots(connection, self.campaign, now=now)

    def days(self) -> dict[str, int]:
        """Return decisions by day."""
        with self._store.reading() as connection:
            return tallies.count_by_day(connection, self.campaign)

    def people(self) -> int:
        """Return how many annotators have decided something."""
        with self._store.reading() as connection:
            return tallies.count_people(connection, self.campaign)

    def decisions_by_annotator(self) -> dict[str, dict[str, int]]:
        """Return how often each annotator gave each decision."""
        with self._store.reading() as connection:
            return tallies.count_by_annotator(connection, self.campaign)

    def reasons(self, *, examples: int = 3) -> list[tallies.Reason]:
        """Return the reasons given, the most frequent first."""
        with self._store.reading() as connection:
            return tallies.count_reasons(connection, self.campaign, examples=examples)

    def divided(self, *, most: int) -> list[tallies.Divided]:
        """Return the newest tasks on which annotators differ."""
        with self._store.reading() as connection:
            return tallies.list_divided(connection, self.campaign, most=most)

    def said(self, asked: Asked) -> SaidColumns:
        """Return one aspect of all newest decisions; what follows is reckoned from it."""
        with self._store.reading() as connection:
            return read_said(connection, self.campaign, asked.aspect)

    def agreement_by(
        self, split: Split, found: SaidColumns, *, metric: Metric = "nominal", resamples: int = RESAMPLES
    ) -> list[Group]:
        """Return the agreement of each part of the tasks, by name; over time, of the period of the last decision."""
        names = self._names(split, found)
        of_unit, place_of = np.unique(np.array(names, dtype=str), return_inverse=True)
        groups = []
        for place, name in enumerate(of_unit):
            part = found.ratings.only(place_of[found.ratings.units] == place)
            groups.append(Group(str(name), agreement_in(part, metric=metric, resamples=resamples)))
        return groups

    def _names(self, split: Split, found: SaidColumns) -> Sequence[str]:
        """Return the part that each unit belongs to."""
        if split == "all":
            return [NONE] * len(found.task_ids)
        if split == "time":
            periods = periods_of(found.day_names)
            return [periods[day] for day in found.days]
        with self._store.reading() as connection:
            facet = read_facet(connection, self.campaign, split)
        return [facet.get(int(task), NONE) for task in found.task_ids]

    def gold(self) -> dict[str, Tally]:
        """Return how each annotator did on gold tasks, which count nowhere else; nothing where there are none."""
        with self._store.reading() as connection:
            return {name: Tally(*of) for name, of in tallies.count_gold(connection, self.campaign).items()}

    def qualities(self, found: SaidColumns, *, settled: float = SETTLED) -> list[RaterQuality]:
        """Return what one aspect of all decisions tells of each annotator, with their pace and their gold."""
        with self._store.reading() as connection:
            seconds: Mapping[str, Sequence[float]] = read_seconds(connection, self.campaign)
        return qualities_in(found.ratings, seconds=seconds, gold=self.gold(), settled=settled)
