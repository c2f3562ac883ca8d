"""The campaign `pair`: people say of two images whether they are the same picture; of such pairs one image stays.

Duplicate filters leave pairs open of which they are not sure. What people say of a pair stays with its two images,
whichever of them is the better one in a later run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field, ValidationInfo, field_validator

from benchwright.canonical import digest
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Stream, Verdicts

from .asking import Asking, ask
from .exhibit import Exhibit, work_on
from .handed_out import HandedOut
from .kinds import KINDS, PAIR
from .pair_form import PAIR_FORM
from .pair_verdicts import AskedPair, paired
from .rule_setting import AnnotatorsRule
from .rules import parse_rule
from .simulated import check_enough
from .simulated_forms import SimulatedPairers
from .store.payloads import Work


class Pair(HandedOut):
    """Let people say whether two images that may be copies of each other are the same picture; drop the copy if so.

    Attributes:
        asked: Value of an earlier step, as `<entry>.<value>`: the better images that an image may be a copy of.
        rule: How many look at a pair and how many must agree; where they do not, both images stay and are asked about.
        guidelines: What annotators are told, in Markdown.
        handout: How pairs go out to people, gold ones among them.
        simulate: Let simulated annotators decide instead of people; everything they touch says so.
    """

    name: ClassVar[str] = PAIR
    consumes: ClassVar[Stream] = "images"

    asked: str = Field("near_duplicates.kept.like", pattern=r"^[a-z0-9_.]+\.[a-z0-9_]+$")
    rule: AnnotatorsRule = "unanimous(1)"
    guidelines: str | None = None
    simulate: SimulatedPairers | None = None

    @property
    def reads(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the value that names the pairs."""
        return (self.asked,)

    @field_validator("simulate")
    @classmethod
    def _can_fill_the_slots(cls, value: SimulatedPairers | None, info: ValidationInfo) -> SimulatedPairers | None:
        if value is not None and "rule" in info.data:
            check_enough(value, parse_rule(info.data["rule"]))
        return value

    def advance(self, records: Iterable[ImageRecord], ctx: CampaignContext) -> Verdicts:
        """Bring the tasks up to the pairs that are asked about and return the verdicts once all are decided."""
        images = [record.image_id for record in records]
        pairs = list(_asked(images, ctx.values[self.asked]))
        rule = parse_rule(self.rule)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[PAIR].guidelines
        asking = Asking(
            kind=PAIR, rule=str(rule), slots=rule.slots,
            form={**PAIR_FORM.model_dump(mode="json"), "guidelines": guidelines}, group=self.simulate,
            handout=self.handout,
        )  # fmt: skip
        asked = ask(asking, (_work(pair) for pair in pairs), ctx)
        if asked.waiting is not None:
            return Verdicts(asked.waiting)
        return paired(
            rule, images, pairs, asked.decisions, known=asked.gold, simulated=self.simulate is not None, seed=ctx.seed
        )


def _asked(images: Iterable[str], like: Mapping[str, Any]) -> Iterator[AskedPair]:
    """Yield the pairs of images that are both still there, each with the better image first."""
    there = sorted(set(images))
    known = frozenset(there)
    for image_id in there:
        for other in like.get(image_id) or ():
            if other in known and other != image_id:
                # The same pair whichever of the two is the better one.
                yield AskedPair(digest(["pair", *sorted((image_id, other))]), other, image_id)


def _work(pair: AskedPair) -> Work:
    shown = tuple(ItemImage(image_id=one, role="pair") for one in (pair.better, pair.other))
    return work_on(pair.pair_id, pair.pair_id, Exhibit(task="pair", question="Is this the same picture?", images=shown))
