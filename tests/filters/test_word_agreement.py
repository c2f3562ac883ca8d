"""Stored words and miniatures: those of copies agree on one alignment, those of unrelated pictures do not."""

from __future__ import annotations

import itertools
import json

import pytest
from picture_copies import COPIES, photograph
from PIL import Image

from benchwright.diagnostics.copies.candidate_pairs import KnownFeatures, NearByFeatures, near_by_features
from benchwright.diagnostics.features.local_features import describe, detector, shrunk
from benchwright.diagnostics.features.visual_words import (
    CORNERS,
    Miniature,
    Words,
    decode_miniature,
    encode_miniature,
    miniature,
    words_of,
)
from benchwright.diagnostics.features.word_matching import agreement

NAMES = ("astronaut", "coffee", "chelsea", "rocket", "hubble_deep_field", "immunohistochemistry")


def stored(image: Image.Image) -> tuple[Words, Miniature]:
    luma = image.convert("L")
    return words_of(describe(shrunk(luma, side_px=320), detector(500), most=CORNERS)), miniature(luma)


def agreeing(one: Image.Image, other: Image.Image) -> int:
    (words, small), (others, other_small) = stored(one), stored(other)
    return agreement((words, others), (small, other_small))


@pytest.mark.parametrize("copy", [name for name in COPIES if name != "stretched"])
@pytest.mark.parametrize("name", ["astronaut", "coffee", "chelsea"])
def test_words_of_a_copy_agree_with_its_original(name: str, copy: str) -> None:
    assert agreeing(photograph(name), COPIES[copy](photograph(name))) >= 8


@pytest.mark.parametrize("name", ["astronaut", "chelsea", "rocket"])
def test_words_of_a_half_agree_with_the_whole(name: str) -> None:
    whole = photograph(name)
    half = whole.crop((0, 0, whole.width * 7 // 10, whole.height * 7 // 10))
    assert agreeing(whole, half) >= 8
    assert agreeing(half, whole) >= 8


def test_words_of_strangers_agree_on_nothing() -> None:
    pictures = [photograph(name) for name in NAMES]
    agreed = [agreeing(one, other) for n, one in enumerate(pictures) for other in pictures[:n]]
    assert sum(agreed) == 0


def test_quarters_are_proposed_with_their_whole_and_hardly_ever_with_anything_else() -> None:
    pictures: list[Image.Image] = []
    for name in NAMES:
        whole = photograph(name)
        across, down = whole.width // 2, whole.height // 2
        corners = [(x * across, y * down) for x, y in itertools.product((0, 1), repeat=2)]
        pictures += [whole, *(whole.crop((x, y, x + across, y + down)) for x, y in corners)]
    words, miniatures = zip(*map(stored, pictures), strict=True)
    bonds = near_by_features(words, miniatures, [str(number) for number in range(len(pictures))]).candidates
    pairs = {tuple(sorted((one, other))) for one, others in bonds.items() for other in others}
    right = {(5 * (quarter // 5), quarter) for quarter in range(len(pictures)) if quarter % 5}
    assert len(pairs & right) >= 11
    assert len(pairs - right) <= 2


def test_a_search_among_nearly_the_same_pictures_finds_what_a_new_one_finds() -> None:
    wholes = [photograph(name) for name in NAMES]
    pictures = [*wholes, *(whole.crop((20, 10, whole.width - 10, whole.height - 30)) for whole in wholes)]
    known = {str(number): stored(picture) for number, picture in enumerate(pictures)}

    def search(ids: list[str], before: KnownFeatures | None = None) -> NearByFeatures:
        words, miniatures = zip(*(known[image_id] for image_id in ids), strict=True)
        return near_by_features(words, miniatures, ids, before=before)

    ids = list(known)
    last = search([image_id for image_id in ids if image_id not in ("2", "9")]).known
    for others in (ids, ids[:1] + ids[3:], ids[5:], [ids[0]], ids):  # pictures come, go, and come back
        found = search(others, KnownFeatures.from_json(json.loads(json.dumps(last.to_json()))))
        anew = search(others)
        assert found.candidates == anew.candidates
        assert found.known.to_json() == anew.known.to_json()
        last = found.known
    assert all(number + len(NAMES) in anew.candidates[number] for number in range(len(NAMES)))


def test_words_of_other_sizes_than_an_alignment_makes_them_do_not_agree_on_it() -> None:
    words, small = stored(photograph("coffee"))
    resized = words.copy()
    resized["octave"] += 5  # 2.5 times as large each, at the very places of a picture of equal size
    assert agreement((words, words), (small, small)) > 100
    assert agreement((words, resized), (small, small)) == 0


def test_miniatures_survive_being_spelled() -> None:
    small = miniature(photograph("coffee").convert("L"))
    assert max(small.shape) == 40
    assert small.shape[0] != small.shape[1]
    assert (decode_miniature(encode_miniature(small)) == small).all()


def test_pictures_with_few_words_agree_on_nothing() -> None:
    words, small = stored(photograph("coffee"))
    assert agreement((words[:2], words[:2]), (small, small)) == 0
    assert agreement((words[:0], words), (small, small)) == 0
