"""Rotations, shuffles and second questions: the questions asked, and the verdicts on the replies."""

from __future__ import annotations

from pathlib import Path
from statistics import stdev
from typing import Any

import pytest
from scripted_model import Scripted, rows, says

from benchwright.evaluation.protocols.repeated import rotations, shuffled
from benchwright.evaluation.run import evaluate


def test_circular_asks_every_rotation_and_counts_only_what_is_right_in_all(bench: Any, tmp_path: Path) -> None:
    bench.add("knows", options=("cat", "dog", "parrot"), answer="B")
    release = bench.release(tmp_path / "release")
    model = Scripted(says("dog"))
    score = evaluate(release, model, protocol="circular")
    assert model.variants == ["r0", "r1", "r2"]
    assert [[c.text for c in q.choices] for q in model.asked] == [
        ["cat", "dog", "parrot"],
        ["dog", "parrot", "cat"],
        ["parrot", "cat", "dog"],
    ]
    assert all([c.key for c in q.choices] == ["A", "B", "C"] for q in model.asked)
    assert score.metrics["accuracy"].value == 1
    assert evaluate(release, "constant:B", protocol="circular").metrics["accuracy"].value == 0


def test_letters_of_a_rotation_are_kept_as_the_items_own(bench: Any, tmp_path: Path) -> None:
    bench.add("knows", options=("cat", "dog", "parrot"), answer="B")
    evaluate(bench.release(tmp_path / "release"), "constant:B", protocol="circular", out=tmp_path / "out")
    (row,) = rows(tmp_path / "out", "constant-B@circular")
    letters = [
        (attempt["variant"], attempt["said"], attempt["letter"], attempt["right"]) for attempt in row["attempts"]
    ]
    assert letters == [("r0", "B", "B", True), ("r1", "B", "C", False), ("r2", "B", "A", False)]
    assert (row["right"], row["state"]) == (False, "answered")


def test_one_failed_rotation_makes_the_item_an_error_and_wrong(bench: Any, tmp_path: Path) -> None:
    bench.add("knows", options=("cat", "dog"), answer="B")
    right = says("dog")
    model = Scripted(lambda question: None if question.item_id.endswith("r1") else right(question))
    score = evaluate(bench.release(tmp_path / "release"), model, protocol="circular")
    assert (score.metrics["accuracy"].value, score.error, score.miss, score.asked) == (0, 1, 0, 1)


def test_a_question_of_yes_or_no_has_no_rotations(bench: Any, tmp_path: Path) -> None:
    bench.add("is it?", kind="yes_no", options=("Yes", "No"), answer="A")
    model = Scripted(lambda question: "yes")
    assert evaluate(bench.release(tmp_path / "release"), model, protocol="circular").metrics["accuracy"].value == 1
    assert model.variants == ["r0"]


def test_chance_under_rotation_is_that_of_being_lucky_every_time(bench: Any, tmp_path: Path) -> None:
    bench.add("three", options=("a", "b", "c"), answer="A")
    bench.add("two", options=("a", "b"), answer="A")
    score = evaluate(bench.release(tmp_path / "release"), "random", protocol="circular")
    assert score.metrics["chance"].value == pytest.approx(((1 / 3) ** 3 + (1 / 2) ** 2) / 2)


def test_rotation_n_moves_the_first_n_options_to_the_end() -> None:
    assert rotations(4)[1] == [1, 2, 3, 0]
    assert len(rotations(4)) == 4


def test_shuffles_give_the_mean_over_repetitions_and_their_spread(bench: Any, tmp_path: Path) -> None:
    for number in range(8):
        bench.add(f"q{number}", options=("a", "b", "c", "d", "e"), answer="C")
    release = bench.release(tmp_path / "release")
    score = evaluate(release, "constant:C", protocol="shuffle:k=4", out=tmp_path / "out")
    each = []
    for repeat in range(1, 5):
        right = [shuffled(item, repeat)[2] == 2 for item, _ in bench.items]
        each.append(sum(right) / 8)
        assert score.metrics[f"repetition/s{repeat}"].value == pytest.approx(each[-1])
    assert score.metrics["accuracy"].value == pytest.approx(sum(each) / 4)
    assert score.metrics["accuracy"].n == 32
    assert score.metrics["repetition_spread"].value == pytest.approx(stdev(each))
    assert (score.asked, score.protocol) == (8, "shuffle:k=4")
    assert all(len(row["attempts"]) == 4 for row in rows(tmp_path / "out", "constant-C@shuffle.k=4"))


def test_repetitions_of_one_item_are_no_independent_items(bench: Any, tmp_path: Path) -> None:
    for number in range(30):
        bench.add(f"q{number}", options=("a", "b"), answer="A")
    release = bench.release(tmp_path / "release")
    model = Scripted(
        lambda question: (
            f"({next(c.key for c in question.choices if c.text == 'a')})" if int(question.text[1:]) < 15 else "no idea"
        )
    )
    once, five = (evaluate(release, model, protocol=name).metrics["accuracy"] for name in ("vanilla", "shuffle:k=5"))
    assert once.value == five.value == 0.5
    assert once.ci is not None
    assert five.ci is not None
    widths = [ci[1] - ci[0] for ci in (once.ci, five.ci)]
    assert widths[1] > 0.8 * widths[0]


def test_orders_are_the_same_for_every_model_and_run(bench: Any, tmp_path: Path) -> None:
    bench.add("q", options=("a", "b", "c", "d", "e"), answer="C")
    release = bench.release(tmp_path / "release")
    seen = []
    for _ in range(2):
        model = Scripted(says("a"))
        evaluate(release, model, protocol="shuffle")
        seen.append([[c.text for c in q.choices] for q in model.asked])
    assert seen[0] == seen[1]
    assert len({tuple(order) for order in seen[0]}) > 1


SAP = {"options": ("a", "b", "I can't say"), "answer": "A", "refusal": "C"}


def test_what_was_declined_is_asked_again_without_the_option_that_declines(bench: Any, tmp_path: Path) -> None:
    bench.add("declined", **SAP)
    bench.add("answered", **SAP)
    bench.add("beyond", **{**SAP, "answer": None})
    bench.add("no way out", options=("a", "b"), answer="A")

    def say(question: Any) -> str:
        if question.item_id.endswith("again"):
            return "(A)"
        return "(C)" if question.text in {"declined", "beyond"} else "(B)"

    model = Scripted(say)
    score = evaluate(bench.release(tmp_path / "release"), model, protocol="forced", out=tmp_path / "out")
    again = [question for question in model.asked if question.item_id.endswith("again")]
    assert [(q.text, [c.text for c in q.choices]) for q in again] == [("declined", ["a", "b"])]
    row_by_item = {row["item_id"]: row for row in rows(tmp_path / "out", "scripted@forced")}
    declined = row_by_item[bench.items[0][0].item_id]
    assert (declined["letter"], declined["right"]) == ("C", False)
    assert [(a["round"], a["variant"], a["letter"], a["right"]) for a in declined["attempts"]] == [
        (0, "first", "C", False),
        (1, "firstagain", "A", True),
    ]
    assert score.metrics["accuracy"].value == 0.25


def test_mm_sap_asks_again_in_the_order_of_each_shuffle(bench: Any, tmp_path: Path) -> None:
    item = bench.add("declined", options=("a", "b", "c", "d", "I can't say"), answer="A", refusal="E")
    model = Scripted(says("I can't say"))
    evaluate(bench.release(tmp_path / "release"), model, protocol="mm-sap:k=3")
    assert model.variants == ["s1", "s2", "s3", "s1again", "s2again", "s3again"]
    for first, again in zip(model.asked[:3], model.asked[3:], strict=True):
        assert [c.text for c in again.choices] == [c.text for c in first.choices if c.text != "I can't say"]
    assert [c.text for c in model.asked[0].choices] == [item.choices[k].text for k in shuffled(item, 1)]
