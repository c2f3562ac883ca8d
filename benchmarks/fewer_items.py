"""A hundred items in place of all: error and coverage of estimated whole scores, one model left out at a time.

    .venv/bin/python benchmarks/fewer_items.py --set world --models 30
    .venv/bin/python benchmarks/fewer_items.py --set blink --data DIR       # three real models, 1,901 questions
    .venv/bin/python benchmarks/fewer_items.py --set mvp-bench --data DIR   # four real models, 1,872 questions

The item response model is fitted to all models but one, which is then asked a subset. `world` is of a form that no
method here assumes: two abilities, which items need in different shares; pictures of seven items that a model likes or
dislikes as a whole; two to five options and guesses among them; one key in twenty is wrong.

`random` is the share right of items drawn at random. `drawn` is what `evaluate subset` draws and `evaluate run` makes
of it: `alone` the item response model alone, `corrected` its predictions corrected by what it is off on the items
asked, `weighed` both weighed by how far the model was off on models left out, which is the default. `informative` are
the items that tell most of an ability, and the model alone; `anchors` the items nearest to the middles of clusters of
alike items, weighed by their clusters' sizes (Polo et al. 2024), and `anchors, model` those and the model in halves.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from benchwright.evaluation.item_response.drawing import Batch, average_doubt, draw
from benchwright.evaluation.item_response.fitting import ItemResponses, fit_item_responses
from benchwright.evaluation.item_response.misfit import misfit_of
from benchwright.evaluation.item_response.whole import whole_estimate
from benchwright.statistics.score_interval import score_interval

ITEMS, OPTIONS, PICTURES, WRONG = 1400, (2, 4, 4, 5), 200, 0.05


def world(rng: np.random.Generator, models: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return replies, models x items, and the share of right guesses of each item."""
    options = rng.choice(OPTIONS, ITEMS)
    picture = rng.integers(0, PICTURES, ITEMS)
    ability = 0.8 * rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], models)
    share = np.where(rng.random(ITEMS) < 0.6, rng.beta(4, 1.5, ITEMS), rng.beta(1.5, 4, ITEMS))
    liked = rng.normal(0, 0.6, (models, PICTURES))[:, picture] + rng.normal(0, 0.5, (models, ITEMS))
    needed = ability[:, :1] * share + ability[:, 1:] * (1 - share)
    logit = 1.2 * rng.lognormal(0, 0.4, ITEMS) * (needed + liked - rng.normal(-0.3, 1.2, ITEMS))
    right = rng.random((models, ITEMS)) < 1 / options + (1 - 1 / options) * expit(logit)
    by_wrong_key = ~right & (rng.random((models, ITEMS)) < 1 / (options - 1))
    return np.where(rng.random(ITEMS) < WRONG, by_wrong_key, right), 1 / options


def real(name: str, data: Path) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the replies of real models, models x items, and the share of right guesses of each item."""
    from suspected_keys import blink, mvp_bench

    matrix, _ = blink(data) if name == "blink" else mvp_bench(data)
    return (matrix.letter == matrix.key) & matrix.asked, 1 / matrix.options


class _Found:
    """Errors of estimates, and how often their intervals hold the truth."""

    def __init__(self) -> None:
        self.errors: list[float] = []
        self.held: list[bool] = []
        self.widths: list[float] = []

    def add(self, value: float, truth: float, interval: tuple[float, float] | None = None) -> None:
        """Count an estimate."""
        self.errors.append(abs(value - truth))
        if interval is not None:
            self.held.append(interval[0] <= truth <= interval[1])
            self.widths.append(interval[1] - interval[0])

    def text(self) -> str:
        """Return mean absolute error, coverage and mean width."""
        line = f"{np.mean(self.errors):.4f}"
        return f"{line}  {np.mean(self.held):.3f}  {np.mean(self.widths):.3f}" if self.held else line


def anchors(fitted: ItemResponses, count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the anchors of clusters of alike items, and the shares of items that they stand for."""
    from sklearn.cluster import KMeans

    points = np.column_stack(
        [fitted.discrimination / fitted.discrimination.std(), fitted.easiness / fitted.easiness.std()]
    )
    found = KMeans(count, n_init=1, random_state=0).fit(points)
    apart = ((points[:, None] - found.cluster_centers_) ** 2).sum(axis=2)
    places = apart.argmin(axis=0)
    return places, np.bincount(found.labels_, minlength=count) / len(points)


def of_model(
    right: NDArray[np.bool_],
    guessing: NDArray[np.float64],
    model: int,
    count: int,
    draws: int,
    rng: np.random.Generator,
    found: dict[str, _Found],
) -> None:
    """Count what subsets say of one model, of which the others say nothing."""
    others, own = np.delete(right, model, axis=0), right[model]
    items, truth = len(own), float(own.mean())
    every = np.ones(others.shape, dtype=bool)
    fitted = fit_item_responses(others, every, guessing)
    nothing = np.zeros(items, dtype=bool)

    def alone(places: NDArray[np.int64]) -> float:
        replies = nothing.copy()
        replies[places] = own[places]
        estimate = whole_estimate(fitted, replies, [Batch(np.sort(places), np.ones(len(places)))])
        assert estimate is not None
        return estimate.predicted

    nodes = np.linspace(-2, 2, 9)
    told = sum(np.exp(-(node**2) / 2) * fitted.information(float(node)) for node in nodes)
    found["informative"].add(alone(np.argsort(-told)[:count]), truth)
    places, stands_for = anchors(fitted, count)
    by_anchors = float(stands_for @ own[places])
    found["anchors"].add(by_anchors, truth)
    found["anchors, model"].add((by_anchors + alone(np.unique(places))) / 2, truth)

    doubt, easy = average_doubt(fitted), fitted.chances(0.0)
    misfit: float | None = None
    for number in range(draws):
        chosen = rng.choice(items, count, replace=False)
        share, worth = own[chosen].mean(), count * (items - 1) / (items - count)
        found["random"].add(share, truth, score_interval(share * worth, worth))
        batch = draw(doubt, easy, np.ones(items, dtype=bool), count, int(rng.integers(1 << 60)))
        if number == 0:
            misfit = misfit_of(others, every, guessing, batch)
        replies = nothing.copy()
        replies[batch.places] = own[batch.places]
        for name, off in (("drawn, corrected", None), ("drawn, weighed", misfit)):
            estimate = whole_estimate(fitted, replies, [batch], misfit=off)
            assert estimate is not None
            found[name].add(estimate.share, truth, estimate.interval)
        found["drawn, alone"].add(estimate.predicted, truth)


def main() -> None:
    """Print a line for each method: mean absolute error, coverage of the 95 % interval, mean width."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("world", "blink", "mvp-bench"), default="world", help="Replies.")
    parser.add_argument("--data", type=Path, help="Folder of the real replies, of the repository's layout.")
    parser.add_argument("--models", type=int, default=30, help="Models to which the model is fitted, in `world`.")
    parser.add_argument("--left-out", type=int, default=10, help="Models left out in each world, one at a time.")
    parser.add_argument("--worlds", type=int, default=4, help="Worlds drawn.")
    parser.add_argument("--items", type=int, default=100, help="Items of a subset.")
    parser.add_argument("--draws", type=int, default=20, help="Subsets of each model left out.")
    settings = parser.parse_args()
    found: dict[str, _Found] = defaultdict(_Found)
    for number in range(settings.worlds if settings.set == "world" else 1):
        rng = np.random.default_rng(number)
        if settings.set == "world":
            right, guessing = world(rng, settings.models + 1)
        else:
            right, guessing = real(settings.set, settings.data)
        for model in range(min(len(right), settings.left_out)):
            of_model(right, guessing, model, settings.items, settings.draws, rng, found)
    print(f"{settings.items} of {right.shape[1]} items, {len(right) - 1} models; error, coverage, width")
    for name, figures in sorted(found.items()):
        print(f"{name:18} {figures.text()}")


if __name__ == "__main__":
    main()
