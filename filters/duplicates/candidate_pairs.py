"""Who deserves a second look: partners proposed by hashes of the whole frame, by local features, and by other partners.

Each proposer names an image's likeliest partners, a few at most, so that a thousand blank pages are not a million
pairs. Images are numbered largest first; one with more partners than can be named is also compared with the
largest of its cluster, the one that is likely to be kept. How many were near and not named is counted.

Who is near whom is folded from pairs of codes that may be far more than memory holds: a hundred thousand frames of one
film have hundreds of millions of close pairs. What people and splits need is less: connected components, how many
partners each image has, and its nearest few.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..clusters import components
from ..features.hamming import Pairs, iter_pairs
from ..features.visual_words import Miniature, Words
from ..features.word_matching import agreement, shared_words

_BULK = 1 << 20
"""Pairs folded in at a time: some 150 MB while it lasts."""

_Numbers = NDArray[np.int64]


class Partner(NamedTuple):
    """Another image, by its position, and the distance between both hashes in bits."""

    image: int
    bits: int


@dataclass(frozen=True)
class Neighbourhood:
    """Images by hash, with their near ones; images are positions in the array of hashes.

    Args:
        cluster: For each image, a number that it shares with all that it is linked to.
        partners: For each image, how many others are near.
    """

    cluster: _Numbers
    partners: _Numbers
    _code_of: _Numbers
    _images: _Numbers
    _images_from: _Numbers
    _near: _Links
    _near_from: _Numbers
    _most: int

    @classmethod
    def of(cls, code_of: _Numbers, found: Iterable[Pairs], *, most: int) -> Neighbourhood:
        """Fold pairs of codes into the neighbourhoods of the images that bear them.

        Args:
            code_of: For each image its code, as a number from 0 on, each used.
            found: Each pair of near codes once, in any order.
            most: Partners kept for each image, nearest first, equally near ones by code.
        """
        borne_by = np.bincount(code_of)
        count = len(borne_by)
        itself = np.arange(count, dtype=np.int64)
        root, partners = itself, borne_by - 1
        near = _Links(itself, itself, np.zeros(count, np.int64))
        for left, right, bits in _in_bulk(found):
            both = _Links(np.concatenate([left, right]), np.concatenate([right, left]), np.tile(bits, 2))
            partners = partners + np.bincount(both.source, borne_by[both.target], count).astype(np.int64)
            root = components(count, np.concatenate([itself, left]), np.concatenate([root, right]))
            near = near.joined(both).nearest(most + 1)
        return cls(
            cluster=root[code_of],
            partners=partners[code_of],
            _code_of=code_of,
            _images=np.argsort(code_of, kind="stable"),
            _images_from=_offsets(borne_by),
            _near=near,
            _near_from=_offsets(np.bincount(near.source, minlength=count)),
            _most=most,
        )

    def nearest(self, image: int) -> list[Partner]:
        """Return an image's nearest partners, nearest first."""
        code = self._code_of[image]
        named: list[Partner] = []
        for place in range(self._near_from[code], self._near_from[code + 1]):
            near, bits = self._near.target[place], int(self._near.bits[place])
            bearers = self._images[self._images_from[near] : self._images_from[near + 1]][: self._most + 1].tolist()
            named += [Partner(other, bits) for other in bearers if other != image]
            if len(named) >= self._most:
                break
        return named[: self._most]


class _Links(NamedTuple):
    source: _Numbers
    target: _Numbers
    bits: _Numbers

    def joined(self, other: _Links) -> _Links:
        return _Links(*(np.concatenate(columns) for columns in zip(self, other, strict=True)))

    def nearest(self, most: int) -> _Links:
        """Return the `most` nearest targets of each source, sorted by source, then distance, then target."""
        order = np.lexsort((self.target, self.bits, self.source))
        source, target, bits = self.source[order], self.target[order], self.bits[order]
        rank = np.arange(len(source)) - np.searchsorted(source, source)
        kept = rank < most
        return _Links(source[kept], target[kept], bits[kept])


def _in_bulk(found: Iterable[Pairs]) -> Iterator[Pairs]:
    waiting: list[Pairs] = []
    size = 0
    for pairs in found:
        waiting.append(pairs)
        size += len(pairs.left)
        if size >= _BULK:
            yield Pairs.joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield Pairs.joined(waiting)


def _offsets(counts: _Numbers) -> _Numbers:
    return np.concatenate([[0], np.cumsum(counts)])


MOST_BY_HASH = 12
MOST_BY_FEATURES = 6
MOST_BY_CHAIN = 12
_MOST_CHECKED = 24
"""Pictures that share most words with one, whose words are checked to lie alike before `MOST_BY_FEATURES` are named."""

_Ints = NDArray[np.int64]
Bonds = dict[int, set[int]]
"""Of an image, the images that it is to be compared with."""


class NearByHash(NamedTuple):
    """Whom a hash proposes, and for each position how many are near at all."""

    bonds: Bonds
    near: NDArray[np.int64]


def near_by_hash(codes: NDArray[np.uint64], *, distance: int) -> NearByHash:
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
    return NearByHash(bonds, near.partners)


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


def near_by_features(words: Sequence[Words], miniatures: Sequence[Miniature | None]) -> Bonds:
    """Return for each position those with which most words agree on one alignment, up to `MOST_BY_FEATURES`."""
    found = shared_words(words)
    left, right, shared = found.left, found.right, found.shared
    source, target, _ = _strongest(left, right, shared, most=_MOST_CHECKED)
    agreed = []
    checked = sorted({(min(pair), max(pair)) for pair in zip(source.tolist(), target.tolist(), strict=True)})
    for one, other in checked:
        here, there = miniatures[one], miniatures[other]
        assert here is not None  # who has words has a miniature
        assert there is not None
        agreed.append(agreement((words[one], words[other]), (here, there)))
    left, right = np.array(checked, np.int64).reshape(-1, 2).T
    shared = np.array(agreed, np.int64)
    holds = shared > 0
    source, target, _ = _strongest(left[holds], right[holds], shared[holds], most=MOST_BY_FEATURES)
    bonds: Bonds = defaultdict(set)
    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        bonds[one].add(other)
    return dict(bonds)


def _strongest(left: _Ints, right: _Ints, strength: _Ints, *, most: int) -> tuple[_Ints, _Ints, _Ints]:
    """Return for each end of pairs its strongest others, up to `most`, equally strong ones by position."""
    source, target = np.concatenate([left, right]), np.concatenate([right, left])
    strength = np.tile(strength, 2)
    order = np.lexsort((target, -strength, source))
    source, target, strength = source[order], target[order], strength[order]
    first = np.arange(len(source)) - np.searchsorted(source, source) < most
    return source[first], target[first], strength[first]


def near_by_chain(confirmed: Sequence[tuple[int, int]], compared: Iterable[tuple[int, int]], *, images: int) -> Bonds:
    """Return for each picture the largest ones of its chain that it has yet to be compared with, up to `MOST_BY_CHAIN`.

    Of many copies each is compared with a few, so that the few that the others are dropped for may never have met, and
    each would stay. A chain are pictures that hang together by confirmed pairs.

    Args:
        confirmed: Pairs of positions that a second look found to be copies, either way round.
        compared: All pairs that had a second look, either way round.
        images: How many there are.
    """
    ends = np.array(confirmed, np.int64).reshape(-1, 2)
    root = components(images, ends[:, 0], ends[:, 1])
    chains: defaultdict[int, list[int]] = defaultdict(list)
    for image in np.unique(ends).tolist():
        chains[int(root[image])].append(image)
    met = {frozenset(pair) for pair in compared}
    bonds: Bonds = {}
    for chain in chains.values():
        for place, image in enumerate(chain):
            largest = chain[: min(place, MOST_BY_CHAIN)]
            if others := {other for other in largest if frozenset((image, other)) not in met}:
                bonds[image] = others
    return bonds


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
