"""Pairs of images to compare by pixels, proposed by hashes of the frame, by local features, and along chains.

Each proposer names only a few of an image's most likely partners, so that a thousand blank pages do not become a
million pairs. Images are numbered from the largest to the smallest. An image with more partners than the limit is also
compared with the largest image of its cluster, which is likely to be kept. Near images that are not named are counted.

Pairs of near codes may not fit in memory: a hundred thousand frames of one film have hundreds of millions of close
pairs. They are therefore reduced, as they are found, to connected components, the number of partners of each image, and
its nearest few partners.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..features.hamming import Pairs, iter_pairs
from ..features.visual_words import Miniature, Words
from ..features.word_matching import SharedWords, WordSharing, agreement, word_sharing
from .clusters import components

MOST_BY_HASH = 12
_MOST_BY_FEATURES = 6
MOST_BY_CHAIN = 12
_MOST_CHECKED = 24
"""Number of pictures, those that share the most words with an image, whose word geometry is checked before the best are
named."""

_T_co = TypeVar("_T_co", covariant=True)
_Ints = NDArray[np.int64]
CandidatePairs = dict[int, set[int]]
"""The images to compare with each image, by index."""

_BULK = 1 << 20
"""Number of pairs that are reduced at a time; the reduction takes some 150 MB."""


class Partner(NamedTuple):
    """Another image, by its index, and the Hamming distance between both hashes in bits."""

    image: int
    bits: int


@dataclass(frozen=True)
class Neighbourhood:
    """Images with those whose hashes are near; images are given as indices into the array of hashes.

    Args:
        cluster: Shape (images,), a number that linked images share.
        partners: Shape (images,), the number of near images.
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
    def of(cls, code_of: _Ints, near_codes: Iterable[Pairs], *, most: int) -> Neighbourhood:
        """Reduce pairs of near codes to the neighborhoods of the images with these codes.

        Args:
            code_of: Shape (images,), the code of each image, numbered from 0 without gaps.
            near_codes: Each pair of near codes once, in any order.
            most: Number of partners kept for each image, the nearest first; ties are ordered by code.
        """
        borne_by = np.bincount(code_of)
        count = len(borne_by)
        itself = np.arange(count, dtype=np.int64)
        root, partners = itself, borne_by - 1
        near = _Links(*(np.zeros(0, np.int64) for _ in _Links._fields))
        for left, right, bits in _in_bulk(near_codes):
            both = _Links(np.concatenate([left, right]), np.concatenate([right, left]), np.tile(bits, 2))
            partners = partners + np.bincount(both.source, borne_by[both.target], count).astype(np.int64)
            root = components(count, np.concatenate([itself, left]), np.concatenate([root, right]))
            near = near.joined(both).nearest(most)
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
        """Return an image's partners, nearest first."""
        code = int(self._code_of[image])
        own = slice(self._near_from[code], self._near_from[code + 1])
        named: list[Partner] = []
        for near, bits in [
            (code, 0),
            *zip(self._near.target[own].tolist(), self._near.bits[own].tolist(), strict=True),
        ]:
            bearers = self._images[self._images_from[near] : self._images_from[near + 1]][: self._most + 1].tolist()
            named += [Partner(bearer, bits) for bearer in bearers if bearer != image]
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


def _in_bulk(pieces: Iterable[Pairs]) -> Iterator[Pairs]:
    waiting: list[Pairs] = []
    size = 0
    for pairs in pieces:
        waiting.append(pairs)
        size += len(pairs.left)
        if size >= _BULK:
            yield Pairs.joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield Pairs.joined(waiting)


def _offsets(counts: _Ints) -> _Ints:
    return np.concatenate([[0], np.cumsum(counts)])


class NearByHash(NamedTuple):
    """The pairs that a hash proposes, and the number of near images for each image."""

    candidates: CandidatePairs
    near: NDArray[np.int64]


def near_by_hash(codes: NDArray[np.uint64], *, distance: int) -> NearByHash:
    """Return, for each image, its nearest partners within a Hamming distance, up to `MOST_BY_HASH`.

    An image with more partners also gets the first image of its cluster.
    """
    different, code_of = np.unique(codes, return_inverse=True)
    near = Neighbourhood.of(code_of, iter_pairs(different, distance=distance), most=MOST_BY_HASH)
    first: dict[int, int] = {}
    candidates: CandidatePairs = {}
    for image in np.flatnonzero(near.partners).tolist():
        leader = first.setdefault(int(near.cluster[image]), image)
        candidates[image] = {partner.image for partner in near.nearest(image)}
        if near.partners[image] > MOST_BY_HASH and leader != image:
            candidates[image].add(leader)
    return NearByHash(candidates, near.partners)


def near_by_mirrored_hash(codes: NDArray[np.uint64], mirrored: NDArray[np.uint64], *, distance: int) -> CandidatePairs:
    """Return, for each image, the images whose mirrored picture has a near hash, up to `MOST_BY_HASH`."""
    count = len(codes)
    both, code_of = np.unique(np.concatenate([codes, mirrored]), return_inverse=True)
    across = (_crossing(pairs, code_of, count, len(both)) for pairs in iter_pairs(both, distance=distance))
    near = Neighbourhood.of(code_of, across, most=MOST_BY_HASH)
    partners: CandidatePairs = {}
    for image in np.flatnonzero(near.partners[:count]).tolist():
        images = {partner.image - count for partner in near.nearest(image) if partner.image >= count} - {image}
        if images:
            partners[image] = images
    return partners


def _crossing(pairs: Pairs, code_of: _Ints, count: int, codes: int) -> Pairs:
    """Keep the pairs that join a picture's code with a mirrored picture's code."""
    plain, turned = (np.bincount(part, minlength=codes) > 0 for part in (code_of[:count], code_of[count:]))
    crosses = (plain[pairs.left] & turned[pairs.right]) | (turned[pairs.left] & plain[pairs.right])
    return Pairs(pairs.left[crosses], pairs.right[crosses], pairs.distance[crosses])


class KnownFeatures(NamedTuple):
    """Results from the words of some pictures, so that a search among nearly the same pictures examines only new ones.

    Args:
        ids: The pictures, in their order.
        sharing: Pairs of pictures that share words, by position.
        checked: Pairs whose alignments were checked, with the number of words that agree on one of them.
    """

    ids: Sequence[str]
    sharing: WordSharing
    checked: SharedWords

    def among(self, ids: Sequence[str]) -> tuple[KnownFeatures, NDArray[np.bool_]]:
        """Return the known results with pairs as indices into other pictures, and which of those pictures are new.

        Args:
            ids: The other pictures; pictures in both lists have the same order in both.
        """
        places = {image_id: place for place, image_id in enumerate(ids)}
        moved = np.array([places.get(image_id, -1) for image_id in self.ids], np.int64)
        is_new = np.ones(len(ids), np.bool_)
        is_new[moved[moved >= 0]] = False
        sharing = self.sharing._replace(pairs=_moved(self.sharing.pairs, moved))
        return KnownFeatures(ids, sharing, _moved(self.checked, moved)), is_new

    def to_json(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        return {
            "ids": list(self.ids),
            "bits": self.sharing.bits,
            "common": [part.tolist() for part in self.sharing.common],
            "pairs": [column.tolist() for column in self.sharing.pairs],
            "checked": [column.tolist() for column in self.checked],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> KnownFeatures:
        """Return results from what `to_json` returned."""
        pairs, checked = (
            SharedWords(*(np.array(column, np.int64) for column in values[name])) for name in ("pairs", "checked")
        )
        common = tuple(np.array(part, np.uint32) for part in values["common"])
        return cls(values["ids"], WordSharing(pairs, values["bits"], common), checked)


def _moved(pairs: SharedWords, places: _Ints) -> SharedWords:
    """Return pairs under new indices, without those that contain a removed picture (index below 0)."""
    left, right = places[pairs.left], places[pairs.right]
    is_there = (left >= 0) & (right >= 0)
    return SharedWords(left[is_there], right[is_there], pairs.shared[is_there])


class NearByFeatures(NamedTuple):
    """The pairs that words propose, and the results to reuse in the next search."""

    candidates: CandidatePairs
    known: KnownFeatures


class ByPosition(Protocol[_T_co]):
    """One value per picture, accessed by index as in a list."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> _T_co: ...


def near_by_features(
    words: ByPosition[Words],
    miniatures: ByPosition[Miniature | None],
    ids: Sequence[str],
    *,
    before: KnownFeatures | None = None,
) -> NearByFeatures:
    """Return, for each image, those with the most words that agree on an alignment, up to `_MOST_BY_FEATURES`.

    Args:
        words: Words of each picture.
        miniatures: Miniature of each picture; None for one without words.
        ids: Id of each picture.
        before: Results of a search among nearly the same pictures, in the same order.
    """
    known: dict[tuple[int, int], int] = {}
    in_turn = (words[place] for place in range(len(words)))
    if before is None:
        sharing = word_sharing(in_turn)
    else:
        before, is_new = before.among(ids)
        sharing = word_sharing(in_turn, before=before.sharing, is_new=is_new)
        left, right, shared = before.checked
        known = dict(zip(zip(left.tolist(), right.tolist(), strict=True), shared.tolist(), strict=True))
    left, right, shared = sharing.pairs
    source, target, _ = _strongest(left, right, shared, most=_MOST_CHECKED)
    agreed = []
    checked = sorted({(min(pair), max(pair)) for pair in zip(source.tolist(), target.tolist(), strict=True)})
    for first, second in checked:
        if (first, second) in known:
            agreed.append(known[first, second])
            continue
        first_miniature, second_miniature = miniatures[first], miniatures[second]
        assert first_miniature is not None  # a picture with words has a miniature
        assert second_miniature is not None
        agreed.append(agreement((words[first], words[second]), (first_miniature, second_miniature)))
    left, right = np.array(checked, np.int64).reshape(-1, 2).T
    shared = np.array(agreed, np.int64)
    holds = shared > 0
    source, target, _ = _strongest(left[holds], right[holds], shared[holds], most=_MOST_BY_FEATURES)
    candidates: CandidatePairs = defaultdict(set)
    for image, partner in zip(source.tolist(), target.tolist(), strict=True):
        candidates[image].add(partner)
    return NearByFeatures(dict(candidates), KnownFeatures(ids, sharing, SharedWords(left, right, shared)))


def _strongest(left: _Ints, right: _Ints, strength: _Ints, *, most: int) -> tuple[_Ints, _Ints, _Ints]:
    """Return, for each image in the pairs, its strongest partners, up to `most`; ties are ordered by index."""
    source, target = np.concatenate([left, right]), np.concatenate([right, left])
    strength = np.tile(strength, 2)
    order = np.lexsort((target, -strength, source))
    source, target, strength = source[order], target[order], strength[order]
    first = np.arange(len(source)) - np.searchsorted(source, source) < most
    return source[first], target[first], strength[first]


def near_by_chain(
    confirmed: Sequence[tuple[int, int]], compared: Iterable[tuple[int, int]], *, images: int
) -> CandidatePairs:
    """Return, for each picture, the largest ones of its chain not yet compared with it, up to `MOST_BY_CHAIN`.

    A chain is a connected component of confirmed pairs. Each of many copies is compared with only a few others, so the
    best pictures of a chain may not have been compared with each other, and all of them would be kept.

    Args:
        confirmed: Pairs of indices of pictures confirmed as copies, in either order.
        compared: All pairs compared, in either order.
        images: Number of images.
    """
    ends = np.array(confirmed, np.int64).reshape(-1, 2)
    root = components(images, ends[:, 0], ends[:, 1])
    chains: defaultdict[int, list[int]] = defaultdict(list)
    for image in np.unique(ends).tolist():
        chains[int(root[image])].append(image)
    met = {frozenset(pair) for pair in compared}
    candidates: CandidatePairs = {}
    for chain in chains.values():
        for place, image in enumerate(chain):
            largest = chain[: min(place, MOST_BY_CHAIN)]
            if partners := {partner for partner in largest if frozenset((image, partner)) not in met}:
                candidates[image] = partners
    return candidates


def each_pair_once(proposals: Iterable[CandidatePairs], ids: Sequence[str]) -> dict[int, list[int]]:
    """Combine the proposals so that only one image of each pair lists it; partners are sorted by id.

    If two images name each other, the image with the greater id lists the pair; otherwise, the image that names the
    other does.
    """
    named: defaultdict[int, set[int]] = defaultdict(set)
    for candidates in proposals:
        for image, partners in candidates.items():
            named[image] |= partners
    borne: dict[int, list[int]] = {}
    for image, partners in named.items():
        mine = [partner for partner in partners if ids[image] > ids[partner] or image not in named.get(partner, ())]
        if mine:
            borne[image] = sorted(mine, key=lambda partner: ids[partner])
    return borne
