"""Questions of several benchmarks in one run: their items are distinct, and the same question remains the same item."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.errors import RecipeError
from benchwright.pipeline import run_recipe
from benchwright.question_files.item_check import read_questions
from benchwright.recipe import load_recipe
from benchwright.release import Release

COLOURS = [
    {"id": "1", "image": "a.png", "question": "Which colour?", "A": "red", "B": "blue", "answer": "A"},
    {"id": "2", "image": "b.png", "question": "Which one here?", "A": "red", "B": "blue", "answer": "B"},
]
SHAPES = [
    {"id": "1", "image": "a.png", "question": "Which shape?", "A": "round", "B": "square", "answer": "B"},
    {"id": "2", "image": "b.png", "question": "Which one here?", "A": "red", "B": "blue", "answer": "A"},
]


def _source(folder: Path, rows: list[dict[str, Any]], *, grey: int, without: str = "") -> Path:
    """Return the path of a file of questions with two pictures beside it."""
    folder.mkdir(exist_ok=True)
    for number, name in enumerate("ab"):
        save(folder / f"{name}.png", grey + number, 64, 48)
    path = folder / "questions.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, [name for name in rows[0] if name != without], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def _run(folder: Path, *entries: str, name: str = "ws") -> dict[str, Any]:
    """Run the entries and a freeze, and return the run's reports by name, and its released items."""
    steps = [*entries, "{step: freeze, name: mine, version: '1.0'}"]
    (folder / "r.yaml").write_text("name: mine\nsteps:\n" + "".join(f"  - {step}\n" for step in steps))
    finished = run_recipe(load_recipe(folder / "r.yaml"), workspace=folder / name)
    reports: dict[str, Any] = {report.name: report for report in finished.steps}
    return reports | {"released": list(Release.open(folder / name / "releases" / "mine-1.0").items())}


def _identities(path: Path) -> dict[str, str]:
    """Return what the id of each item depends on, by the words of its question."""
    with read_questions(path) as read:
        return {question.question.ask: question.identity for question in read.index.questions()}


@pytest.mark.parametrize("without", ["id", ""], ids=["no ids", "the same ids"])
def test_two_sources_meet_in_one_release_and_each_keeps_all_of_its_items(without: str, tmp_path: Path) -> None:
    _source(tmp_path / "one", COLOURS, grey=20, without=without)
    _source(tmp_path / "two", [SHAPES[0] | {"split": "val"}, SHAPES[1] | {"split": "val"}], grey=40, without=without)
    run = _run(
        tmp_path,
        "{step: items, file: one/questions.csv, as: one}",
        "{step: items, file: two/questions.csv, as: two}",
    )
    assert sorted((entry.item.question, entry.split, entry.item.answer) for entry in run["released"]) == [
        ("Which colour?", "test", "A"), ("Which one here?", "test", "B"),
        ("Which one here?", "val", "A"), ("Which shape?", "val", "B"),
    ]  # fmt: skip
    assert (run["one"].made, run["two"].made) == (2, 2)


def test_the_same_questions_elsewhere_and_with_another_row_before_them_stay_the_same(tmp_path: Path) -> None:
    before = _identities(_source(tmp_path / "one", COLOURS, grey=20, without="id"))
    shutil.copytree(tmp_path / "one", tmp_path / "elsewhere")
    new = COLOURS[0] | {"question": "And which shade?"}
    after = _identities(_source(tmp_path / "elsewhere", [new, *COLOURS], grey=20, without="id"))
    assert len({*before.values()}) == 2
    assert {ask: after[ask] for ask in before} == before


def test_a_question_that_an_earlier_entry_has_is_left_out_and_one_that_stands_twice_is_not(tmp_path: Path) -> None:
    _source(tmp_path / "one", [*COLOURS, COLOURS[0]], grey=20, without="id")
    _source(tmp_path / "two", [COLOURS[0], SHAPES[1]], grey=20, without="id")
    run = _run(
        tmp_path,
        "{step: items, file: one/questions.csv}",
        "{step: items, file: two/questions.csv, as: two}",
    )
    assert (run["items"].made, run["two"].made, len(run["released"])) == (3, 0, 3)
    assert run["two"].dropped == {"asked_before": 2}


def test_a_release_of_the_same_questions_adds_none(tmp_path: Path) -> None:
    _source(tmp_path / "one", COLOURS, grey=20)
    first = _run(tmp_path, "{step: items, file: one/questions.csv}")
    release = "ws/releases/mine-1.0"
    both = _run(
        tmp_path, f"{{step: items, file: {release}, as: old}}", f"{{step: items, file: {release}, as: again}}", name="w"
    )
    assert [entry.item.item_id for entry in both["released"]] == [entry.item.item_id for entry in first["released"]]
    assert both["again"].dropped == {"asked_before": 2}


def test_items_of_a_named_benchmark_keep_their_ids_where_words_are_set_right(tmp_path: Path) -> None:
    entry = "{step: items, file: one/questions.csv, benchmark: colours}"
    ids = []
    for number, words in enumerate(("Which colour?", "Which color?")):
        _source(tmp_path / "one", [COLOURS[0] | {"question": words}, COLOURS[1]], grey=20)
        ids.append({e.item.item_id for e in _run(tmp_path, entry, name=f"ws{number}")["released"]})
    assert ids[0] == ids[1]
    with pytest.raises(RecipeError, match=r"same identity as 'items'.*benchmark"):
        _run(tmp_path, entry, entry.replace("colours}", "colours, as: again}"), name="ws2")
