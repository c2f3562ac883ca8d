"""Spatial relation, as in BLINK (section 3.2): is a claim about the relation of two objects true?

BLINK lets a language model turn the claims of VSR into questions. Here, a rule does so for every relation
(`item_parts.wording.spatial_questions`), and only moves the verb of the claim. If a recipe names a model, the model
does so, and a rule checks its questions (`item_parts.wording.spatial_wording`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field, model_validator

from benchwright.errors import RequestFailed
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.structured_replies import NotOfThatShape
from benchwright.models.endpoints.vendors.failures import MAY_PASS
from benchwright.records import ImageRecord, Item
from benchwright.seeds import generator_for, seed_for
from benchwright.steps import Context, OpenContext

from ..ground_truth.truths import GroundTruth, SpatialClaim
from ..ground_truth.values import RecordTruth
from ..item_parts.marks.rings import SizeWH
from ..item_parts.options.modes import Hardening, Mode
from ..item_parts.wording.spatial_questions import (
    SIDES,
    Form,
    ReadClaim,
    question_of,
    questions_of,
    read_claim,
    statement_of,
)
from ..item_parts.wording.spatial_wording import question_by_model
from ..truth_tasks.truth_plans import ChosenRecord, ItemPlan, ItemWording, LeftOut, TruthPictures, UnusedTruth
from ..truth_tasks.truth_tasks import TWIN, TruthTask


class SpatialRelation(TruthTask):
    """Make yes/no items from claims about the relation of two objects; needs a `dataset` such as VSR before it.

    Follows BLINK's spatial relation. `The cat is behind the bed.` becomes `Is the cat behind the bed?`; all relations
    of VSR are supported, in the singular and in the plural. Yes and no are right equally often, as far as the claims
    allow.

    Some claims are true of most pictures (a cup is on a table), so that a solver that reads only the claim does well.
    In `hardened` mode, an item asks about a claim only if people wrote it about two pictures, true of one and false of
    the other, of which the seed chooses one. Each of VSR's claims was written about two pictures. With `matched_on:
    relation`, another claim with the same relation and the other label is enough; this yields more items, but the named
    objects still reveal something.

    With `chat` a language model words the questions, as in the paper. Its input is the claim, never the picture. Its
    question must name both objects and the relation in the claim's order and nothing else, so that the key stays valid;
    a faulty question is sent back once with its faults. The choice of records does not depend on the model.

    Args:
        mode: `hardened`, or `paper`: any claim.
        matched_on: In `hardened` mode, what a true claim and a false claim must have in common to be matched: the whole
            `claim`, or the `relation` and the number (singular or plural).
        twins: In `hardened` mode, whether both claims yield an item, with a common group key `twin:...`, by which
            scores count them together; otherwise, the seed chooses one of them.
        min_agreement: Smallest proportion of the people who judged a claim, including its author, that agree with the
            dataset's label, 0-1.
        sides: Point of view of claims about left and right: `unstated` keeps their wording, `camera` adds `as seen from
            the camera`, for datasets in which all claims mean that, and `leave_out` makes no items from them. In VSR,
            some claims refer to the camera's view and others to the object's own. `camera` cannot be used with `chat`.
        inverted: Proportion of items, 0-1, that ask whether the claim is false (`Is it false that the cat is behind the
            bed?`), which reverses the key; the seed chooses the items. Cannot be used with `chat`.
        chat: Language model that words the questions; null for the rule, without a model.
        unusable: Treatment of a claim if neither the model's question nor its repair is usable, or if the model refuses
            to
            answer: `drop` it, or let the `rule` word it.

    Reasons:
        unread_claim (drop): The claim is worded in a way that the rule cannot parse, or states another relation than
            the dataset does.
        unclear_side (drop): With `sides: leave_out`, the claim is about left or right.
        disputed (drop): Fewer people than `min_agreement` agree with the dataset's label.
        no_counterpart (drop): In `hardened` mode: no other picture has a matching claim with the other label.
        counterpart_taken (drop): In `hardened` mode: the seed took the claim with which this one is matched.
        unusable_question (drop): Neither the model's question nor its repair matches the claim.
        endpoint_refused (drop): The endpoint refused the request.
        endpoint_unusable_reply (drop): The endpoint's reply contains no text.
        endpoint_timeout (failed): The model did not answer in time; tried again by the next run.
        endpoint_busy (failed): The model was busy; tried again by the next run.
        endpoint_connection (failed): The model could not be reached; tried again by the next run.
    """

    name: ClassVar[str] = "spatial_relation"
    hardening: ClassVar[Hardening] = Hardening(
        {
            "no_counterpart": "each claim must be true of one picture and false of another: state every claim about "
            "two pictures, or set `matched_on: relation`, which lets the named things tell",
        },
        "the claim itself, since some are true of most pictures",
    )
    kinds: ClassVar[tuple[type[GroundTruth], ...]] = (SpatialClaim,)

    mode: Mode = "hardened"
    matched_on: Literal["claim", "relation"] = "claim"
    twins: bool = False
    min_agreement: float = Field(0.6, ge=0, le=1)
    sides: Literal["unstated", "camera", "leave_out"] = "unstated"
    inverted: float = Field(0.0, ge=0, le=1)
    chat: ChatSettings | None = None
    unusable: Literal["drop", "rule"] = "drop"

    @model_validator(mode="after")
    def _models_word_what_is_claimed(self) -> SpatialRelation:
        if self.chat is not None and self.inverted:
            raise ValueError("a model words the claim, not its negation: leave out `inverted` or `chat`")
        if self.chat is not None and self.sides == "camera":
            raise ValueError("a model words the claim only, not who sees left and right: leave out `sides`")
        if self.chat is None and self.unusable != "drop":
            raise ValueError("`unusable` applies to a model's questions: name the model under `chat`")
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the items, including the model's, if any, without its timeouts and
        retries.
        """
        decides = super().parameters()
        if self.chat is not None:
            return {**decides, "chat": self.chat.deciding()}
        return {name: value for name, value in decides.items() if name not in ("chat", "unusable")}

    def open(self, ctx: OpenContext) -> Chat | None:
        """Connect to the model that words the questions, if any."""
        return None if self.chat is None else Chat(self.chat, concurrency=1, replies=ctx.replies)

    def combined(
        self, truths: Sequence[RecordTruth[Any]], sizes_wh: Mapping[str, SizeWH], seed: int
    ) -> Iterator[RecordTruth[Any] | UnusedTruth]:
        """Yield the claims; in `hardened` mode, yield only the one that the seed chooses from each matching true and
        false claim.
        """
        del sizes_wh
        if self.mode == "paper":
            yield from truths
            return
        groups: dict[Hashable, dict[bool, list[RecordTruth[SpatialClaim]]]] = {}
        for truth in truths:
            read = self._read(truth.truth)
            if isinstance(read, str):
                yield UnusedTruth(truth, read)
            else:
                sides = groups.setdefault(self._matching(read.parts), {True: [], False: []})
                sides[truth.truth.is_true].append(truth)
        for sides in groups.values():
            true, false = (
                sorted(sides[side], key=lambda truth: seed_for(seed, self.name, truth.record, "counterpart"))
                for side in (True, False)
            )
            for pair in _pairs_apart(true, false):
                rng = generator_for(seed, self.name, *(truth.record for truth in pair), "counterpart")
                taken = int(rng.integers(2))
                if self.twins:
                    yield from _as_twins(pair)
                else:
                    yield pair[taken]
                    yield UnusedTruth(pair[1 - taken], "counterpart_taken")
                true.remove(pair[0])
                false.remove(pair[1])
            yield from (UnusedTruth(truth, "no_counterpart") for truth in (*true, *false))

    def _matching(self, claim: ReadClaim) -> Hashable:
        if self.matched_on == "relation":
            return claim.relation, claim.is_plural
        return statement_of(claim).casefold()

    def _read(self, claim: SpatialClaim) -> _Agreed | str:
        """Return the parts of a claim and the proportion of people, 0-1, who agree with its label, or the reason why it
        makes no item.
        """
        parts = read_claim(claim.claim, claim.relation)
        if parts is None:
            return "unread_claim"
        if self.sides == "leave_out" and parts.relation in SIDES:
            return "unclear_side"
        agree, differ = claim.votes_true, claim.votes_false
        if not claim.is_true:
            agree, differ = differ, agree
        agreement = (agree + 1) / (agree + differ + 1)
        return "disputed" if agreement < self.min_agreement else _Agreed(parts, agreement)

    def planned(
        self, truth: RecordTruth[SpatialClaim], pictures: TruthPictures, rng: np.random.Generator
    ) -> ItemPlan | str:
        """Read the claim and choose the form of its question."""
        del pictures
        claim = truth.truth
        read = self._read(claim)
        if isinstance(read, str):
            return read
        form: Form = "inverted" if rng.random() < self.inverted else "affirmative"
        is_yes = claim.is_true == (form == "affirmative")
        document: dict[str, Any] = {
            "question": question_of(read.parts, form),
            "form": form,
            "claim": claim.claim,
            "relation": claim.relation,
            "is_true": claim.is_true,
            "agreement": round(read.agreement, 4),
        }
        return ItemPlan((0,) if is_yes else (1,), "yes" if is_yes else "no", document)

    def worded(self, chosen: ChosenRecord, shown: Sequence[ImageRecord]) -> ItemWording:
        """Ask the question."""
        del shown
        plan = dict(chosen.plan)
        del plan["question"]
        return ItemWording(
            question=questions_of(_claim_of(chosen), plan["form"], from_camera=self.sides == "camera"),
            options=("Yes", "No"),
            images=((0, "reference", ()),),
            kind="yes_no",
            evidence=plan,
            attributes={"relation": plan["relation"], "form": plan["form"]},
        )

    def made(
        self,
        record: ImageRecord,
        ctx: Context,
        chosen: ChosenRecord,
        shown: Sequence[ImageRecord],
        made: dict[str, ImageRecord],
    ) -> list[Item] | LeftOut | str:
        """Return the item; if a model is set, its question has the wording of that model."""
        if self.chat is None:
            return super().made(record, ctx, chosen, shown, made)
        by_rule = self.worded(chosen, shown)._replace(question=chosen.plan["question"])
        wording = self._by_model(ctx.opened, _claim_of(chosen), by_rule)
        return wording if isinstance(wording, LeftOut) else [self.item(record, ctx, chosen, shown, wording)]

    def _by_model(self, chat: Chat, claim: ReadClaim, by_rule: ItemWording) -> ItemWording | LeftOut:
        try:
            answered = question_by_model(chat, claim)
        except NotOfThatShape as error:
            left_out = LeftOut("unusable_question", {"detail": error.detail, "replies": list(error.replies)})
        except RequestFailed as error:
            left_out = LeftOut(f"endpoint_{error.reason}", {"detail": error.detail}, error.reason in MAY_PASS)
        else:
            return by_rule._replace(
                question=answered.value.question,
                written_by=f"model:{chat.settings.model}",
                evidence={**by_rule.evidence, "by_rule": by_rule.question, "replies": list(answered.replies)},
            )
        if self.unusable == "drop" or left_out.may_pass:
            return left_out
        refusal = {"reason": left_out.reason, **left_out.evidence}
        return by_rule._replace(evidence={**by_rule.evidence, "model": refusal})


def _claim_of(chosen: ChosenRecord) -> ReadClaim:
    claim = read_claim(chosen.plan["claim"], chosen.plan["relation"])
    assert claim is not None, "only claims that were read are planned"
    return claim


def _as_twins(pair: Sequence[RecordTruth[SpatialClaim]]) -> Iterator[RecordTruth[SpatialClaim]]:
    """Yield a true and a false claim, each with the name that the two share."""
    name = "+".join(truth.record for truth in pair)
    for truth in pair:
        original = {**truth.truth.original, TWIN: name}
        yield truth._replace(truth=truth.truth.model_copy(update={"original": original}))


class _Agreed(NamedTuple):
    """A claim divided into its parts, and the proportion of people who agree with its label."""

    parts: ReadClaim
    agreement: float


def _pairs_apart(
    true: Sequence[RecordTruth[SpatialClaim]], false: Sequence[RecordTruth[SpatialClaim]]
) -> list[tuple[RecordTruth[SpatialClaim], RecordTruth[SpatialClaim]]]:
    """Return pairs of a true and a false claim about different pictures, in order, with each claim in at most
    one pair.
    """
    pairs = []
    rest = list(false)
    for first in true:
        second = next((other for other in rest if other.image_ids != first.image_ids), None)
        if second is not None:
            rest.remove(second)
            pairs.append((first, second))
    return pairs
