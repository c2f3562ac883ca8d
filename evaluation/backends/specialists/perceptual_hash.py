"""Perceptual hash: finds the picture whose pHash is closest to that of a reference.

A specialist for `visual_similarity` without a learned model; it sees only layout and large shapes.
"""

from __future__ import annotations

from typing import ClassVar

from benchwright.images.decode import decode_rgb

from ...prompting.question import Question, QuestionImage
from .base import ClassicalSpecialist, Fits
from .question_forms import reference_and_choices


class PerceptualHash(ClassicalSpecialist):
    """Picks the picture whose pHash differs from that of the reference in the fewest of 64 bits."""

    name: ClassVar[str] = "perceptual_hash"
    tasks: ClassVar[frozenset[str]] = frozenset({"visual_similarity"})
    version: ClassVar[int] = 1

    def fits_of(self, question: Question) -> Fits:
        """Return the negated number of differing bits for each option."""
        shown = reference_and_choices(question)
        reference = _phash(shown.reference)
        return {key: -float((_phash(picture) ^ reference).bit_count()) for key, picture in shown.choices.items()}


def _phash(picture: QuestionImage) -> int:
    from PIL import Image

    from benchwright.images.perceptual_hash import phash

    return phash(Image.fromarray(decode_rgb(picture.data)).convert("L"))
