"""The parts of a decision on which annotators can agree or disagree."""

from __future__ import annotations

from typing import NamedTuple

from benchwright.errors import BenchwrightError

from ..agreement.ratings import Metric
from ..forms.fields.field_types import OneChoice, OneOf, SeveralOf
from ..forms.kinds import REVIEW
from ..store.counts.decision_columns import LabelSource
from ..store.database.records import Campaign
from ..store.submissions.pre_key_answers import ANSWER_RIGHT


class LabelField(NamedTuple):
    """A part of a decision that can be compared between annotators.

    Args:
        labels: Source of the labels in the store.
        words: Name for readers.
        metric: Metric of Krippendorff's alpha, unless a curator declares the values ordered.
    """

    labels: LabelSource
    words: str
    metric: Metric = "nominal"


VOTES = ("yes", "no")
"""Votes on a criterion."""
_REASONS = "reasons"
_RIGHT = LabelField(LabelSource("field", ANSWER_RIGHT, categories=VOTES), "Answer is right?")


def reasons_field(campaign: Campaign) -> str | None:
    """Return the name of the field for reasons in a typed form, or None if reasons are stored with the decision."""
    form = campaign.form.typed
    return _REASONS if form is not None and any(field.name == _REASONS for field in form.fields) else None


def label_fields_of(campaign: Campaign) -> list[LabelField]:
    """Return the label fields of a campaign: the decision first, or the fields of a typed form in order.

    A review compares the answer both as the given choice and as right or wrong.
    """
    form = campaign.form.typed
    if form is not None:
        fields = [label_field for field in form.fields if (label_field := _of_field(field)) is not None]
        return [*fields[:1], _RIGHT, *fields[1:]] if campaign.kind == REVIEW else fields
    aspects = [LabelField(LabelSource("decision", "decision", categories=campaign.form.decisions), "decision")]
    if campaign.form.reasons:
        aspects.append(LabelField(LabelSource("reasons", _REASONS, is_set=True), _REASONS, "masi"))
    return aspects


def _of_field(field: object) -> LabelField | None:
    if isinstance(field, OneOf):
        codes = tuple(option.code for option in field.options)
        return LabelField(LabelSource("field", field.name, categories=codes), field.label)
    if isinstance(field, SeveralOf):
        return LabelField(LabelSource("field", field.name, is_set=True), field.label, "masi")
    if isinstance(field, OneChoice):
        return LabelField(LabelSource("field", field.name), field.label)
    return None  # texts are not compared


def label_field_named(campaign: Campaign, name: str | None, *, ordinal: bool = False) -> LabelField:
    """Return the label field with a given name, or the first label field if no name is given.

    Raises:
        BenchwrightError: The campaign has no label field of that name, or its values have no order.
    """
    known = label_fields_of(campaign)
    field = (
        known[0]
        if name is None
        else next((label_field for label_field in known if label_field.labels.name == name), None)
    )
    if field is None:
        names = ", ".join(label_field.labels.name for label_field in known)
        raise BenchwrightError(f"campaign {campaign.name!r} has no {name!r} to compare; it has {names}")
    if not ordinal:
        return field
    if field.labels.source != "field" or not field.labels.categories:
        raise BenchwrightError(
            f"{field.labels.name!r} has no order: --ordinal is for a field of one of several options"
        )
    return field._replace(metric="ordinal")
