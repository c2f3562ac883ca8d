"""Pictures and keys that other tables have by id: joined if an id identifies one row, otherwise refused with a
message.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.pictures import save

from benchwright.question_files.item_check import read_questions
from benchwright.question_files.listed_rows import listed_rows

HORSE, ZEBRA = {"id": 2, "file_name": "horse.png"}, {"id": 1, "file_name": "zebra.png"}
IMAGES = [HORSE, ZEBRA]
MISSING, AMBIGUOUS, NO_KEY = "missing_picture", "ambiguous_picture", "no_key"


def asked(number: int, image_id: Any, **more: Any) -> dict[str, Any]:
    base = {"question_id": number, "image_id": image_id, "question": f"Which is {number}?", "options": ["ash", "elm"]}
    return {**base, "answer": "B", **more}


def keyless(number: int, image_id: Any, **more: Any) -> dict[str, Any]:
    return {name: value for name, value in asked(number, image_id, **more).items() if name != "answer"}


def keys(*answers: str) -> list[dict[str, Any]]:
    return [{"question_id": number, "answer": answer} for number, answer in enumerate(answers)]


Files = Mapping[str, Any]
Z, H = ("B", "img/zebra.png"), ("B", "img/horse.png")
JOINS: dict[str, tuple[Files, list[Any]]] = {
    "pictures before questions": ({"d.json": {"images": IMAGES, "questions": [asked(0, 1), asked(1, 2)]}}, [Z, H]),
    "pictures after questions": ({"d.json": {"questions": [asked(0, 1), asked(1, 2)], "images": IMAGES}}, [Z, H]),
    "after annotations": ({"d.json": {"annotations": [asked(0, 1), asked(1, 2)], "images": IMAGES}}, [Z, H]),
    "in a list of another name": ({"d.json": {"data": [asked(0, 1), asked(1, 2)], "images": IMAGES}}, [Z, H]),
    "pictures by id": ({"d.json": {"images": {"1": "zebra.png", "2": "horse.png"}, "questions": [asked(0, 1), asked(1, 2)]}}, [Z, H]),
    "ids as texts": ({"d.json": {"images": IMAGES, "questions": [asked(0, "1"), asked(1, "2")]}}, [Z, H]),
    "many pictures before": (
        {"d.json": {"images": [*({"id": n, "file_name": f"{n}.png"} for n in range(3, 99)), *IMAGES], "questions": [asked(0, 1)]}}, [Z]),
    "a picture that is not listed": ({"d.json": {"images": IMAGES, "questions": [asked(0, 1), asked(1, 9)]}}, [Z, MISSING]),
    "an id of two pictures": (
        {"d.json": {"images": [*IMAGES, {"id": 1, "file_name": "1.png"}], "questions": [asked(0, 1), asked(1, 2)]}}, [AMBIGUOUS, H]),
    "an id of two pictures, in another list": (
        {"d.json": {"images": [*IMAGES, {"id": 1, "file_name": "1.png"}], "data": [asked(0, 1), asked(1, 2)]}}, [AMBIGUOUS, H]),
    "annotations with keys": (
        {"d.json": {"images": IMAGES, "questions": [keyless(0, 1), keyless(1, 2)], "annotations": keys("B", "B")}}, [Z, H]),
    "annotations that differ": (
        {"d.json": {"images": IMAGES, "questions": [keyless(0, 1), keyless(1, 2)], "annotations": [*keys("B", "B"), *keys("A")]}}, [NO_KEY, H]),
    "an annotation for two questions": (
        {"d.json": {"images": IMAGES, "questions": [keyless(0, 1), keyless(0, 2), keyless(1, 2)], "annotations": keys("B", "B")}},
        [NO_KEY, NO_KEY, H]),
    "an annotation against the question": (
        {"d.json": {"images": IMAGES, "questions": [asked(0, 1), asked(1, 2)], "annotations": keys("A", "B")}}, [NO_KEY, H]),
    "a table of pictures": ({"images.json": IMAGES, "q.json": [asked(0, 1), asked(1, 2)]}, [Z, H]),
    "a table of pictures with an id of two": (
        {"images.json": [*IMAGES, {"id": 1, "file_name": "1.png"}], "q.json": [asked(0, 1), asked(1, 2)]}, [AMBIGUOUS, H]),
    "a document of pictures beside": ({"all.json": {"images": IMAGES}, "q.json": {"questions": [asked(0, 1), asked(1, 2)]}}, [Z, H]),
    "keys beside that differ": ({"q.json": [keyless(0, "zebra.png"), keyless(1, "horse.png")], "keys.json": [*keys("B", "B"), *keys("A")]}, [NO_KEY, H]),
    "a key beside for two questions": (
        {"q.json": [keyless(0, "zebra.png"), keyless(0, "horse.png"), keyless(1, "horse.png")], "keys.json": keys("B", "B")},
        [NO_KEY, NO_KEY, H]),
}  # fmt: skip


@pytest.mark.parametrize("case", JOINS)
def test_an_id_that_names_one_row_joins_and_any_other_is_refused(case: str, tmp_path: Path) -> None:
    files, wanted = JOINS[case]
    for number, name in enumerate(("zebra", "horse", "1", "2")):  # pictures called by number are those of no id
        save(tmp_path / "img" / f"{name}.png", 30 + number, 24, 18)
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content))
    with read_questions(tmp_path) as read:
        rows = list(listed_rows(read.index))
    assert [row.get("left_out") or row.get("no_item") or (row["answer"], *row["images"]) for row in rows] == wanted


def test_why_a_key_is_not_joined_is_told(tmp_path: Path) -> None:
    save(tmp_path / "zebra.png", 3, 24, 18)
    (tmp_path / "q.json").write_text(json.dumps([keyless(0, "zebra.png")]))
    (tmp_path / "keys.json").write_text(json.dumps([*keys("B"), *keys("A")]))
    with read_questions(tmp_path) as read:
        [row] = read.index.rows()
    assert row.detail == "no option is marked as right: keys.json states different keys for its id"
