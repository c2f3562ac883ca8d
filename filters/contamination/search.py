"""Which pictures of one collection another may hold: by id and hash for sure, by hashes of the frame perhaps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from ..features.embeddings import near_across, read_embeddings
from ..features.hamming import iter_pairs
from ..features.visual_words import read_words
from ..features.word_matching import shared_words
from .picture_hashes import KnownPicture

By = Literal["canonical_id", "file", "pixels"]
MOST_PARTNERS = 8
_SPOTS_OF_A_COSINE = 10.0
"""What embeddings that point the same way count beside spots that two pictures share; near hashes go before both."""


class Sure(NamedTuple):
    """A picture that the other collection holds, by its position there and what says so."""

    other: int
    by: By


class Perhaps(NamedTuple):
    """A picture of the other collection that deserves a second look, perhaps mirrored."""

    other: int
    mirrored: bool


def sure_leaks(mine: Sequence[KnownPicture], others: Sequence[KnownPicture]) -> dict[int, Sure]:
    """Return for each of my pictures the first one that is the same by canonical id, then by file, then by pixels."""
    found: dict[int, Sure] = {}
    ways: tuple[tuple[By, str], ...] = (("canonical_id",) * 2, ("file", "image_id"), ("pixels", "pixel_hash"))
    for by, name in ways:
        first: dict[str, int] = {}
        for number, known in enumerate(others):
            if (value := getattr(known, name)) is not None:
                first.setdefault(value, number)
        for number, one in enumerate(mine):
            if number not in found and (other := first.get(getattr(one, name) or "")) is not None:
                found[number] = Sure(other, by)
    return found


def possible_leaks(
    mine: Sequence[KnownPicture], others: Sequence[KnownPicture], *, distance: int, cosine: float | None = None
) -> dict[int, list[Perhaps]]:
    """Return for each of my pictures those that it may be a copy of, likeliest first, up to `MOST_PARTNERS`.

    Args:
        mine: What is checked.
        others: What it is checked against.
        distance: Bits of 64 in which two hashes may differ.
        cosine: Least cosine of two embeddings; None where they propose nothing.
    """
    votes: defaultdict[tuple[int, int], float] = defaultdict(float)
    mirrored: set[tuple[int, int]] = set()
    for name, other_name in (("phash", "phash"), ("dhash", "dhash"), ("phash", "mirrored")):
        for pair, bits in _near(mine, name, others, other_name, distance).items():
            votes[pair] = max(votes[pair], 1000.0 - bits)
            if other_name == "mirrored":
                mirrored.add(pair)
    words = [read_words(one.words or "") for one in (*mine, *others)]
    shared = shared_words(words)
    for left, right, spots in zip(shared.left.tolist(), shared.right.tolist(), shared.shared.tolist(), strict=True):
        if left < len(mine) <= right:
            votes[left, right - len(mine)] += spots
    for pair, alike in (_alike(mine, others, cosine) if cosine is not None else {}).items():
        votes[pair] += _SPOTS_OF_A_COSINE * alike
    found: defaultdict[int, list[Perhaps]] = defaultdict(list)
    for one, other in sorted(votes, key=lambda pair: (pair[0], -votes[pair], others[pair[1]].name, pair[1])):
        if len(found[one]) < MOST_PARTNERS:
            found[one].append(Perhaps(other, (one, other) in mirrored))
    return dict(found)


def _alike(mine: Sequence[KnownPicture], others: Sequence[KnownPicture], cosine: float) -> dict[tuple[int, int], float]:
    """Return pairs of positions whose embeddings have at least this cosine, with it."""
    here = [number for number, one in enumerate(mine) if one.embedding is not None]
    there = [number for number, one in enumerate(others) if one.embedding is not None]
    if not here or not there:
        return {}
    ours = read_embeddings([mine[number].embedding or "" for number in here])
    theirs = read_embeddings([others[number].embedding or "" for number in there])
    near = near_across(ours, theirs, cosine=cosine, most=MOST_PARTNERS)
    return {(here[one], there[other]): alike for one, found in near.items() for other, alike in found.items()}


def _near(
    mine: Sequence[KnownPicture], name: str, others: Sequence[KnownPicture], other_name: str, distance: int
) -> dict[tuple[int, int], int]:
    """Return pairs of positions whose codes differ in at most `distance` bits, with the bits."""
    here = [(getattr(one, name), n) for n, one in enumerate(mine) if getattr(one, name) is not None]
    there = [(getattr(one, other_name), n) for n, one in enumerate(others) if getattr(one, other_name) is not None]
    codes, code_of = np.unique(np.array([code for code, _ in (*here, *there)], np.uint64), return_inverse=True)
    mine_of: defaultdict[int, list[int]] = defaultdict(list)
    others_of: defaultdict[int, list[int]] = defaultdict(list)
    for place, (_, number) in enumerate(here):
        mine_of[int(code_of[place])].append(number)
    for place, (_, number) in enumerate(there, start=len(here)):
        if len(bearers := others_of[int(code_of[place])]) < MOST_PARTNERS:
            bearers.append(number)
    found = {(one, other): 0 for code in mine_of for one in mine_of[code] for other in others_of.get(code, ())}
    for pairs in iter_pairs(codes, distance=distance):
        for left, right, bits in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.distance.tolist(), strict=True):
            for a, b in ((left, right), (right, left)):
                if a in mine_of and b in others_of:
                    found |= {(one, other): bits for one in mine_of[a] for other in others_of[b]}
    return found
