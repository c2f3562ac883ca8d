"""Ranks of models as intervals, on drawn studies: coverage, wrong verdicts, and pairs told apart beside Holm's method.

    .venv/bin/python benchmarks/rank_intervals.py --studies 400

Each item has an ease that all models share and a part of its own for each model; items of a cluster share another part.
A model's true accuracy is its mean over many drawn items; the true ranks follow from it. Where `spread` is 0 all models
are equally able, and any pair that is told apart is told apart wrongly.
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np

from benchwright.evaluation.analysis.ranking import rank_intervals
from benchwright.statistics.joint_signs import joint_p
from benchwright.statistics.many_tests import holm
from benchwright.statistics.paired_difference import sign_flip

SCENES = (
    # models, spread of accuracies between neighbours, clusters, items a cluster (uneven: drawn from 1 to twice as many)
    (8, 0.05, 300, 1, False),
    (12, 0.03, 300, 1, False),
    (8, 0.05, 60, 5, True),
    (8, 0.05, 20, 15, True),
    (8, 0.05, 8, 30, True),
    (8, 0.0, 300, 1, False),
    (8, 0.0, 60, 5, True),
    (8, 0.0, 20, 15, True),
    (8, 0.0, 8, 30, True),
)
"""Scenes that are drawn."""


def drawn_study(
    rng: np.random.Generator, models: int, spread: float, clusters: int, size: int, uneven: bool
) -> np.ndarray:
    """Return the number of items that each model has right in each cluster, clusters x models."""
    sizes = rng.integers(1, 2 * size, size=clusters) if uneven else np.full(clusters, size)
    able = 0.7 - spread * np.arange(models)
    group = np.repeat(np.arange(clusters), sizes)
    shared = rng.normal(0, 0.25, size=len(group)) + rng.normal(0, 0.15, size=clusters)[group]
    own = rng.normal(0, 0.15, size=(clusters, models))[group]
    chance = np.clip(able + shared[:, None] + own, 0, 1)
    right = rng.random(chance.shape) < chance
    return np.stack([np.bincount(group, weights=column, minlength=clusters) for column in right.T], axis=1)


def _covered(ranks: list[tuple[int, int]], order: np.ndarray, equal: bool) -> bool:
    """Return whether every model's true rank lies in its interval; of equal models every rank is true."""
    models = len(order)
    if equal:
        return all(rank == (1, models) for rank in ranks)
    return all(best <= true + 1 <= worst for (best, worst), true in zip(ranks, order, strict=True))


def main() -> None:
    """Print a line for each scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400, help="Drawn studies of each scene.")
    studies = parser.parse_args().studies
    print("models spread clusters items  coverage | wrongly told apart: joint  Holm | pairs told apart: joint  Holm")
    for number, (models, spread, clusters, size, uneven) in enumerate(SCENES):
        rng = np.random.default_rng(number)
        pairs = list(combinations(range(models), 2))
        firsts, seconds = np.array(pairs).T
        covered = wrong = wrong_holm = apart = apart_holm = 0
        for _ in range(studies):
            right = drawn_study(rng, models, spread, clusters, size, uneven)
            differences = (right[:, firsts] - right[:, seconds]).astype(np.int64)
            alone = np.array([sign_flip(column, np.ones(len(column), dtype=np.int64)) for column in differences.T])
            joint = np.maximum(alone, joint_p(right, firsts, seconds, "study"))
            corrected = np.array(holm(list(alone)))
            order = np.argsort(-right.sum(axis=0), kind="stable")
            found = {frozenset(pair) for pair, p in zip(pairs, joint, strict=True) if p < 0.05}
            ranks = rank_intervals(models, lambda i, k, o=order, f=found: frozenset((int(o[i]), int(o[k]))) in f)
            covered += _covered([tuple(rank) for rank in ranks], order, spread == 0)
            # The first model of a pair is truly the better one; of equal models no verdict is right.
            signs = differences.sum(axis=0)
            is_wrong = (signs < 0) | (spread == 0)
            wrong += bool(((joint < 0.05) & is_wrong).any())
            wrong_holm += bool(((corrected < 0.05) & is_wrong).any())
            apart += int((joint < 0.05).sum())
            apart_holm += int((corrected < 0.05).sum())
        each = studies * len(pairs)
        print(
            f"{models:6} {spread:6.2f} {clusters:8} {clusters * size:5}  {covered / studies:8.3f} | "
            f"{wrong / studies:25.3f} {wrong_holm / studies:5.3f} | {apart / each:23.3f} {apart_holm / each:5.3f}"
        )


if __name__ == "__main__":
    main()
