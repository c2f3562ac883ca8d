"""The shortcut battery.

- A planted cue of each kind is found and named; clean items carry none.
- Cues that a task requires are left out if its step or the caller declares them.
- p-values are exact, two-sided for rules, and larger if items of a cluster are correlated.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from planted_shortcuts import KINDS, named_families, planted, result_of
from scipy.stats import binomtest, norm
from scipy.stats import t as student_t

from benchwright.diagnostics.shortcuts.battery import run_battery
from benchwright.diagnostics.shortcuts.cue_table import CueTable, table_of
from benchwright.diagnostics.shortcuts.declared import task_cues_of
from benchwright.diagnostics.shortcuts.item_cues import ItemCues
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds, accuracy_of, best_options
from benchwright.diagnostics.shortcuts.picture_facts import (
    PictureTraits,
    facts_of_picture,
    with_detail,
    with_detail_beside,
)
from benchwright.diagnostics.shortcuts.report import flagged_items

pytestmark = pytest.mark.slow


def _table(right: list[int], *, options: int = 4, groups: int | None = None) -> CueTable:
    items = [ItemCues(f"{row:032x}", "task", key, "Which?", (None,) * options, {}, {}) for row, key in enumerate(right)]
    keys = [(f"image:{row if groups is None else row % groups}",) for row in range(len(items))]
    return table_of(items, keys, without=frozenset())


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_planted_cue_is_found_and_named(kind: str) -> None:
    result = result_of(planted(kind, count=150, share=0.6, seed=1))
    assert named_families(result) & set(KINDS[kind].families)


@pytest.mark.parametrize("kind", ["reference", "jpeg quality", "light of yes"])
def test_clean_items_carry_no_cue(kind: str) -> None:
    result = result_of(planted(kind, count=150, share=0, seed=2))
    assert [solver.solver for solver in result.carried] == []


def test_what_the_task_asks_for_is_left_out() -> None:
    measured = measure_items(iter(planted("light", count=60, share=1, seed=3)))
    families = {"planted": ["pixels", "reference_pixels"]}
    [result] = run_battery(measured.cues, measured.group_keys, seed=1, bounds=Bounds(), task_cues=families).tasks
    assert result.task_cues == ("pixels", "reference_pixels")
    assert not any(solver.family in result.task_cues for solver in result.solvers)


def _png(levels: np.ndarray, note: str = "") -> PictureTraits:
    handle, notes = io.BytesIO(), PngInfo()
    if note:
        notes.add_text("note", note)
    Image.fromarray(levels).save(handle, "PNG", pnginfo=notes)
    return facts_of_picture(handle.getvalue(), with_pixels=True)


def test_bytes_of_pngs_of_one_size_are_measures_of_their_pixels_and_a_note_in_the_file_is_not() -> None:
    rng = np.random.default_rng(5)
    busy, plain = rng.integers(0, 255, (40, 60, 3), np.uint8), np.full((40, 60, 3), 90, np.uint8)
    first, second, noted = with_detail([_png(busy), _png(plain), _png(plain, note="a real photograph")])
    assert first.pixels["detail_bytes"] > 10 * (second.pixels["detail_bytes"] or 0)
    assert second.pixels["detail_bytes"] == noted.pixels["detail_bytes"]
    assert "bytes" not in noted.file
    assert (second.file["metadata_bytes"], noted.file["metadata_bytes"]) == (0, 12 + len("note\0a real photograph"))


def test_bytes_stay_a_measure_of_the_file_where_sizes_differ() -> None:
    facts = [_png(np.zeros((40, wide, 3), np.uint8)) for wide in (60, 61)]
    assert with_detail(facts) == facts
    assert all("bytes" in each.file for each in facts)


def test_a_png_that_options_of_one_size_are_compared_with_may_be_larger() -> None:
    rng = np.random.default_rng(5)
    busy, plain = rng.integers(0, 255, (80, 120, 3), np.uint8), np.full((40, 60, 3), 90, np.uint8)
    options = [_png(busy[:40, :60]), _png(plain)]
    alike, unlike, reference = with_detail_beside(options, _png(busy))
    assert [alike, unlike] == with_detail(options)
    assert alike.pixels["detail_bytes"] == pytest.approx(reference.pixels["detail_bytes"], rel=0.02)
    assert alike.pixels["detail_bytes"] > 10 * (unlike.pixels["detail_bytes"] or 0)
    assert not {"bytes", "bytes_per_pixel"} & (reference.file.keys() | alike.file.keys())


def test_bytes_beside_a_reference_stay_a_measure_of_the_file_where_a_format_or_the_options_sizes_differ() -> None:
    levels = np.random.default_rng(5).integers(0, 255, (40, 61, 3), np.uint8)
    handle = io.BytesIO()
    Image.fromarray(levels).save(handle, "JPEG")
    jpeg = facts_of_picture(handle.getvalue(), with_pixels=True)
    equal, unequal = [_png(levels), _png(levels // 2)], [_png(levels), _png(levels[:, :60])]
    assert with_detail_beside(equal, jpeg) == [*equal, jpeg]
    assert with_detail_beside(unequal, _png(levels)) == [*unequal, _png(levels)]


def test_bytes_of_webp_files_are_measures_of_their_pixels_where_nothing_is_lost_and_of_the_file_otherwise() -> None:
    rng = np.random.default_rng(5)
    busy, plain = rng.integers(0, 255, (80, 120, 3), np.uint8), np.full((80, 120, 3), 90, np.uint8)
    [first, second] = with_detail([_webp(busy, lossless=True), _webp(plain, lossless=True)])
    assert first.pixels["detail_bytes"] > 10 * (second.pixels["detail_bytes"] or 0)
    for lossy in ([_webp(busy), _webp(plain)], [_webp(busy, lossless=True), _webp(plain)]):
        assert with_detail(lossy) == lossy


def _webp(levels: np.ndarray, **saving: Any) -> PictureTraits:
    handle = io.BytesIO()
    Image.fromarray(levels).save(handle, "WEBP", **saving)
    return facts_of_picture(handle.getvalue(), with_pixels=True)


def _jpeg(levels: np.ndarray, **saving: Any) -> PictureTraits:
    handle = io.BytesIO()
    Image.fromarray(levels).save(handle, "JPEG", **{"quality": 95, "subsampling": 0, **saving})
    return facts_of_picture(handle.getvalue(), with_pixels=True)


def test_bytes_of_jpegs_that_are_encoded_alike_are_measures_of_their_pixels() -> None:
    rng = np.random.default_rng(5)
    busy, plain = rng.integers(0, 255, (160, 240, 3), np.uint8), np.full((80, 120, 3), 90, np.uint8)
    alike, unlike, reference = with_detail_beside([_jpeg(busy[:80, :120]), _jpeg(plain)], _jpeg(busy))
    assert alike.pixels["detail_bytes"] == pytest.approx(reference.pixels["detail_bytes"], rel=0.05)
    assert alike.pixels["detail_bytes"] > 5 * (unlike.pixels["detail_bytes"] or 0)
    assert not {"bytes", "bytes_per_pixel"} & (reference.file.keys() | alike.file.keys())


@pytest.mark.parametrize("saving", [{"quality": 90}, {"subsampling": 2}, {"progressive": True}], ids=str)
def test_bytes_stay_a_measure_of_the_file_where_a_jpeg_is_encoded_otherwise(saving: dict[str, Any]) -> None:
    levels = np.random.default_rng(5).integers(0, 255, (40, 61, 3), np.uint8)
    facts = [_jpeg(levels), _jpeg(levels, **saving)]
    assert with_detail(facts) == facts
    [differing] = [name for name in facts[0].file if "jpeg" in name and facts[0].file[name] != facts[1].file[name]]
    assert differing.startswith("jpeg_")


def test_a_task_that_no_step_is_named_after_asks_for_no_cue() -> None:
    assert task_cues_of("no_such_task") == frozenset()


def test_the_p_value_of_a_rule_is_that_of_the_binomial_test() -> None:
    right = [0] * 30 + [1] * 25 + [2] * 20 + [3] * 15
    table = _table(right)
    picks = best_options(np.tile([1.0, 0, 0, 0], (len(right), 1)), table.exists)
    accuracy = accuracy_of(picks, table, sides="both")
    assert accuracy is not None
    assert (accuracy.items, accuracy.value, accuracy.chance) == (90, 30 / 90, 0.25)
    assert accuracy.p == pytest.approx(2 * binomtest(30, 90, 0.25, "greater").pvalue)
    above = accuracy_of(picks, table, sides="above")
    assert above is not None
    # A solver fitted to other items varies by the root of two more: the deviate of the binomial test, divided by it.
    deviate = norm.isf(binomtest(30, 90, 0.25, "greater").pvalue) / 2**0.5
    assert above.p == pytest.approx(student_t.sf(deviate, 89))


def test_accuracy_below_chance_counts_for_a_rule() -> None:
    table = _table([1, 2, 3] * 30)
    accuracy = accuracy_of(best_options(np.tile([1.0, 0, 0, 0], (90, 1)), table.exists), table, sides="both")
    assert accuracy is not None
    assert accuracy.value == 0
    assert accuracy.p < 1e-9


def test_options_that_tie_share_the_pick_and_all_tied_decide_nothing() -> None:
    table = _table([0, 3, 1], options=4)
    picks = best_options(np.array([[2, 2, 1, 0], [1, 1, 1, 1], [np.nan, np.nan, np.nan, 5]], float), table.exists)
    assert picks.shares.tolist() == [[0.5, 0.5, 0, 0], [0.25] * 4, [0.25] * 4]
    assert picks.decided.tolist() == [True, False, False]


def test_items_of_a_cluster_that_go_together_make_a_rule_less_sure() -> None:
    # 120 items of 30 source images; all items of an image have the same key.
    right = [[0, 0, 1, 2][row % 30 % 4] for row in range(120)]
    scores = np.tile([1.0, 0, 0, 0], (120, 1))
    alone, clustered = (_table(right, groups=groups) for groups in (None, 30))
    first, second = (accuracy_of(best_options(scores, t.exists), t, sides="both") for t in (alone, clustered))
    assert first is not None
    assert second is not None
    assert first.value == second.value
    assert first.p < second.p
    assert second.interval.low < first.interval.low


def test_a_rule_that_only_says_which_option_is_wrong_flags_no_item_beside_one_that_answers() -> None:
    result = result_of(planted("reference", count=150, share=0.7, seed=8))
    ruled_out = [solver for solver in result.carried if not solver.answers]
    assert "most reference_position.distance" in {solver.solver for solver in ruled_out}
    assert not {solver.solver for solvers in flagged_items(result).values() for solver in solvers} & {
        solver.solver for solver in ruled_out
    }
