"""TallyQA: the quoted question, and others, about pictures from both sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED = (
    '[{"answer": 4, "data_source": "imported_genome", "image": "VG_100K_2/2410408.jpg", "image_id": 92410408, '
    '"issimple": false, "question": "How many headlights does the black bus have?", "question_id": 30095774}]'
)


def questions(count: int = 41) -> list[dict[str, Any]]:
    """Return the quoted question and others; some do not say whether they are simple."""
    rows: list[dict[str, Any]] = json.loads(QUOTED)
    for number in range(1, count):
        genome = f"VG_100K/{number}.jpg"
        coco = f"val2014/COCO_val2014_{number:012}.jpg"
        row = {
            "answer": number % 9, "data_source": "amt" if number % 2 else "imported_vqa",
            "image": genome if number % 3 else coco, "image_id": int(f"9{number}"), "issimple": bool(number % 4),
            "question": f"How many cups stand on table {number}?", "question_id": number,
        }  # fmt: skip
        if number % 5 == 0:
            del row["issimple"]
        rows.append(row)
    return rows


def write_tally(root: Path, count: int = 41) -> list[dict[str, Any]]:
    """Write the test file; return its questions."""
    rows = questions(count)
    (root / "tallyqa").mkdir(parents=True)
    (root / "tallyqa" / "test.json").write_text(json.dumps(rows), encoding="utf-8")
    for number, row in enumerate(rows):
        save(root / row["image"], 1200 + number, 50, 40)
    return rows
