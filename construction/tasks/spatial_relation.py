"""Spatial relation, as in BLINK (section 3.2): is a claim on how two things lie to each other true?

BLINK lets a language model turn the claims of VSR into questions. Here a rule does that for every relation
(`item_parts.spatial_questions`), so that nothing but the verb of a claim changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from benchwright.records import ImageRecord

from ..ground_truth import GroundTruth, RecordTruth, SpatialClaim
from ..item_parts.spatial_questions import Form, question_of, read_claim
from ..sources.truth_plans import ChosenRecord, Plan, TruthPictures, Wording
from ..sources.truth_tasks import TruthTask


class SpatialRelation(TruthTask):
    """Make yes/no items of claims on how two things lie to each other; needs a `dataset` such as VSR before it.

    BLINK's spatial relation. `The cat is behind the bed.` becomes `Is the cat behind the bed?`; all relations of VSR
    are known, of one thing and of several. Right answers are yes and no alike as far as the claims allow it.

    Args:
        min_agreement: Smallest share of the people who judged a claim, its author among them, that agree with the
            dataset's label, 0-1.
        inverted: Share of items, 0-1, that ask whether the claim is false (`Is it false that the cat is behind the
            bed?`), which turns the key around; chosen by the seed.

    Reasons:
        unread_claim (drop): The claim is worded in a way that the rule does not know, or states another relation than
            the dataset says.
        disputed (drop): Fewer people than `min_agreement` agree with the dataset's label.
    """

    name: ClassVar[str] = "spatial_relation"
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (SpatialClaim,)

    min_agreement: float = Field(0.6, ge=0, le=1)
    inverted: float = Field(0.0, ge=0, le=1)

    def planned(
        self, truth: RecordTruth[SpatialClaim], pictures: TruthPictures, rng: np.random.Generator
    ) -> Plan | str:
        """Read the claim and choose the form of its question."""
        del pictures
        claim = truth.truth
        parts = read_claim(claim.claim, claim.relation)
        if parts is None:
            return "unread_claim"
        agree, differ = claim.votes_true, claim.votes_false
        if not claim.is_true:
            agree, differ = differ, agree
        agreement = (agree + 1) / (agree + differ + 1)
        if agreement < self.min_agreement:
            return "disputed"
        form: Form = "inverted" if rng.random() < self.inverted else "affirmative"
        is_yes = claim.is_true == (form == "affirmative")
        document: dict[str, Any] = {
            "question": question_of(parts, form),
            "form": form,
            "claim": claim.claim,
            "relation": claim.relation,
            "is_true": claim.is_true,
            "agreement": round(agreement, 4),
        }
        return Plan((0,) if is_yes else (1,), "yes" if is_yes else "no", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> Wording:
        """Ask the question."""
        del shown
        plan = dict(chosen.plan)
        return Wording(
            question=plan.pop("question"),
            options=("Yes", "No"),
            images=((0, "reference", ()),),
            kind="yes_no",
            evidence=plan,
            attributes={"relation": plan["relation"], "form": plan["form"]},
        )
