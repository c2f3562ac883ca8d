"""A plan: the sources of a score's variation, the designs that follow, and the gain from more levels of each facet."""

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
    """The target of a plan.

    Args:
        width: Largest acceptable full width of the interval; None if not specified.
        budget: Largest cost per system, in the unit of `costs`; None if not specified.
        scope: Population to which the design's interval refers.
        is_difference: Whether the interval is that of a difference between two systems.
        score: Assumed proportion of right answers, 0 to 1; if None, that of the results, or 0.5 if there are no
            results.
        fixed: Facets other than items whose levels are fixed: readers, unless the score is a mean over several.
        most: Largest number of levels of each facet.
        costs: The costs of questions, items and readings.
        prices: Prices of tokens; None if not specified.
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
    """A design and its consequences.

    Args:
        numbers: Numbers of levels of each facet.
        questions: Number of questions asked of each system.
        cost: Cost of these questions, in the unit of `PlanTarget.costs`.
        money: Cost of these questions at the prices of tokens; None if these are unknown.
        intervals: Interval of the study's score if it were the score under the design.
        contributions: Contribution of each effect to the variance of the score.
    """

    numbers: Numbers
    questions: int
    cost: float
    money: float | None
    intervals: Mapping[Scope, Interval]
    contributions: Mapping[Scope, Mapping[str, float]]

    @property
    def widths(self) -> dict[Scope, float]:
        """Return the full width of each interval."""
        return {scope: high - low for scope, (low, high) in self.intervals.items()}

    def dominant(self, scope: Scope) -> str | None:
        """Return the effect with the largest contribution, or None if there are no contributions."""
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
    """A plan for an evaluation.

    Args:
        population: Items of the release.
        setting: Variances and the other inputs of widths.
        wanted: Target of the plan.
        as_run: The stored answers as a design; None if there are none.
        design: The planned design; None if neither width nor budget is stated, or no design reaches the width.
        best: The narrowest design that the release allows; None if neither is stated.
        beyond: Cheapest design that reaches the width with more money, items, orders or samples than allowed; None if
            `design` reaches it or no design does.
        more: Designs with twice as many levels of one facet, compared with `design` or, if that is None, with `best` or
            `as_run`.
        telling: Smallest detectable differences between systems.
        left_out: Unused results.
        unpaired: Number of answers that have no counterpart in the other system.
        readings: The reader's error in results whose replies people have read.
        pilot: Commands of a more informative study; empty if orders and wordings are known.
        commands: Commands that carry out the design.
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
        """Return the standard deviation that another reader of the replies adds to the score; None if unknown."""
        run, study = self.as_run, self.setting.study
        if run is None or "readers" in study.unknown:
            return None
        anyone = as_run(self.setting._replace(fixed=frozenset()), "items_like_these")
        return sqrt(sum(anyone[part.effect.name] for part in study.components if "readers" in part.effect.facets))

    @property
    def shown(self) -> Design | None:
        """Return the design that serves as the reference for designs with twice as many levels."""
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
