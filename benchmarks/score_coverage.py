"""Coverage of the intervals of scores and of paired differences, on drawn benchmarks with items in clusters.

    .venv/bin/python benchmarks/score_coverage.py --studies 2000

Whether a model answers an item correctly depends on two latent normal parts, one shared by the items of a cluster and
one of the item itself; `alike` is the shared proportion of the latent variance, 0 to 1. Two models share half of each
part. The table compares Benchwright's intervals with percentiles over 1,000 resamples of clusters. For each scene, it
shows the coverage of the true accuracy (or difference), the mean width, and the misses on either side.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from benchwright.statistics.clustered import percentiles, share_right
from benchwright.statistics.paired_difference import compare_pair
from benchwright.statistics.resampling import kinds_of, resampled_sums

CLUSTERS = (8, 12, 20, 40, 60)
ACCURACIES = (0.5, 0.8, 0.95)
ALIKE = (0.0, 0.2, 0.5)
_RESAMPLES = 1000


def cluster_sizes(clusters: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield kinds of sizes: all equal, from 1 to 20 in equal ratios, and one cluster with a third of the items."""
    yield "even", np.full(clusters, 6)
    yield "uneven", np.maximum(1, np.rint(np.geomspace(1, 20, clusters))).astype(np.int64)
    small = np.full(clusters, 4)
    small[0] = 2 * (clusters - 1)
    yield "one large", small


def drawn_answers(
    rng: np.random.Generator, group: np.ndarray, accuracies: tuple[float, float], alike: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return which items each of two models has right."""

    def latent() -> np.ndarray:
        of_cluster, of_item = rng.normal(size=group.max() + 1), rng.normal(size=len(group))
        return np.sqrt(alike) * of_cluster[group] + np.sqrt(1 - alike) * of_item

    common = latent()
    right = []
    for accuracy in accuracies:
        own = np.sqrt(alike) * rng.normal(size=group.max() + 1)[group] + np.sqrt(1 - alike) * rng.normal(
            size=len(group)
        )
        right.append((common + own) / np.sqrt(2) < norm.ppf(accuracy))
    return right[0], right[1]


class _Kept:
    """Coverage and widths of intervals."""

    def __init__(self, true: float) -> None:
        self.true, self.held, self.below, self.above, self.widths = true, 0, 0, 0, 0.0

    def add(self, low: float, high: float) -> None:
        """Count an interval."""
        self.held += low <= self.true <= high
        self.above += self.true > high
        self.below += self.true < low
        self.widths += high - low

    def text(self, studies: int) -> str:
        """Return coverage, misses below and above, and mean width."""
        return (
            f"{self.held / studies:6.3f} ({self.below / studies:.3f} {self.above / studies:.3f}) "
            f"{self.widths / studies:6.3f}"
        )


def main() -> None:
    """Print a line for each scene, and the smallest and mean coverage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=2000, help="Drawn benchmarks of each scene.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the draws.")
    settings = parser.parse_args()
    heads = ("score", "score, resampled", "difference", "difference, resampled")
    print(f"{'clusters':>8} {'sizes':>9} {'right':>5} {'alike':>5}  " + "  ".join(f"{head:>28}" for head in heads))
    every: dict[str, list[float]] = {head: [] for head in heads}
    for clusters in CLUSTERS:
        for kind, sizes in cluster_sizes(clusters):
            group = np.repeat(np.arange(clusters), sizes)
            for accuracy in ACCURACIES:
                for alike in ALIKE:
                    rng = np.random.default_rng(
                        [settings.seed, clusters, len(group), int(accuracy * 100), int(alike * 100)]
                    )
                    other = accuracy - 0.05
                    kept = [_Kept(accuracy), _Kept(accuracy), _Kept(accuracy - other), _Kept(accuracy - other)]
                    for _ in range(settings.studies):
                        first, second = drawn_answers(rng, group, (accuracy, other), alike)
                        interval = share_right(first, group).interval
                        pair = compare_pair(first, second, group)
                        assert interval is not None
                        assert pair is not None
                        difference = first.astype(np.int64) - second
                        drawn = resampled_sums(
                            kinds_of(group, first, difference), str(rng.integers(1 << 60)), resamples=_RESAMPLES
                        )
                        kept[0].add(*interval)
                        kept[1].add(*percentiles(drawn[:, 1] / drawn[:, 0]))
                        kept[2].add(*pair.interval)
                        kept[3].add(*percentiles(drawn[:, 2] / drawn[:, 0]))
                    for head, of in zip(heads, kept, strict=True):
                        every[head].append(of.held / settings.studies)
                    print(
                        f"{clusters:8} {kind:>9} {accuracy:5.2f} {alike:5.2f}  "
                        + "  ".join(f"{of.text(settings.studies):>28}" for of in kept),
                        flush=True,
                    )
    for head, shares in every.items():
        print(
            f"{head}: least {min(shares):.3f}, mean {np.mean(shares):.3f}, below .93 in {sum(s < 0.93 for s in shares)}"
        )


if __name__ == "__main__":
    main()
