"""The smallest folders of published files that `evaluate published` and `evaluate import` read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path


def write_published(folder: Path, *, pictures: Path) -> None:
    """Write `blink`, a question and one model's answer, and `ii`, a question about one of the pictures, into a folder."""
    for name, document in (
        ("val_answers", {"val_Jigsaw_1": "(A)"}),
        ("saved_val_predictions/one", {"val_Jigsaw_1": "(B)"}),
    ):
        (folder / "blink" / f"{name}.json").parent.mkdir(parents=True, exist_ok=True)
        (folder / "blink" / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    question = {"id": "dev-1", "question": "Why?", "options": ["one", "two"], "answer": "B"}
    record = {"local_path": f"{pictures.name}/piece-01.jpg", "questions": [question], "meta_data": {}}
    (folder / "ii" / "data").mkdir(parents=True)
    (folder / "ii" / "data" / "dev.json").write_text(json.dumps([record]), encoding="utf-8")
    shutil.copytree(pictures, folder / "ii" / pictures.name)
