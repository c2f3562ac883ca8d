"""The classifier that says which pictures are unsafe, with the settings of the step `safety`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from benchwright.diagnostics.models.image_classifier import Classifier
    from benchwright.filters.safety import Safety


class SafetyClassifier(NamedTuple):
    """A loaded classifier, with the settings of the step `safety` that say which labels are unsafe from where on."""

    settings: Safety
    model: Classifier


def load_safety(settings: Safety) -> SafetyClassifier:
    """Load the classifier that settings name.

    Raises:
        PrerequisiteError: There is no such model, it is damaged, or the extra `models` is not installed.
        BenchwrightError: The model lacks a label.
    """
    from benchwright.diagnostics.models.image_classifier import load_classifier

    labels = sorted(settings.refuse)
    return SafetyClassifier(settings, load_classifier(settings.folder(), labels=labels, device=settings.device))
