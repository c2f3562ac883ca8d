"""Widths that `evaluate plan` promises, those that the planned studies reach, and the coverage of their intervals.

    .venv/bin/python benchmarks/plan_coverage.py --studies 400

A drawn world gives the probability that a model answers an item correctly: a logistic function of a sum of normal
effects of the source picture, the item, the wording, item and wording, and the order of options; a drawn reply is right
with that probability. This differs from the model of the plan, whose effects add up on the scale of right and wrong.
For each scene a pilot is drawn (some items in two orders and some wordings), a width is planned from it, the planned
study is drawn in the same world, and its interval is computed from the answers of both. Each line states the share of
the plans that reach the width at all, their number of questions (median), the mean width promised and reached, the
median of the latter, and how often the interval contains the true score, for items like these and for these items.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchwright.evaluation.planning.design import SCOPES, Numbers, PlanSetting, Scope, as_run, interval_of, width
from benchwright.evaluation.planning.facets import Facet
from benchwright.evaluation.planning.observations import Observations
from benchwright.evaluation.planning.population import Population
from benchwright.evaluation.planning.search import Costs, SearchBounds, cheapest, checked_most
from benchwright.evaluation.planning.study import study_of

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()
_ORDERS, _WORDINGS, _SAMPLES = 12, 4, 2


class World(NamedTuple):
    """Standard deviations of the effects on the logit, and its mean."""

    mean: float
    cluster: float = 0.6
    item: float = 1.2
    wording: float = 0.15
    item_wording: float = 0.5
    order: float = 0.5

    @property
    def within(self) -> float:
        """Return the variance within one item."""
        return self.wording**2 + self.item_wording**2 + self.order**2


class Scene(NamedTuple):
    """A release, a pilot, and the goal of the plan."""

    name: str
    world: World
    sizes: np.ndarray
    pilot: Numbers
    wanted: float
    scope: Scope
    fixed: bool = False
    second: World | None = None
    """World of a second system, in which half of the items' difficulty is shared; then a difference is planned."""


def chance(logit: np.ndarray, variance: float) -> np.ndarray:
    """Return the mean of the logistic function of a normal variable."""
    means: np.ndarray = (1 / (1 + np.exp(-(logit[..., None] + np.sqrt(variance) * _NODES)))) @ _WEIGHTS
    return means


class Drawn:
    """A world with its items; the larger of two studies holds the items, orders and wordings of the smaller."""

    def __init__(self, world: World, sizes: np.ndarray, rng: np.random.Generator, first: Drawn | None = None) -> None:
        self.world = world
        self.group = np.repeat(np.arange(len(sizes)), sizes)
        self.of_cluster, self.of_item = rng.normal(size=len(sizes)), rng.normal(size=len(self.group))
        if first is not None:
            self.of_cluster = (self.of_cluster + first.of_cluster) / np.sqrt(2)
            self.of_item = (self.of_item + first.of_item) / np.sqrt(2)
        items = len(self.group)
        self.logit = world.mean + world.cluster * self.of_cluster[self.group] + world.item * self.of_item
        self.wordings = world.wording * rng.normal(size=_WORDINGS)
        self.of_wording = world.item_wording * rng.normal(size=(items, _WORDINGS))
        self.of_order = world.order * rng.normal(size=(items, _ORDERS))
        self.luck = rng.random(size=(items, _ORDERS, _WORDINGS, _SAMPLES))
        self.listed: np.ndarray = rng.permutation(items) if first is None else first.listed
        ids = pa.table({"item_id": [str(k) for k in range(items)]})
        self.population = Population("drawn", "", None, ids, self.group)

    def truth(self, scope: Scope, fixed: int) -> float:
        """Return the true score; with some fixed wordings it is that in the first ones."""
        world = self.world
        if not fixed:
            if scope == "these_items":
                return float(chance(self.logit, world.within).mean())
            everything = world.within + world.cluster**2 + world.item**2
            return float(chance(np.array([world.mean]), everything)[0])
        if scope == "these_items":
            logits = self.logit[:, None] + self.wordings[:fixed] + self.of_wording[:, :fixed]
            return float(chance(logits, world.order**2).mean())
        rest = world.cluster**2 + world.item**2 + world.item_wording**2 + world.order**2
        return float(chance(world.mean + self.wordings[:fixed], rest).mean())

    def answers(self, *studies: Numbers) -> Observations:
        """Return the answers of some studies together; a question asked by several of them counts once."""
        asked = np.zeros(self.luck.shape, dtype=bool)
        for study in studies:
            asked[self.listed[: study.items], : study.orders, : study.wordings, : study.samples] = True
        item, order, wording, sample = np.nonzero(asked)
        logit = self.logit[item] + self.wordings[wording] + self.of_wording[item, wording] + self.of_order[item, order]
        right = self.luck[item, order, wording, sample] < 1 / (1 + np.exp(-logit))
        readers = np.zeros(len(item), dtype=np.int64)
        levels: dict[Facet, np.ndarray] = {
            "items": item,
            "orders": order,
            "wordings": wording,
            "samples": sample,
            "readers": readers,
        }
        return Observations("drawn", right.astype(np.float64), levels, {"readers": ("robust",)}, (), ())


def scenes() -> list[Scene]:
    """Return the scenes."""
    even, uneven = np.full(600, 2), np.maximum(1, np.rint(np.geomspace(1, 20, 200))).astype(np.int64)
    pilot, more = Numbers(100, orders=2, wordings=2), Numbers(100, orders=2, wordings=4)
    plain, strong = World(0.5), World(0.5, wording=0.4)
    return [
        Scene("4 wordings in the pilot", plain, even, more, 0.1, "items_like_these"),
        Scene("the same, high score", plain._replace(mean=2.5), even, more, 0.08, "items_like_these"),
        Scene("the same, wordings matter", strong, even, more, 0.25, "items_like_these"),
        Scene("2 wordings in the pilot", plain, even, pilot, 0.15, "items_like_these"),
        Scene("one wording", plain, even, pilot._replace(wordings=1), 0.08, "items_like_these", fixed=True),
        Scene("2 wordings, fixed", plain, even, pilot, 0.08, "items_like_these", fixed=True),
        Scene("the same, these items", plain, even, pilot, 0.05, "these_items", fixed=True),
        Scene("uneven clusters, fixed", plain, uneven, pilot, 0.1, "items_like_these", fixed=True),
        Scene("difference of two, fixed", plain, even, pilot, 0.1, "items_like_these", fixed=True, second=World(0.2)),
        Scene("the same, 4 wordings", plain, even, more, 0.12, "items_like_these", second=World(0.2)),
    ]


class Systems:
    """A drawn system, or two with a planned difference."""

    def __init__(self, scene: Scene, rng: np.random.Generator) -> None:
        self.scene, first = scene, Drawn(scene.world, scene.sizes, rng)
        self.drawn = [first] if scene.second is None else [first, Drawn(scene.second, scene.sizes, rng, first)]

    def setting(self, *studies: Numbers) -> PlanSetting:
        """Return the variances estimated from the answers of some studies."""
        first, population = self.drawn[0].answers(*studies), self.drawn[0].population
        for other in self.drawn[1:]:
            first = first._replace(value=first.value - other.answers(*studies).value)
        study = study_of([first], population, is_difference=len(self.drawn) > 1)
        is_fixed = self.scene.fixed and "wordings" not in study.unknown
        fixed: frozenset[Facet] = frozenset({"wordings"}) if is_fixed else frozenset()
        return PlanSetting(study, population.size, population.in_cluster, fixed)

    def truth(self, scope: Scope) -> float:
        """Return the true score, or difference."""
        fixed = self.scene.pilot.wordings if self.scene.fixed else 0
        return sum(sign * drawn.truth(scope, fixed) for sign, drawn in zip((1, -1), self.drawn, strict=False))


def run(scene: Scene, studies: int, seed: int) -> str:
    """Return a line about a scene."""
    promised, reached, questions = [], [], []
    held = dict.fromkeys(SCOPES, 0)
    for number in range(studies):
        systems = Systems(scene, np.random.default_rng([seed, number, *scene.name.encode()]))
        setting = systems.setting(scene.pilot)
        numbers = cheapest(setting, SearchBounds(Costs(), checked_most({}, setting)), scene.wanted, scene.scope)
        if numbers is None:
            continue
        after = systems.setting(scene.pilot, numbers)
        questions.append(numbers.questions)
        promised.append(width(setting, numbers, scene.scope))
        for scope in SCOPES:
            low, high = interval_of(after, as_run(after, scope), numbers)
            held[scope] += low <= systems.truth(scope) <= high
            if scope == scene.scope:
                reached.append(high - low)
    if not reached:
        return f"{scene.name:<28} {scene.wanted:5.3f}  none of {studies} plans reaches it"
    covered = "  ".join(f"{held[scope] / len(reached):6.3f}" for scope in SCOPES)
    widths = f"{np.mean(promised):8.3f} {np.mean(reached):8.3f} {np.median(reached):8.3f}"
    return (
        f"{scene.name:<28} {scene.scope:<17} {scene.wanted:5.3f} {len(reached) / studies:6.2f} "
        f"{np.median(questions):9.0f} {widths}  {covered}"
    )


def main() -> None:
    """Print a line for each scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400, help="Drawn worlds of each scene.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the draws.")
    settings = parser.parse_args()
    print(
        f"{'scene':<28} {'planned for':<17} {'width':>5} {'plans':>6} {'questions':>9} {'promised':>8} {'reached':>8} "
        f"{'median':>8}  like these  these"
    )
    for scene in scenes():
        print(run(scene, settings.studies, settings.seed), flush=True)


if __name__ == "__main__":
    main()
