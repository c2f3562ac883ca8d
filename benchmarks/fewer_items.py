"""A hundred items instead of all: error and coverage of estimated full scores, leaving out one model at a time.

    .venv/bin/python benchmarks/fewer_items.py --set world --models 30
    .venv/bin/python benchmarks/fewer_items.py --set blink --data DIR       # three real models, 1,901 questions
    .venv/bin/python benchmarks/fewer_items.py --set mvp-bench --data DIR   # four real models, 1,872 questions

The item response model is fitted to all real models except one, or to `--models` of a world; the others answer subsets.
`world` has a form that no method here assumes: two abilities, which items need in different shares; pictures of seven
items that a model likes or dislikes as a whole; two to five options with guessing among them; one wrong key in twenty.

`random` is the proportion of right answers on randomly drawn items. `drawn` is the draw of `evaluate subset` with the
estimate of `evaluate run`: `alone` is the item response model alone, `corrected` its predictions corrected by its error
on the asked items, `weighed` both, weighted by the model's error on left-out models, which is the default.
`informative` are the items that reveal most about an ability, with the model alone; `anchors` the items nearest to the
centers of clusters of similar items, weighted by the sizes of their clusters (Polo et al. 2024), and `anchors, model`
the mean of these and the model. `adaptive` asks until the standard error is that of `--standard-error`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import expit

from benchwright.evaluation.item_response.adaptive import run_adaptively
from benchwright.evaluation.item_response.drawing import Batch, average_doubt, draw
from benchwright.evaluation.item_response.fitting import ItemResponses, fit_item_responses
from benchwright.evaluation.item_response.misfit import misfit_of
from benchwright.evaluation.item_response.subset import Subset, SubsetItem
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
    """Errors of estimates, and how often their intervals contain the truth."""

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
    """Return the anchors of clusters of similar items, and the shares of items that they represent."""
    from sklearn.cluster import KMeans

    points = np.column_stack(
        [fitted.discrimination / fitted.discrimination.std(), fitted.easiness / fitted.easiness.std()]
    )
    found = KMeans(count, n_init=1, random_state=0).fit(points)
    apart = ((points[:, None] - found.cluster_centers_) ** 2).sum(axis=2)
    places = apart.argmin(axis=0)
    return places, np.bincount(found.labels_, minlength=count) / len(points)


def of_models(
    others: NDArray[np.bool_],
    left_out: NDArray[np.bool_],
    guessing: NDArray[np.float64],
    settings: argparse.Namespace,
    rng: np.random.Generator,
    found: dict[str, _Found],
) -> list[int]:
    """Count the results of subsets for models that the item response model of others has not seen.

    Args:
        others: Replies to which it is fitted, models x items.
        left_out: Replies of the models that answer subsets.
        guessing: Share of right guesses of each item.
        settings: Numbers of items and of draws, and the standard error of adaptive runs.
        rng: Generator of the draws.
        found: Results of the methods, by name.

    Returns:
        The numbers of items that adaptive runs asked.
    """
    every = np.ones(others.shape, dtype=bool)
    fitted = fit_item_responses(others, every, guessing)
    items, doubt, easy = others.shape[1], average_doubt(fitted), fitted.chances(0.0)
    misfit = misfit_of(others, every, guessing, draw(doubt, easy, every[0], settings.items, 0))
    asked: list[int] = []
    for own in left_out:
        truth = float(own.mean())
        without_chance(fitted, own, settings.items, found)
        for _ in range(settings.draws):
            chosen = rng.choice(items, settings.items, replace=False)
            share, worth = own[chosen].mean(), settings.items * (items - 1) / (items - settings.items)
            found["random"].add(share, truth, score_interval(share * worth, worth))
            batch = draw(doubt, easy, every[0], settings.items, int(rng.integers(1 << 60)))
            replies = np.zeros(items, dtype=bool)
            replies[batch.places] = own[batch.places]
            for name, off in (("drawn, corrected", None), ("drawn, weighed", misfit)):
                estimate = whole_estimate(fitted, replies, [batch], misfit=off)
                assert estimate is not None
                found[name].add(estimate.share, truth, estimate.interval)
                found["drawn, alone"].add(estimate.predicted, truth)
        for number in range(max(1, settings.draws // 4)):
            asked.append(adaptively(fitted, own, misfit, settings.standard_error, number, found["adaptive"]))
    return asked


def without_chance(fitted: ItemResponses, own: NDArray[np.bool_], count: int, found: dict[str, _Found]) -> None:
    """Count the results of subsets for a model without random draws: the informative items, and anchors."""

    def alone(places: NDArray[np.int64]) -> float:
        replies = np.zeros(len(own), dtype=bool)
        replies[places] = own[places]
        estimate = whole_estimate(fitted, replies, [Batch(np.sort(places), np.ones(len(places)))])
        assert estimate is not None
        return estimate.predicted

    truth = float(own.mean())
    nodes = np.linspace(-2, 2, 9)
    told = sum(np.exp(-(node**2) / 2) * fitted.information(float(node)) for node in nodes)
    found["informative"].add(alone(np.argsort(-told)[:count]), truth)
    places, stands_for = anchors(fitted, count)
    by_anchors = float(stands_for @ own[places])
    found["anchors"].add(by_anchors, truth)
    found["anchors, model"].add((by_anchors + alone(np.unique(places))) / 2, truth)


def pool_of(fitted: ItemResponses, misfit: float | None, seed: int) -> Subset:
    """Return the items and their model as `evaluate subset` writes them, without a draw."""
    items = tuple(
        SubsetItem(
            item_id=str(number),
            task="",
            guessing=fitted.guessing[number],
            discrimination=fitted.discrimination[number],
            easiness=fitted.easiness[number],
            covariance=tuple(fitted.covariance[number][[0, 0, 1], [0, 1, 1]].tolist()),
        )
        for number in range(len(fitted.guessing))
    )
    return Subset(
        release="", release_id="", split=None, protocol="", models=(), method="doubt", seed=seed, misfit=misfit,
        items=items,
    )  # fmt: skip


def adaptively(
    fitted: ItemResponses, own: NDArray[np.bool_], misfit: float | None, error: float, seed: int, found: _Found
) -> int:
    """Count an adaptive run of a model, and return the number of items asked."""

    def ask(subset: Subset) -> pa.Table:
        asked = [int(name) for name in sorted(subset.drawn_ids)]
        return pa.table({"item_id": [str(number) for number in asked], "right": own[asked]})

    estimate = run_adaptively(pool_of(fitted, misfit, seed), ask, standard_error=error).estimate
    assert estimate.interval is not None
    found.add(estimate.share, float(own.mean()), estimate.interval)
    return estimate.asked


def main() -> None:
    """Print a line for each method: mean absolute error, coverage of the 95 % interval, mean width."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("world", "blink", "mvp-bench"), default="world", help="Replies.")
    parser.add_argument("--data", type=Path, help="Folder of the real replies, of the repository's layout.")
    parser.add_argument("--models", type=int, default=30, help="Models to which the model is fitted, in `world`.")
    parser.add_argument(
        "--left-out", type=int, default=10, help="Models left out in each world; of real ones each is, one at a time."
    )
    parser.add_argument("--worlds", type=int, default=4, help="Worlds drawn.")
    parser.add_argument("--items", type=int, default=100, help="Items of a subset.")
    parser.add_argument("--draws", type=int, default=20, help="Subsets of each model left out.")
    parser.add_argument("--standard-error", type=float, default=0.035, help="Where adaptive runs end.")
    settings = parser.parse_args()
    found: dict[str, _Found] = defaultdict(_Found)
    asked: list[int] = []
    for number in range(settings.worlds if settings.set == "world" else 1):
        rng = np.random.default_rng(number)
        if settings.set == "world":
            right, guessing = world(rng, settings.models + settings.left_out)
            asked += of_models(right[: settings.models], right[settings.models :], guessing, settings, rng, found)
            continue
        right, guessing = real(settings.set, settings.data)
        for model in range(len(right)):
            others = np.delete(right, model, axis=0)
            asked += of_models(others, right[model : model + 1], guessing, settings, rng, found)
    print(f"{settings.items} of {right.shape[1]} items; error, coverage, width")
    for name, figures in sorted(found.items()):
        print(f"{name:18} {figures.text()}")
    low, middle, high = np.percentile(asked, [5, 50, 95])
    print(f"adaptive: {middle:.0f} items [{low:.0f}, {high:.0f}] to a standard error of {settings.standard_error}")


if __name__ == "__main__":
    main()
