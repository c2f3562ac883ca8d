"""What keeps items together that were made of the same or of a similar photograph."""

from __future__ import annotations

from benchwright.records import ImageRecord


def group_keys(record: ImageRecord) -> tuple[str, ...]:
    """Return the keys of an item made of this image: its source image and what that image belongs to."""
    return tuple(sorted({f"image:{record.root_image_id}", *record.group_keys}))
