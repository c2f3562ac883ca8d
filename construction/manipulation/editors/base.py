"""What a model of diffusers is asked, and what it may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from ...item_parts.cutting_out import Mask
from ..masks.base import Pixels

UNSAFE, NO_MEMORY = "unsafe", "out_of_memory"


class Edit(NamedTuple):
    """A picture to be painted on, at the model's size.

    Args:
        pixels: What the model gets.
        mask: What it may paint on, as large; None for all of it.
        prompt: A caption or an instruction, as the model wants.
        seed: Seed of the picture's own generator.
    """

    pixels: Pixels
    mask: Mask | None
    prompt: str
    seed: int


class Painter(Protocol):
    """Paints on pictures, several at a time."""

    @property
    def editor(self) -> str:
        """Return which editor it is, as a pair records it."""

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return what it takes to paint the same again besides picture, mask, prompt and seed, as JSON values."""

    def size_for(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """Return the size at which it wants a picture of some size."""

    def paint(self, edits: Sequence[Edit]) -> list[Pixels | str]:
        """Return for each edit what was painted, in its size, or why nothing was: `unsafe`, `out_of_memory`."""
