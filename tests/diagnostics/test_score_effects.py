"""Score effects: accuracy with and without suspected keys and with corrected keys, computed by hand; swaps; intervals
over clusters.
"""

from __future__ import annotations

import numpy as np
import pytest
from reply_samples import matrix_of

from benchwright.diagnostics.keys.score_effects import score_effects

# m0 has the first 30 of 40 items right, m1 the last 28; key A.
LETTERS = np.array([[0] * 30 + [1] * 10, [1] * 12 + [0] * 28])


def test_accuracies_by_hand() -> None:
    effects = score_effects(matrix_of(LETTERS, [0] * 40), ["q000", "q001", "q039", "elsewhere"])
    assert effects.items == 3
    first, second = effects.models
    assert (first.before.value, first.concerned.value, first.after.value) == (30 / 40, 2 / 3, 28 / 37)
    assert (second.before.value, second.concerned.value, second.after.value) == (28 / 40, 1 / 3, 27 / 37)
    assert first.change == pytest.approx(28 / 37 - 30 / 40)
    assert effects.swaps == ()
    assert second.change_interval is not None
    assert second.change_interval.low < (second.change or 0) < second.change_interval.high


def test_models_that_change_places_are_named() -> None:
    # Without eight of the items that only m0 has right, it has 22 of 32, and m1 28.
    effects = score_effects(matrix_of(LETTERS, [0] * 40), [f"q{n:03}" for n in range(8)])
    assert effects.swaps == (("m0", "m1"),)


def test_keys_set_right_count_in_their_place_by_hand() -> None:
    effects = score_effects(matrix_of(LETTERS, [0] * 40), ["q000", "q039"], corrected={"q000": 1, "q039": 1})
    # m0 loses item 0 and gains item 39; m1 the other way round.
    assert [effect.corrected and effect.corrected.value for effect in effects.models] == [30 / 40, 28 / 40]
    effects = score_effects(matrix_of(LETTERS, [0] * 40), ["q000"], corrected={"q000": 1})
    assert [effect.corrected and effect.corrected.value for effect in effects.models] == [29 / 40, 29 / 40]


def test_items_without_a_key_do_not_count_and_nothing_may_be_left() -> None:
    matrix = matrix_of(LETTERS, [0] * 39 + [-1])
    assert score_effects(matrix, ["q039"]).items == 0
    assert score_effects(matrix, ["q039"]).models[0].change_interval == (0, 0)
    gone = score_effects(matrix, matrix.item_ids).models[0]
    assert (gone.before.value, gone.after.value, gone.change, gone.change_interval) == (30 / 39, None, None, None)


def test_a_change_over_few_clusters_has_no_interval_and_over_large_ones_a_wider_one() -> None:
    few = score_effects(matrix_of(LETTERS, [0] * 40, group=np.arange(40) // 4), ["q000"])
    assert few.models[0].change_interval is None
    rng = np.random.default_rng(2)
    letter = rng.integers(0, 2, (1, 100)).repeat(4, axis=1)
    gone = [f"q{n:03}" for n in range(400) if n // 4 % 3 == 0]
    alone, together = (
        score_effects(matrix_of(letter, [0] * 400, group=group), gone).models[0].change_interval
        for group in (np.arange(400), np.arange(400) // 4)
    )
    assert alone is not None
    assert together is not None
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


def test_the_json_names_each_model() -> None:
    document = score_effects(matrix_of(LETTERS, [0] * 40), ["q000"], corrected={"q000": 1}).to_json()
    assert document["items"] == 1
    assert document["models"]["m0"]["with"] == {"value": 0.75, "ci": pytest.approx([0.598, 0.858], abs=1e-3), "n": 40}
    assert document["models"]["m1"]["corrected"]["value"] == 29 / 40
    assert document["swaps"] == []
