"""Pictures that the curator's image-classification model calls unsafe, by the probability of each label.

Benchwright ships no model and no list of labels: which content is unsafe differs from place to place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from benchwright.records import Record

Bound = Annotated[float, Field(gt=0, le=1)]
"""Probability of a label at which a picture counts as unsafe."""
Scores = dict[str, float]
"""Probability, 0-1, of each label of a picture."""
BATCH_SIZE = 8
_DECIMALS = 6


class UnsafeLabels(Record):
    """A model, and the probability at which each of its labels makes a picture unsafe.

    Args:
        model: Folder of a model that transformers loads.
        refuse: Probability, above 0 and at most 1, of each unsafe label at which a picture is unsafe.
        batch_size: Number of pictures in a batch of the model.
        device: Device, such as `cuda:0`; None for the first GPU, or for the CPU if there is no GPU.
    """

    model: Path
    refuse: dict[str, Bound] = Field(min_length=1)
    batch_size: int = Field(BATCH_SIZE, ge=1, le=1024)
    device: str | None = None


def scores_of(labels: Sequence[str], row: Iterable[float]) -> Scores:
    """Return the probabilities that a model gives a picture, by label, rounded."""
    return {label: round(float(score), _DECIMALS) for label, score in zip(labels, row, strict=True)}


def furthest_label(scores: Mapping[str, float], refuse: Mapping[str, float]) -> str:
    """Return the label that exceeds its limit the most or, if none does, comes nearest to it.

    Args:
        scores: Probability, 0-1, of each label.
        refuse: Bound, above 0 and at most 1, of each unsafe label.
    """
    return max(sorted(refuse), key=lambda label: scores[label] - refuse[label])


def scores_beyond(scores: Mapping[str, float], refuse: Mapping[str, float]) -> Scores:
    """Return the scores of the labels that reach their limits, by name; empty for a safe picture."""
    return {label: scores[label] for label in sorted(refuse) if scores[label] >= refuse[label]}
