"""Memory, in bytes, that a search for near-duplicates needs per picture, and closing a campaign per item.

The figures are peaks of allocated memory. They are computed from the growth between two numbers of pictures, so that
fixed costs do not count. The bounds are a tenth above the measured values; after reducing a search's memory, lower them
here.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import numpy as np
import pytest

from benchwright.annotation.campaigns.running.open_in_rounds import ItemHistory
from benchwright.annotation.campaigns.running.verdicts import verify_verdicts
from benchwright.annotation.store.database.records import Annotation
from benchwright.annotation.workflow.settlement.rounds import Round
from benchwright.annotation.workflow.settlement.rules import parse_rule
from benchwright.annotation.workflow.settlement.settle import ACCEPT
from benchwright.diagnostics.copies.candidate_pairs import near_by_features, near_by_hash
from benchwright.diagnostics.features import word_matching
from benchwright.diagnostics.features.hamming import iter_pairs
from benchwright.diagnostics.features.visual_words import CORNERS, WORD_BITS, Words, decode_words


def most_held(search: Callable[[int], object], pictures: int) -> int:
    tracemalloc.start()
    try:
        search(pictures)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def pairs_of_codes(pictures: int) -> int:
    return sum(len(pairs.left) for pairs in iter_pairs(codes(pictures), distance=8))


def partners_by_hash(pictures: int) -> object:
    return near_by_hash(codes(pictures), distance=8)


def partners_by_words(pictures: int) -> object:
    return near_by_features(MadeWords(pictures), [None] * pictures, ["an id"] * pictures)


def verdicts(items: int) -> object:
    return verify_verdicts(parse_rule("majority(3)"), histories(items), simulated=False, seed=1)


def histories(items: int) -> Iterator[tuple[str, ItemHistory]]:
    """Yield histories of items on which three people agree, each made when it is looked at."""
    for number in range(items):
        item_id = f"{number:032x}"
        annotations = tuple(
            Annotation(
                "accept", item_id=item_id, content_hash=item_id, round=1, slot=slot, annotator=f"person {slot}",
                annotator_kind="person", version=1, started_at=MORNING, submitted_at=MORNING,
            )
            for slot in (1, 2, 3)
        )  # fmt: skip
        yield item_id, ItemHistory("task", (Round(item_id, annotations),), ACCEPT, None)


MORNING = datetime(2026, 3, 1, 9, tzinfo=UTC)


def codes(pictures: int) -> np.ndarray:
    return np.random.default_rng(pictures).integers(0, 2**64, pictures, dtype=np.uint64)


class MadeWords:
    """Words of pictures that have nothing in common, each made when it is looked at."""

    def __init__(self, pictures: int) -> None:
        self._pictures = pictures

    def __len__(self) -> int:
        return self._pictures

    def __getitem__(self, place: int) -> Words:
        if place >= self._pictures:
            raise IndexError(place)
        words = np.zeros(CORNERS, decode_words("").dtype)
        bits = np.random.default_rng(place).integers(0, 1 << WORD_BITS, CORNERS, dtype=np.uint64)
        words["bits"] = bits << np.uint64(64 - WORD_BITS)
        return words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "sizes", "most_bytes"),
    [
        pytest.param(pairs_of_codes, (60_000, 120_000), 43, id="pairs_of_codes"),
        pytest.param(partners_by_hash, (60_000, 120_000), 86, id="partners_by_hash"),
        pytest.param(partners_by_words, (1_000, 2_000), 5_000, id="partners_by_words"),
        pytest.param(verdicts, (2_000, 4_000), 600, id="verdicts_of_a_campaign"),
    ],
)
def test_a_search_keeps_so_many_bytes_a_picture_at_most(
    search: Callable[[int], object], sizes: tuple[int, int], most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_matching, "_AT_A_TIME", 1 << 11)  # what is compared at a time grows too, up to a limit
    search(50)  # imports
    few, many = (most_held(search, pictures) for pictures in sizes)
    assert (many - few) / (sizes[1] - sizes[0]) <= most_bytes
