"""Who stays: of pictures that a second look confirmed as copies of each other, all but the best are dropped.

A chain A-B-C is shown as one group, but an image is dropped only against an image that is kept and that it was
confirmed with directly: if B stays, A and C go; if A stays, B goes and C, a stranger to A, stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .clusters import components


class Links(NamedTuple):
    """Pairs of images, by position; each pair once, in any order and either way round."""

    confirmed: Sequence[tuple[int, int]]
    unsure: Sequence[tuple[int, int]]
    scene: Sequence[tuple[int, int]] = ()
    """Views of one scene: both stay, unasked, in one group."""


class Decisions(NamedTuple):
    """What becomes of the images that are linked to others.

    Args:
        dropped: Image to the kept one that it is a copy of.
        asked: Kept image to the kept ones before it that it might be a copy of, best first.
        group: Image to the best image of its component.
    """

    dropped: Mapping[int, int]
    asked: Mapping[int, tuple[int, ...]]
    group: Mapping[int, int]


def decide(links: Links, *, rank: Sequence[int], exempt: Sequence[frozenset[str]], kept: frozenset[int]) -> Decisions:
    """Go through the images from best to worst; drop each that is confirmed with one kept before it.

    Args:
        links: Between positions of images.
        rank: Of each image; smaller is better, no two are equal.
        exempt: Groups declared for each image; images that share one are alike by design, and not compared.
        kept: Images that are never dropped; where they would be, they are asked about.
    """
    confirmed, unsure, scene = (
        [(one, other) for one, other in pairs if not exempt[one] & exempt[other]] for pairs in links
    )
    better: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in confirmed:
        first, second = sorted((one, other), key=lambda image: rank[image])
        better[second].add(first)
    dropped: dict[int, int] = {}
    doubtful = list(unsure)
    for image in sorted(better, key=lambda image: rank[image]):
        alive = [one for one in sorted(better[image], key=lambda one: rank[one]) if one not in dropped]
        if alive and image not in kept:
            dropped[image] = alive[0]
        else:
            doubtful += [(image, one) for one in alive]
    asked: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in doubtful:
        if one not in dropped and other not in dropped:
            first, second = sorted((one, other), key=lambda image: rank[image])
            asked[second].add(first)
    return Decisions(
        dropped=dropped,
        asked={image: tuple(sorted(ones, key=lambda one: rank[one])) for image, ones in asked.items()},
        group=_best_of_component([*confirmed, *unsure, *scene], rank),
    )


def _best_of_component(pairs: Sequence[tuple[int, int]], rank: Sequence[int]) -> dict[int, int]:
    """Return for each image of a pair the best image that it hangs together with."""
    # Nodes are ranks, so the smallest node of a component is its best image.
    by_rank = np.argsort(np.array(rank, np.int64))
    node_of = np.argsort(by_rank)
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    root = components(len(rank), node_of[ends[:, 0]], node_of[ends[:, 1]])
    return {int(image): int(by_rank[root[node_of[image]]]) for image in np.unique(ends)}
