"""What a curator sees of a campaign: counts, agreement, annotators, reasons. Nothing here changes anything.

Decisions are counted over days, weeks or months, so that a table stays short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

import numpy as np

from ..agreement.annotator_quality import RaterQuality, RightOf, qualities_in
from ..agreement.coefficients import Agreement, agreement_in
from ..agreement.ratings import Metric
from ..store import Campaign, ReviewStore
from ..store.campaigns.adjudications import list_rulings
from ..store.counts import campaign_counts
from ..store.counts.decision_columns import NONE, DecisionColumns, read_decisions, read_facet, read_fields, read_seconds
from ..store.counts.decision_counts import DecisionCounts, count_decisions, count_revised
from ..workflow.closing import count_closed
from ..workflow.criteria import criteria_of
from .adjudication_stats import AdjudicationStats, rulings_in
from .campaign_progress import RoundProgress, edits_matter, rounds_of
from .label_fields import VOTES, LabelField, aspects_of, reasons_field

MOST_DAYS = 14
MOST_WEEKS = 26


def periods_of(days: Sequence[str]) -> list[str]:
    """Return the period of each day, in the order given: the day itself, the Monday of its week, or its month.

    Example:
        >>> periods_of(["2026-03-03", "2026-03-05"])
        ['2026-03-03', '2026-03-05']
    """
    found = [date.fromisoformat(day) for day in days]
    if len(set(found)) <= MOST_DAYS:
        return list(days)
    weeks = [one - timedelta(days=one.weekday()) for one in found]
    if len(set(weeks)) <= MOST_WEEKS:
        return [f"week of {week.isoformat()}" for week in weeks]
    return [f"{one:%Y-%m}" for one in found]


Split = Literal["all", "kind", "task", "category", "time", "round"]
SPLITS: tuple[Split, ...] = ("all", "kind", "task", "category", "time", "round")
RESAMPLES = 1000
"""For page, command and export alike, so that all three show the same interval."""


class AgreementGroup(NamedTuple):
    """Agreement over a part of the tasks, and how often each label was given there."""

    name: str
    found: Agreement
    given: Mapping[str, int]

    @property
    def shares(self) -> dict[str, float]:
        """Return the share of each label; nothing where nobody said anything."""
        total = sum(self.given.values())
        return {label: times / total for label, times in self.given.items()} if total else {}


class CriterionVotes(NamedTuple):
    """How reviewers voted on a criterion: how many did, and how many of them said yes."""

    name: str
    words: str
    votes: int
    yes: int
    found: Agreement

    @property
    def share_of_yes(self) -> float | None:
        """Return the share of votes that are for it; None where nobody voted."""
        return self.yes / self.votes if self.votes else None


_NOBODY = AgreementGroup(NONE, Agreement(0, 0), {})


class Overview:
    """One campaign as its curator sees it. Nothing here reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign) -> None:
        self.campaign = campaign
        self._store = store

    def stamp(self) -> tuple[int, ...]:
        """Return numbers that change whenever anything here does but who holds what."""
        with self._store.reading() as connection:
            return campaign_counts.stamp(connection, self.campaign)

    def patterns(self) -> list[DecisionCounts]:
        """Return tasks counted by what they are and what was decided."""
        with self._store.reading() as connection:
            criteria = criteria_of(self.campaign)
            return count_decisions(connection, self.campaign, criteria, edits_matter=edits_matter(self.campaign))

    def rounds(self, patterns: Sequence[DecisionCounts]) -> list[RoundProgress]:
        """Return what became of items round by round, given the patterns; nothing where there are no rounds."""
        with self._store.reading() as connection:
            return rounds_of(self.campaign, patterns, count_revised(connection, self.campaign))

    def rulings(self) -> AdjudicationStats:
        """Return what adjudicators decided, against or with what annotators had said."""
        with self._store.reading() as connection:
            return rulings_in(list_rulings(connection, self.campaign, criteria_of(self.campaign)))

    def criteria(self, *, resamples: int = RESAMPLES) -> list[CriterionVotes]:
        """Return how reviewers voted on each criterion, the answer being right first; nothing in other campaigns."""
        wanted = criteria_of(self.campaign)
        asked = [one for one in aspects_of(self.campaign) if one.aspect.name in wanted]
        if not asked:
            return []
        with self._store.reading() as connection:
            read = read_fields(connection, self.campaign, [one.aspect for one in asked])
        found = []
        for one, said in zip(asked, read, strict=True):
            [group] = self.agreement_by("all", said, resamples=resamples) or [_NOBODY]
            votes, yes = sum(group.given.values()), group.given.get(VOTES[0], 0)
            found.append(CriterionVotes(one.aspect.name, one.words, votes, yes, group.found))
        return found

    def filled(self, *, now: datetime) -> campaign_counts.SlotCounts:
        """Return how many slots are filled, held and free."""
        with self._store.reading() as connection:
            return campaign_counts.count_slots(connection, self.campaign, now=now)

    def days(self) -> dict[str, int]:
        """Return decisions by day."""
        with self._store.reading() as connection:
            return campaign_counts.count_by_day(connection, self.campaign)

    def closed_early(self) -> int:
        """Return how many tasks closed before all had decided, since nothing could change any more."""
        return count_closed(self._store, self.campaign)

    def people(self) -> int:
        """Return how many annotators have decided something."""
        with self._store.reading() as connection:
            return campaign_counts.count_people(connection, self.campaign)

    def decisions_by_annotator(self) -> dict[str, dict[str, int]]:
        """Return how often each annotator gave each decision."""
        with self._store.reading() as connection:
            return campaign_counts.count_by_annotator(connection, self.campaign)

    def reasons(self, *, examples: int = 3) -> list[campaign_counts.ReasonCount]:
        """Return the reasons given, the most frequent first."""
        with self._store.reading() as connection:
            field = reasons_field(self.campaign)
            return campaign_counts.count_reasons(connection, self.campaign, examples=examples, field=field)

    def divided(self, *, most: int) -> list[campaign_counts.DividedTask]:
        """Return the newest tasks on which annotators differ."""
        with self._store.reading() as connection:
            return campaign_counts.list_divided(connection, self.campaign, most=most)

    def said(self, asked: LabelField) -> DecisionColumns:
        """Return one aspect of all newest decisions; what follows is reckoned from it."""
        with self._store.reading() as connection:
            return read_decisions(connection, self.campaign, asked.aspect)

    def agreement_by(
        self, split: Split, found: DecisionColumns, *, metric: Metric = "nominal", resamples: int = RESAMPLES
    ) -> list[AgreementGroup]:
        """Return the agreement of each part of the tasks, by name; over time, of the period of the last decision.

        A task of each round of an item is one of its own.
        """
        names = self._names(split, found)
        of_unit, place_of = np.unique(np.array(names, dtype=str), return_inverse=True)
        groups = []
        for place, name in enumerate(of_unit):
            part = found.ratings.only(place_of[found.ratings.units] == place)
            given = dict(zip(part.label_names, np.bincount(part.labels, minlength=len(part.label_names)), strict=True))
            counted = {label: int(times) for label, times in given.items()}
            groups.append(AgreementGroup(str(name), agreement_in(part, metric=metric, resamples=resamples), counted))
        return sorted(groups, key=lambda group: int(group.name)) if split == "round" else groups

    def _names(self, split: Split, found: DecisionColumns) -> Sequence[str]:
        """Return the part that each unit belongs to."""
        if split == "all":
            return [NONE] * len(found.task_ids)
        if split == "time":
            periods = periods_of(found.day_names)
            return [periods[day] for day in found.days]
        with self._store.reading() as connection:
            facet = read_facet(connection, self.campaign, split)
        return [facet.get(int(task), NONE) for task in found.task_ids]

    def gold(self) -> dict[str, RightOf]:
        """Return how each annotator did on gold tasks, which count nowhere else; nothing where there are none."""
        with self._store.reading() as connection:
            return {name: RightOf(*of) for name, of in campaign_counts.count_gold(connection, self.campaign).items()}

    def qualities(self, found: DecisionColumns) -> list[RaterQuality]:
        """Return what one aspect of all decisions tells of each annotator, with their pace and their gold."""
        with self._store.reading() as connection:
            seconds: Mapping[str, Sequence[float]] = read_seconds(connection, self.campaign)
        return qualities_in(found.ratings, seconds=seconds, gold=self.gold())
