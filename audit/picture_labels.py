"""Picture labels from an image classifier in a folder, cached by picture content and classifier files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright.canonical import canonical_json
from benchwright.diagnostics.copies.pair_looks import in_batches
from benchwright.errors import UnreadableImage

from .safety_classifier import SafetyClassifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.diagnostics.models.unsafe_labels import Scores

    from .check import AuditContext
    from .source.audited_items import AuditedItems

_KIND = "audit labels of picture 1"


def picture_labels(
    classifier: SafetyClassifier, audited: AuditedItems, context: AuditContext
) -> dict[str, Mapping[str, float]]:
    """Return the probability, 0-1, of each label of each picture, by id.

    Pictures that cannot be decoded or that need too much memory are left out.
    """
    from benchwright.diagnostics.models.image_classifier import classifier_hash
    from benchwright.diagnostics.models.unsafe_labels import scores_of
    from benchwright.images.decode import decode_rgb
    from benchwright.models.batching import Batches, OutOfMemory

    def scores(pictures: Sequence[NDArray[np.uint8]]) -> list[Scores]:
        return [scores_of(classifier.model.labels, row) for row in classifier.model.probabilities(pictures)]

    kind = f"{_KIND} {classifier_hash(classifier.settings.model)}"
    labels: dict[str, Mapping[str, float]] = {}
    missing = []
    for image_id in audited.pictures:
        data = context.cache.get(kind, image_id)
        if data is None:
            missing.append(image_id)
        else:
            labels[image_id] = json.loads(data)
    if missing:
        context.progress.phase("classifying pictures", len(missing))
    batches = Batches(classifier.settings.batch_size)
    for batch in in_batches(missing, classifier.settings.batch_size):
        pixels = {}
        for image_id in batch:
            try:
                pixels[image_id] = decode_rgb(audited.pictures[image_id].file.read_bytes())
            except (UnreadableImage, OSError):  # the check of broken pictures reports it
                continue
        for image_id, result in zip(pixels, batches.run(list(pixels.values()), scores), strict=True):
            if not isinstance(result, OutOfMemory):
                labels[image_id] = result
                context.cache.put(kind, image_id, canonical_json(result).encode())
        context.progress.advance(len(batch))
    return labels
