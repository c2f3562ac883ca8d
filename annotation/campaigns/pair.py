"""The campaign `pair`: annotators decide whether two images are the same picture; if so, only the better one stays.

Duplicate filters leave the pairs of which they are unsure to annotators. A decision on a pair belongs to its two
images, whichever of them is the better one in a later run. Verdicts are on images, not on pairs.
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
from ..forms.kind_forms.pair import DIFFERENT, PAIR_FORM, SAME
from ..forms.kinds import KINDS, PAIR
from ..forms.payloads import TaskInput
from ..forms.task_content import TaskContent, task_input
from ..simulated.annotators import SimulatedPairers, check_enough
from ..store.database.records import Annotation
from ..workflow.settlement.rules import AnnotatorsRule, Rule, parse_rule
from .running.open_campaign import AssignedCampaign, CampaignRequest, run_campaign
from .running.verdicts import BinaryVotes

_DROPPED_AS, _UNDECIDED = "same_picture", "no_agreement"


class ImagePair(NamedTuple):
    """Two images that may be the same picture.

    Args:
        pair_id: Id of the pair, which does not depend on which image is the better one.
        better: Image to keep if they are the same.
        worse: Image to drop if they are the same.
    """

    pair_id: str
    better: str
    worse: str


def pair_verdicts(
    rule: Rule,
    images: Iterable[str],
    pairs: Sequence[ImagePair],
    decisions: Sequence[Annotation],
    *,
    known: Mapping[str, str],
    simulated: bool,
    seed: int,
) -> Verdicts:
    """Return the verdicts on every image in a campaign whose pairs are all decided.

    An image is dropped only in favor of an image that is kept and that annotators saw next to it. In a chain of three
    whose first two are the same, and whose last two are the same, the first and the last are kept.

    Args:
        rule: Acceptance rule.
        images: All images; those in no pair are kept.
        pairs: Pairs of the campaign; if an image has several better images, they are tried in this order.
        decisions: All annotations.
        known: Known decisions on gold pairs, by pair id; they affect images as annotators' decisions do, and are not
            counted otherwise.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.

    Raises:
        StepError: Pairs form a cycle, so that no image is the best.
    """
    votes = BinaryVotes(rule, (SAME, DIFFERENT), decisions)
    by_pair = votes.by_record()
    by_people = {pair.pair_id: votes.decided(by_pair[pair.pair_id]) for pair in pairs if pair.pair_id not in known}
    decided = {**by_people, **known}
    evidence = {
        **{pair_id: votes.evidence(by_pair[pair_id]) for pair_id in by_people},
        **{pair_id: {"gold": decision} for pair_id, decision in known.items()},
    }
    of_image: dict[str, list[ImagePair]] = {}
    for pair in pairs:
        of_image.setdefault(pair.worse, []).append(pair)
    dropped = _dropped(pairs, decided)
    outcomes = {image: _outcome(image, of_image.get(image, ()), decided, dropped, evidence) for image in images}
    counts = Counter(by_people.values())
    summary: dict[str, Any] = {
        "kind": PAIR,
        "rule": str(rule),
        "simulated": simulated,
        "total": len(by_people),
        SAME: counts[SAME],
        DIFFERENT: counts[DIFFERENT],
        _UNDECIDED: counts[None],
        "dropped": len(dropped),
    }
    if known:
        summary["gold"] = {"items": len(known), "kept": list(known.values()).count(DIFFERENT)}
    return Verdicts(None, outcomes, summary | votes.summary(dict.fromkeys(by_people, PAIR), seed=seed))


def _dropped(pairs: Sequence[ImagePair], decided: Mapping[str, str | None]) -> dict[str, str]:
    """Return each dropped image with the image that is kept instead."""
    same: dict[str, list[str]] = {}
    for pair in pairs:
        if decided[pair.pair_id] == SAME:
            same.setdefault(pair.worse, []).append(pair.better)
    try:
        order = list(TopologicalSorter(same).static_order())
    except CycleError as error:
        circle = ", ".join(image_id[:12] for image_id in error.args[1])
        raise StepError(
            f"pairs that annotators call the same form a circle: {circle}; name the better one first"
        ) from None
    dropped: dict[str, str] = {}
    for image in order:
        staying = [better for better in same.get(image, ()) if better not in dropped]
        if staying:
            dropped[image] = staying[0]
    return dropped


def _outcome(
    image: str,
    pairs: Sequence[ImagePair],
    decided: Mapping[str, str | None],
    dropped: Mapping[str, str],
    evidence: Mapping[str, Mapping[str, Any]],
) -> Outcome:
    if not pairs:
        return Outcome()
    by_better = {pair.better: evidence[pair.pair_id] for pair in pairs}
    if image in dropped:
        return Outcome("drop", _DROPPED_AS, evidence={AGAINST: dropped[image], "pairs": by_better})
    if any(decided[pair.pair_id] is None for pair in pairs):
        return Outcome("ask", _UNDECIDED, evidence={"pairs": by_better})
    return Outcome(evidence={"pairs": by_better})


class Pair(AssignedCampaign):
    """Let annotators decide whether two possible copies are the same picture; if so, drop the copy.

    The pairs are those about which `near_duplicates` asks. The step belongs after that one and before any that makes
    items. The run stops here, in state `waiting`, until every pair is decided. If both are the same picture, the better
    image stays; an image is dropped only for one that stays and that annotators saw next to it. A decision on a pair
    belongs to its two images, whichever is the better one in a later run. Images of a pair keep their common group key,
    so no split separates them.

    Attributes:
        asked: Value of an earlier step, as `<entry>.<value>`: the better images of which an image may be a copy.
        rule: Rule as in `verify`, without an adjudicator: the number of annotators of a pair and the number who must
            agree. Without agreement, both images stay, and the image is open as `no_agreement`.
        guidelines: Instructions for annotators, in Markdown; by default those of the kind.
        handout: Assignment of pairs to annotators. Gold pairs are known to be `same` or `different`, by the ids that
            `review export` writes. `close_decided` is refused: every answer counts.
        simulate: Let simulated annotators decide instead of people; all results state this.

    Reasons:
        same_picture (drop): Annotators found it to be the same picture as one that stays.
        no_agreement (ask): Annotators did not agree; both images stay.
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
        """Bring the tasks up to date with the pairs in question; return the verdicts once all pairs are decided."""
        images = [record.image_id for record in records]
        pairs = list(_asked(images, ctx.values[self.asked]))
        rule = parse_rule(self.rule)
        guidelines = self.guidelines if self.guidelines is not None else KINDS[PAIR].guidelines
        request = CampaignRequest(
            kind=PAIR,
            rule=str(rule),
            slots=rule.slots,
            form=CampaignForm(fields=PAIR_FORM.fields, guidelines=guidelines),
            group=self.simulate,
            handout=self.handout,
        )
        state = run_campaign(request, map(pair_task, pairs), ctx)
        if state.waiting is not None:
            return Verdicts(state.waiting)
        verdicts = pair_verdicts(
            rule, images, pairs, state.decisions, known=state.gold, simulated=self.simulate is not None, seed=ctx.seed
        )
        return self.noted(verdicts, ctx)


def _asked(images: Iterable[str], like: Mapping[str, Any]) -> Iterator[ImagePair]:
    """Yield the pairs whose images are both still in the run, with the better image of each pair first."""
    image_ids = sorted(set(images))
    known = frozenset(image_ids)
    for image_id in image_ids:
        for other_id in like.get(image_id) or ():
            if other_id in known and other_id != image_id:
                yield image_pair(other_id, image_id)


def image_pair(better: str, worse: str) -> ImagePair:
    """Return the pair that two images form."""
    return ImagePair(digest(["pair", *sorted((better, worse))]), better, worse)


def pair_task(pair: ImagePair) -> TaskInput:
    """Return the input of the task that shows a pair, the better image first."""
    shown = tuple(ItemImage(image_id=image_id, role="pair") for image_id in (pair.better, pair.worse))
    return task_input(
        pair.pair_id, pair.pair_id, TaskContent(task="pair", question="Is this the same picture?", images=shown)
    )
