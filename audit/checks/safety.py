"""Pictures that the curator's classifier labels as unsafe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ..check import AuditContext, CheckSkipped, require_enough
from ..evidence import require_pictures
from ..findings.finding import Finding
from ..picture_labels import picture_labels
from ..source.audited_items import AuditedItems

_NEEDS_CLASSIFIER = (
    "it needs an image classifier: name its folder with --unsafe-weights, and its unsafe labels with --unsafe-label"
)


class UnsafePictures:
    """Pictures with an unsafe label whose probability reaches its threshold, as in the step `safety`."""

    name: ClassVar[str] = "unsafe_pictures"
    title: ClassVar[str] = "Unsafe pictures"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each such picture.

        Raises:
            CheckSkipped: There is no classifier, or no picture.
        """
        from benchwright.diagnostics.models.unsafe_labels import furthest_label, scores_beyond

        if context.safety is None:
            raise CheckSkipped(_NEEDS_CLASSIFIER)
        require_pictures(audited)
        refuse = context.safety.settings.refuse
        labels = picture_labels(context.safety, audited, context)
        require_enough([*labels], 1, of="pictures that can be decoded")
        for image_id, beyond in context.check_each_picture(labels, lambda it: scores_beyond(labels[it], refuse)):
            if not beyond:
                continue
            scores = labels[image_id]
            label = furthest_label(scores, refuse)
            yield Finding(
                "unsafe_picture",
                "high",
                audited.items_of_picture.get(image_id, ()),
                f"A classifier calls the picture {label}, with a probability of {scores[label]:.2f}.",
                {
                    "picture": audited.pictures[image_id].name,
                    "label": label,
                    "score": scores[label],
                    "bound": refuse[label],
                    "scores": beyond,
                },
                "possible",
                (image_id,),
            )
