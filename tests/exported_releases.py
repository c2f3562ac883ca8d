"""Expected exports for tests: the texts, keys and pixels of a release, computed without the code under test."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from benchwright.evaluation.backends.sent_pictures import SentPictures
from benchwright.evaluation.prompting.question import question_of
from benchwright.images import decode_rgb
from benchwright.release import Release


class Expected(NamedTuple):
    """An item as a consumer must read it."""

    item_id: str
    split: str
    question: str
    options: list[str]
    target: str | None
    pixels: list[np.ndarray]


def expected_items(release: Release) -> list[Expected]:
    """Return the items in order, their pictures as evaluation sends them to models."""
    sender = SentPictures()
    items = []
    for released in release.items():
        item = released.item
        ids = [image.image_id for image in item.images]
        question = item.question
        for number in range(1, len(ids) + 1):
            question = question.replace(f"<image {number}>", f"Image {number}" if len(ids) > 1 else "the image")
        options = [
            f"Image {ids.index(choice.image_id) + 1}" if choice.text is None else choice.text for choice in item.choices
        ]
        target = item.answer or item.refusal
        pixels = [decode_rgb(sender.of(picture).data) for picture in question_of(released).pictures]
        items.append(Expected(item.item_id, released.split, question, options, target, pixels))
    return items


def pixels_of(data: bytes | Any) -> np.ndarray:
    """Return a picture's pixels as any program decodes them."""
    image = Image.open(io.BytesIO(data)) if isinstance(data, bytes) else Image.open(data)
    with image:
        return np.asarray(image.convert("RGB"))


def same_pixels(read: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    """Return whether all pictures are equal, in order."""
    return len(read) == len(expected) and all(np.array_equal(a, b) for a, b in zip(read, expected, strict=True))
