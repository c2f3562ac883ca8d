"""Figures on a campaign for curators: counts, agreement, annotators and reasons. This module only reads the store.

Decisions are counted by day, week or month, so that tables stay short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Literal, NamedTuple

import numpy as np

from ..agreement.annotator_quality import RaterQuality, RightOf, qualities_in
from ..agreement.care import Care
from ..agreement.coefficients import Agreement, agreement_in
from ..agreement.ratings import Metric
from ..forms.kinds import MARK
from ..store.campaigns.adjudications import list_rulings
from ..store.campaigns.closings import SureCounts
from ..store.campaigns.revision_requests import RevisionCounts, count_revisions
from ..store.campaigns.set_asides import SetAside, list_set_aside
from ..store.counts import campaign_counts
from ..store.counts.at_work import AtWork, who_is_at_work
from ..store.counts.decision_columns import (
    NONE,
    DecisionColumns,
    read_decisions,
    read_facet,
    read_fields,
    read_seconds,
    read_versions_followed,
)
from ..store.counts.decision_counts import DecisionCounts, count_decisions, count_revised
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..workflow.gold_regions import count_gold_marks
from ..workflow.pausing import cares_of
from ..workflow.settlement.closing import count_closed
from ..workflow.settlement.criteria import criteria_of, votes_counted
from ..workflow.settlement.further_votes import count_spared
from .adjudication_stats import AdjudicationStats, adjudication_stats_of
from .campaign_progress import RoundProgress, edits_matter, rounds_of
from .forecast import Forecast, forecast_of
from .label_fields import VOTES, LabelField, label_fields_of, reasons_field

_MOST_DAYS = 14
_MOST_WEEKS = 26


def periods_of(days: Sequence[str]) -> list[str]:
    """Return the period of each day, in the order given: the day itself, the Monday of its week, or its month.

    Example:
        >>> periods_of(["2026-03-03", "2026-03-05"])
        ['2026-03-03', '2026-03-05']
    """
    dates = [date.fromisoformat(day) for day in days]
    if len(set(dates)) <= _MOST_DAYS:
        return list(days)
    weeks = [day - timedelta(days=day.weekday()) for day in dates]
    if len(set(weeks)) <= _MOST_WEEKS:
        return [f"week of {week.isoformat()}" for week in weeks]
    return [f"{day:%Y-%m}" for day in dates]


Split = Literal["all", "kind", "task", "category", "time", "round", "guidelines"]
SPLITS: tuple[Split, ...] = ("all", "kind", "task", "category", "time", "round")
SHOWN_SPLITS: tuple[Split, ...] = (*SPLITS, "guidelines")
"""Splits of the page and the command; an export's tables state the followed guidelines for each decision."""
RESAMPLES = 1000
"""Number of bootstrap samples for page, command and export, so that all three show the same interval."""


class AgreementGroup(NamedTuple):
    """Agreement over a part of the tasks, and the number of times that each label was given in that part."""

    name: str
    agreement: Agreement
    label_counts: Mapping[str, int]

    @property
    def shares(self) -> dict[str, float]:
        """Return the proportion of each label; empty if there were no decisions."""
        total = sum(self.label_counts.values())
        return {label: times / total for label, times in self.label_counts.items()} if total else {}


class CriterionVotes(NamedTuple):
    """Votes on a criterion: the number of reviewers who voted, and of those who voted yes."""

    name: str
    words: str
    votes: int
    yes: int
    agreement: Agreement

    @property
    def share_of_yes(self) -> float | None:
        """Return the proportion of yes votes, or None if there are no votes."""
        return self.yes / self.votes if self.votes else None


_NOBODY = AgreementGroup(NONE, Agreement(0, 0), {})


class Overview:
    """Figures on a campaign for curators. No method reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign) -> None:
        self.campaign = campaign
        self._store = store

    def stamp(self) -> tuple[int, ...]:
        """Return numbers that change whenever any of these figures changes, except the figures on leases."""
        with self._store.reading() as connection:
            return campaign_counts.stamp(connection, self.campaign)

    def decision_counts(self) -> list[DecisionCounts]:
        """Return the numbers of tasks by kind, state and decisions."""
        with self._store.reading() as connection:
            votes = votes_counted(self.campaign)
            return count_decisions(connection, self.campaign, votes, edits_matter=edits_matter(self.campaign))

    def rounds(self, decision_counts: Sequence[DecisionCounts]) -> list[RoundProgress]:
        """Return the numbers of items by outcome, for each round; empty if there are no rounds."""
        with self._store.reading() as connection:
            return rounds_of(self.campaign, decision_counts, count_revised(connection, self.campaign))

    def adjudication_stats(self) -> AdjudicationStats:
        """Return counts of the adjudicators' decisions by the decision of most annotators."""
        with self._store.reading() as connection:
            return adjudication_stats_of(list_rulings(connection, self.campaign, criteria_of(self.campaign)))

    def criteria(self, *, resamples: int = RESAMPLES) -> list[CriterionVotes]:
        """Return the votes on each criterion of a review, right answers first; empty for other kinds of campaigns."""
        wanted = criteria_of(self.campaign)
        aspects = [aspect for aspect in label_fields_of(self.campaign) if aspect.labels.name in wanted]
        if not aspects:
            return []
        with self._store.reading() as connection:
            read = read_fields(connection, self.campaign, [aspect.labels for aspect in aspects])
        criteria = []
        for aspect, columns in zip(aspects, read, strict=True):
            [group] = self.agreement_by("all", columns, resamples=resamples) or [_NOBODY]
            votes, yes = sum(group.label_counts.values()), group.label_counts.get(VOTES[0], 0)
            criteria.append(CriterionVotes(aspect.labels.name, aspect.words, votes, yes, group.agreement))
        return criteria

    def filled(self, *, now: datetime) -> campaign_counts.SlotCounts:
        """Return the numbers of slots that are filled, held and free."""
        with self._store.reading() as connection:
            return campaign_counts.count_slots(connection, self.campaign, now=now)

    def days(self) -> dict[str, int]:
        """Return the decisions by day."""
        with self._store.reading() as connection:
            return campaign_counts.count_by_day(connection, self.campaign)

    def closed_early(self) -> int:
        """Return how many tasks closed before all of their annotators had decided."""
        return count_closed(self._store, self.campaign)

    def closed_sure(self) -> SureCounts:
        """Return how many tasks closed because their decision is certain enough, and how many votes that saved."""
        return count_spared(self._store, self.campaign)

    def revisions(self) -> RevisionCounts:
        """Return how many items came back to the campaign's writers, and how many items the campaign sent back."""
        with self._store.reading() as connection:
            return count_revisions(connection, self.campaign)

    def forecast(self, *, now: datetime) -> Forecast:
        """Return the forecast of the campaign's end, with the present annotators and with two more."""
        return forecast_of(self._store, self.campaign, now=now)

    def people(self) -> int:
        """Return how many annotators have decided at least one task."""
        with self._store.reading() as connection:
            return campaign_counts.count_people(connection, self.campaign)

    def decisions_by_annotator(self) -> dict[str, dict[str, int]]:
        """Return how often each annotator made each decision."""
        with self._store.reading() as connection:
            return campaign_counts.count_by_annotator(connection, self.campaign)

    def reasons(self, *, examples: int = 3) -> list[campaign_counts.ReasonCount]:
        """Return the reasons given, most frequent first, together with examples."""
        with self._store.reading() as connection:
            field = reasons_field(self.campaign)
            return campaign_counts.count_reasons(connection, self.campaign, examples=examples, field=field)

    def divided(self, *, most: int) -> list[campaign_counts.DividedTask]:
        """Return the newest tasks whose annotators disagree."""
        with self._store.reading() as connection:
            return campaign_counts.list_divided(connection, self.campaign, most=most)

    def label_columns(self, field: LabelField) -> DecisionColumns:
        """Return the labels of a field in all newest decisions, which are the basis of agreement and quality."""
        with self._store.reading() as connection:
            return read_decisions(connection, self.campaign, field.labels)

    def agreement_by(
        self, split: Split, columns: DecisionColumns, *, metric: Metric = "nominal", resamples: int = RESAMPLES
    ) -> list[AgreementGroup]:
        """Return the agreement on each part of the tasks, by the part's name.

        In a split over time, a task belongs to the period of its last decision. Each round of an item is a separate
        task. In a split by guidelines, a task belongs to the versions that its decisions followed; several versions
        form a separate part.
        """
        names = self._names(split, columns)
        of_unit, place_of = np.unique(np.array(names, dtype=str), return_inverse=True)
        groups = []
        for place, name in enumerate(of_unit):
            part = columns.ratings.only(place_of[columns.ratings.units] == place)
            label_counts = dict(
                zip(part.label_names, np.bincount(part.labels, minlength=len(part.label_names)), strict=True)
            )
            counted = {label: int(times) for label, times in label_counts.items()}
            groups.append(AgreementGroup(str(name), agreement_in(part, metric=metric, resamples=resamples), counted))
        return sorted(groups, key=lambda group: int(group.name)) if split == "round" else groups

    def _names(self, split: Split, columns: DecisionColumns) -> Sequence[str]:
        """Return the name of the part that contains each unit."""
        if split == "all":
            return [NONE] * len(columns.task_ids)
        if split == "time":
            periods = periods_of(columns.day_names)
            return [periods[day] for day in columns.days]
        with self._store.reading() as connection:
            if split == "guidelines":
                facet = read_versions_followed(connection, self.campaign)
            else:
                facet = read_facet(connection, self.campaign, split)
        return [facet.get(int(task), NONE) for task in columns.task_ids]

    def gold(self, *, is_aside: bool = False) -> dict[str, RightOf]:
        """Return each annotator's accuracy on gold tasks, which other figures exclude; empty if there are none.

        If annotators mark regions, a task is right if these lie within its tolerance.

        Args:
            is_aside: Whether to judge answers that curators set aside, instead of those that count; default False.
        """
        if self.campaign.kind == MARK:
            counts = count_gold_marks(self._store, self.campaign, is_aside=is_aside)
        else:
            with self._store.reading() as connection:
                counts = campaign_counts.count_gold(connection, self.campaign, is_aside=is_aside)
        return {name: RightOf(*of) for name, of in counts.items()}

    def attention(self, *, is_aside: bool = False) -> dict[str, RightOf]:
        """Return how many attention checks each annotator answered correctly; empty if there were none.

        Args:
            is_aside: Whether to judge answers that curators set aside, instead of those that count; default False.
        """
        with self._store.reading() as connection:
            counts = campaign_counts.count_gold(connection, self.campaign, is_check=True, is_aside=is_aside)
        return {name: RightOf(*count) for name, count in counts.items()}

    def too_fast(self) -> dict[str, RightOf]:
        """Return how many of each annotator's timed decisions took less than the shortest believable time."""
        with self._store.reading() as connection:
            counts = campaign_counts.count_too_fast(connection, self.campaign)
        return {name: RightOf(*count) for name, count in counts.items()}

    def qualities(self, columns: DecisionColumns) -> list[RaterQuality]:
        """Return the quality of each annotator on a label field, with their pace and accuracy on gold tasks."""
        with self._store.reading() as connection:
            seconds: Mapping[str, Sequence[float]] = read_seconds(connection, self.campaign)
        return qualities_in(
            columns.ratings, seconds=seconds, gold=self.gold(), too_fast=self.too_fast(), attention=self.attention()
        )

    def cares(self) -> list[Care]:
        """Return the care with which each annotator decides, by name, together with the evidence."""
        return cares_of(self._store, self.campaign)

    def at_work(self, *, now: datetime) -> list[AtWork]:
        """Return the annotators who now hold tasks of the campaign; those who began last come first."""
        began = now.replace(hour=0, minute=0, second=0, microsecond=0)
        with self._store.reading() as connection:
            return who_is_at_work(connection, self.campaign, now=now, day_began=began)

    def set_aside(self) -> list[SetAside]:
        """Return the annotators whose votes are set aside, by name."""
        with self._store.reading() as connection:
            return list_set_aside(connection, self.campaign)
