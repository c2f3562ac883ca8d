"""BLINK's layout and cells on a handful of questions made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.published.benchmarks import recount
from benchwright.evaluation.published.blink import OPTIONS

GOLD = {"val_Jigsaw_1": "(A)", "val_Jigsaw_2": "(B)", "val_Multi-view_Reasoning_1": "(B)"}


def entry(question: str, output: str | None, choice: str) -> dict[str, Any]:
    return {"idx": question, "answer": GOLD.get(question, "hidden"), "full_prediction": output, "prediction": choice}


def write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path / "val_answers.json", GOLD)
    jigsaw = [entry("val_Jigsaw_1", "(A)", "(A)"), entry("val_Jigsaw_2", "It is (B).", "(B) the second")]
    write(tmp_path / "saved_outputs" / "tiny" / "Jigsaw.json", {"val": jigsaw, "test": []})
    views = [entry("val_Multi-view_Reasoning_1", "Left", "(B)")]
    write(tmp_path / "saved_outputs" / "tiny" / "Multi-view_Reasoning.json", {"val": views, "test": []})
    return tmp_path


def counted(data: Path, **settings: Any) -> dict[str, tuple[float, int]]:
    return {name: tuple(share) for name, share in recount("blink", data, "tiny", **settings).cells.items()}  # type: ignore[misc]


def test_stored_choices_are_compared_as_texts(data: Path) -> None:
    assert counted(data) == {"val/Jigsaw": (1, 2), "val/Multi-view_Reasoning": (1, 1)}


@pytest.mark.parametrize(
    ("reading", "right"),
    [("rule", {"val/Jigsaw": (1, 2), "val/Multi-view_Reasoning": (0, 1)}), ("robust", {"val/Jigsaw": (2, 2), "val/Multi-view_Reasoning": (0, 1)})],
)  # fmt: skip
def test_raw_outputs_can_be_read_instead(data: Path, reading: str, right: dict[str, tuple[int, int]]) -> None:
    assert counted(data, reading=reading) == right


def test_the_mean_is_left_out_while_tasks_are_missing(data: Path) -> None:
    assert recount("blink", data, "tiny").notes == ("no val_total: 2 of 14 tasks have outputs",)


def test_the_mean_weighs_tasks_alike(data: Path) -> None:
    gold = {f"val_{task}_{k}": "(A)" for task in OPTIONS for k in range(1, 4 if task == "Jigsaw" else 2)}
    write(data / "val_answers.json", gold)
    write(data / "saved_val_predictions" / "all.json", {q: "(B)" if q == "val_Jigsaw_2" else "(A)" for q in gold})
    share = recount("blink", data, "all").cells["val_total"]
    assert share.part == pytest.approx(13 + 2 / 3)
    assert share.of == 14


def test_a_question_without_an_output_is_wrong_and_told(data: Path) -> None:
    write(data / "saved_outputs" / "tiny" / "Jigsaw.json", {"val": [entry("val_Jigsaw_1", None, "(A)")]})
    recounted = recount("blink", data, "tiny")
    assert tuple(recounted.cells["val/Jigsaw"]) == (1, 2)
    assert "1 question without an output counted as wrong, such as val_Jigsaw_2" in recounted.notes


def test_the_whole_repository_will_do_as_well(data: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("repository")
    data.rename(root / "eval")
    assert set(counted(root)) == {"val/Jigsaw", "val/Multi-view_Reasoning"}


def test_stored_choices_alone_cannot_be_read_in_another_way(data: Path) -> None:
    write(data / "saved_val_predictions" / "choices.json", GOLD)
    with pytest.raises(DataError, match="no outputs of choices; count with --reading published"):
        recount("blink", data, "choices", reading="rule")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], r"Jigsaw\.json: \[\] is not a JSON object"),
        ({"test": []}, r"Jigsaw\.json: val is None, not a list"),
        ({"val": [1]}, "val, entry 1: 1 is not a JSON object"),
        (
            {"val": [{"idx": "val_Chess_1"}]},
            "val, entry 1: 'val_Chess_1' is not the id of a question of BLINK's 14 tasks",
        ),
        ({"val": [{"idx": "val_Jigsaw_1", "full_prediction": "A"}]}, "val, entry 1: prediction is missing, not a text"),
    ],
)
def test_a_file_of_another_shape_is_named(data: Path, document: Any, words: str) -> None:
    write(data / "saved_outputs" / "tiny" / "Jigsaw.json", document)
    with pytest.raises(DataError, match=words):
        recount("blink", data, "tiny")


def test_a_file_that_is_no_json_is_named_with_its_line(data: Path) -> None:
    (data / "saved_outputs" / "tiny" / "Jigsaw.json").write_text('{\n"val": [,]}', encoding="utf-8")
    with pytest.raises(DataError, match=r"Jigsaw\.json: line 2: not JSON"):
        recount("blink", data, "tiny")


def test_an_unknown_model_is_refused_with_the_names_of_those_found(data: Path) -> None:
    write(data / "saved_val_predictions" / "other.json", {})
    with pytest.raises(BenchwrightError, match="it has other, tiny"):
        recount("blink", data, "GPT4V")
    with pytest.raises(BenchwrightError, match="it has no model's files"):
        recount("blink", data / "saved_outputs", "GPT4V")
