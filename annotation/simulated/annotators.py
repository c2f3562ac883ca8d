"""Simulated annotators, which close campaigns in demonstrations and tests and are shown as simulated.

The annotators of an item, and their decisions, depend only on the run's seed, the stage, the item and the annotator, so
that a run that is killed at any point and restarted ends with the same decisions. A sensible decision depends on the
question, so each kind of campaign has a separate class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import Field

from benchwright.records import Record, right_key
from benchwright.seeds import generator_for
from benchwright.texts.normalization import counted

from ..forms.campaign_form import CampaignForm
from ..forms.evidence import EVIDENCE, needs_evidence
from ..forms.fields.field_types import OneOf, PhotographField, RegionField
from ..forms.kind_forms.pair import DIFFERENT, SAME
from ..forms.kind_forms.screening import DISCARD, KEEP
from ..forms.kinds import CHANGE, TO_WRITER
from ..forms.payloads import item_in, previous_in, sizes_in
from ..forms.submission import Submission
from ..store.campaigns.authors import written_in
from ..store.campaigns.revision_requests import revision_of
from ..store.campaigns.revisions import round_of
from ..store.campaigns.tasks import SIMULATED
from ..store.review_store import ReviewStore
from ..store.submissions.photo_uploads import Uploads
from ..store.submissions.pre_key_answers import ANSWER, answer_blind
from ..workflow.photo_uploads import take_in_photograph
from ..workflow.settlement.rules import Rule
from .drawn_regions import drawn_regions, moved_region

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""Time of all simulated decisions: a constant, since no person took any time."""
_BATCH = 200
"""Number of tasks in one transaction."""
_UNSTEADY = 0.02
"""Deviation of regions that justify an answer, as a share of their sides."""

Share = Annotated[float, Field(ge=0, le=1)]


class SimulatedDecision(NamedTuple):
    """The decision of a simulated annotator on an item.

    Attributes:
        annotator: Name.
        submission: Decision, with its fields, reasons and edits.
        picture: (height, width, 3) pixels of the submitted picture; None if there is none.
    """

    annotator: str
    submission: Submission
    picture: NDArray[np.uint8] | None = None


class SimulatedGroup(Record):
    """A group of simulated annotators.

    Attributes:
        annotators: Number of simulated annotators, at least as many as an item gets.
    """

    called: ClassVar[str] = ""
    """Part of their names after the prefix. Writers of items have other names than judges of items, because
    annotators never judge an item that they wrote."""

    annotators: int = Field(ge=1, le=1000)

    def names(self) -> list[str]:
        """Return the annotators' names."""
        return [f"{SIMULATED}{self.called}{number}" for number in range(1, self.annotators + 1)]

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return one annotator's decision on an item.

        Args:
            payload: The item, as a task's payload.
            form: Form of the campaign.
            rng: Random numbers of this annotator and item.
        """
        raise NotImplementedError

    def picture(self, submission: Submission, form: CampaignForm, rng: np.random.Generator) -> NDArray[np.uint8] | None:
        """Return the picture that an annotator submits with a decision; None for groups that submit no pictures."""
        del submission, form, rng
        return None


class SimulatedAnnotators(SimulatedGroup):
    """Simulated annotators who accept items that can be scored, which have an answer or a refusal choice.

    Attributes:
        error_rate: Chance that an annotator departs from this judgment of an item, 0 to 1.
        reasons: Reasons for rejections, one for each; none if empty.
        revise_rate: Chance that an annotator revises an item they would accept, 0 to 1; all make the same plain edit of
            its question.
        to_writer_rate: Chance that an annotator sends an item they would accept back to its writer, 0 to 1, if the
            campaign allows it.
    """

    error_rate: Share = 0.0
    reasons: tuple[str, ...] = ()
    revise_rate: Share = 0.0
    to_writer_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that accepts, rejects, revises with a trivial edit, or sends the item to its writer."""
        departs, lot = rng.random() < self.error_rate, rng.random()
        if (_right_key(payload) is not None) == departs:
            return Submission("reject", self.reasons[int(lot * len(self.reasons)) :][:1])
        # Drawn only with a rate, so that without one all decisions are those from before this setting existed.
        if self.revise_rate > 0 and rng.random() < self.revise_rate:
            return Submission("revise", edits=_look_closely(payload))
        if self.to_writer_rate > 0 and _can_go_back(payload, form) and rng.random() < self.to_writer_rate:
            return Submission(TO_WRITER, note=_SIMULATED_NOTE)
        return Submission("accept")


class SimulatedAnswerers(SimulatedGroup):
    """Simulated annotators who answer correctly at a given rate, and otherwise choose evenly among the other choices.

    Attributes:
        accuracy: Chance that an annotator answers an item right, 0 to 1.
        accuracy_by_task: The same by task, for tasks where it differs.
    """

    accuracy: Share = 1.0
    accuracy_by_task: dict[str, Share] = Field(default_factory=dict)

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that names a choice."""
        del form
        item, right = item_in(payload), _right_key(payload)
        is_right, lot = rng.random() < self.accuracy_by_task.get(item["task"], self.accuracy), rng.random()
        wrong = [choice["key"] for choice in item["choices"] if choice["key"] != right]
        return Submission(right if is_right and right is not None else wrong[int(lot * len(wrong))])


_SIMULATED_NOTE = "Simulated: no person looked at this to say what to change."
"""Note of simulated annotators on an item that they send back."""


def _can_go_back(payload: Mapping[str, Any], form: CampaignForm) -> bool:
    """Return whether a campaign lets annotators send this item back, and whether the item has a writer."""
    return form.to_writer and written_in(payload) is not None


def _look_closely(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the edit that simulated annotators make: a few words added before the question."""
    return {"question": f"Look closely. {item_in(payload)['question']}"}


def check_enough(group: SimulatedGroup, rule: Rule) -> None:
    """Check that a group has enough annotators for a rule's number of votes.

    Raises:
        ValueError: The group has fewer annotators than the rule has slots.
    """
    if group.annotators < rule.slots:
        raise ValueError(f"{counted(group.annotators, 'annotator')} cannot fill {rule.slots} slots of {rule}")


def _right_key(payload: Mapping[str, Any]) -> str | None:
    """Return the key of the right choice of an item, given as JSON values."""
    item = item_in(payload)
    return right_key(item.get("answer"), item.get("refusal"))


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
    """Return the simulated decisions on an item, by annotator.

    Every annotator draws a random number for the item; those with the lowest get its slots.

    Args:
        group: The annotators, with their rates.
        item_id: Id of the item.
        payload: The item as JSON values.
        slots: Number of annotators that the item gets.
        seed: Seed of the run.
        stage: Name of the campaign's stage.
        round_: Round in which a version of the item is judged, from 1; default 1.
        form: The campaign's form; default None, an empty form.
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
    refusal = item_in(payload).get("refusal")
    if form.evidence is not None and sizes_in(payload) and needs_evidence(form, refusal, submission.decision):
        submission = replace(submission, fields={EVIDENCE: _drawn_evidence(form.evidence, payload, rng)})
    return SimulatedDecision(annotator, submission, group.picture(submission, form, rng))


def _drawn_evidence(field: RegionField, payload: Mapping[str, Any], rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return random regions for an item's first picture, which deviate slightly for each annotator."""
    sizes_wh, pictures = sizes_in(payload)[:1], [item_in(payload)["images"][0]["image_id"]]
    regions = drawn_regions(field, pictures, sizes_wh)
    return [moved_region(region, sizes_wh, _UNSTEADY, rng).model_dump(mode="json") for region in regions]


def simulate(
    store: ReviewStore,
    campaign: str,
    group: SimulatedGroup,
    *,
    seed: int,
    stage: str,
    workspace: Path | None = None,
    batch: int = _BATCH,
) -> int:
    """Let simulated annotators decide every open task as people do: claim a slot, then submit a decision.

    Args:
        store: Review store with the campaign's tasks.
        campaign: Name of a campaign opened for simulated annotators.
        group: The annotators, with their rates.
        seed: Seed of the run.
        stage: Name of the campaign's stage.
        workspace: Folder of the workspace, for pictures in campaigns that collect some; default None.
        batch: Number of tasks in one transaction; default `_BATCH`.

    Returns:
        Number of newly made decisions.
    """
    settings = store.campaign(campaign)
    slots, form = settings.slots_per_task, settings.form
    with store.batch() as held:
        for name in group.names():
            held.upsert_annotator(name, kind="simulated")
    waiting = store.tasks(campaign)
    made = 0
    for start in range(0, len(waiting), batch):
        with store.batch() as held:  # one transaction has all decisions on an item, so all are stored or none
            for task in waiting[start : start + batch]:
                with held.reading() as connection:
                    round_ = round_of(connection, task.id) + revision_of(connection, task.id)
                places = len(previous_in(task.payload)) or slots
                for decision in simulated_decisions(
                    group, task.item_id, task.payload, slots=places, seed=seed, stage=stage, round_=round_, form=form
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
    """Upload a picture as a person would, and return the value of its field."""
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
    """Simulated annotators who discard at a given rate, whatever the content.

    Attributes:
        discard_rate: Chance that an annotator discards a record, 0 to 1.
        reasons: Reasons for discarding, one for each; if empty, those of the form.
    """

    discard_rate: Share = 0.0
    reasons: tuple[str, ...] = ()

    def fit_for(self, rule: Rule, reasons: Sequence[str]) -> SimulatedScreeners:
        """Return the group; if it has no reasons itself, add the form's reasons.

        Raises:
            ValueError: The group is too small for the rule, or has reasons that are not in the form.
        """
        check_enough(self, rule)
        if unknown := sorted(set(self.reasons) - set(reasons)):
            raise ValueError(f"reason {unknown[0]!r} is not one of the form's reasons: {', '.join(reasons)}")
        return self.model_copy(update={"reasons": self.reasons or tuple(reasons)})

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that keeps or discards."""
        del payload, form
        discards, lot = rng.random() < self.discard_rate, rng.random()
        if not discards:
            return Submission(fields={"verdict": KEEP})
        return Submission(fields={"verdict": DISCARD, "reasons": [self.reasons[int(lot * len(self.reasons))]]})


class SimulatedPairers(SimulatedGroup):
    """Simulated annotators who call pairs the same picture at a given rate, regardless of content.

    Attributes:
        same_rate: Chance that an annotator calls both the same picture, 0 to 1.
    """

    same_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that calls the two images the same picture, or not."""
        del payload, form
        return Submission(fields={"verdict": SAME if rng.random() < self.same_rate else DIFFERENT})


class SimulatedReviewers(SimulatedAnswerers):
    """Simulated annotators who answer like those of `answer`, then vote; a no vote edits the question trivially.

    Attributes:
        approval: Chance that an annotator votes yes on a criterion, 0 to 1.
        to_writer_rate: Chance that an annotator who votes no sends the item back to its writer instead of editing it, 0
            to 1, if the campaign allows it.
    """

    approval: Share = 1.0
    to_writer_rate: Share = 0.0

    def submission(self, payload: Mapping[str, Any], form: CampaignForm, rng: np.random.Generator) -> Submission:
        """Return a submission that names a choice and votes on every criterion of the form."""
        answer = super().submission(payload, form, rng).decision
        criteria = [field.name for field in form.fields or () if isinstance(field, OneOf) and field.name != TO_WRITER]
        votes = {criterion: "yes" if rng.random() < self.approval else "no" for criterion in criteria}
        may_go_back = "no" in votes.values() and self.to_writer_rate > 0 and _can_go_back(payload, form)
        if may_go_back and rng.random() < self.to_writer_rate:
            back = {TO_WRITER: "yes", CHANGE: _SIMULATED_NOTE}
            return Submission(answer, fields={ANSWER: answer, **votes, **back})
        edits = _look_closely(payload) if "no" in votes.values() else None
        return Submission(answer, edits=edits, fields={ANSWER: answer, **votes})
