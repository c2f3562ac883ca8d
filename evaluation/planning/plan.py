"""A plan: what makes a score vary, the designs that follow from it, and what more of each facet would give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from benchwright.models.endpoints.usage import Prices
from benchwright.statistics.score_interval import Interval

from .design import Numbers, PlanSetting, Scope, as_run
from .facets import MAIN, Facet
from .observations import UnusedResult
from .population import Population
from .reading_error import ReadingError
from .search import Costs, MoreOf
from .telling import Telling

FORMAT, VERSION = "benchwright/plan", 1


@dataclass(frozen=True)
class PlanTarget:
    """What a plan is to reach.

    Args:
        width: Widest interval, as a full width; None where none is stated.
        budget: Most that may be spent on each system, in the unit of the costs; None where none is stated.
        scope: What the design's interval speaks of.
        is_difference: Whether it is that of a difference of two systems.
        score: Share of right answers that is assumed; that of the results, or .5, where None.
        fixed: Facets beside items whose levels are fixed: readers, unless the score is a mean over several.
        most: Most levels of facets.
        costs: Costs.
        prices: Prices of tokens; None where none are stated.
    """

    width: float | None = None
    budget: float | None = None
    scope: Scope = "items_like_these"
    is_difference: bool = False
    score: float | None = None
    fixed: frozenset[Facet] = frozenset({"readers"})
    most: Mapping[Facet, int] = field(default_factory=dict)
    costs: Costs = field(default_factory=Costs)
    prices: Prices | None = None


class Design(NamedTuple):
    """A design with what follows from it.

    Args:
        numbers: Levels of each facet.
        questions: Number of questions that each system is asked.
        cost: Cost of these, in the unit of the costs.
        money: What its questions cost at the prices of tokens; None where these are not known.
        intervals: Interval of the study's score, were it the score under the design.
        contributions: What each effect adds to the variance of the score.
    """

    numbers: Numbers
    questions: int
    cost: float
    money: float | None
    intervals: Mapping[Scope, Interval]
    contributions: Mapping[Scope, Mapping[str, float]]

    @property
    def widths(self) -> dict[Scope, float]:
        """Return the full widths of the intervals."""
        return {scope: high - low for scope, (low, high) in self.intervals.items()}

    def dominant(self, scope: Scope) -> str | None:
        """Return the effect that adds most; None where nothing is added."""
        added = self.contributions[scope]
        return max(added, key=lambda name: added[name]) if any(added.values()) else None

    def document(self) -> dict[str, Any]:
        """Return the design as JSON values."""
        return {
            "numbers": self.numbers._asdict(),
            "questions": self.questions,
            "cost": self.cost,
            "money": self.money,
            "widths": self.widths,
            "intervals": {scope: list(interval) for scope, interval in self.intervals.items()},
            "contributions": {scope: dict(added) for scope, added in self.contributions.items()},
        }


class MeasurementPlan(NamedTuple):
    """A plan.

    Args:
        population: Items of the release.
        setting: Variances and what widths follow from besides.
        wanted: What was asked for.
        as_run: The stored answers as a design; None without any.
        design: The design that is planned; None where neither width nor budget is stated, or none reaches the width.
        best: The narrowest design that the release allows; None where neither is stated.
        beyond: Cheapest design that reaches the width for more money, items, orders or samples than were allowed; None
            where `design` reaches it, or none does.
        more: Designs with twice as many of one facet, beside `design`, else `best`, else `as_run`.
        telling: Least differences of systems that are told apart.
        left_out: Results that are not used.
        unpaired: Answers without a partner in the other system.
        readings: The reader's error in results whose replies people have read.
        pilot: Commands of the study that would tell more; empty where orders and wordings are known.
        commands: Commands that run the design.
    """

    population: Population
    setting: PlanSetting
    wanted: PlanTarget
    as_run: Design | None
    design: Design | None
    best: Design | None
    beyond: Design | None
    more: tuple[tuple[MoreOf, Design], ...]
    telling: Telling
    left_out: tuple[UnusedResult, ...]
    unpaired: int
    readings: tuple[ReadingError, ...]
    pilot: tuple[str, ...]
    commands: tuple[str, ...]

    @property
    def of_another_reader(self) -> float | None:
        """Return the standard deviation by which another reader of the replies moves the score; None if not known."""
        run, study = self.as_run, self.setting.study
        if run is None or "readers" in study.unknown:
            return None
        anyone = as_run(self.setting._replace(fixed=frozenset()), "items_like_these")
        return sqrt(sum(anyone[part.effect.name] for part in study.components if "readers" in part.effect.facets))

    @property
    def shown(self) -> Design | None:
        """Return the design beside which twice as many are shown."""
        return self.design or self.best or self.as_run

    def document(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        study = self.setting.study
        return {
            "format": FORMAT,
            "version": VERSION,
            "release": self.population.release,
            "release_id": self.population.release_id,
            "split": self.population.split,
            "items": self.population.size,
            "clusters": self.population.clusters,
            "systems": list(study.systems),
            "is_difference": study.is_difference,
            "is_assumed": study.is_assumed,
            "score": study.score,
            "answers": study.answers,
            "levels": dict(study.levels),
            "readers": list(study.readers),
            "components": [
                {
                    "effect": component.effect.name,
                    "variance": component.value,
                    "estimate": component.estimate,
                    "ci": None if component.interval is None else list(component.interval),
                    "share": component.value / study.of_answer,
                    "contains": list(component.contains),
                }
                for component in study.components
            ],
            "not_estimable": [{"effect": MAIN[facet], "why": why} for facet, why in study.unknown.items()],
            "fixed": sorted(self.wanted.fixed),
            "width": self.wanted.width,
            "budget": self.wanted.budget,
            "inference": self.wanted.scope,
            "as_run": None if self.as_run is None else self.as_run.document(),
            "design": None if self.design is None else self.design.document(),
            "best": None if self.best is None else self.best.document(),
            "beyond": None if self.beyond is None else self.beyond.document(),
            "dominant": None if self.shown is None else self.shown.dominant(self.wanted.scope),
            "twice_as_many": [
                {"facet": more.facet, "beyond": more.beyond, **design.document()} for more, design in self.more
            ],
            "least_differences": self.telling.document(),
            "left_out": [entry._asdict() for entry in self.left_out],
            "unpaired": self.unpaired,
            "of_another_reader": self.of_another_reader,
            "readings": [reading.document() for reading in self.readings],
            "pilot": list(self.pilot),
            "commands": list(self.commands),
        }
