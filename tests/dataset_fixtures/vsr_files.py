"""VSR: the quoted row, and others like it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED = (
    '{"image": "000000239417.jpg", "image_link": "http://images.cocodataset.org/train2017/000000239417.jpg", '
    '"caption": "The bench is at the right side of the train.", "label": 0, "relation": "at the right side of", '
    '"annotator_id": 1, "vote_true_validator_id": "[]", "vote_false_validator_id": "[2, 10, 1]", '
    '"reference_frame": null}'
)
RELATIONS = ("on", "under", "left of", "in front of", "touching")


def vsr_rows(count: int = 41) -> list[dict[str, Any]]:
    """Return the quoted row and more, two claims a picture, with real null, 0.0, 1.0 and 2.0 as frames."""
    rows = [json.loads(QUOTED)]
    for number in range(1, count):
        picture = f"{(number + 1) // 2:012}.jpg"
        relation = RELATIONS[number % len(RELATIONS)]
        rows.append(
            {
                "image": picture,
                "image_link": f"http://images.cocodataset.org/{'val2017' if number % 9 == 0 else 'train2017'}/{picture}",
                "caption": f"The cat is {relation} the bed number {number}.",
                "label": number % 2,
                "relation": relation,
                "annotator_id": 7,
                "vote_true_validator_id": str(list(range(number % 4))),
                "vote_false_validator_id": str(list(range(number % 3))),
                "reference_frame": (None, 0.0, 1.0, 2.0)[number % 4],
            }
        )
    return rows


def write_vsr(root: Path, rows: list[dict[str, Any]] | None = None, *, pictures: bool = True) -> list[dict[str, Any]]:
    """Write the random split: most rows to train, some to dev and test; return them in that order."""
    rows = vsr_rows() if rows is None else rows
    folder = root / "data" / "splits" / "random"
    folder.mkdir(parents=True)
    parts = {"train": rows[:30], "dev": rows[30:35], "test": rows[35:]}
    for name, part in parts.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    if pictures:
        for name in sorted({row["image"] for row in rows}):
            save(root / "images" / name, int(name[:12]), 48, 36)
    return rows


def write_zeroshot(root: Path) -> list[dict[str, Any]]:
    """Write a zero-shot split: `subj` and `obj`, one subject without its first letter, no frame; votes as real lists."""
    rows = vsr_rows()
    for number, row in enumerate(rows):
        del row["reference_frame"]
        named = ("at" if number == 3 else "cat", "bed") if number else ("bench", "train")
        row.update(zip(("subj", "obj"), named, strict=True))
        row |= {name: json.loads(row[name]) for name in ("vote_true_validator_id", "vote_false_validator_id")}
    folder = root / "data" / "splits" / "zeroshot"
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in {"train": rows[:30], "dev": rows[30:35], "test": rows[35:]}.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    return rows
