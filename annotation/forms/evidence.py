"""Regions that annotators mark to justify a decision: the part of the picture that makes the answer right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from benchwright.records import Record
from benchwright.regions import RegionError

from .campaign_form import CampaignForm
from .fields.field_types import RegionField
from .fields.field_values import FormError
from .fields.region_values import read_regions, shape_in_words
from .payloads import item_in, sizes_in
from .submission import Submission

EVIDENCE = "evidence"
"""Name of the field that contains the regions."""
LABEL = "What shows it"
INSTRUCTIONS = "Mark what in the picture justifies the answer, as tightly as you can."
ACCEPT = "accept"


class EvidenceSettings(Record):
    """The region that justifies an answer; it is requested with the answer, on the item's first picture.

    Attributes:
        shape: `box`, `polygon` or `mask`.
        is_required: Whether an answer needs one: in `answer` every option except the one that declines, in `verify` an
            acceptance.
        max_count: Largest number of regions.
        instructions: Instructions for marking, in Markdown.
    """

    shape: Literal["box", "polygon", "mask"] = "box"
    is_required: bool = True
    max_count: int = Field(5, ge=1, le=100)
    instructions: str = Field("", max_length=10_000)

    def field(self) -> RegionField:
        """Return the field of the campaign's form."""
        return RegionField(
            name=EVIDENCE,
            label=LABEL,
            shape=self.shape,
            min_count=0,
            max_count=self.max_count,
            is_required=self.is_required,
            instructions=self.instructions or INSTRUCTIONS,
        )


def campaign_form(evidence: EvidenceSettings | None, **keys: Any) -> CampaignForm:
    """Return a campaign's form, including the field for regions if the campaign asks for any."""
    return CampaignForm(**keys) if evidence is None else CampaignForm(**keys, evidence=evidence.field())


def needs_evidence(form: CampaignForm, refusal: str | None, decision: str) -> bool:
    """Return whether a decision on an item requires regions that justify it.

    Args:
        form: Form of the campaign.
        refusal: Letter of the item's option that declines, or None if there is none.
        decision: The decision.
    """
    if form.evidence is None or not form.evidence.is_required:
        return False
    return decision != refusal if form.takes_choices else decision == ACCEPT


def checked_evidence(form: CampaignForm, payload: Mapping[str, Any], submission: Submission) -> dict[str, Any] | None:
    """Return the checked regions in a submission to a campaign without a typed form, or None if there are none.

    Raises:
        FormError: The campaign asks for no regions, a region is wrong, or one is missing.
    """
    entries = {name: value for name, value in (submission.fields or {}).items() if value}
    if form.evidence is None or entries.keys() - {EVIDENCE}:
        if submission.fields is None:
            return None
        raise FormError("this campaign takes a decision without fields")
    try:
        regions = read_regions(entries.get(EVIDENCE), form.evidence.rule, sizes_in(payload)[:1])
    except RegionError as error:
        raise FormError(f"field {EVIDENCE!r} ({form.evidence.label}): {error}") from None
    refusal = item_in(payload).get("refusal")
    if not regions and sizes_in(payload) and needs_evidence(form, refusal, submission.decision):
        shapes = shape_in_words(form.evidence.shape)
        raise FormError(f"mark what in the picture justifies {submission.decision!r}, by {shapes}")
    return {EVIDENCE: regions} if regions else None
