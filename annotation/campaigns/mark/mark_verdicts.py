"""Verdicts of `mark`: each picture's regions, agreed on by annotators or set by an adjudicator, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.canonical import canonical_json
from benchwright.records import ImageRecord
from benchwright.regions import SizeWH
from benchwright.steps import Outcome, Verdicts

from ...agreement.region_agreement import picture_agreement, region_agreement
from ...agreement.region_consensus import DisputedRegion, RegionConsensus
from ...forms.kind_forms.marking import MARKED, NOTHING, UNSURE
from ...store.database.records import Adjudicated, Annotation, Campaign
from ...workflow.settlement.marked_regions import consensus_in, marks_in, regions_in, tolerance_of
from ...workflow.settlement.rounds import in_count, votes_in
from ...workflow.settlement.settle import NO_AGREEMENT, policy_of, settle
from ..running.verdicts import pseudonyms, rounded

_NOTHING_TO_MARK, _CANNOT_TELL, _DISPUTED = "nothing_to_mark", "cannot_tell", "disputed"


@dataclass(frozen=True)
class MarkedPicture:
    """A picture of the campaign, or a pair of pictures, with all decisions on it.

    Args:
        image_id: Picture that gets the value, which is the first one of a pair.
        sizes_wh: Size of each picture in pixels.
        other: The second picture of a pair; None for a single one.
        annotations: The decisions that count.
        adjudicated: Actions of adjudicators on it.
        outcome: Outcome according to `settle`.
    """

    image_id: str
    sizes_wh: tuple[SizeWH, ...]
    other: str | None
    annotations: tuple[Annotation, ...]
    adjudicated: Adjudicated
    outcome: str


def marked_picture(
    campaign: Campaign,
    image_id: str,
    sizes_wh: tuple[SizeWH, ...],
    annotations: Sequence[Annotation],
    adjudicated: Adjudicated,
    *,
    other: str | None,
) -> MarkedPicture:
    """Return a picture with its outcome and the decisions on it that count."""
    policy = policy_of(campaign)
    counted, _ = in_count(policy, annotations, sent_back=adjudicated.sent_back)
    outcome = settle(policy, votes_in(policy, annotations, adjudicated, is_closed=True))
    return MarkedPicture(image_id, sizes_wh, other, tuple(counted), adjudicated, outcome)


def mark_verdicts(
    campaign: Campaign, pictures: Sequence[MarkedPicture], *, drops_nothing: bool, simulated: bool, seed: int
) -> Verdicts:
    """Return the verdicts of a campaign whose tasks are all decided.

    Args:
        campaign: The campaign.
        pictures: Its pictures, without gold ones.
        drops_nothing: Whether to drop pictures with nothing to mark.
        simulated: Whether the annotators are simulated.
        seed: Seed of the intervals.
    """
    outcomes = {
        picture.image_id: _outcome(campaign, picture, drops_nothing=drops_nothing, simulated=simulated)
        for picture in pictures
    }
    return Verdicts(None, outcomes, _summary(campaign, pictures, outcomes, simulated=simulated, seed=seed))


def _adjudicated_document(campaign: Campaign, fields: Mapping[str, Any] | None, size_wh: SizeWH) -> dict[str, Any]:
    """Return an adjudicator's regions as JSON for the value `regions`, which names an adjudicator as the source."""
    regions = [
        {"field": field, **region.model_dump(mode="json"), "by": 1, "spread": {}}
        for field, marked in regions_in(campaign.form, fields).items()
        for region in marked
    ]
    return {"size_wh": list(size_wh), "regions": regions, "nothing": not regions, "adjudicated": True}


def gold_mark_outcome(
    decision: str, regions: Mapping[str, Sequence[Mapping[str, Any]]], pictures: Sequence[ImageRecord], *,
    drops_nothing: bool,
) -> Outcome:  # fmt: skip
    """Return the outcome of a gold picture, for which the known regions count instead of the annotators'.

    Args:
        decision: The known decision.
        regions: The right regions, by field, as JSON values; none if only the decision is known.
        pictures: The picture, or the two of a pair.
        drops_nothing: Whether to drop pictures with nothing to mark.
    """
    evidence = {"gold": decision}
    if decision == NOTHING and drops_nothing:
        return Outcome("drop", _NOTHING_TO_MARK, evidence=evidence)
    if decision == UNSURE:
        return Outcome("ask", _CANNOT_TELL, evidence=evidence)
    listed = [
        {"field": field, **region, "by": 0, "spread": {}} for field, marked in regions.items() for region in marked
    ]
    if not listed and decision != NOTHING:
        return Outcome(evidence=evidence)
    document: dict[str, Any] = {
        "size_wh": [pictures[0].width, pictures[0].height],
        "regions": listed,
        "nothing": not listed,
        "gold": True,
    }
    if len(pictures) > 1:
        document["other"] = pictures[1].image_id
    return Outcome(values={"regions": canonical_json(document)}, evidence=evidence)


def _outcome(campaign: Campaign, picture: MarkedPicture, *, drops_nothing: bool, simulated: bool) -> Outcome:
    counts = Counter(annotation.decision for annotation in picture.annotations)
    evidence: dict[str, Any] = {
        "rule": campaign.rule,
        **{decision: counts[decision] for decision in (MARKED, NOTHING, UNSURE)},
        "simulated": simulated,
    }
    decision = picture.adjudicated.decision
    if decision is not None:
        evidence["adjudicated"] = decision.decision
        document = _adjudicated_document(campaign, decision.fields, picture.sizes_wh[0])
    else:
        consensus = consensus_in(campaign, picture.annotations, picture.sizes_wh)
        document = consensus.document(picture.sizes_wh[0])
        if picture.outcome == NO_AGREEMENT:
            evidence |= _dispute(consensus)
    if picture.other is not None:
        document["other"] = evidence["other"] = picture.other
    if picture.outcome == UNSURE:
        return Outcome("ask", _CANNOT_TELL, evidence=evidence)
    if picture.outcome == NOTHING and drops_nothing:
        return Outcome("drop", _NOTHING_TO_MARK, evidence=evidence)
    if picture.outcome == NOTHING:  # also if fewer marked something: their marks do not count
        document |= {"regions": [], "nothing": True}
    if simulated:
        document["simulated"] = True
    values = {"regions": canonical_json(document)}
    if picture.outcome == NO_AGREEMENT:
        return Outcome("ask", _DISPUTED, values=values, evidence=evidence)
    return Outcome(values=values, evidence=evidence)


def _dispute(consensus: RegionConsensus) -> dict[str, Any]:
    """Return evidence of the points on which annotators disagree, without names."""
    return {
        _DISPUTED: [_disputed(region) for region in consensus.disputed],
        "disputed_counts": [
            {"field": count.field, "agreed": count.agreed, "marked": sorted(count.marked.values())}
            for count in consensus.disputed_counts
        ],
    }


def _disputed(region: DisputedRegion) -> dict[str, Any]:
    first = region.members[0].region
    return {
        "field": region.field,
        "reason": region.reason,
        "by": len(region.members),
        "missing": len(region.missing),
        "labels": sorted({member.region.label for member in region.members} - {""}),
        "bounds": [round(edge, 2) for edge in first.bounds],
    }


def _summary(
    campaign: Campaign,
    pictures: Sequence[MarkedPicture],
    outcomes: Mapping[str, Outcome],
    *,
    simulated: bool,
    seed: int,
) -> dict[str, Any]:
    """Return the numbers of pictures and regions, and agreement with its intervals, without times or names."""
    counts = Counter(picture.outcome for picture in pictures)
    decisions = [annotation for picture in pictures for annotation in picture.annotations]
    names, tolerance = pseudonyms(decisions), tolerance_of(campaign)
    agreement = region_agreement(
        (
            picture_agreement(
                picture.image_id,
                marks_in(campaign.form, picture.annotations),
                sizes_wh=picture.sizes_wh,
                tolerance=tolerance,
            )
            for picture in pictures
        ),
        seed=seed,
    )
    by_annotator = Counter((names[annotation.annotator], annotation.decision) for annotation in decisions)
    return {
        "kind": campaign.kind,
        "rule": campaign.rule,
        "simulated": simulated,
        "total": len(pictures),
        **{outcome: counts[outcome] for outcome in (MARKED, NOTHING, UNSURE, NO_AGREEMENT)},
        "adjudicated": sum(picture.adjudicated.decision is not None for picture in pictures),
        "dropped": sum(outcome.verdict == "drop" for outcome in outcomes.values()),
        "tolerance": tolerance.model_dump(mode="json"),
        "agreement": rounded(agreement.to_json()),
        "annotators": {
            name: {decision: by_annotator[name, decision] for decision in (MARKED, NOTHING, UNSURE)}
            for name in names.values()
        },
    }
