"""What of a campaign's decisions annotators can agree or disagree on."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.errors import BenchwrightError

from ..agreement.ratings import Metric
from ..forms.form import OneChoice, OneOf, SeveralOf
from ..forms.kinds import REVIEW
from ..store import Campaign
from ..store.counts.decision_columns import LabelSource
from ..store.submissions.pre_key_answers import ANSWER_RIGHT


class LabelField(NamedTuple):
    """One aspect, how people call it, and how two values of it are compared.

    Args:
        aspect: As the store reads it.
        words: For people.
        metric: Of Krippendorff's alpha, unless a curator says that the values have an order.
    """

    aspect: LabelSource
    words: str
    metric: Metric = "nominal"


VOTES = ("yes", "no")
"""What is said to a criterion."""
REASONS = "reasons"
_RIGHT = LabelField(LabelSource("field", ANSWER_RIGHT, categories=VOTES), "Answer is right?")


def reasons_field(campaign: Campaign) -> str | None:
    """Return the field of a typed form that takes reasons; None where reasons stand beside the decision."""
    form = campaign.form.typed
    return REASONS if form is not None and any(field.name == REASONS for field in form.fields) else None


def aspects_of(campaign: Campaign) -> list[LabelField]:
    """Return what a campaign asks that can be compared: the decision first, or the fields of a typed form in order.

    In a review the answer is compared as it was given, and as it is right or wrong.
    """
    form = campaign.form.typed
    if form is not None:
        found = [one for field in form.fields if (one := _of_field(field)) is not None]
        return [*found[:1], _RIGHT, *found[1:]] if campaign.kind == REVIEW else found
    asked = [LabelField(LabelSource("decision", "decision", categories=campaign.form.decisions), "decision")]
    if campaign.form.reasons:
        asked.append(LabelField(LabelSource("reasons", REASONS, is_set=True), REASONS, "masi"))
    return asked


def _of_field(field: object) -> LabelField | None:
    if isinstance(field, OneOf):
        codes = tuple(option.code for option in field.options)
        return LabelField(LabelSource("field", field.name, categories=codes), field.label)
    if isinstance(field, SeveralOf):
        return LabelField(LabelSource("field", field.name, is_set=True), field.label, "masi")
    if isinstance(field, OneChoice):
        return LabelField(LabelSource("field", field.name), field.label)
    return None  # texts are not compared


def aspect_named(campaign: Campaign, name: str | None, *, ordinal: bool = False) -> LabelField:
    """Return the aspect of a name, or the first.

    Raises:
        BenchwrightError: The campaign asks nothing of that name, or it has no order.
    """
    known = aspects_of(campaign)
    found = known[0] if name is None else next((one for one in known if one.aspect.name == name), None)
    if found is None:
        names = ", ".join(one.aspect.name for one in known)
        raise BenchwrightError(f"campaign {campaign.name!r} asks no {name!r} that can be compared; it asks {names}")
    if not ordinal:
        return found
    if found.aspect.source != "field" or not found.aspect.categories:
        raise BenchwrightError(
            f"{found.aspect.name!r} has no order: --ordinal is for a field of one of several options"
        )
    return found._replace(metric="ordinal")
