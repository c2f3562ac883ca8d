"""Creation of a plan: the evidence in stored answers, the designs that follow, and the commands that carry them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.models.endpoints.usage import Prices, Tokens
from benchwright.texts.normalization import counted

from .commands import UNNAMED, UNNAMED_OTHER, Asked, asked_of, pilot_of, run_commands
from .design import SCOPES, Numbers, PlanSetting, Scope, as_run, contributions, interval_of
from .facets import ASKED
from .observations import Observations, UnusedResult, difference_of, read_observations
from .plan import Design, MeasurementPlan, PlanTarget
from .population import Population, population_of
from .reading_error import reading_errors_of
from .search import Costs, SearchBounds, cheapest, cheapest_beyond, checked_most, narrowest, twice_as_many
from .study import VarianceStudy, assumed_study, study_of
from .telling import telling_of

if TYPE_CHECKING:
    from benchwright.release import Release

RESULTS = Path("results")
"""Folder of results to use in commands if the caller gives none."""


def plan_of(
    release: Release,
    folders: Sequence[Path],
    wanted: PlanTarget,
    *,
    models: Sequence[str] = (),
    split: str | None = None,
    results: Path = RESULTS,
) -> MeasurementPlan:
    """Return the plan for an evaluation.

    Args:
        release: Release to ask.
        folders: Folders of single results, whose answers reveal the variation; empty if none exist yet.
        wanted: Target of the plan.
        models: Names of the systems whose results to use; all systems if empty. If there are no results, the models to
            name in commands.
        split: Name of the split to use; all splits if None.
        results: Folder of results to use in the commands.

    Raises:
        BenchwrightError: An argument names something that does not exist or conflicts with another argument.
        DataError: The release or the results are damaged.
    """
    population = population_of(release, split)
    systems, left_out = read_observations(folders, population) if folders else ([], [])
    if folders and not systems:
        raise BenchwrightError(
            f"none of {counted(len(folders), 'result')} can be used: {left_out[0].name}: {left_out[0].why}"
        )
    taken = _named(systems, models) if systems and models else systems
    if taken:
        population, taken = _of_their_tasks(taken, population)
    study, unpaired = _study(taken, population, wanted)
    _check_fixed(wanted, study)
    setting = PlanSetting(study, population.size, population.in_cluster, wanted.fixed)
    made = _Designs(setting, wanted.costs, _price(taken, wanted.prices))
    run = None if study.is_assumed else made.as_run()
    design, best, beyond = _designs(made, SearchBounds(wanted.costs, checked_most(wanted.most, setting)), wanted)
    shown = design or best or run
    more = [] if shown is None else [(entry, made.of(entry.numbers)) for entry in twice_as_many(setting, shown.numbers)]
    planned = set() if design is None else {min(design.numbers.items, population.size)}
    telling = telling_of(taken, population, sorted({*planned, population.size}), wanted.score)
    asked = _asked(taken, study, models, results)
    is_told = not {"orders", "wordings"} & study.unknown.keys()
    pilots = [] if is_told else [pilot_of(release.path, population, one) for one in asked]
    runs = [] if design is None else [run_commands(release.path, population, one, design.numbers) for one in asked]
    return MeasurementPlan(
        population=population,
        setting=setting,
        wanted=wanted,
        as_run=run,
        design=design,
        best=best,
        beyond=beyond,
        more=tuple(more),
        telling=telling,
        left_out=(*left_out, *(UnusedResult(*entry) for entry in study.others)),
        unpaired=unpaired,
        readings=reading_errors_of(score for system in taken for score in system.scores),
        pilot=tuple(chain.from_iterable(pilots)),
        commands=tuple(chain.from_iterable(runs)),
    )


class _Designs(NamedTuple):
    """The creation of designs from numbers of levels."""

    setting: PlanSetting
    costs: Costs
    price: float | None

    def of(self, numbers: Numbers) -> Design:
        """Return the design with given numbers of levels."""
        added = {scope: contributions(self.setting, numbers, scope) for scope in SCOPES}
        return self._made(numbers, numbers.questions, self.costs.of(numbers), added)

    def as_run(self) -> Design:
        """Return the stored answers in the form of a design."""
        levels = self.setting.study.levels
        numbers = Numbers(**{facet: levels[facet] for facet in ASKED})
        if "readers" in self.setting.fixed:
            numbers = numbers._replace(readers=1)
        added = {scope: as_run(self.setting, scope) for scope in SCOPES}
        questions, readings = self.setting.study.questions, self.setting.study.answers
        cost = self.costs.item * numbers.items + self.costs.question * questions
        cost += self.costs.reading * (readings - questions) if numbers.readers > 1 else 0
        return self._made(numbers, questions, cost, added)

    def _made(
        self,
        numbers: Numbers,
        questions: int,
        cost: float,
        added: Mapping[Scope, Mapping[str, float]],
    ) -> Design:
        systems = 2 if self.setting.study.is_difference else 1
        money = None if self.price is None else self.price * questions * systems
        intervals = {scope: interval_of(self.setting, added[scope], numbers) for scope in SCOPES}
        return Design(numbers, questions, cost, money, intervals, added)


def _designs(
    made: _Designs, bounds: SearchBounds, wanted: PlanTarget
) -> tuple[Design | None, Design | None, Design | None]:
    """Return the values of `design`, `best` and `beyond` in `MeasurementPlan`."""
    if wanted.width is None and wanted.budget is None:
        return None, None, None
    best = made.of(narrowest(made.setting, bounds, wanted.budget, wanted.scope))
    if wanted.width is None:
        return best, best, None
    numbers = cheapest(made.setting, bounds, wanted.width, wanted.scope)
    if numbers is not None and (wanted.budget is None or bounds.costs.of(numbers) <= wanted.budget):
        return made.of(numbers), best, None
    if numbers is None:
        numbers = cheapest_beyond(made.setting, bounds, wanted.width, wanted.scope)
    return None, best, None if numbers is None else made.of(numbers)


def _study(systems: Sequence[Observations], population: Population, wanted: PlanTarget) -> tuple[VarianceStudy, int]:
    """Return the variances, and the number of answers without a counterpart from the other system."""
    if not systems:
        score = 0.5 if wanted.score is None else wanted.score
        return assumed_study(population, score, is_difference=wanted.is_difference), 0
    if wanted.score is not None:
        raise BenchwrightError("leave out --score with results, which show the share of right answers")
    if not wanted.is_difference:
        return study_of(systems, population, over_readers="readers" not in wanted.fixed), 0
    if len(systems) != 2:
        names = ", ".join(system.title for system in systems)
        raise BenchwrightError(
            f"a difference needs two systems, but the results contain {len(systems)}: {names}; choose two with --model"
        )
    paired, unpaired = difference_of(*systems)
    is_over = "readers" not in wanted.fixed
    return study_of([paired], population, is_difference=True, over_readers=is_over), unpaired


def _of_their_tasks(systems: Sequence[Observations], population: Population) -> tuple[Population, list[Observations]]:
    """Return the items in all tasks that any system was asked, and the systems with the new indices of the items."""
    import numpy as np

    population, place = population.of_tasks(np.concatenate([system.levels["items"] for system in systems]))
    moved = [system._replace(levels={**system.levels, "items": place[system.levels["items"]]}) for system in systems]
    return population, moved


def _named(systems: Sequence[Observations], models: Sequence[str]) -> list[Observations]:
    taken: dict[str, Observations] = {}
    for name in models:
        of_name = [
            system for system in systems if name in {system.title, system.scores[0].model, system.scores[0].name}
        ]
        if not of_name:
            listed = ", ".join(system.title for system in systems)
            raise BenchwrightError(f"no result of {name!r} was given, only of {listed}")
        taken |= {system.title: system for system in of_name}
    return list(taken.values())


def _check_fixed(wanted: PlanTarget, study: VarianceStudy) -> None:
    for facet in wanted.fixed - {"readers"}:
        if facet in wanted.most:
            raise BenchwrightError(
                f"--fixed {facet} means all that were run; leave out --most {facet}={wanted.most[facet]}"
            )
        if facet in study.unknown:
            raise BenchwrightError(f"--fixed {facet}: the results show nothing about {facet} ({study.unknown[facet]})")


def _price(systems: Sequence[Observations], prices: Prices | None) -> float | None:
    """Return the mean cost of a question, based on the tokens of stored results; None if unknown."""
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
    """Return the systems that the commands ask: one system, or the two systems of a difference."""
    if not systems:
        named = list(models) or [UNNAMED, UNNAMED_OTHER][: 2 if study.is_difference else 1]
        return [Asked(name, {}, {}, (), (), results) for name in named]
    used = systems if study.is_difference else [system for system in systems if system.title in study.systems][:1]
    return [asked_of(system.scores[0], system.names["wordings"], system.names["readers"], results) for system in used]
