"""Pairs of pictures, one of them edited, with or without a trace, as items and as a release."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image
from small_bench import OPERATION, Bench

from benchwright.canonical import bytes_digest
from benchwright.records import Choice, ImageRecord, Item, ItemImage, Source
from benchwright.release import Release
from benchwright.source_files.item_files import SourceItem

PAIRS = 36


def scene(rng: np.random.Generator) -> np.ndarray:
    """Return a unique picture of blots with grain, (96, 128, 3)."""
    blots = cv2.resize(rng.integers(30, 226, (6, 8, 3), dtype=np.uint8), (128, 96), interpolation=cv2.INTER_CUBIC)
    return np.clip(blots + rng.normal(0, 6, blots.shape), 0, 255).astype(np.uint8)


def blurred(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Paint over the middle as a model would: without grain."""
    made = pixels.copy()
    made[30:70, 40:90] = cv2.GaussianBlur(made, (0, 0), 2.5)[30:70, 40:90]
    return made


def another(pixels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a picture made like natural ones: an edit without a trace."""
    return scene(rng)


def png(pixels: np.ndarray) -> bytes:
    handle = io.BytesIO()
    Image.fromarray(pixels).save(handle, "PNG")
    return handle.getvalue()


def pair_items(edit: Any, *, yes_on: tuple[str, ...] = ("natural", "manipulated")) -> Iterator[SourceItem]:
    """Yield a yes/no item for each picture of each pair, true of each of the sides in turn."""
    for number in range(PAIRS):
        rng = np.random.default_rng(number)
        natural = scene(rng)
        for side, pixels in (("natural", natural), ("manipulated", edit(natural, rng))):
            data = png(pixels)
            image_id = bytes_digest(data)
            true_of = yes_on[number % len(yes_on)]
            item = Item(
                item_id=f"{number:030x}{'0a' if side == 'natural' else '0b'}", task="pair_yes_no", kind="yes_no",
                images=(ItemImage(image_id=image_id, role=side),), question="Is the man holding a gun?",
                choices=(Choice(key="A", text="Yes"), Choice(key="B", text="No")),
                answer="A" if side == true_of else "B", group_keys=(f"image:{number}", f"pair:{number}"),
                root_image_id=f"{number:064x}", operation_id="0" * 32, made_from=f"{number:064x}",
            )  # fmt: skip
            yield SourceItem(item, {image_id: data})


def paired_release(folder: Path, edit: Any) -> Release:
    """Write a release of the items of `pair_items`, with each photograph as a separate source."""
    bench = Bench()
    sources: dict[str, str] = {}
    for row in pair_items(edit):
        [(image_id, data)] = row.files.items()
        pair = next(key for key in row.item.group_keys if key.startswith("pair:"))
        source = sources.setdefault(pair, image_id)  # the natural picture comes first
        own = {"source": Source(uri=f"{pair[5:]}.png")} if image_id == source else {
            "derived_from": (source,), "operation_id": OPERATION.operation_id,
        }  # fmt: skip
        bench.files[image_id] = data
        bench.records[image_id] = ImageRecord(
            image_id=image_id, width=128, height=96, media_type="image/png", size_bytes=len(data),
            root_image_id=source, **own,
        )  # fmt: skip
        made = {"root_image_id": source, "made_from": source, "operation_id": OPERATION.operation_id}
        groups = (f"image:{source}", pair)
        bench.items.append((row.item.model_copy(update={**made, "group_keys": groups}), "test"))
    return bench.write(folder)
