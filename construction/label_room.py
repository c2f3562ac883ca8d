"""Whether the marks of an item can be drawn with their labels, asked before the item is made."""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.drawing import PromptError, lay_out
from benchwright.records import ImageRecord, VisualPrompt


def labels_fit(prompts: Sequence[VisualPrompt], picture: ImageRecord) -> bool:
    """Return whether every mark finds a place for its label that covers nothing marked."""
    try:
        lay_out(prompts, width=picture.width, height=picture.height)
    except PromptError:
        return False
    return True
