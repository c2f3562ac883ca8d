"""Puzzles: collected ones from a table, with a required explanation, and generated ones that cannot be solved by a
cheat.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset_fixtures.pictures import save
from PIL import Image
from pydantic import ValidationError
from truth_runs import TruthRun, right_image, right_text

from benchwright.construction.ground_truth.truths import Puzzle
from benchwright.construction.tasks.iq_test import IqTest
from benchwright.construction.truth_tasks.pattern_puzzles import PatternPuzzles, pattern_puzzle
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, step
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow

LETTERS = ("A", "B", "C", "D")


def released(finished: Any) -> list[Item]:
    release = Release.open(finished.workspace / finished.artifacts["release"])
    return [entry.item for entry in release.items()]


def row(number: int, **changes: Any) -> dict[str, Any]:
    """Return a row of a table: every other puzzle has its options as pictures."""
    truth: dict[str, Any] = {"kind": "puzzles", "question": f"Which comes next, {number}?", "explanation": f"E{number}"}
    if number % 2:
        images = [{"image": f"{number}-{place}.png"} for place in range(5)]
        truth |= {"option_pictures": [1, 2, 3, 4], "answer": number % 4 + 1}
        return {"id": f"p{number}", "images": images, "truths": [truth | changes]}
    truth |= {"labels": LETTERS, "answer": LETTERS[number // 2 % 4]}
    return {"id": f"p{number}", "image": f"{number}-0.png", "licence": "CC0", "truths": [truth | changes]}


def test_collected_puzzles_become_items_with_their_explanation_and_rows_without_one_are_refused(tmp_path: Path) -> None:
    rows = [row(number) for number in range(40)]
    without, beyond = row(41), row(43, option_pictures=[1, 2, 3, 5], answer=5)
    del without["truths"][0]["explanation"]
    for number in range(44):
        for place in range(5 if number % 2 else 1):
            save(tmp_path / "own" / f"{number}-{place}.png", 10 * number + place, 150, 140)
    lines = "".join(json.dumps(line) + "\n" for line in [*rows, without, beyond])
    (tmp_path / "own" / "table.jsonl").write_text(lines)
    steps = [
        step("dataset", reader="folder", folder="own"),
        step("iq_test"),
        step("freeze", name="iq", version="1.0"),
    ]
    finished = run_recipe(Recipe("iq", steps, seed=2, folder=tmp_path, shards=2), workspace=tmp_path / "w")
    refused = [
        json.loads(line) for line in (finished.workspace / "datasets/dataset.refused.jsonl").read_text().splitlines()
    ]
    assert [(entry["reason"], "explanation" in entry["detail"]) for entry in refused] == [
        ("bad_row", True),
        ("outside_picture", False),
    ]
    items = {item.evidence["record"]: item for item in released(finished)}
    assert len(items) == 40
    for number, stated in enumerate(rows):
        item, truth = items[f"folder:p{number}"], stated["truths"][0]
        assert (item.question, item.explanation) == (truth["question"], truth["explanation"])
        assert set(item.written_by.values()) == {"person"}
        assert item.attributes == {"origin": "collected"}
        if "labels" in truth:
            assert right_text(item) == truth["answer"] == item.answer
        else:
            file = tmp_path / "own" / stated["images"][truth["answer"]]["image"]
            assert right_image(item) == hashlib.sha256(file.read_bytes()).hexdigest()
    letters = Counter(item.answer for item in items.values())
    assert max(letters.values()) - min(letters.values()) <= 1


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"answer": "E"}, id="answer-is-no-option"),
        pytest.param({"labels": ("A", "A", "B", "C")}, id="a-label-twice"),
        pytest.param({"labels": ()}, id="no-options"),
        pytest.param({"option_pictures": (1, 2)}, id="two-kinds-of-options"),
        pytest.param({"option_texts": ("A", "B")}, id="texts-beside-labels"),
        pytest.param({"explanation": ""}, id="no-explanation"),
    ],
)
def test_puzzles_without_one_right_option_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Puzzle(**({"question": "Q", "labels": LETTERS, "answer": "A", "explanation": "E"} | changes))


def test_puzzles_that_make_no_item_say_why(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    three, twice, bare = run.picture(1), run.picture(2), run.picture(3)
    options = [run.picture(4), run.picture(5), run.picture(6)]
    words: dict[str, Any] = {"question": "Q", "explanation": "E"}
    pictures = Puzzle(option_pictures=(1, 2, 3, 4), answer=1, **words)
    run.state("a", [three], Puzzle(labels=("A", "B", "C"), answer="A", **words))
    run.state("b", [twice, twice, *options], pictures)
    run.state("c", [bare, *options], Puzzle(option_pictures=(0, 1, 2, 3), answer=1, **words))
    assert run.run(IqTest()) == []
    reasons = [run.reason(image_id) for image_id in (three, twice, bare)]
    assert reasons == ["other_number_of_options", "same_picture", "no_puzzle_picture"]


def written(*questions: dict[str, Any], drawn_options: tuple[str, ...] = ()) -> str:
    """Return what people wrote about a picture, as the campaign `write` hands it on."""
    place = {"campaign": "write", "record_id": "a" * 64, "slot": 1}
    common = {"ask": "Which comes next?", "explanation": "It turns.", "written_in": place}
    document = {"task": "puzzles", "questions": [common | each for each in questions], "drawn_options": drawn_options}
    return json.dumps(document)


def test_what_people_wrote_about_puzzles_becomes_items_that_know_their_authors(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    drawn, of_texts = run.picture(1), run.picture(2)
    wrong = [letter for letter in LETTERS if letter != "C"]
    question = {"right": "C", "wrong": wrong, "labels": {"rule": "rotation"}}
    run.say(drawn, "write.questions", written(question, drawn_options=LETTERS))
    run.say(of_texts, "write.questions", written({"right": "16", "wrong": ["12", "14", "15"]}))
    by_picture = {item.images[0].image_id: item for item in run.run(IqTest(written_by="write"))}
    item = by_picture[drawn]
    assert ([choice.text for choice in item.choices], item.answer) == (list(LETTERS), "C")
    assert item.attributes == {"rule": "rotation", "origin": "written"}
    assert item.evidence["written_in"] == {"campaign": "write", "record_id": "a" * 64, "slot": 1}
    assert item.written_by == {"question": "person", "choices": "person", "explanation": "person"}
    assert right_text(by_picture[of_texts]) == "16"
    assert {choice.text for choice in by_picture[of_texts].choices} == {"12", "14", "15", "16"}


def test_letters_of_written_options_are_balanced(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    for number in range(24):
        value = written({"right": str(number), "wrong": [f"{number}{letter}" for letter in "abc"]})
        run.say(run.picture(number), "write.questions", value)
    letters = Counter(item.answer for item in run.run(IqTest(written_by="write")))
    assert set(letters.values()) == {6}


def test_written_puzzles_that_make_no_item_say_why(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    wrong = ["12", "14", "15"]
    reasons = {
        "no_explanation": {"right": "16", "wrong": wrong, "explanation": None},
        "declining_option": {"right": None, "wrong": wrong, "refusal": "Nothing says."},
        "other_number_of_options": {"right": "16", "wrong": wrong[:2]},
    }
    pictures = {reason: run.picture(number) for number, reason in enumerate(reasons)}
    for reason, question in reasons.items():
        run.say(pictures[reason], "write.questions", written(question))
    assert run.run(IqTest(written_by="write")) == []
    assert {reason: run.reason(image_id) for reason, image_id in pictures.items()} == {
        reason: reason for reason in reasons
    }


def cells(rows: np.ndarray) -> list[np.ndarray]:
    """Return the six cells of a picture of two rows, found by its gray frame."""
    grey = (rows == 190).all(2)
    down = np.flatnonzero(np.diff(np.r_[1, grey.all(1).astype(int), 1]))
    across = np.flatnonzero(np.diff(np.r_[1, grey.all(0).astype(int), 1]))
    return [
        rows[y0:y1, x0:x1]
        for y0, y1 in zip(down[::2], down[1::2], strict=True)
        for x0, x1 in zip(across[::2], across[1::2], strict=True)
    ]


def test_generated_puzzles_say_so_and_the_key_is_the_overlay_of_the_pixels(tmp_path: Path) -> None:
    steps = [step("pattern_puzzles", puzzles=22, mode="paper"), step("iq_test", dataset="pattern_puzzles")]
    recipe = Recipe("iq", [*steps, step("freeze", name="iq", version="1.0")], seed=2, folder=tmp_path, shards=2)
    finished = run_recipe(recipe, workspace=tmp_path / "w")
    release = Release.open(finished.workspace / finished.artifacts["release"])
    files = {}
    for path in (finished.workspace / "objects").rglob("*"):
        if path.is_file():
            files[hashlib.sha256(path.read_bytes()).hexdigest()] = path
    items = [entry.item for entry in release.items()]
    assert len(items) == 22
    for item in items:
        assert item.attributes.keys() == {"origin", "wording"}
        assert item.attributes["origin"] == "generated"
        assert item.written_by == {"question": "template", "explanation": "template"}
        assert item.evidence["original"] == {
            "generator": "pattern_puzzles",
            "mode": "paper",
            "rule": "overlay",
            "seed": 2,
        }
        first, second, third, left, middle, _ = cells(np.asarray(Image.open(files[item.images[0].image_id])))
        assert ((third < 128) == ((first < 128) | (second < 128))).all()
        overlay = (left < 128) | (middle < 128)
        fitting = [
            choice.key
            for choice in item.choices
            if (overlay == (np.asarray(Image.open(files[choice.image_id or ""]))[12:-12, 12:-12] < 128)).all()
        ]
        assert fitting == [item.answer]
    letters = Counter(item.answer for item in items)
    assert max(letters.values()) - min(letters.values()) <= 1


def test_the_options_of_generated_puzzles_have_the_same_ink_and_no_odd_one_out() -> None:
    for _, *options in PatternPuzzles(puzzles=60).drawn(5):
        black = [option[..., 0] < 128 for option in options]
        assert len({int(option.sum()) for option in black}) == 1
        apart = sorted(sorted(int((one ^ other).sum()) for other in black) for one in black)
        assert apart[0] == apart[-1]


def test_one_of_both_patterns_alone_leaves_two_options() -> None:
    for rows, *options in PatternPuzzles(puzzles=60, mode="paper").drawn(6):
        for cell in cells(rows)[3:5]:
            holding = [place for place, option in enumerate(options) if (option[cell < 128] < 128).all()]
            assert len(holding) == 2
            assert holding[0] == 0


def test_a_seed_draws_the_same_puzzles_and_another_one_others() -> None:
    first, again, other = (
        [picture.tobytes() for pictures in PatternPuzzles(puzzles=7).drawn(seed) for picture in pictures]
        for seed in (1, 1, 2)
    )
    assert first == again
    assert set(first).isdisjoint(other)


def test_hardened_puzzles_show_what_exactly_one_of_two_patterns_shows() -> None:
    puzzles = PatternPuzzles(puzzles=40)
    for rows, *options in puzzles.drawn(4):
        first, second, third, left, middle, _ = (cell < 128 for cell in cells(rows))
        assert (third == (first ^ second)).all()
        assert [(option < 128).tolist() == (left ^ middle).tolist() for option in options] == [True] + 3 * [False]
        assert (left & middle).any(), "something goes, so that the rule is no overlay"


def test_neither_pattern_of_a_hardened_puzzle_alone_prefers_an_option() -> None:
    rounds = 3000
    for alone in (0, 1):
        guesses: Counter[str] = Counter()
        for number in range(rounds):
            puzzle = pattern_puzzle(np.random.default_rng((8, number)), "hardened")
            shared = [len(option & puzzle.second_row[alone]) for option in puzzle.options]
            for name, best in (("most", max(shared)), ("least", min(shared))):
                guesses[name] += (shared[puzzle.right] == best) / shared.count(best)
        # Right in a quarter of all; four standard deviations of as many fair guesses.
        assert all(abs(right / rounds - 0.25) < 0.032 for right in guesses.values())
