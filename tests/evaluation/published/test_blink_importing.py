"""BLINK's questions, read from the files of its data set, become a release that all other commands accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import invoke
from benchwright.errors import DataError
from benchwright.evaluation.prompting.prompts import message_of
from benchwright.evaluation.protocols.names import parse_protocol
from benchwright.evaluation.published.importing import PICTURES, import_published
from benchwright.evaluation.run import evaluate
from benchwright.images import encode_png
from benchwright.release import Release, verify_release

PROMPT = "Which of these fits?\nSelect from the following choices.\n(A) the second image\n(B) the third image"


def picture(shade: int) -> dict[str, Any]:
    return {"bytes": encode_png(np.full((9, 13, 3), shade, dtype=np.uint8)), "path": None}


def row(idx: str, task: str, shades: list[int], **changed: Any) -> dict[str, Any]:
    shown = dict(zip(PICTURES, [*map(picture, shades), None, None, None, None], strict=False))
    words = {
        "idx": idx,
        "sub_task": task,
        "question": "Which of these fits?",
        "choices": ["the second image", "the third image"],
        "answer": "(B)",
        "prompt": PROMPT,
    }
    return words | shown | changed


def write(folder: Path, split: str, rows: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    text = pa.string()
    schema = pa.schema(
        [
            ("idx", text),
            ("sub_task", text),
            ("question", text),
            ("choices", pa.list_(text)),
            ("answer", text),
            ("prompt", text),
        ]
        + [(name, image) for name in PICTURES]
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / f"{split}-00000-of-00001.parquet")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "BLINK"
    write(
        folder / "Jigsaw", "val", [row("val_Jigsaw_1", "Jigsaw", [1, 2, 3]), row("val_Jigsaw_2", "Jigsaw", [4, 5, 3])]
    )
    write(folder / "Jigsaw", "test", [row("test_Jigsaw_1", "Jigsaw", [6, 7, 8], answer="hidden")])
    write(folder / "Multi-view_Reasoning", "val", [row("val_Multi-view_Reasoning_1", "Multi-view_Reasoning", [9, 10])])
    return folder


def test_a_question_keeps_its_pictures_in_order_and_its_words(data: Path, tmp_path: Path) -> None:
    made = import_published("blink", data, tmp_path / "out")
    item_by_id = {
        released_item.item.attributes["published_id"]: released_item for released_item in made.release.items("val")
    }
    assert sorted(item_by_id) == ["val_Jigsaw_1", "val_Jigsaw_2", "val_Multi-view_Reasoning_1"]
    first = item_by_id["val_Jigsaw_1"]
    assert [first.images[image.image_id] for image in first.item.images] == [
        picture(shade)["bytes"] for shade in (1, 2, 3)
    ]
    assert (first.item.task, first.item.category, first.item.answer) == ("jigsaw", "Jigsaw", "B")
    assert item_by_id["val_Multi-view_Reasoning_1"].item.task == "multi_view_reasoning"
    shared = set(first.item.group_keys) & set(item_by_id["val_Jigsaw_2"].item.group_keys)
    assert len(shared) >= 1
    assert made.left_out == {"sealed": 1}
    assert not verify_release(tmp_path / "out").problems


def test_our_wording_is_that_of_the_data_set(data: Path, tmp_path: Path) -> None:
    release = import_published("blink", data, tmp_path / "out").release
    released = next(
        released_item for released_item in release.items("val") if released_item.item.task == "multi_view_reasoning"
    )
    question = parse_protocol("blink").begin(release, None)(released, [])[0].question
    assert question is not None
    assert message_of(question)[0] == PROMPT


def test_every_other_command_takes_what_was_imported(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(["evaluate", "import", "blink", "--data", str(data), "--out", str(tmp_path / "out"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["items"], printed["splits"], printed["left_out"]) == (3, {"val": 3}, {"sealed": 1})
    score = evaluate(Release.open(tmp_path / "out"), "constant:B", protocol="blink")
    assert score.metrics["accuracy"].value == 1.0


def test_importing_twice_gives_the_same_bytes(data: Path, tmp_path: Path) -> None:
    ids = [import_published("blink", data, tmp_path / name).release.release_id for name in ("one", "two")]
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"answer": "(C)"}, "key_not_an_option"),
        ({"choices": ["one"]}, "too_few_options"),
        ({"question": ""}, "no_question"),
        ({"image_1": None, "image_2": None, "image_3": None}, "no_picture"),
    ],
)  # fmt: skip
def test_a_damaged_row_is_left_out_and_named(data: Path, tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    rows = [row("val_Counting_1", "Counting", [1]), row("val_Counting_2", "Counting", [2]) | change]
    write(data / "Counting", "val", rows)
    made = import_published("blink", data, tmp_path / "out")
    assert (made.document()["items"], made.left_out) == (4, {"sealed": 1, reason: 1})
    assert [refused.entry for refused in made.refused] == ["row 2"]


def test_a_folder_without_questions_says_where_they_are(published_data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="BLINK-Benchmark/BLINK on Hugging Face"):
        import_published("blink", published_data / "blink", tmp_path / "out")


def test_a_file_that_is_no_parquet_is_left_out_and_named(data: Path, tmp_path: Path) -> None:
    (data / "Jigsaw" / "val-00000-of-00001.parquet").write_bytes(b"PAR1 nothing")
    made = import_published("blink", data, tmp_path / "out")
    assert (made.document()["items"], made.left_out) == (1, {"sealed": 1, "unreadable_file": 1})
    assert "cannot be read" in made.refused[0].detail
