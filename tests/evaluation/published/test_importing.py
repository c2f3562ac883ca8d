"""Published questions become a release; those that cannot be released are left out with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.published.importing import import_published
from benchwright.images import encode_png
from benchwright.release import Release, verify_release

LABELS = {"domain": "Life", "rhetoric": ["Metaphor", "Contrast"], "explanation": {"text": []}, "emotion": "Neutral"}


def picture(path: Path, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode_png(np.full((9, 13, 3), shade, dtype=np.uint8)))


def record(key: str, image: str, *, answer: str | None = "B", **changed: Any) -> dict[str, Any]:
    question = {"id": key, "question": "Why?", "options": ["one", "two", "two"]} | (
        {"answer": answer} if answer else {}
    )
    return {"local_path": image, "questions": [question | changed], "meta_data": LABELS}


@pytest.fixture
def ii_data(tmp_path: Path) -> Path:
    for name, shade in (("a", 10), ("b", 10), ("c", 200)):
        picture(tmp_path / "ii" / "images" / f"{name}.png", shade)
    records = [record(f"dev-{name}", f"images/{name}.png") for name in "abc"]
    write(tmp_path / "ii", "dev", records)
    return tmp_path / "ii"


def write(data: Path, name: str, document: Any) -> None:
    (data / "data").mkdir(exist_ok=True)
    (data / "data" / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")


def test_a_question_keeps_its_text_options_key_and_labels(ii_data: Path, tmp_path: Path) -> None:
    made = import_published("ii-bench", ii_data, tmp_path / "out").release
    item = next(released.item for released in made.items() if released.item.attributes["published_id"] == "dev-c")
    assert (item.question, [choice.text for choice in item.choices], item.answer) == (
        "Why?",
        ["one", "two", "two"],
        "B",
    )
    assert (item.category, item.attributes["rhetoric"], item.explanation) == ("Life", "Metaphor, Contrast", None)
    assert not verify_release(tmp_path / "out").problems


def test_questions_on_pictures_with_equal_bytes_share_a_group(ii_data: Path, tmp_path: Path) -> None:
    made = import_published("ii-bench", ii_data, tmp_path / "out").release
    groups = {str(released.item.attributes["published_id"]): released.item.group_keys for released in made.items()}
    assert groups["dev-a"] == groups["dev-b"] != groups["dev-c"]


def test_what_cannot_be_released_is_left_out_with_its_reason(ii_data: Path, tmp_path: Path) -> None:
    (ii_data / "images" / "text.png").write_text("no picture", encoding="utf-8")
    picture(tmp_path / "outside.png", 5)
    strange = [record("test-2", "gone.png"), record("test-3", "images/text.png"), record("test-4", "../outside.png")]
    write(ii_data, "test", [record("test-1", "images/a.png", answer=None), *strange, record("test-5", "a\0b")])
    made = import_published("ii-bench", ii_data, tmp_path / "out")
    assert made.document()["splits"] == {"dev": 3}
    assert made.left_out == {"sealed": 1, "no_image": 3, "unreadable_image": 1}


def test_importing_again_gives_the_same_release(ii_data: Path, tmp_path: Path) -> None:
    once = import_published("ii-bench", ii_data, tmp_path / "out").release.release_id
    assert import_published("ii-bench", ii_data, tmp_path / "out").release.release_id == once
    assert import_published("ii-bench", ii_data, tmp_path / "again").release.release_id == once


@pytest.mark.parametrize(
    ("record_", "reason", "words"),
    [
        (1, "bad_row", "a int, not columns with values"),
        (record("x", "images/c.png", options=["one"]), "too_few_options", "1 option"),
        (record("x", "images/c.png", answer="D"), "key_not_an_option", "'D' is none of the 3 options"),
    ],
)
def test_a_damaged_record_is_left_out_and_named(
    ii_data: Path, tmp_path: Path, record_: Any, reason: str, words: str
) -> None:
    write(ii_data, "test", [record("test-1", "images/c.png"), record_])
    made = import_published("ii-bench", ii_data, tmp_path / "out")
    assert (made.document()["items"], made.left_out) == (4, {reason: 1})
    [refused] = made.refused
    assert (refused.file, words in refused.detail) == ("test.json", True)


def test_a_folder_without_questions_is_refused(ii_data: Path, tmp_path: Path) -> None:
    write(ii_data, "dev", {})
    with pytest.raises(DataError, match="contains no question file"):
        import_published("ii-bench", ii_data, tmp_path / "out")


MVP = [
    {"question_id": 0, "id": 7, "image": "Single_Images/7_s.png", "question": "A hat?\nPlease answer yes or no.", "answer": "no", "type": "y/n-s", "level": "low"},
    {"question_id": 1, "id": 7, "image": "Cross_Images/7.png", "question": "What changed?\nA. hat\nB. bag\nAnswer directly.", "answer": "B", "type": "mcq-cross", "level": "high"},
]  # fmt: skip


def test_mvp_benchs_questions_lose_their_instructions_and_option_lists(tmp_path: Path) -> None:
    data = tmp_path / "mvp"
    (data / "data").mkdir(parents=True)
    (data / "data" / "all_questions.json").write_text("\n".join(map(json.dumps, MVP)), encoding="utf-8")
    for number, record in enumerate(MVP):
        picture(data / str(record["image"]), 40 * number)
    made = import_published("mvp-bench", data, tmp_path / "out").release
    items = {released.item.task: released.item for released in made.items()}
    assert (items["yes_no"].question, items["yes_no"].answer, items["yes_no"].kind) == ("A hat?", "B", "yes_no")
    cross = items["cross_image"]
    assert (cross.question, [choice.text for choice in cross.choices], cross.answer) == (
        "What changed?",
        ["hat", "bag"],
        "B",
    )
    assert cross.category == "B1"
    assert {key for item in items.values() for key in item.group_keys if key.startswith("pair:")} == {"pair:7"}


def test_questions_without_pictures_make_no_release(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "all_questions.json").write_text("\n".join(map(json.dumps, MVP)), encoding="utf-8")
    with pytest.raises(BenchwrightError, match=r"\(2 no_image\); put the pictures next to the files"):
        import_published("mvp-bench", tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_ii_benchs_open_questions_make_a_release_that_can_be_scored(
    published_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    assert (
        invoke(
            ["evaluate", "import", "ii-bench", "--data", str(published_data / "ii_bench"), "--out", str(out), "--json"]
        )
        == 0
    )
    document = json.loads(capsys.readouterr().out)
    assert (document["splits"], document["left_out"]) == ({"dev": 35}, {"sealed": 250})
    assert invoke(["evaluate", "run", str(out), "--model", "constant:A", "--out", str(tmp_path / "r"), "--json"]) == 0
    right = sum(released.item.answer == "A" for released in Release.open(out).items())
    assert json.loads(capsys.readouterr().out)["metrics"]["accuracy"]["value"] == pytest.approx(right / 35)


def test_people_are_told_what_was_left_out(ii_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["evaluate", "import", "ii-bench", "--data", str(ii_data), "--out", str(tmp_path / "out")]) == 0
    assert capsys.readouterr().out.rstrip().endswith("out: 3 items; left out: none")
