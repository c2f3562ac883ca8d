"""The classifier of unsafe pictures, with the thresholds of its unsafe labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from benchwright.diagnostics.models.image_classifier import Classifier
    from benchwright.diagnostics.models.unsafe_labels import UnsafeLabels


class SafetyClassifier(NamedTuple):
    """A loaded classifier with the thresholds of its unsafe labels."""

    settings: UnsafeLabels
    model: Classifier


def load_safety(settings: UnsafeLabels) -> SafetyClassifier:
    """Load the classifier that the settings name.

    Raises:
        PrerequisiteError: There is no such model, it is damaged, or the extra `models` is not installed.
        BenchwrightError: The model lacks a label.
    """
    from benchwright.diagnostics.models.image_classifier import load_classifier

    labels = sorted(settings.refuse)
    return SafetyClassifier(settings, load_classifier(settings.model, labels=labels, device=settings.device))
