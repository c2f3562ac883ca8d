"""VQAv2: the quoted question with its answers, and others, about pictures of COCO."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUESTIONS, ANSWERS = "v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"
QUOTED = {"image_id": 262148, "question": "Where is he looking?", "question_id": 262148000}


def answered(question: dict[str, Any], answer: str, others: list[str], kind: str = "other") -> dict[str, Any]:
    """Return the ten answers of a question, of which `others` differ from the one that counts."""
    texts = [*[answer] * (10 - len(others)), *others]
    return {
        "image_id": question["image_id"], "question_id": question["question_id"], "question_type": "none of the above",
        "answer_type": kind, "multiple_choice_answer": answer,
        "answers": [
            {"answer_id": number, "answer": text, "answer_confidence": "yes"} for number, text in enumerate(texts, start=1)
        ],
    }  # fmt: skip


def write_vqa_documents(root: Path, questions: list[dict[str, Any]], annotations: list[dict[str, Any]]) -> None:
    """Write both files of the validation part; no pictures."""
    common = {"info": {}, "data_type": "mscoco", "data_subtype": "val2014", "license": {}}
    root.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**common, "task_type": "Open-Ended", "questions": questions})
    (root / QUESTIONS).write_text(text, encoding="utf-8")
    (root / ANSWERS).write_text(json.dumps({**common, "annotations": annotations}), encoding="utf-8")


def write_vqa(root: Path, count: int = 24) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Write the validation part with its pictures; return questions and answers."""
    questions: list[dict[str, Any]] = [dict(QUOTED)]
    annotations = [answered(QUOTED, "down", ["at table", "skateboard", "down "])]
    for number in range(1, count):
        question = {"image_id": number, "question": f"What color is thing {number}?", "question_id": number * 1000}
        questions.append(question)
        annotations.append(answered(question, "red", ["blue"] * (number % 6)))
    write_vqa_documents(root, questions, list(reversed(annotations)))
    for number, question in enumerate(questions):
        save(root / "val2014" / f"COCO_val2014_{question['image_id']:012}.jpg", 6000 + number, 50, 40)
    return questions, annotations
