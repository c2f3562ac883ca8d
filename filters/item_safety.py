"""Items with a picture that a classification model of the curator's calls unsafe, made pictures among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from benchwright.canonical import canonical_json
from benchwright.errors import UnreadableImage
from benchwright.records import Item
from benchwright.steps import Context, Outcome, Step, Stream

from .safety import Safety, SafetyScores, SafetyVerdict, Scores


class ItemSafetyScores(SafetyScores):
    """Measure how likely each label is of the picture of an item that is likeliest to have it."""

    consumes: ClassVar[Stream] = "items"

    def one(self, record: Any, ctx: Context) -> Outcome:
        """Measure one item."""
        return self.many([record], ctx)[0]

    def many(self, records: Sequence[Any], ctx: Context) -> Sequence[Outcome]:
        """Measure the pictures of items, each once."""
        pictures = {shown.image_id: ctx.image(shown.image_id) for item in records for shown in item.images}
        found = dict(zip(pictures, self.found(list(pictures.values()), ctx), strict=True))
        return [self._of(item, found) for item in records]

    def _of(self, item: Item, found: Mapping[str, Scores | UnreadableImage]) -> Outcome:
        own: dict[str, Scores] = {}
        for shown in item.images:
            said = found[shown.image_id]
            if isinstance(said, UnreadableImage):
                return Outcome("failed", said.reason, evidence={"detail": said.detail})
            own[shown.image_id] = said
        most = {label: max(scores[label] for scores in own.values()) for label in self.labels}
        return Outcome(values={"scores": canonical_json(most)}, evidence={"pictures": own})


class ItemSafetyVerdict(SafetyVerdict):
    """Compare the scores with their bounds."""

    consumes: ClassVar[Stream] = "items"


class ItemSafety(Safety):
    """Drop items with a picture that an image-classification model of yours finds unsafe, or ask about them.

    `safety` looks at source images before anything is made of them; this looks at what items show, made pictures too.
    """

    name: ClassVar[str] = "item_safety"
    consumes: ClassVar[Stream] = "items"

    def parts(self) -> tuple[Step, ...]:
        """Measure, then judge, as `safety` does."""
        scores = ItemSafetyScores(
            model=self.model, labels=tuple(sorted(self.refuse)), batch_size=self.batch_size, device=self.device
        )
        self.lend_folder(scores)
        return (scores, ItemSafetyVerdict(refuse=self.refuse, verdict=self.verdict))
