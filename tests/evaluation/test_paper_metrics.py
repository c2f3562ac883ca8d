"""The papers' metrics on rows made by hand, with denominators that differ from the number of rows."""

from __future__ import annotations

import pytest

from benchwright.evaluation.metrics.papers import blink, ii_bench
from benchwright.evaluation.metrics.papers.mvp_bench import YesNoAnswer, a_acc, circular, i_acc, m_acc, q_acc
from benchwright.evaluation.metrics.papers.shares import Share, mean_of_shares, share, share_of_groups


def rows(*rights: tuple[int, str, str, bool]) -> list[YesNoAnswer]:
    return [YesNoAnswer(pair, question, f"{pair}{side}", right) for pair, question, side, right in rights]


# Pair 1: two questions on both images, one answer wrong. Pair 2: one question, all right. Pair 3: two questions on one image.
MIXED = rows(
    (1, "hat", "s", True), (1, "hat", "e", True), (1, "bag", "s", True), (1, "bag", "e", False),
    (2, "hat", "s", True), (2, "hat", "e", True), (3, "hat", "s", False), (3, "bag", "s", True),
)  # fmt: skip


def test_a_acc_counts_answers() -> None:
    assert a_acc(MIXED) == (6, 8)


def test_q_acc_counts_questions_of_a_pair_that_are_right_on_all_its_images() -> None:
    assert q_acc(MIXED) == (3, 5)


def test_i_acc_leaves_out_images_with_one_question() -> None:
    assert i_acc(MIXED) == (1, 3)


def test_m_acc_leaves_out_pairs_with_fewer_than_four_answers() -> None:
    assert m_acc(MIXED) == (0, 1)


def test_circular_wants_every_rotation_right() -> None:
    assert circular([("q", True), ("r", True), ("q", False), ("r", True)]) == (1, 2)


def test_shares_of_nothing_have_no_value() -> None:
    assert share([]).value is None
    assert share_of_groups([("a", True)], at_least=2) == (0, 0)
    assert mean_of_shares([]).value is None


def test_a_mean_of_shares_weighs_them_alike() -> None:
    assert mean_of_shares([Share(1, 2), Share(9, 12)]).value == pytest.approx((0.5 + 0.75) / 2)


def test_blinks_total_is_the_mean_over_tasks() -> None:
    tasks = blink.per_task(
        [("Jigsaw", True), ("Counting", False), ("Jigsaw", True), ("Counting", True), ("Counting", False)]
    )
    assert tasks == {"Jigsaw": (2, 2), "Counting": (1, 3)}
    assert blink.total(tasks).value == pytest.approx((1 + 1 / 3) / 2)


def test_blinks_chance_is_that_of_table_1() -> None:
    from benchwright.evaluation.published.blink import OPTIONS

    value = blink.chance(OPTIONS).value
    assert value is not None
    assert abs(100 * value - 38.09) < 0.006


def test_ii_benchs_rates_divide_by_all_responses() -> None:
    life, both = {"domain": ["Life"]}, {"domain": ["Life", "Art", "Art"]}
    responses = [
        ii_bench.Response("read", True, life),
        ii_bench.Response("read", False, both),
        ii_bench.Response("miss", False, both),
        ii_bench.Response("error", False, life),
        ii_bench.Response("empty", False, {}),
    ]
    assert ii_bench.rates(responses) == {"accuracy": (1, 5), "error": (1, 5), "miss": (1, 5)}
    by_domain = ii_bench.rates_by("domain", responses)
    assert {label: rates["accuracy"] for label, rates in by_domain.items()} == {"Art": (0, 2), "Life": (1, 4)}
