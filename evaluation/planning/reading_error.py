"""The uncertainty that remains after people label replies (`evaluate check-reading`), as a part of the width."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any, NamedTuple

from benchwright.texts.normalization import counted, printable

from ..results.score import Score


class ReadingError(NamedTuple):
    """The reader's error in one result, as a part of the width of its interval.

    Args:
        result: Title of the result.
        labels: Number of replies that people read.
        score: Score that includes the reader's error.
        counted_width: Width of the interval of the score as counted, without the reader's error.
        width: Width of the interval of `score`.
        width_with_twice_the_labels: Width with twice as many labeled replies.
    """

    result: str
    labels: int
    score: float
    counted_width: float
    width: float
    width_with_twice_the_labels: float

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""
        return self._asdict()

    def describe(self) -> str:
        """Return the figures as one line of text."""
        return (
            f"Reader's error in {printable(self.result)}, by {counted(self.labels, 'label')} of people: score "
            f"{self.score:.3f}, with an interval of width {self.width:.3f} instead of {self.counted_width:.3f}; "
            f"twice as many labels give {self.width_with_twice_the_labels:.3f}."
        )


def reading_errors_of(scores: Iterable[Score]) -> tuple[ReadingError, ...]:
    """Return the reader's error in each score for which people have read replies.

    The sampling errors of the items and of the labels are independent, so the squares of their widths add up. The
    square of the width due to the labels is inversely proportional to their number.
    """
    errors = []
    for score in scores:
        accuracy = score.metrics.get("accuracy")
        checked = None if score.reading is None else score.reading.accuracy
        if checked is None or checked.ci is None or checked.value is None or accuracy is None or accuracy.ci is None:
            continue
        plain, width = accuracy.ci[1] - accuracy.ci[0], checked.ci[1] - checked.ci[0]
        of_labels = max(0.0, width**2 - plain**2)
        errors.append(ReadingError(score.title, checked.n, checked.value, plain, width, sqrt(plain**2 + of_labels / 2)))
    return tuple(errors)
