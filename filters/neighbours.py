"""Who is near whom, from pairs of codes that may be far more than memory holds.

A hundred thousand frames of one film have hundreds of millions of close pairs. What people and splits need is
less: connected components, how many partners each image has, and its nearest few. Pairs are folded into that
as they are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .clusters import components
from .hamming import Pairs

_BULK = 1 << 20
"""Pairs folded in at a time: some 150 MB while it lasts."""

_Ints = NDArray[np.int64]


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

    cluster: _Ints
    partners: _Ints
    _code_of: _Ints
    _images: _Ints
    _images_from: _Ints
    _near: _Links
    _near_from: _Ints
    _most: int

    @classmethod
    def of(cls, code_of: _Ints, found: Iterable[Pairs], *, most: int) -> Neighbourhood:
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
    source: _Ints
    target: _Ints
    bits: _Ints

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


def _offsets(counts: _Ints) -> _Ints:
    return np.concatenate([[0], np.cumsum(counts)])
