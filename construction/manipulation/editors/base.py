"""The interface of editing models: an edit, and a painter that carries it out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...item_parts.cutting_out import Mask
from ..masks.base import Pixels

if TYPE_CHECKING:
    from ...item_parts.idea import Idea

UNSAFE, NO_MEMORY = "unsafe", "out_of_memory"


class Edit(NamedTuple):
    """A picture to paint on, at the model's size.

    Args:
        pixels: Pixels that the model gets.
        mask: Region that the model may paint on, of the same size; None for the whole picture.
        prompt: Caption or instruction, depending on the model.
        seed: Seed of the picture's own generator.
    """

    pixels: Pixels
    mask: Mask | None
    prompt: str
    seed: int


class Painted(NamedTuple):
    """A picture that a model painted.

    Args:
        pixels: Its pixels, at the size of the edit.
        facts: Record of how it was made, as JSON values, in addition to the common facts in `made_with`.
    """

    pixels: Pixels
    facts: Mapping[str, Any] = {}


class Unpainted(NamedTuple):
    """The reason why a model painted no picture.

    Args:
        reason: Stable code, such as `unsafe`.
        detail: One line for readers; None if the reason is enough.
    """

    reason: str
    detail: str | None = None


class Painter(Protocol):
    """A model that paints on pictures, several at a time."""

    @property
    def editor(self) -> str:
        """Return the name of the editor, as recorded in pairs."""

    @property
    def made_with(self) -> Mapping[str, Any]:
        """Return all factors other than picture, mask, prompt and seed that determine the result, as JSON values."""

    def prompt_of(self, idea: Idea) -> str:
        """Return the prompt that asks the model to carry out an idea."""

    def size_for(self, size_wh: tuple[int, int]) -> tuple[int, int]:
        """Return the size at which the model gets a picture of that size."""

    def painting(self, edits: Sequence[Edit]) -> Iterator[tuple[int, Painted | Unpainted]]:
        """Yield the index of each edit with its picture, or with the reason for none, such as `unsafe` or
        `out_of_memory`.

        Edits of one size are yielded in order, each as soon as it is ready.
        """
