"""Search for one collection's pictures in another: equal ids and hashes are proof, near hashes give candidates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from benchwright.models.picture_vectors import decode_vectors

from ..features.embeddings import near_across
from ..features.hamming import iter_pairs
from ..features.visual_words import decode_words
from ..features.word_matching import shared_words
from .picture_hashes import KnownPicture

MatchedBy = Literal["canonical_id", "file", "pixels"]
_MOST_PARTNERS = 8
_SPOTS_OF_A_COSINE = 10.0
"""Weight of a cosine of 1, in units of spots that two pictures share; near hashes rank before both."""


class SureLeak(NamedTuple):
    """A picture that the other collection certainly contains: its index there, and the matching identifier."""

    place: int
    by: MatchedBy


class PossibleLeak(NamedTuple):
    """A picture of the other collection to compare, also in its mirrored version if `mirrored` is set."""

    place: int
    mirrored: bool


def sure_leaks(mine: Sequence[KnownPicture], theirs: Sequence[KnownPicture]) -> dict[int, SureLeak]:
    """Return, for each picture in `mine`, the first in `theirs` with an equal canonical id, else file, else pixels."""
    leaks: dict[int, SureLeak] = {}
    ways: tuple[tuple[MatchedBy, str], ...] = (("canonical_id",) * 2, ("file", "image_id"), ("pixels", "pixel_hash"))
    for by, name in ways:
        first: dict[str, int] = {}
        for number, known in enumerate(theirs):
            if (value := getattr(known, name)) is not None:
                first.setdefault(value, number)
        for number, picture in enumerate(mine):
            if number not in leaks and (place := first.get(getattr(picture, name) or "")) is not None:
                leaks[number] = SureLeak(place, by)
    return leaks


def possible_leaks(
    mine: Sequence[KnownPicture], theirs: Sequence[KnownPicture], *, distance: int, cosine: float | None = None
) -> dict[int, list[PossibleLeak]]:
    """Return, for each picture in `mine`, those in `theirs` that it may copy, likeliest first, up to `_MOST_PARTNERS`.

    Args:
        mine: Pictures to check.
        theirs: Pictures of the collection to check against.
        distance: Largest number of bits of 64 in which two hashes may differ.
        cosine: Smallest cosine of two embeddings; with the default None, embeddings propose no pairs.
    """
    votes: defaultdict[tuple[int, int], float] = defaultdict(float)
    mirrored: set[tuple[int, int]] = set()
    for name, other_name in (("phash", "phash"), ("dhash", "dhash"), ("phash", "mirrored")):
        for pair, bits in _near(mine, name, theirs, other_name, distance).items():
            votes[pair] = max(votes[pair], 1000.0 - bits)
            if other_name == "mirrored":
                mirrored.add(pair)
    words = [decode_words(picture.words or "") for picture in (*mine, *theirs)]
    shared = shared_words(words)
    for left, right, spots in zip(shared.left.tolist(), shared.right.tolist(), shared.shared.tolist(), strict=True):
        if left < len(mine) <= right:
            votes[left, right - len(mine)] += spots
    for pair, alike in (_alike(mine, theirs, cosine) if cosine is not None else {}).items():
        votes[pair] += _SPOTS_OF_A_COSINE * alike
    candidates: defaultdict[int, list[PossibleLeak]] = defaultdict(list)
    for row, place in sorted(votes, key=lambda pair: (pair[0], -votes[pair], theirs[pair[1]].name, pair[1])):
        if len(candidates[row]) < _MOST_PARTNERS:
            candidates[row].append(PossibleLeak(place, (row, place) in mirrored))
    return dict(candidates)


def _alike(mine: Sequence[KnownPicture], theirs: Sequence[KnownPicture], cosine: float) -> dict[tuple[int, int], float]:
    """Return the pairs of indices of pictures whose embeddings have at least this cosine, with the cosine."""
    my_rows = [number for number, picture in enumerate(mine) if picture.embedding is not None]
    their_rows = [number for number, picture in enumerate(theirs) if picture.embedding is not None]
    if not my_rows or not their_rows:
        return {}
    my_vectors = decode_vectors([mine[number].embedding or "" for number in my_rows])
    their_vectors = decode_vectors([theirs[number].embedding or "" for number in their_rows])
    near = near_across(my_vectors, their_vectors, cosine=cosine, most=_MOST_PARTNERS)
    return {
        (my_rows[row], their_rows[place]): alike
        for row, near_ones in near.items()
        for place, alike in near_ones.items()
    }


def _near(
    mine: Sequence[KnownPicture], name: str, theirs: Sequence[KnownPicture], other_name: str, distance: int
) -> dict[tuple[int, int], int]:
    """Return the pairs of indices of codes that differ in at most `distance` bits, with the number of bits."""
    my_codes = [(getattr(picture, name), n) for n, picture in enumerate(mine) if getattr(picture, name) is not None]
    their_codes = [
        (getattr(picture, other_name), n)
        for n, picture in enumerate(theirs)
        if getattr(picture, other_name) is not None
    ]
    codes, code_of = np.unique(
        np.array([code for code, _ in (*my_codes, *their_codes)], np.uint64), return_inverse=True
    )
    mine_of: defaultdict[int, list[int]] = defaultdict(list)
    theirs_of: defaultdict[int, list[int]] = defaultdict(list)
    for place, (_, number) in enumerate(my_codes):
        mine_of[int(code_of[place])].append(number)
    for place, (_, number) in enumerate(their_codes, start=len(my_codes)):
        if len(bearers := theirs_of[int(code_of[place])]) < _MOST_PARTNERS:
            bearers.append(number)
    near = {(row, place): 0 for code in mine_of for row in mine_of[code] for place in theirs_of.get(code, ())}
    for pairs in iter_pairs(codes, distance=distance):
        for left, right, bits in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True):
            for a, b in ((left, right), (right, left)):
                if a in mine_of and b in theirs_of:
                    near |= {(row, place): bits for row in mine_of[a] for place in theirs_of[b]}
    return near
