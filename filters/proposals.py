"""Who deserves a second look: partners proposed by hashes of the whole frame and by local features.

Each proposer names an image's likeliest partners, a few at most, so that a thousand blank pages are not a million
pairs. Images are numbered largest first; one with more partners than can be named is also compared with the
largest of its cluster, the one that is likely to be kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .feature_words import Words
from .hamming import Pairs, iter_pairs
from .neighbours import Neighbourhood
from .shared_words import shared_words

MOST_BY_HASH = 12
MOST_BY_FEATURES = 6

_Ints = NDArray[np.int64]
Bonds = dict[int, set[int]]
"""Of an image, the images that it is to be compared with."""


def near_by_hash(codes: NDArray[np.uint64], *, distance: int) -> Bonds:
    """Return for each position its nearest partners within a Hamming distance, up to `MOST_BY_HASH`.

    One with more partners gets the first position of its cluster too.
    """
    different, code_of = np.unique(codes, return_inverse=True)
    near = Neighbourhood.of(code_of, iter_pairs(different, distance=distance), most=MOST_BY_HASH)
    first: dict[int, int] = {}
    bonds: Bonds = {}
    for image in np.flatnonzero(near.partners).tolist():
        leader = first.setdefault(int(near.cluster[image]), image)
        bonds[image] = {partner.image for partner in near.nearest(image)}
        if near.partners[image] > MOST_BY_HASH and leader != image:
            bonds[image].add(leader)
    return bonds


def near_by_mirrored_hash(codes: NDArray[np.uint64], mirrored: NDArray[np.uint64], *, distance: int) -> Bonds:
    """Return for each position those whose mirrored picture has a near hash, up to `MOST_BY_HASH`."""
    count = len(codes)
    both, code_of = np.unique(np.concatenate([codes, mirrored]), return_inverse=True)
    across = (_crossing(pairs, code_of, count, len(both)) for pairs in iter_pairs(both, distance=distance))
    near = Neighbourhood.of(code_of, across, most=MOST_BY_HASH)
    found: Bonds = {}
    for image in np.flatnonzero(near.partners[:count]).tolist():
        others = {partner.image - count for partner in near.nearest(image) if partner.image >= count} - {image}
        if others:
            found[image] = others
    return found


def _crossing(pairs: Pairs, code_of: _Ints, count: int, codes: int) -> Pairs:
    """Keep pairs of which one code belongs to a picture and the other to a mirrored one."""
    plain, turned = (np.bincount(part, minlength=codes) > 0 for part in (code_of[:count], code_of[count:]))
    crosses = (plain[pairs.left] & turned[pairs.right]) | (turned[pairs.left] & plain[pairs.right])
    return Pairs(pairs.left[crosses], pairs.right[crosses], pairs.distance[crosses])


def near_by_features(words: Iterable[Words]) -> Bonds:
    """Return for each position those with which it shares most corners, up to `MOST_BY_FEATURES`."""
    found = shared_words(words)
    source = np.concatenate([found.left, found.right])
    target = np.concatenate([found.right, found.left])
    order = np.lexsort((target, -np.tile(found.shared, 2), source))
    source, target = source[order], target[order]
    first = np.arange(len(source)) - np.searchsorted(source, source) < MOST_BY_FEATURES
    bonds: Bonds = defaultdict(set)
    for one, other in zip(source[first].tolist(), target[first].tolist(), strict=True):
        bonds[one].add(other)
    return dict(bonds)


def told_once(found: Iterable[Bonds], ids: Sequence[str]) -> dict[int, list[int]]:
    """Unite what proposers found, so that each pair stands under one of its images only, partners by id.

    Where both name each other, the image of the greater id bears the pair; else the one that names the other.
    """
    named: defaultdict[int, set[int]] = defaultdict(set)
    for bonds in found:
        for image, partners in bonds.items():
            named[image] |= partners
    borne: dict[int, list[int]] = {}
    for image, partners in named.items():
        mine = [one for one in partners if ids[image] > ids[one] or image not in named.get(one, ())]
        if mine:
            borne[image] = sorted(mine, key=lambda one: ids[one])
    return borne
