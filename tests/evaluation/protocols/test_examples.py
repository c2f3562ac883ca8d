"""Any worded protocol can show examples first: with pictures, drawn by a seed, and never a scored item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_model import Scripted, pictures_of, rows, words_of

from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.run import evaluate


def fill(bench: Any, **more: Any) -> None:
    for number in range(6):
        bench.add(f"dev {number}", split="dev", answer="ABC"[number % 3])
    for number in range(3):
        bench.add(f"test {number}", **more)


def asked(release: Any, protocol: str, split: str | None = "test", **more: Any) -> list[Any]:
    model = Scripted(lambda question: "(B)")
    evaluate(release, model, protocol=protocol, split=split, **more)
    return model.asked


def test_examples_stand_before_each_question_with_their_pictures_and_answers(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "r")
    questions = asked(release, "vanilla:shots=2", out=tmp_path / "out")
    answers = {item.question: item.answer for item, _ in bench.items}
    for number, question in enumerate(sorted(questions, key=lambda asked_question: asked_question.text)):
        words = words_of(question)
        assert words.startswith("Here are examples with the right answers.\nExample 1:\n[picture]\ndev ")
        shown = [line for line in words.splitlines() if line.startswith(("dev", "test"))]
        assert len(shown) == 3
        assert shown[-1] == f"test {number}"
        answer_lines = [line for line in words.splitlines() if line.startswith("Answer:")]
        assert answer_lines == [f"Answer: ({answers[text]})" for text in shown[:2]]
        assert len(pictures_of(question)) == 3
    kept = rows(tmp_path / "out", "scripted@vanilla.shots=2")
    notes = {row["attempts"][0]["note"] for row in kept}
    assert len(notes) == 1
    assert len(json.loads(notes.pop())["examples"]) == 2


def test_the_draw_follows_its_seed_and_nothing_else(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "r")

    def shown(protocol: str) -> str:
        return words_of(asked(release, protocol)[0]).partition("Now the question")[0]

    assert shown("vanilla:shots=2") == shown("vanilla:shots=2")
    assert len({shown(f"vanilla:shots=2,seed={seed}") for seed in range(6)}) > 1


def test_other_protocols_and_wordings_show_examples_in_their_own_way(bench: Any, tmp_path: Path) -> None:
    fill(bench)
    release = bench.release(tmp_path / "r")
    for question in asked(release, "blind:shots=1"):
        assert pictures_of(question) == []
        assert words_of(question).startswith("Here is an example with the right answer.\nExample:\ndev ")
    circular = asked(release, "circular:shots=1,wording=mm-sap")
    assert len(circular) == 9
    assert all(
        "\nAnswer: A\n" in words_of(question)
        or "\nAnswer: B\n" in words_of(question)
        or "\nAnswer: C\n" in words_of(question)
        for question in circular
    )
    wrong = asked(release, "wrong-image:shots=1")
    assert all(len(pictures_of(question)) == 2 for question in wrong)


def test_a_yes_no_example_is_answered_in_words_where_the_wording_asks_for_them(bench: Any, tmp_path: Path) -> None:
    bench.add("dev?", split="dev", kind="yes_no", options=("Yes", "No"), answer="B")
    bench.add("test?", kind="yes_no", options=("Yes", "No"), answer="B")
    (question,) = asked(bench.release(tmp_path / "r"), "mvp-bench:shots=1")
    assert "\nAnswer: No\n" in words_of(question)


def test_an_example_is_never_scored_and_shares_neither_group_nor_picture_with_what_is(
    bench: Any, tmp_path: Path
) -> None:
    same = np.full((5, 7, 3), 200, dtype=np.uint8)
    bench.add("by group", split="dev", group_keys=("scene:1",))
    bench.add("by picture", split="dev", pictures=[same])
    bench.add("free", split="dev")
    bench.add("test", group_keys=("scene:1",))
    bench.add("test too", pictures=[same])
    release = bench.release(tmp_path / "r")
    for question in asked(release, "vanilla:shots=1"):
        assert "\nfree\n" in words_of(question)
    with pytest.raises(BenchwrightError, match="has 1 item usable as examples, fewer than shots=2"):
        asked(release, "vanilla:shots=2")


@pytest.mark.parametrize("split", [None, "dev"])
def test_a_split_that_is_scored_gives_no_examples(bench: Any, tmp_path: Path, split: str | None) -> None:
    fill(bench)
    with pytest.raises(BenchwrightError, match="would be scored themselves"):
        asked(bench.release(tmp_path / "r"), "vanilla:shots=1", split)


def test_a_release_without_such_a_split_says_which_it_has(bench: Any, tmp_path: Path) -> None:
    bench.add()
    with pytest.raises(BenchwrightError, match="no split dev or val to take examples from; it has test"):
        asked(bench.release(tmp_path / "r"), "vanilla:shots=1")


@pytest.fixture
def example(bench: Any, tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "cat.png").write_bytes(bench.files[bench.picture(np.full((9, 9, 3), 77, dtype=np.uint8))])
    return {"question": "Mine?", "options": ["cat", "dog"], "answer": "A", "images": ["cat.png"]}


def test_examples_come_from_a_file_whose_hash_stands_in_the_score(
    bench: Any, tmp_path: Path, example: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.add("test")
    release = bench.release(tmp_path / "r")
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text(json.dumps(example))
    model = Scripted(lambda question: "(B)")
    score = evaluate(release, model, protocol="vanilla:shots=1,examples=mine.jsonl")
    assert words_of(model.asked[0]).startswith(
        "Here is an example with the right answer.\nExample:\n[picture]\nMine?\n(A) cat\n(B) dog\n"
    )
    before = score.settings["protocol"]["examples_sha256"]
    Path("mine.jsonl").write_text(json.dumps(example | {"answer": "B"}))
    after = evaluate(release, model, protocol="vanilla:shots=1,examples=mine.jsonl").settings["protocol"]
    assert after["examples_sha256"] != before


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"answer": "C"}, "answer is 'C', not one of the letters A, B"),
        ({"answer": ""}, "answer is ''"),
        ({"options": ["cat"]}, "options is"),
        ({"images": []}, "images is"),
        ({"images": ["../outside.png"]}, "cannot be used"),
        ({"images": ["none.png"]}, "cannot be used"),
        ({"question": 3}, "question is 3"),
        ({"more": 1}, "and no other field"),
    ],
)  # fmt: skip
def test_a_line_of_a_file_of_examples_is_refused_by_number(
    bench: Any, tmp_path: Path, example: dict[str, Any], change: dict[str, Any], says: str
) -> None:
    bench.add()
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(example) + "\n" + json.dumps(example | change))
    with pytest.raises(DataError, match="line 2") as error:
        asked(bench.release(tmp_path / "r"), f"vanilla:shots=1,examples={path}")
    assert says in str(error.value)


def test_a_picture_of_a_scored_item_in_a_file_of_examples_is_refused(
    bench: Any, tmp_path: Path, example: dict[str, Any]
) -> None:
    bench.add(pictures=[np.full((9, 9, 3), 77, dtype=np.uint8)])
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(example))
    with pytest.raises(DataError, match="belongs to a scored item"):
        asked(bench.release(tmp_path / "r"), f"vanilla:shots=1,examples={path}")
