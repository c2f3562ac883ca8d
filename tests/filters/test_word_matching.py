"""Words of local features: copies share them, unrelated pictures do not."""

from __future__ import annotations

import numpy as np
import pytest
from picture_copies import COPIES, photograph
from PIL import Image
from step_context import StepContext

from benchwright.diagnostics.features import word_matching as module
from benchwright.diagnostics.features.local_features import describe, detector, shrunk
from benchwright.diagnostics.features.visual_words import (
    CORNERS,
    FeatureWords,
    Words,
    decode_words,
    encode_words,
    words_of,
)
from benchwright.diagnostics.features.word_matching import SharedWords, shared_words, word_bits, word_sharing


def words(image: Image.Image) -> Words:
    return words_of(describe(shrunk(image.convert("L"), side_px=320), detector(500), most=CORNERS))


NAMES = ("astronaut", "coffee", "chelsea", "rocket", "hubble_deep_field", "immunohistochemistry")


@pytest.mark.parametrize("copy", [name for name in COPIES if name != "stretched"])
def test_a_copy_shares_more_with_its_original_than_strangers_share(copy: str) -> None:
    pictures = [photograph(name) for name in NAMES]
    found = shared_words([words(one) for one in [*pictures, COPIES[copy](pictures[0])]])
    shared = dict(zip(zip(found.left.tolist(), found.right.tolist(), strict=True), found.shared.tolist(), strict=True))
    of_copy = shared.pop((0, len(NAMES)))
    assert len(shared) <= 4  # of 20 pairs of strangers; a second look tells them apart
    assert of_copy > 2 * max(shared.values(), default=0)


def test_words_survive_being_spelled() -> None:
    found = words(photograph("coffee"))
    assert (decode_words(encode_words(found)) == found).all()
    assert len(found) == CORNERS


def test_an_empty_picture_has_no_words(context: StepContext) -> None:
    record = context.add(np.full((200, 300, 3), 255, np.uint8))
    assert context.run(FeatureWords(), record).values == {"words": "", "miniature": None}


@pytest.mark.parametrize("given_words", [[], [decode_words("")], [decode_words("")] * 3])
def test_pictures_without_words_share_nothing(given_words: list[Words]) -> None:
    assert [len(column) for column in shared_words(given_words)] == [0, 0, 0]


@pytest.mark.parametrize("part", [1, 97, 300])
def test_the_size_of_a_part_changes_nothing(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pictures = [photograph(name) for name in NAMES[:4]]
    every = [words(one) for one in pictures] + [words(COPIES["cropped"](one)) for one in pictures]
    expected = [column.tolist() for column in shared_words(every)]
    monkeypatch.setattr(module, "_AT_A_TIME", part)
    assert [column.tolist() for column in shared_words(every)] == expected
    assert {(n, n + 4) for n in range(4)} <= set(zip(*expected[:2], strict=True))


def test_words_that_many_bear_are_left_out() -> None:
    one = words(photograph("coffee"))
    assert len(shared_words([one] * module.MOST_BEARERS).left) > 0
    assert len(shared_words([one] * (module.MOST_BEARERS + 1)).left) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("had", "has"), [(0, 1), (-1, 0), (1, 0), (1, -1)], ids=str)
def test_a_word_that_becomes_common_or_rare_counts_for_pictures_that_were_there_before(had: int, has: int) -> None:
    coffee, other = words(photograph("coffee")), words(photograph("astronaut"))
    before, now = ([other, *[coffee] * (module.MOST_BEARERS + more), other] for more in (had, has))
    place = {**{at: at for at in range(min(len(before), len(now)) - 1)}, len(before) - 1: len(now) - 1}
    left, right, shared = word_sharing(before).pairs
    there = [at for at in range(len(left)) if left[at] in place and right[at] in place]
    moved_left, moved_right = (np.array([place[int(column[at])] for at in there], np.int64) for column in (left, right))
    pairs = SharedWords(moved_left, moved_right, shared[there])
    is_new = np.array([at not in place.values() for at in range(len(now))])
    found = word_sharing(now, before=word_sharing(before)._replace(pairs=pairs), is_new=is_new)
    assert [column.tolist() for column in found.pairs] == [column.tolist() for column in shared_words(now)]
    assert len(found.pairs.left) == (1 if has > 0 else 1 + len(now[1:-1]) * (len(now) - 3) // 2)


def test_more_pictures_get_longer_words() -> None:
    assert [word_bits(96 * count) for count in (0, 300, 100_000, 1_000_000)] == [17, 17, 22, 25]
