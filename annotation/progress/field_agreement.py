"""Agreement of a campaign's annotators on one part of their decisions, by split and without each single annotator."""

from __future__ import annotations

from typing import NamedTuple

from ..agreement.coefficients import Agreement, without_each
from .label_fields import LabelField
from .overview import SHOWN_SPLITS, Overview, Split


class FieldAgreement(NamedTuple):
    """Agreement on one field, by split and part, and without each annotator."""

    by: dict[Split, list[tuple[str, Agreement]]]
    without: dict[str, Agreement]


def field_agreement(overview: Overview, field: LabelField) -> FieldAgreement:
    """Compute the agreement on a field by every split; the decisions are read only once."""
    labels = overview.label_columns(field)
    by = {
        split: [(group.name, group.agreement) for group in overview.agreement_by(split, labels, metric=field.metric)]
        for split in SHOWN_SPLITS
    }
    return FieldAgreement(by, without_each(labels.ratings, metric=field.metric))
