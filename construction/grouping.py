"""What keeps items together that were made of the same photograph."""

from __future__ import annotations

from benchwright.records import ImageRecord


def group_keys(record: ImageRecord) -> tuple[str, ...]:
    """Return the keys of an item made of this image: its source image. What that belongs to, the engine adds."""
    return (f"image:{record.root_image_id}",)
