"""The interface of editing models: an edit, and a painter that carries it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ...item_parts.cutting_out import Mask
from ..masks.base import Pixels

UNSAFE, NO_MEMORY = "unsafe", "out_of_memory"


class Edit(NamedTuple):
    """A picture to be painted on, at the model's size.

    Args:
        pixels: Pixels that the model gets.
        mask: Mask of the region that it may paint on, of the same size; None for the whole picture.
        prompt: Caption or instruction, depending on the model.
        seed: Seed of the picture's own generator.
    """

    pixels: Pixels
    mask: Mask | None
    prompt: str
    seed: int


class Painter(Protocol):
    """A model that paints on pictures, several at a time."""

    @property
    def editor(self) -> str:
        """Return the name of the editor, as recorded in pairs."""

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return everything besides picture, mask, prompt and seed that decides the result, as JSON values."""

    def size_for(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """Return the size at which the model gets a picture of that size."""

    def paint(self, edits: Sequence[Edit]) -> list[Pixels | str]:
        """Return the painted pixels of each edit, in its size, or the reason for none: `unsafe`, `out_of_memory`."""
