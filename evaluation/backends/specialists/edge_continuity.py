"""Edge continuity: finds the piece that best continues the reference, judged only along the seams.

A specialist for `jigsaw`. The reference's lower right corner is missing; a piece as large as the corner borders on the
reference on its left and above it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import ClassicalSpecialist, Fits
from .question_forms import reference_and_choices

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EdgeContinuity(ClassicalSpecialist):
    """Picks the piece of a jigsaw that best continues the reference."""

    name: ClassVar[str] = "edge_continuity"
    tasks: ClassVar[frozenset[str]] = frozenset({"jigsaw"})
    version: ClassVar[int] = 1

    def fits_of(self, question: Question) -> Fits:
        """Return the negated costs of the pieces."""
        shown = reference_and_choices(question)
        reference = decode_rgb(shown.reference.data)
        return {key: -corner_cost(reference, decode_rgb(piece.data)) for key, piece in shown.choices.items()}


def seam_cost(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> float:
    """Return how poorly two strips continue each other, in gray levels; 0 is seamless.

    Both strips are extrapolated to the middle of the seam by half of their last gradient and compared there, so that a
    brightness gradient across the seam adds no cost. Prediction across the seam follows D. Pomeranz, M. Shemesh, O.
    Ben-Shahar, "A fully automated greedy square jigsaw puzzle solver", CVPR 2011.

    Args:
        before: The last two lines before the seam, shape (2, length, 3), the nearer one last.
        after: The first two lines after the seam, shape (2, length, 3), the nearer one first.
    """
    import numpy as np

    far, near = before.astype(np.float64)
    first, second = after.astype(np.float64)
    return float(np.abs(near + (near - far) / 2 - (first + (first - second) / 2)).mean())


def corner_cost(reference: NDArray[np.uint8], piece: NDArray[np.uint8]) -> float:
    """Return the cost of a piece in the lower right corner of a reference: the cost of the left seam plus that of the
    upper seam.

    Raises:
        DataError: Fewer than two lines of the reference remain to the left of the piece or above it.
    """
    height, width = piece.shape[:2]
    top, left = reference.shape[0] - height, reference.shape[1] - width
    if top < 2 or left < 2 or min(height, width) < 2:
        raise DataError(
            f"a piece of {width} x {height} px does not fit into a reference of {reference.shape[1]} x "
            f"{reference.shape[0]} px"
        )
    beside = reference[top:, left - 2 : left].swapaxes(0, 1)
    above = reference[top - 2 : top, left:]
    return seam_cost(beside, piece[:, :2].swapaxes(0, 1)) + seam_cost(above, piece[:2])
