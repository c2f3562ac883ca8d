"""A bench whose pictures are photographs with names, places and licenses in their files, as cameras write them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rights_pictures import photograph
from small_bench import Bench

from benchwright.images.identify import identify
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Source, VisualPrompt


class PhotographBench(Bench):
    """A bench of photographs.

    Args:
        folder: Folder for the photographs.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder

    def photograph(self, name: str, number: int = 0, *, source: Any = (), **settings: Any) -> ImageRecord:
        """Add a photograph made by `rights_pictures.photograph`, and return its record."""
        path = photograph(self.folder / name, number, **settings)
        return self.file(path, Source(uri=name, **dict(source)))

    def file(self, path: Path, source: Source) -> ImageRecord:
        """Add an existing file, and return its record."""
        data = path.read_bytes()
        image_id = hashlib.sha256(data).hexdigest()
        found = identify(path, root=self.folder)
        record = ImageRecord(
            image_id=image_id, root_image_id=image_id, width=found.width, height=found.height,
            media_type=found.media_type, size_bytes=len(data), source=source, notes=found.notes,
        )  # fmt: skip
        self.files[image_id], self.records[image_id] = data, record
        return record

    def ask(self, *shown: ImageRecord, split: str = "test", marked: bool = False, **fields: Any) -> Item:
        """Add an item about some pictures, the first of them with a ring if marked."""
        first = shown[0]
        ring = VisualPrompt(kind="ring", image_id=first.image_id, points=((9.5, 8.5),))
        images = tuple(
            ItemImage(image_id=record.image_id, role="view", prompts=(ring,) if marked and not number else ())
            for number, record in enumerate(shown)
        )
        asked = {
            "task": "photographs", "question": "Is it noise?", "answer": "A", "images": images,
            "root_image_id": first.root_image_id,
            "choices": (Choice(key="A", text="yes"), Choice(key="B", text="no")), **fields,
        }  # fmt: skip
        return self.add(first, split, len(self.items), **asked)


RECIPE = """\
name: quiz
seed: 3
shards: 2
steps:
  - step: items
    file: quiz.csv
  - step: freeze
    name: quiz
    version: "1.0"
"""


def write_quiz(folder: Path, *names: str) -> Path:
    """Write a recipe, a table with one question about each of some photographs, and these; return the recipe."""
    rows = ["question,A,B,answer,image"]
    for number, name in enumerate(names):
        photograph(folder / name, number)
        rows.append(f"What is number {number}?,noise,silence,A,{name}")
    (folder / "quiz.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    recipe = folder / "quiz.yaml"
    recipe.write_text(RECIPE, encoding="utf-8")
    return recipe
