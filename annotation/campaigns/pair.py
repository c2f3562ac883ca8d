"""The campaign `pair`: people say of two images whether they are the same picture; of such pairs one image stays.

Duplicate filters leave pairs open of which they are not sure. What people say of a pair stays with its two images,
whichever of them is the better one in a later run.

Verdicts are on images: of two that are the same picture, the better one stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar, NamedTuple

from pydantic import Field, ValidationInfo, field_validator

from benchwright.canonical import digest
from benchwright.errors import StepError
from benchwright.overrides import AGAINST
from benchwright.records import ImageRecord, ItemImage
from benchwright.steps import CampaignContext, Outcome, Stream, Verdicts

from ..forms.campaign_form import CampaignForm
from ..forms.kinds import KINDS, PAIR
from ..forms.pair import DIFFERENT, PAIR_FORM, SAME
from ..forms.payloads import TaskInput
from ..forms.task_content import TaskContent, task_input
from ..simulated.annotators import SimulatedPairers, check_enough
from ..store import Annotation
from ..workflow.rules import AnnotatorsRule, Rule, parse_rule
from .open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from .verdicts import BinaryVotes

DROPPED_AS, UNDECIDED = "same_picture", "no_agreement"


class ImagePair(NamedTuple):
    """Two images that may be the same picture.

    Args:
        pair_id: Of the two, whichever is the better.
        better: Image that stays if they are.
        other: Image that goes then.
    """

    pair_id: str
    better: str
    other: str


def paired(
    rule: Rule, images: Iterable[str], pairs: Sequence[ImagePair], said: Sequence[Annotation], *,
    known: Mapping[str, str], simulated: bool, seed: int,
) -> Verdicts:  # fmt: skip
    """Return the verdicts of a campaign whose pairs are all decided, for every image.

    An image is dropped only against an image that stays and that people saw beside it: in a chain of three whose first
    two are the same, and whose last two are, the first and the last stay.

    Args:
        rule: What decides a pair.
        images: All images; those of no pair are kept.
        pairs: Pairs that were asked about; an image has its better ones in their order.
        said: All annotations.
        known: What is known of gold pairs, by their ids: it decides about images as what people say does, and counts
            nowhere else.
        simulated: Nobody decided: the annotators are simulated.
        seed: Of the intervals.

    Raises:
        StepError: Pairs go in a circle, so that no image is the best.
    """
    votes = BinaryVotes(rule, (SAME, DIFFERENT), said)
    by_pair = votes.by_record()
    by_people = {pair.pair_id: votes.decided(by_pair[pair.pair_id]) for pair in pairs if pair.pair_id not in known}
    decided = {**by_people, **known}
    told = {
        **{pair_id: votes.evidence(by_pair[pair_id]) for pair_id in by_people},
        **{pair_id: {"gold": decision} for pair_id, decision in known.items()},
    }
    of_image: dict[str, list[ImagePair]] = {}
    for pair in pairs:
        of_image.setdefault(pair.other, []).append(pair)
    dropped = _dropped(pairs, decided)
    outcomes = {image: _outcome(image, of_image.get(image, ()), decided, dropped, told) for image in images}
    counts = Counter(by_people.values())
    summary: dict[str, Any] = {
        "kind": PAIR, "rule": str(rule), "simulated": simulated, "total": len(by_people), SAME: counts[SAME],
        DIFFERENT: counts[DIFFERENT], UNDECIDED: counts[None], "dropped": len(dropped),
    }  # fmt: skip
    if known:
        summary["gold"] = {"items": len(known), "kept": list(known.values()).count(DIFFERENT)}
    return Verdicts(None, outcomes, summary | votes.summary(dict.fromkeys(by_people, PAIR), seed=seed))


def _dropped(pairs: Sequence[ImagePair], decided: Mapping[str, str | None]) -> dict[str, str]:
    """Return each image that goes, with the image that it goes for."""
    same: dict[str, list[str]] = {}
    for pair in pairs:
        if decided[pair.pair_id] == SAME:
            same.setdefault(pair.other, []).append(pair.better)
    try:
        order = list(TopologicalSorter(same).static_order())
    except CycleError as error:
        circle = ", ".join(one[:12] for one in error.args[1])
        raise StepError(
            f"pairs that people call the same go in a circle: {circle}; name the better one first"
        ) from None
    dropped: dict[str, str] = {}
    for image in order:
        staying = [better for better in same.get(image, ()) if better not in dropped]
        if staying:
            dropped[image] = staying[0]
    return dropped


def _outcome(
    image: str, pairs: Sequence[ImagePair], decided: Mapping[str, str | None], dropped: Mapping[str, str],
    told_of: Mapping[str, Mapping[str, Any]],
) -> Outcome:  # fmt: skip
    if not pairs:
        return Outcome()
    told = {pair.better: told_of[pair.pair_id] for pair in pairs}
    if image in dropped:
        return Outcome("drop", DROPPED_AS, evidence={AGAINST: dropped[image], "pairs": told})
    if any(decided[pair.pair_id] is None for pair in pairs):
        return Outcome("ask", UNDECIDED, evidence={"pairs": told})
    return Outcome(evidence={"pairs": told})


class Pair(AssignedCampaign):
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
        asking = CampaignRequest(
            kind=PAIR, rule=str(rule), slots=rule.slots,
            form=CampaignForm(fields=PAIR_FORM.fields, guidelines=guidelines), group=self.simulate,
            handout=self.handout,
        )  # fmt: skip
        state = run_campaign(asking, (_work(pair) for pair in pairs), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        return paired(
            rule, images, pairs, state.decisions, known=state.gold, simulated=self.simulate is not None, seed=ctx.seed
        )


def _asked(images: Iterable[str], like: Mapping[str, Any]) -> Iterator[ImagePair]:
    """Yield the pairs of images that are both still there, each with the better image first."""
    there = sorted(set(images))
    known = frozenset(there)
    for image_id in there:
        for other in like.get(image_id) or ():
            if other in known and other != image_id:
                # The same pair whichever of the two is the better one.
                yield ImagePair(digest(["pair", *sorted((image_id, other))]), other, image_id)


def _work(pair: ImagePair) -> TaskInput:
    shown = tuple(ItemImage(image_id=one, role="pair") for one in (pair.better, pair.other))
    return task_input(
        pair.pair_id, pair.pair_id, TaskContent(task="pair", question="Is this the same picture?", images=shown)
    )
