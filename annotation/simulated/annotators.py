"""Annotators that are not people: they close campaigns in demonstrations and tests, and show as simulated.

Who takes an item and what each says of it follow from run seed, stage, item and annotator alone: a run killed
anywhere and started again ends in the same decisions. What a sane annotator would say depends on what is asked,
and so has a class per kind of campaign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from benchwright.records import Record
from benchwright.seeds import generator_for

from ..forms.campaign_form import CampaignForm
from ..forms.form import OneOf, PhotographField
from ..forms.pair import DIFFERENT, SAME
from ..forms.screening import DISCARD, KEEP
from ..forms.submission import Submission
from ..store import SIMULATED, ReviewStore, Uploads
from ..store.campaigns.revisions import round_of
from ..store.submissions.pre_key_answers import ANSWER, answer_blind
from ..workflow.photo_uploads import take_in_photograph
from ..workflow.rules import Rule

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""The moment of all simulated work: nobody sat there, so no clock is pretended."""
BATCH = 200
"""Tasks in one transaction."""

Share = Annotated[float, Field(ge=0, le=1)]


class SimulatedDecision(NamedTuple):
    """What one simulated annotator says of one item.

    Attributes:
        annotator: Name.
        submission: What they say.
        picture: (height, width, 3) pixels that they hand in with it; None where they hand in none.
    """

    annotator: str
    submission: Submission
    picture: NDArray[np.uint8] | None = None


class SimulatedGroup(Record):
    """A group of simulated annotators.

    Attributes:
        annotators: How many there are, at least as many as an item gets.
    """

    called: ClassVar[str] = ""
    """How their names go on. Who writes items has other names than who judges them: nobody judges what they wrote."""

    annotators: int = Field(ge=1, le=1000)

    def names(self) -> list[str]:
        """Return what they are called."""
        return [f"{SIMULATED}{self.called}{number}" for number in range(1, self.annotators + 1)]

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return what one annotator says of an item.

        Args:
            payload: The item, as a task's payload.
            form: Form of the campaign.
            rng: Random numbers of this annotator and item.
        """
        raise NotImplementedError

    def picture(self, submission: Submission, form: CampaignForm, rng: np.random.Generator) -> NDArray[np.uint8] | None:
        """Return the picture that an annotator hands in with a submission; None, unless a group hands in some."""
        del submission, form, rng
        return None


class SimulatedAnnotators(SimulatedGroup):
    """They accept what can be scored: the item has an answer, or a choice that declines to answer.

    Attributes:
        error_rate: Chance that one departs from the sane judgement of an item, 0 to 1.
        reasons: Reasons that a rejection gives, one of them each time; none where empty.
        revise_rate: Chance that one revises an item that would be accepted: the same plain edit of its question.
    """

    error_rate: Share = 0.0
    reasons: tuple[str, ...] = ()
    revise_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Accept, reject, or revise with a plain edit."""
        del form
        departs, which = rng.random() < self.error_rate, rng.random()
        if (right_key(payload) is not None) == departs:
            return Submission("reject", self.reasons[int(which * len(self.reasons)) :][:1])
        # Drawn only where it matters: without a rate, everybody says what they said before there was one.
        if self.revise_rate > 0 and rng.random() < self.revise_rate:
            return Submission("revise", edits=look_closely(payload))
        return Submission("accept")


class SimulatedAnswerers(SimulatedGroup):
    """They answer right at a given rate, and otherwise draw evenly among the other choices.

    Attributes:
        accuracy: Chance that one answers an item right, 0 to 1.
        accuracy_by_task: The same for tasks where it differs.
    """

    accuracy: Share = 1.0
    accuracy_by_task: dict[str, Share] = Field(default_factory=dict)

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Name a choice."""
        del form
        is_right, which = rng.random() < self.accuracy_by_task.get(payload["task"], self.accuracy), rng.random()
        right = right_key(payload)
        wrong = [choice["key"] for choice in payload["choices"] if choice["key"] != right]
        return Submission(right if is_right and right is not None else wrong[int(which * len(wrong))])


def look_closely(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edit that simulated annotators make: a few words before the question."""
    return {"question": f"Look closely. {payload['question']}"}


def check_enough(group: SimulatedGroup, rule: Rule) -> None:
    """Hold a group to the places that a rule has.

    Raises:
        ValueError: There are fewer annotators than places.
    """
    if group.annotators < rule.slots:
        raise ValueError(f"{group.annotators} annotators cannot fill {rule.slots} slots of {rule}")


def right_key(payload: Mapping[str, Any]) -> str | None:
    """Return the choice of an item, given as JSON values, that is right: its answer, or else that which declines."""
    key: str | None = payload.get("answer")
    return key if key is not None else payload.get("refusal")


def simulated_decisions(
    group: SimulatedGroup,
    item_id: str,
    payload: Mapping[str, Any],
    *,
    slots: int,
    seed: int,
    stage: str,
    round_: int = 1,
    form: CampaignForm | None = None,
) -> list[SimulatedDecision]:
    """Return what is said of an item, by annotator.

    Every annotator draws a lot for the item; those with the lowest take its slots.

    Args:
        group: Who there is and how often they err.
        item_id: The item.
        payload: The item as JSON values.
        slots: Annotators that the item gets.
        seed: Of the run.
        stage: Of the campaign.
        round_: In which a version of the item is looked at, from 1.
        form: Of the campaign.
    """
    lots = []
    later = () if round_ == 1 else (f"round {round_}",)
    for annotator in group.names():
        rng = generator_for(seed, stage, item_id, annotator, *later)
        lots.append((rng.random(), annotator, rng))
    drawn = sorted(lots, key=lambda lot: lot[:2])[:slots]
    decisions = (_decision(group, annotator, payload, form or CampaignForm(), rng) for _, annotator, rng in drawn)
    return sorted(decisions, key=lambda decision: decision.annotator)


def _decision(
    group: SimulatedGroup,
    annotator: str,
    payload: Mapping[str, Any],
    form: CampaignForm,
    rng: np.random.Generator,
) -> SimulatedDecision:
    submission = group.submission(payload, form, rng)
    return SimulatedDecision(annotator, submission, group.picture(submission, form, rng))


def simulate(
    store: ReviewStore,
    campaign: str,
    group: SimulatedGroup,
    *,
    seed: int,
    stage: str,
    workspace: Path | None = None,
    batch: int = BATCH,
) -> int:
    """Let simulated annotators decide every open task, as people would: claim a slot, submit a decision.

    Args:
        store: With the campaign's tasks.
        campaign: Opened for simulated annotators.
        group: Who there is and how often they err.
        seed: Of the run.
        stage: Of the campaign.
        workspace: Takes in the pictures that they hand in, where the campaign collects some.
        batch: Tasks in one transaction.

    Returns:
        How many decisions were missing and are now made.
    """
    settings = store.campaign(campaign)
    slots, form = settings.slots_per_task, settings.form
    with store.batch() as held:
        for name in group.names():
            held.upsert_annotator(name, kind="simulated")
    waiting = store.tasks(campaign)
    made = 0
    for start in range(0, len(waiting), batch):
        with store.batch() as held:  # an item's decisions are in one transaction: all are there, or none
            for task in waiting[start : start + batch]:
                with held.reading() as connection:
                    round_ = round_of(connection, task.id)
                for decision in simulated_decisions(
                    group, task.item_id, task.payload, slots=slots, seed=seed, stage=stage, round_=round_, form=form
                ):
                    _decide(held, campaign, task.id, decision, form, workspace)
                    made += 1
    return made


def _brought(
    store: ReviewStore,
    task: int,
    annotator: str,
    picture: NDArray[np.uint8],
    form: CampaignForm,
    workspace: Path,
) -> dict[str, str]:
    """Take a picture in by the door that photographs of people come through, and return what its field says."""
    from benchwright.images.decode import encode_png

    typed = form.typed
    assert typed is not None, "pictures are handed in by a typed form"
    [field] = [field for field in typed.fields if isinstance(field, PhotographField)]
    taken = take_in_photograph(workspace, encode_png(picture), field)
    Uploads(store).note(task, annotator, taken.image_id)
    return {field.name: taken.image_id}


def _decide(
    store: ReviewStore,
    campaign: str,
    task: int,
    decision: SimulatedDecision,
    form: CampaignForm,
    workspace: Path | None,
) -> None:
    annotator, submission, picture = decision
    if picture is not None:
        assert workspace is not None, "pictures are handed in to a workspace"
        photograph = _brought(store, task, annotator, picture, form, workspace)
        submission = replace(submission, fields={**(submission.fields or {}), **photograph})
    if form.blind_first:
        lease = store.claim(campaign, annotator, now=NOW, task=task)
        assert lease is not None, "a claim of one task is met or refused"
        with store.writing() as connection:
            answer_blind(connection, lease.slot_id, annotator, submission.decision, now=NOW)
    store.decide(campaign, task, annotator, submission, now=NOW)


class SimulatedScreeners(SimulatedGroup):
    """They discard at a given rate, whatever they are shown.

    Attributes:
        discard_rate: Chance that one discards what it is shown, 0 to 1.
        reasons: Reasons for it, one of them each time; all of the form where empty.
    """

    discard_rate: Share = 0.0
    reasons: tuple[str, ...] = ()

    def fit_for(self, rule: Rule, reasons: Sequence[str]) -> SimulatedScreeners:
        """Return the group with the form's reasons where it has none of its own.

        Raises:
            ValueError: It is too small for the rule, or has reasons that the form has not.
        """
        check_enough(self, rule)
        if unknown := sorted(set(self.reasons) - set(reasons)):
            raise ValueError(f"reason {unknown[0]!r} is none of the form's: {', '.join(reasons)}")
        return self.model_copy(update={"reasons": self.reasons or tuple(reasons)})

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Keep or discard."""
        del payload, form
        discards, which = rng.random() < self.discard_rate, rng.random()
        if not discards:
            return Submission(fields={"verdict": KEEP})
        return Submission(fields={"verdict": DISCARD, "reasons": [self.reasons[int(which * len(self.reasons))]]})


class SimulatedPairers(SimulatedGroup):
    """They call pairs the same picture at a given rate, whatever they are shown.

    Attributes:
        same_rate: Chance that one says that both are the same picture, 0 to 1.
    """

    same_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Say that they are the same, or not."""
        del payload, form
        return Submission(fields={"verdict": SAME if rng.random() < self.same_rate else DIFFERENT})


class SimulatedReviewers(SimulatedAnswerers):
    """They answer as simulated annotators of `answer` do, then vote; who votes no makes a plain edit of the question.

    Attributes:
        approval: Chance that one votes for a criterion, 0 to 1.
    """

    approval: Share = 1.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Name a choice, and vote on every criterion of the form."""
        answer = super().submission(payload, form, rng).decision
        criteria = [field.name for field in form.fields or () if isinstance(field, OneOf)]
        votes = {criterion: "yes" if rng.random() < self.approval else "no" for criterion in criteria}
        edits = look_closely(payload) if "no" in votes.values() else None
        return Submission(answer, edits=edits, fields={ANSWER: answer, **votes})
