"""II-Bench's layout and cells on a handful of records made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.evaluation.protocols.ii_bench_prompts import Mode, prompt
from benchwright.evaluation.published.benchmarks import recount

OPTIONS = tuple(f"reading {word}" for word in ("one", "two", "three", "four", "five", "six"))
LABELS: dict[str, Any] = {"domain": "Others", "emotion": "Neutral", "rhetoric": ["Metaphor", "Contrast"]}


def record(response: Any, mode: Mode = "none", *, answer: str | None = None, **changed: Any) -> dict[str, Any]:
    labels = LABELS.get(mode, [])
    sent = prompt(mode, "What is meant?", OPTIONS, [labels] if isinstance(labels, str) else labels)
    question = {
        "id": "test-1",
        "question": "What is meant?",
        "options": list(OPTIONS),
        "prompt": sent,
        "response": response,
    }
    question |= {"answer": answer} if answer else {}
    return {"local_path": "x.jpg", "questions": [question | changed], "meta_data": LABELS}


def write(data: Path, mode: str, records: list[dict[str, Any]], split: str = "test") -> None:
    (data / "results").mkdir(exist_ok=True)
    text = "".join(json.dumps(record) + "\n" for record in records)
    (data / "results" / f"tiny_{split}_{mode}.jsonl").write_text(text, encoding="utf-8")


def counted(data: Path, **settings: Any) -> dict[str, tuple[float, int]]:
    return {name: tuple(share) for name, share in recount("ii-bench", data, "tiny", **settings).cells.items()}  # type: ignore[misc]


def test_miss_error_and_empty_responses_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "none", [record("(A)"), record("Who knows"), record({"error": "429"}), record("")])
    assert counted(tmp_path) == {"error/none": (1, 4), "miss/none": (1, 4), "prompt_match/none": (4, 4)}


def test_open_answers_give_an_accuracy_of_all_questions(tmp_path: Path) -> None:
    rows = [record("(A)", answer="A"), record("(B)", answer="A"), record("", answer="A"), record({}, answer="A")]
    write(tmp_path, "none", rows)
    assert counted(tmp_path)["accuracy/none"] == (1, 4)


def test_every_mode_has_cells_of_its_own(tmp_path: Path) -> None:
    for mode in ("none", "cot", "domain", "emotion", "rhetoric"):
        write(tmp_path, mode, [record("A", mode)])  # type: ignore[arg-type]
    cells = counted(tmp_path)
    assert len(cells) == 15
    assert cells["prompt_match/rhetoric"] == (1, 1)


def test_a_prompt_that_differs_by_one_byte_does_not_match(tmp_path: Path) -> None:
    good = record("A", "cot")
    write(tmp_path, "cot", [good, record("A", "cot", prompt=good["questions"][0]["prompt"].rstrip("\n"))])
    assert counted(tmp_path)["prompt_match/cot"] == (1, 2)


@pytest.mark.parametrize(
    ("mode", "told", "matches"),
    [
        pytest.param("domain", ["Politics"], True, id="earlier"),
        pytest.param("domain", ["Daily Life"], True, id="two-words"),
        pytest.param("rhetoric", ["Analogy", "Symbolism"], True, id="several"),
        pytest.param("domain", ["Politics", "Life"], False, id="several-where-one-is-told"),
        pytest.param("domain", ["politics, mostly"], False, id="no-label"),
        pytest.param("domain", ["Politics\nQuestion: What is meant?"], False, id="more-than-a-label"),
    ],
)
def test_a_label_that_the_data_calls_otherwise_now_is_read_out_of_the_prompt(
    tmp_path: Path, mode: Mode, told: list[str], matches: bool
) -> None:
    sent = prompt(mode, "What is meant?", OPTIONS, told)
    write(tmp_path, mode, [record("A", mode), record("A", mode, prompt=sent, id="test-7")])
    recounted = recount("ii-bench", tmp_path, "tiny")
    assert tuple(recounted.cells[f"prompt_match/{mode}"]) == (1 + matches, 2)
    assert recounted.prompts[mode].unmatched == (() if matches else ("test-7",))
    assert list(recounted.prompts[mode].other_labels.values()) == ([("test-7",)] if matches else [])
    assert "test-7" in recounted.notes[0]


def test_the_robust_reading_counts_misses_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "none", [record("A picture of two people, so (A) or (B)."), record("(C)")])
    assert counted(tmp_path)["miss/none"] == (0, 2)
    assert counted(tmp_path, reading="robust")["miss/none"] == (1, 2)


def test_a_split_other_than_the_test_set_is_counted_where_there_is_no_other(tmp_path: Path) -> None:
    write(tmp_path, "none", [record("A", answer="A")], split="dev")
    assert counted(tmp_path)["accuracy/none"] == (1, 1)
    write(tmp_path, "none", [record("A")] * 3)
    assert counted(tmp_path)["miss/none"] == (0, 3)


def test_modes_that_are_not_counted_are_told(tmp_path: Path) -> None:
    write(tmp_path, "none", [record("A")])
    write(tmp_path, "3-shot", [])
    assert recount("ii-bench", tmp_path, "tiny").notes == ("not counted: modes 3-shot",)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"questions": []}, r"line 2: questions is \[\], not a list of one question"),
        ({"meta_data": None}, "line 2: None is not a JSON object"),
        ({"meta_data": {"domain": 3}}, "line 2: domain is 3, neither a text nor a list of texts"),
        ({"meta_data": {}}, "line 2: meta_data has no domain"),
    ],
)
def test_a_damaged_record_is_named(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    write(tmp_path, "domain", [record("A", "domain"), record("A", "domain") | changed])
    with pytest.raises(DataError, match=words):
        recount("ii-bench", tmp_path, "tiny")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("options", ["one"], "not a list of 6 texts"),
        ("response", 1, "response is 1, not a text"),
        ("prompt", None, "prompt is None, not a text"),
        ("answer", "G", "answer is 'G', not one of A, B"),
    ],
)
def test_a_damaged_question_is_named(tmp_path: Path, field: str, value: Any, words: str) -> None:
    write(tmp_path, "none", [record("A", **{field: value})] if field != "response" else [record(value)])
    with pytest.raises(DataError, match=words):
        recount("ii-bench", tmp_path, "tiny")
