"""The published files of II-Bench, MVP-Bench and BLINK are read unchanged, without a mapping."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.question_files.item_check import read_questions

pytestmark = pytest.mark.slow


def test_ii_bench_comes_in_whole(published_data: Path) -> None:
    folder = published_data / "ii_bench"
    stated = [
        (split, record)
        for split, name in (("dev", "dev"), ("test", "test_subset"))
        for record in json.loads((folder / "data" / f"{name}.json").read_text(encoding="utf-8"))
    ]
    with read_questions(folder) as read:
        counts = read.index.counts()
        assert (counts.items, counts.images, counts.as_texts, read.left_out) == (
            35,
            246,
            {"no_key": 250},
            {"no_key": 250},
        )
        assert counts.splits == {"dev": 35, "test": 250}
        assert len(counts.replies) == 5
        assert set(counts.replies.values()) == {250}
        for (split, record), entry in zip(stated, read.index.questions(), strict=True):
            [asked], question = record["questions"], entry.question
            assert (question.key, question.ask, list(question.options), question.split) == (
                asked["id"], asked["question"], asked["options"], split,
            )  # fmt: skip
            assert question.answer == ("ABCDEF".index(asked["answer"]) if "answer" in asked else None)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_mvp_bench_comes_in_as_texts_and_keys(published_data: Path) -> None:
    folder = published_data / "mvp_bench"
    stated = {str(row["question_id"]): row for row in _lines(folder / "data" / "all_questions.json.gz")}
    with read_questions(folder) as read:
        counts = read.index.counts()
        outcomes = {entry.question.key: entry for entry in read.index.questions()}
        # Question 320's list of options lost a letter under rotation ("ehaviour"): the file has another question there.
        own = [key for key, entry in outcomes.items() if entry.outcome != "rotated" and "__" in key]
        assert own == ["320__320__0"]
        assert (counts.items, counts.as_texts) == (0, {"missing_picture": 1873, "rotated": 4358})
        for key, row in stated.items():
            question = outcomes[key].question
            answer = row["answer"].upper()
            assert question.answer == {"YES": 0, "NO": 1}.get(answer, "ABCDE".find(answer))
            assert (question.kind == "yes_no") == (row["type"] in ("y/n-s", "y/n-e"))
            assert outcomes[key].item_for_texts() is not None
            if question.kind != "yes_no":
                assert all(str(option) in row["question"] for option in question.options)
                assert len(question.options) >= 2
        models = Counter(reply.model for reply in read.index.replies())
        assert models == dict.fromkeys(("GPT4o", "MiniGPT-4-v1-7B", "deepseek_vl_7b", "llava_v1.5_7b"), 1872 + 4359)
        assert not [row for row in read.refused() if "its key is" in row.detail]


def test_blink_comes_in_as_keys_and_predictions(published_data: Path) -> None:
    folder = published_data / "blink"
    answers = json.loads((folder / "val_answers.json").read_text(encoding="utf-8"))
    models = ("GPT4V", "GeminiProVision", "llava_v1.5_13b")
    with read_questions(folder) as read:
        questions = {entry.question.key: entry for entry in read.index.questions()}
        keys = {key: entry.question.stated_answer for key, entry in questions.items()}
        assert {key: answer for key, answer in keys.items() if answer is not None} == answers
        counts = read.index.counts()
        assert (counts.splits, counts.as_texts) == ({"val": 1901, "test": 1906}, {"no_question": 3807})
        assert len(counts.tasks) == 14
        assert counts.replies == dict.fromkeys(models, 3807)
        replies = {(reply.model, reply.key): reply for reply in read.index.replies()}
        for path in sorted((folder / "saved_outputs").rglob("*.json.gz")):
            document = json.loads(gzip.decompress(path.read_bytes()))
            for row in [*document["val"], *document["test"]]:
                reply = replies[path.parent.name, row["idx"]]
                assert (reply.text, reply.choice) == (row["full_prediction"], row["prediction"])
        assert read.left_out == {"no_question": 3807, "other_reply": 1}
