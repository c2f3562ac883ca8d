"""Options that are pictures, by path or in separate columns, and pictures within the words of questions."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.audit import AuditSettings, audit
from benchwright.pipeline import run_recipe
from benchwright.question_files.item_check import read_questions
from benchwright.question_files.listed_rows import listed_rows
from benchwright.recipe import load_recipe
from benchwright.release import Release

UNCLEAR, MISSING = "unclear_picture", "missing_picture"
ASK = "Which shows the same?"


def source_of(folder: Path, pictures: Sequence[str], rows: Sequence[dict[str, Any]]) -> Path:
    """Write pictures that all differ, and a table."""
    for number, name in enumerate(pictures):
        save(folder / name, 20 + number, 64, 48)
    with (folder / "q.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder


def told(source: Path) -> list[Any]:
    """Return for each row its options, its key and its pictures, or why it is left out."""
    with read_questions(source) as read:
        return [
            row.get("left_out")
            or ([o.get("text", o.get("image")) for o in row["options"]], row["answer"], row["images"])
            for row in listed_rows(read.index)
        ]


def row_of(*options: str, answer: str = "B", image: str = "m.png", **more: str) -> dict[str, Any]:
    return {"image": image, "question": ASK, **dict(zip("ABCD", options, strict=False)), "answer": answer, **more}


PICTURES = ["m.png", "opt/a.png", "opt/b.png", "opt/c.png"]
ALL = ["opt/a.png", "opt/b.png", "opt/c.png"]
CASES: dict[str, tuple[list[dict[str, Any]], list[Any]]] = {
    "paths": ([row_of(*ALL)], [(ALL, "B", PICTURES)]),
    "no main picture": ([row_of(*ALL, image="")], [(ALL, "B", ALL)]),
    "bare names": ([row_of("a.png", "b.png", "c.png")], [(ALL, "B", PICTURES)]),
    "a key that is a path": ([row_of(*ALL, answer="opt/c.png")], [(ALL, "C", PICTURES)]),
    "one is not there": ([row_of(*ALL), row_of("opt/a.png", "opt/x.png", "opt/c.png")], [(ALL, "B", PICTURES), MISSING]),
    "none is there": ([row_of("o/1.png", "o/2.png")], [MISSING]),
    "a last one that is words": ([row_of(*ALL[:2], "none")], [([*ALL[:2], "none"], "B", PICTURES[:3])]),
    "names of files on a screen": ([row_of("cat.png", "report.pdf", "dog.png")],
                                   [(["cat.png", "report.pdf", "dog.png"], "B", ["m.png"])]),
    "names on a screen, all of pictures": ([row_of("cat.png", "dog.png")], [(["cat.png", "dog.png"], "B", ["m.png"])]),
    "words in other rows": ([row_of(*ALL), row_of("red", "blue", "green")],
                            [UNCLEAR, (["red", "blue", "green"], "B", ["m.png"])]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_options_are_pictures_where_the_whole_source_tells_so(case: str, tmp_path: Path) -> None:
    rows, wanted = CASES[case]
    assert told(source_of(tmp_path, PICTURES, rows)) == wanted


LISTS: dict[str, tuple[list[Any], Any]] = {
    "paths": (ALL, (ALL, "B", PICTURES)),
    "objects": ([{"key": "A", "image": ALL[0]}, {"key": "B", "image": ALL[2]}],
                ([ALL[0], ALL[2]], "B", ["m.png", ALL[0], ALL[2]])),
    "objects with words too": ([{"text": "red", "image": ALL[0]}, {"text": "blue", "image": ALL[1]}], UNCLEAR),
}  # fmt: skip


@pytest.mark.parametrize("case", LISTS)
def test_a_list_of_pictures_is_read_as_columns_are(case: str, tmp_path: Path) -> None:
    options, wanted = LISTS[case]
    source_of(tmp_path, PICTURES, [row_of()])
    (tmp_path / "q.csv").unlink()
    row = {"image": "m.png", "question": ASK, "options": options, "answer": "B"}
    (tmp_path / "q.json").write_text(json.dumps([row]))
    assert told(tmp_path) == [wanted]


@pytest.mark.parametrize("form", ["option_{}_image", "opt{}_img", "{}_image", "choice_image_{}", "image_option_{}"])
@pytest.mark.parametrize("labels", ["AB", "12"])
def test_columns_may_hold_the_pictures_of_options(form: str, labels: str, tmp_path: Path) -> None:
    columns = dict(zip(map(form.format, labels), ["b.png", "a.png"], strict=True))
    row = {"image": "m.png", "question": ASK, **columns, "answer": labels[1]}
    two = ["opt/b.png", "opt/a.png"]
    assert told(source_of(tmp_path, PICTURES, [row])) == [(two, "B", ["m.png", *two])]


def test_an_option_is_words_or_a_picture_and_never_both(tmp_path: Path) -> None:
    names = ("option_A", "option_A_image", "option_B", "option_B_image")
    cells = [("", "a.png", "none", ""), ("red", "", "blue", ""), ("red", "a.png", "blue", "b.png")]
    rows = [{"image": "m.png", "question": ASK, **dict(zip(names, row, strict=True)), "answer": "B"} for row in cells]
    wanted = [(["opt/a.png", "none"], "B", PICTURES[:2]), (["red", "blue"], "B", ["m.png"]), UNCLEAR]
    assert told(source_of(tmp_path, PICTURES, rows)) == wanted


WORDS = {
    "before": ("![](m.png) Where is it?", "", "Where is it?", ["m.png"]),
    "after, with a title": ('Where is it? ![plan](opt/a.png "the plan")', "", "Where is it?", ["opt/a.png"]),
    "HTML": ("<p><img width=3 src=opt/a.png></p> Where?", "", "<p><image 1></p> Where?", ["opt/a.png"]),
    "within": ("Is <img src='m.png'/> older?", "", "Is <image 1> older?", ["m.png"]),
    "two": ("![](m.png) ![](opt/a.png) Which?", "", "Which?", ["m.png", "opt/a.png"]),
    "beside the same": ("See ![](m.png) now", "m.png", "See <image 1> now", ["m.png"]),
    "beside another": ("See ![](opt/a.png) now", "m.png", "See <image 2> now", ["m.png", "opt/a.png"]),
    "no picture": ("Is ![](x.txt) a picture?", "m.png", "Is ![](x.txt) a picture?", ["m.png"]),
}


@pytest.mark.parametrize("case", WORDS)
def test_pictures_within_the_words_are_pictures_of_the_question(case: str, tmp_path: Path) -> None:
    words, image, ask, pictures = WORDS[case]
    source = source_of(tmp_path, PICTURES, [{**row_of("x", "y", image=image), "question": words}])
    with read_questions(source) as read:
        [row] = listed_rows(read.index)
    assert (row["question"], row["images"]) == (ask, pictures)


def test_options_that_are_paths_freeze_as_pictures(tmp_path: Path) -> None:
    source = source_of(tmp_path / "mine", PICTURES, [row_of(*ALL), row_of(*ALL, image="", answer="C")])
    recipe = "name: mine\nsteps: [{step: items, file: mine}, {step: freeze, name: mine, version: '1.0'}]\n"
    (tmp_path / "r.yaml").write_text(recipe)
    run_recipe(load_recipe(tmp_path / "r.yaml"), workspace=tmp_path / "ws")
    items = list(Release.open(tmp_path / "ws" / "releases" / "mine-1.0").items())
    for entry in items:
        shown = [entry.images[str(choice.image_id)] for choice in entry.item.choices]
        assert shown == [(source / name).read_bytes() for name in ALL]
    assert sorted(str(entry.item.answer) for entry in items) == ["B", "C"]


def test_an_audit_takes_options_that_are_paths_for_pictures(tmp_path: Path) -> None:
    source = source_of(tmp_path / "mine", PICTURES, [row_of(*ALL), row_of(*ALL, answer="C")])
    report = audit(source, tmp_path / "report", AuditSettings(workers=1))
    shown = [[choice.image_id is not None for choice in each.item.choices] for each in report.audited.all_items]
    assert (shown, report.failed) == ([[True] * 3] * 2, ())
