"""A plan: what makes a score vary, the designs that follow from it, and what more of each facet would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.usage import Prices, Tokens
from benchwright.statistics.score_interval import Interval
from benchwright.texts.normalization import counted

from .commands import UNNAMED, Asked, asked_of, pilot_of, run_commands
from .design import SCOPES, Numbers, PlanSetting, Scope, as_run, contributions, interval_of
from .facets import ASKED, MAIN, Facet
from .observations import Observations, UnusedResult, difference_of, read_observations
from .population import Population, population_of
from .search import Costs, MoreOf, SearchBounds, cheapest, checked_most, items_beyond, narrowest, twice_as_many
from .study import VarianceStudy, assumed_study, study_of

if TYPE_CHECKING:
    from benchwright.release import Release

FORMAT, VERSION = "benchwright/plan", 1


class Wanted(NamedTuple):
    """What a plan is to reach.

    Args:
        width: Widest interval, as a full width; None where none is stated.
        budget: Most that may be spent, in the unit of the costs; None where none is stated.
        scope: What the design's interval speaks of.
        is_difference: Whether it is that of a difference of two systems.
        score: Share of right answers that is assumed; that of the results, or .5, where None.
        fixed: Facets beside items whose levels are fixed.
        most: Most levels of facets.
        costs: Costs.
        prices: Prices of tokens; None where none are stated.
    """

    width: float | None = None
    budget: float | None = None
    scope: Scope = "items_like_these"
    is_difference: bool = False
    score: float | None = None
    fixed: frozenset[Facet] = frozenset()
    most: Mapping[Facet, int] = {}
    costs: Costs = Costs()
    prices: Prices | None = None


class Design(NamedTuple):
    """A design with what follows from it.

    Args:
        numbers: Levels of each facet.
        questions: Number of questions that are asked.
        cost: Its cost, in the unit of the costs.
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
        beyond: Design with more items than there are that reaches the width; None where one that there is does, or
            none does.
        more: Designs with twice as many of one facet, beside `design`, else `best`, else `as_run`.
        left_out: Results that are not used.
        unpaired: Answers without a partner in the other system.
        pilot: Commands of the study that would tell more; empty where orders and wordings are known.
        commands: Commands that run the design.
    """

    population: Population
    setting: PlanSetting
    wanted: Wanted
    as_run: Design | None
    design: Design | None
    best: Design | None
    beyond: Design | None
    more: tuple[tuple[MoreOf, Design], ...]
    left_out: tuple[UnusedResult, ...]
    unpaired: int
    pilot: tuple[str, ...]
    commands: tuple[str, ...]

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
            "left_out": [entry._asdict() for entry in self.left_out],
            "unpaired": self.unpaired,
            "pilot": list(self.pilot),
            "commands": list(self.commands),
        }


def plan_of(
    release: Release, folders: Sequence[Path], wanted: Wanted, *, models: Sequence[str] = (), **where: Any
) -> MeasurementPlan:
    """Return the plan of an evaluation.

    Args:
        release: Release that is to be asked.
        folders: Folders of single results, whose answers say how much varies; none where there are none yet.
        wanted: What the plan is to reach.
        models: Names of the systems whose results are taken, all where empty; without results, whom commands ask.
        where: `split`, the only split, and `results`, the folder of results that commands name.

    Raises:
        BenchwrightError: Something of this is not there or does not go together.
        DataError: Release or results are damaged.
    """
    population = population_of(release, where.get("split"))
    systems, left_out = read_observations(folders, population) if folders else ([], [])
    if folders and not systems:
        raise BenchwrightError(
            f"none of {counted(len(folders), 'result')} can be used: {left_out[0].name}: {left_out[0].why}"
        )
    taken = _named(systems, models) if systems and models else systems
    study, unpaired = _study(taken, population, wanted)
    left_out += [UnusedResult(*entry) for entry in study.others]
    setting = PlanSetting(study, population.size, population.in_cluster, wanted.fixed)
    _check_fixed(wanted, study)
    bounds = SearchBounds(wanted.costs, checked_most(wanted.most, setting))
    price = _price(taken, wanted.prices)
    asked = _asked(taken, study, models, where.get("results") or Path("results"))
    made = _Designs(setting, wanted.costs, price)
    run = None if study.is_assumed else made.as_run()
    design, best, beyond = _designs(made, bounds, wanted)
    shown = design or best or run
    more = () if shown is None else tuple((entry, made.of(entry.numbers)) for entry in _more(shown, setting))
    has_all = not {"orders", "wordings"} & study.unknown.keys()
    pilot = () if has_all else tuple(c for one in asked for c in pilot_of(release.path, population, one))
    commands = (
        ()
        if design is None
        else tuple(c for one in asked for c in run_commands(release.path, population, one, design.numbers))
    )
    return MeasurementPlan(
        population, setting, wanted, run, design, best, beyond, more, tuple(left_out), unpaired, pilot, commands
    )


class _Designs(NamedTuple):
    """What makes designs of numbers."""

    setting: PlanSetting
    costs: Costs
    price: float | None

    def of(self, numbers: Numbers) -> Design:
        """Return the design of some numbers."""
        added = {scope: contributions(self.setting, numbers, scope) for scope in SCOPES}
        return self._made(numbers, numbers.questions, self.costs.of(numbers), added)

    def as_run(self) -> Design:
        """Return the stored answers as a design."""
        levels = self.setting.study.levels
        numbers = Numbers(**{facet: levels[facet] for facet in ASKED})
        added = {scope: as_run(self.setting, scope) for scope in SCOPES}
        questions, readings = self.setting.study.questions, self.setting.study.answers
        cost = self.costs.item * numbers.items + self.costs.question * questions
        cost += self.costs.reading * (readings - questions)
        return self._made(numbers, questions, cost, added)

    def _made(
        self,
        numbers: Numbers,
        questions: int,
        cost: float,
        added: Mapping[Scope, Mapping[str, float]],
    ) -> Design:
        money = None if self.price is None else self.price * questions
        intervals = {scope: interval_of(self.setting, added[scope], numbers) for scope in SCOPES}
        return Design(numbers, questions, cost, money, intervals, added)


def _designs(
    made: _Designs, bounds: SearchBounds, wanted: Wanted
) -> tuple[Design | None, Design | None, Design | None]:
    """Return what `MeasurementPlan` holds as `design`, `best` and `beyond`."""
    if wanted.width is None and wanted.budget is None:
        return None, None, None
    best = made.of(narrowest(made.setting, bounds, wanted.budget, wanted.scope))
    if wanted.width is None:
        return best, best, None
    numbers = cheapest(made.setting, bounds, wanted.width, wanted.scope)
    if numbers is not None and (wanted.budget is None or bounds.costs.of(numbers) <= wanted.budget):
        return made.of(numbers), best, None
    more = items_beyond(made.setting, bounds, wanted.width) if numbers is None else numbers
    return None, best, None if more is None else made.of(more)


def _more(shown: Design, setting: PlanSetting) -> list[MoreOf]:
    return twice_as_many(setting, shown.numbers)


def _study(systems: Sequence[Observations], population: Population, wanted: Wanted) -> tuple[VarianceStudy, int]:
    """Return what is known, and how many answers have no partner in the other system."""
    if not systems:
        score = 0.5 if wanted.score is None else wanted.score
        return assumed_study(population, score, is_difference=wanted.is_difference), 0
    if wanted.score is not None:
        raise BenchwrightError("--score is assumed where there are no results; these say how many answers are right")
    if not wanted.is_difference:
        return study_of(systems, population), 0
    if len(systems) != 2:
        names = ", ".join(system.title for system in systems)
        raise BenchwrightError(
            f"a difference is that of two systems, and there are the answers of {len(systems)}: {names}; name two with "
            "--model"
        )
    paired, unpaired = difference_of(*systems)
    return study_of([paired], population, is_difference=True), unpaired


def _named(systems: Sequence[Observations], models: Sequence[str]) -> list[Observations]:
    taken = []
    for name in models:
        of_name = [
            system for system in systems if name in {system.title, system.scores[0].model, system.scores[0].name}
        ]
        if not of_name:
            listed = ", ".join(system.title for system in systems)
            raise BenchwrightError(f"there is no result of {name!r}; there are those of {listed}")
        taken += [system for system in of_name if system not in taken]
    return taken


def _check_fixed(wanted: Wanted, study: VarianceStudy) -> None:
    for facet in wanted.fixed:
        if facet in wanted.most:
            raise BenchwrightError(
                f"--fixed {facet} means all that were run, so --most {facet}={wanted.most[facet]} does not go with it"
            )
        if facet in study.unknown:
            raise BenchwrightError(f"--fixed {facet}: nothing is known of {facet} ({study.unknown[facet]})")


def _price(systems: Sequence[Observations], prices: Prices | None) -> float | None:
    """Return what a question costs on average by the tokens that stored results took; None where it is not known."""
    usages = [score.usage for system in systems for score in system.scores if score.usage and score.usage.requests]
    requests = sum(usage.requests or 0 for usage in usages)
    if not requests:
        return None
    if prices is not None:
        tokens = Tokens(sum(u.prompt_tokens for u in usages), sum(u.completion_tokens for u in usages))
        return prices.cost(tokens) / requests
    costs = [usage.cost for usage in usages]
    return None if None in costs else sum(cost for cost in costs if cost is not None) / requests


def _asked(systems: Sequence[Observations], study: VarianceStudy, models: Sequence[str], results: Path) -> list[Asked]:
    """Return who is asked by the commands: one system, or the two of a difference."""
    if not systems:
        named = list(models) or [UNNAMED] * (2 if study.is_difference else 1)
        return [Asked(name, {}, {}, (), (), results) for name in named]
    used = systems if study.is_difference else [system for system in systems if system.title in study.systems][:1]
    return [asked_of(system.scores[0], system.names["wordings"], system.names["readers"], results) for system in used]
