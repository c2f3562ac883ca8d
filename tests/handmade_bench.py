"""Small releases made by hand: items of any words, options, keys and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchwright.canonical import bytes_digest, digest
from benchwright.images import encode_png
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation, VisualPrompt
from benchwright.release import Release, write_release

OPERATION = Operation(step="by_hand", version=1, parameters={}, seed=1)


class Bench:
    """Items and their pictures, for a release."""

    def __init__(self) -> None:
        self.items: list[tuple[Item, str]] = []
        self.files: dict[str, bytes] = {}
        self.records: dict[str, ImageRecord] = {}

    def picture(self, pixels: np.ndarray) -> str:
        data = encode_png(np.ascontiguousarray(pixels))
        image_id = bytes_digest(data)
        self.files[image_id] = data
        self.records[image_id] = ImageRecord(
            image_id=image_id,
            width=pixels.shape[1],
            height=pixels.shape[0],
            media_type="image/png",
            size_bytes=len(data),
            root_image_id=image_id,
        )
        return image_id

    def add(
        self,
        question: str = "Which one?",
        *,
        task: str = "naming",
        pictures: Sequence[np.ndarray] = (),
        options: Sequence[str | int] = ("cat", "dog", "parrot"),
        answer: str | None = "B",
        refusal: str | None = None,
        split: str = "test",
        marks: dict[int, list[tuple[str, tuple[float, float]]]] | None = None,
        group_keys: Sequence[str] = (),
        role: str = "view",
        kind: str = "multiple_choice",
        **more: Any,
    ) -> Item:
        """Add an item; an option given as a number shows the picture of that number, from 0.

        `more` are fields of the record, such as level and attributes.
        """
        grey = np.full((5, 7, 3), len(self.items) % 256, dtype=np.uint8)
        ids = [self.picture(pixels) for pixels in (pictures or [grey])]
        drawn = {
            k: tuple(
                VisualPrompt(kind="ring", image_id=ids[k], points=(point,), label=label) for label, point in points
            )
            for k, points in (marks or {}).items()
        }
        choices = [
            Choice(key=key, image_id=ids[option]) if isinstance(option, int) else Choice(key=key, text=option)
            for key, option in zip(LETTERS, options, strict=False)
        ]
        item = Item(
            item_id=digest(["by hand", len(self.items), question])[:32],
            task=task,
            kind=kind,
            images=tuple(ItemImage(image_id=i, role=role, prompts=drawn.get(k, ())) for k, i in enumerate(ids)),
            question=question,
            choices=tuple(choices),
            answer=answer,
            refusal=refusal,
            root_image_id=ids[0],
            operation_id=OPERATION.operation_id,
            made_from=ids[0],
            group_keys=tuple(group_keys),
            **{"evidence": {"answer": answer}, **more},
        )
        self.items.append((item, split))
        return item

    def release(self, folder: Path, *, name: str = "by-hand", version: str = "1.0", **changes: Any) -> Release:
        settings: dict[str, Any] = {
            "items": self.items,
            "image": self.records.__getitem__,
            "image_bytes": lambda record: self.files[record.image_id],
            "operations": [OPERATION],
            "recipe": {},
            "stages": [],
            "agreement": {},
            "seed": 1,
        }
        return write_release(folder, name=name, version=version, **{**settings, **changes})
