"""Ranks of models as intervals, on drawn studies: coverage, wrong verdicts, and distinguished pairs by several methods.

    .venv/bin/python benchmarks/rank_intervals.py --studies 400

Each item has an ease that all models share and a separate part for each model; items of a cluster share another part. A
model's true accuracy is its mean over many drawn items; the true ranks follow from it. If `spread` is 0, all models are
equally able, and every distinguished pair is an error.

`joint` is the rule of `evaluate compare`, a step-down test by signs of clusters; `max-T` its first step for all pairs.
`McNemar` treats items as independent, `sign flip` tests clusters; both are used alone and with Holm's correction.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import NamedTuple

import numpy as np

from benchwright.evaluation.analysis.ranking import rank_intervals
from benchwright.statistics.joint_signs import joint_test
from benchwright.statistics.many_tests import holm
from benchwright.statistics.paired_difference import mcnemar_exact, sign_flip

SCENES = (
    # models, spread of accuracies between neighbors, clusters, items a cluster (uneven: drawn from 1 to twice as many)
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
"""Scenes to draw."""
METHODS = ("McNemar", "McNemar, Holm", "sign flip", "sign flip, Holm", "max-T", "joint")


class _Study(NamedTuple):
    """Whether each model has each item right, items x models, and the cluster of each item."""

    right: np.ndarray
    group: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Return the number of items that each model has right in each cluster, clusters x models."""
        return np.stack([np.bincount(self.group, weights=column) for column in self.right.T], axis=1)


def drawn_study(rng: np.random.Generator, models: int, spread: float, clusters: int, size: int, uneven: bool) -> _Study:
    """Return a drawn study."""
    sizes = rng.integers(1, 2 * size, size=clusters) if uneven else np.full(clusters, size)
    able = 0.7 - spread * np.arange(models)
    group = np.repeat(np.arange(clusters), sizes)
    shared = rng.normal(0, 0.25, size=len(group)) + rng.normal(0, 0.15, size=clusters)[group]
    own = rng.normal(0, 0.15, size=(clusters, models))[group]
    chance = np.clip(able + shared[:, None] + own, 0, 1)
    return _Study(rng.random(chance.shape) < chance, group)


def verdicts(study: _Study, firsts: np.ndarray, seconds: np.ndarray, name: str) -> dict[str, np.ndarray]:
    """Return the pairs that each method distinguishes at 5 %; the name of the study seeds its signs."""
    only_first = (study.right[:, firsts] & ~study.right[:, seconds]).sum(axis=0)
    only_second = (study.right[:, seconds] & ~study.right[:, firsts]).sum(axis=0)
    mcnemar = np.array([mcnemar_exact(int(b), int(c)) for b, c in zip(only_first, only_second, strict=True)])
    right = study.counts
    differences = (right[:, firsts] - right[:, seconds]).astype(np.int64)
    alone = np.array([sign_flip(column, np.ones(len(column), dtype=np.int64)) for column in differences.T])
    joint = joint_test(right, firsts, seconds, name)
    scale = np.sqrt((differences**2).sum(axis=0))
    statistic = np.abs(differences.sum(axis=0)) / np.where(scale == 0, np.inf, scale)
    found = {
        "McNemar": mcnemar < 0.05,
        "McNemar, Holm": np.array(holm(list(mcnemar))) < 0.05,
        "sign flip": alone < 0.05,
        "sign flip, Holm": np.array(holm(list(alone))) < 0.05,
        "max-T": (statistic > joint.threshold) & (alone < 0.05),
        "joint": np.maximum(alone, joint.p) < 0.05,
    }
    assert tuple(found) == METHODS
    return found


def _covered(ranks: list[tuple[int, int]], order: np.ndarray, equal: bool) -> bool:
    """Return whether every model's true rank lies in its interval; among equal models every rank is true."""
    models = len(order)
    if equal:
        return all(rank == (1, models) for rank in ranks)
    return all(best <= true + 1 <= worst for (best, worst), true in zip(ranks, order, strict=True))


def main() -> None:
    """Print a line for each scene."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400, help="Drawn studies of each scene.")
    studies = parser.parse_args().studies
    print(f"{'models spread clusters items':28}  ranks hold  method            told apart wrongly  told apart")
    for number, (models, spread, clusters, size, uneven) in enumerate(SCENES):
        rng = np.random.default_rng(number)
        firsts, seconds = np.array(list(combinations(range(models), 2))).T
        covered, wrong, apart = (dict.fromkeys(METHODS, 0) for _ in range(3))
        for of_scene in range(studies):
            study = drawn_study(rng, models, spread, clusters, size, uneven)
            score = study.right.sum(axis=0)
            order = np.argsort(-score, kind="stable")
            # The first model of a pair is truly the better one; among equal models no verdict is right.
            is_wrong = (score[firsts] < score[seconds]) | (spread == 0)
            for name, verdict in verdicts(study, firsts, seconds, f"study {of_scene}").items():
                found = {frozenset(pair) for pair in np.column_stack([firsts, seconds])[verdict].tolist()}
                ranks = rank_intervals(models, lambda i, k, o=order, f=found: frozenset((int(o[i]), int(o[k]))) in f)
                covered[name] += _covered([tuple(rank) for rank in ranks], order, spread == 0)
                wrong[name] += bool((verdict & is_wrong).any())
                apart[name] += int(verdict.sum())
        scene = f"{models:6} {spread:6.2f} {clusters:8} {clusters * size:5}"
        for name in METHODS:
            share = apart[name] / (studies * len(firsts))
            print(
                f"{scene:28}  {covered[name] / studies:10.3f}  {name:16}  {wrong[name] / studies:18.3f}  {share:10.3f}"
            )


if __name__ == "__main__":
    main()
