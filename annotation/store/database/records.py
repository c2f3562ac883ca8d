"""Records that the review store takes and returns, and the errors that it raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from benchwright.errors import BenchwrightError

from ...forms.campaign_form import CampaignForm
from ...forms.submission import Submission

AnnotatorKind = Literal["person", "simulated"]
TaskState = Literal["open", "done", "retired"]
SlotState = Literal["free", "leased", "submitted"]
TASK_STATES: tuple[TaskState, ...] = ("open", "done", "retired")
SLOT_STATES: tuple[SlotState, ...] = ("free", "leased", "submitted")


class RefusedError(BenchwrightError):
    """The store refuses a claim or a decision; the message says why."""


class StaleError(RefusedError):
    """A window sent something without having seen what the same annotator wrote in another window meanwhile."""


class UpsertCounts(NamedTuple):
    """Numbers of tasks that changed when a campaign's tasks were brought up to date."""

    opened: int
    kept: int
    retired: int
    reopened: int


@dataclass(frozen=True)
class Campaign:
    """One campaign, with the settings that its step gave it last."""

    id: int
    name: str
    kind: str
    rule: str
    slots_per_task: int
    form: CampaignForm
    settings: Mapping[str, Any]
    seed: int
    is_simulated: bool
    is_for_assigned: bool = False
    """Whether only annotators who are assigned to it may decide."""
    is_closed: bool = False
    """Whether a curator closed it, so that nobody gets further tasks."""


@dataclass(frozen=True)
class Task:
    """One content of one item; `round` counts the item's contents from 1."""

    id: int
    item_id: str
    content_hash: str
    round: int
    state: TaskState
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Lease:
    """A slot that one annotator holds until `until`; after that, the next annotator who asks gets it."""

    slot_id: int
    task_id: int
    item_id: str
    content_hash: str
    round: int
    annotator: str
    claimed_at: datetime
    until: datetime
    payload: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Annotation(Submission):
    """The submission of one annotator on one task, in one version, as the store keeps it.

    Attributes:
        item_id: Item of the task.
        content_hash: Version of the item that was shown.
        round: Number of that version among the item's contents, from 1.
        slot: Number of the annotator's place in the task, from 1.
        annotator: Name.
        annotator_kind: `person` or `simulated`.
        version: Number of the submission among the annotator's submissions on this task, from 1.
        started_at: When the task was handed out.
        submitted_at: When the annotator submitted.
        regions_agree: Whether as many annotators of the task as the rule needs marked the same regions; None where
            their regions were not compared.
    """

    item_id: str
    content_hash: str
    round: int
    slot: int
    annotator: str
    annotator_kind: AnnotatorKind
    version: int
    started_at: datetime
    submitted_at: datetime
    regions_agree: bool | None = None

    @property
    def seconds(self) -> float:
        """Return how long the decision took: without pauses where these are known, else from hand-out to decision."""
        return (self.submitted_at - self.started_at).total_seconds() if self.active_s is None else self.active_s


@dataclass(frozen=True, kw_only=True)
class Adjudication(Submission):
    """The submission of an adjudicator on one task, as the store keeps it; it has no time spent, and fields only where
    regions are marked.

    Attributes:
        item_id: Item of the task.
        content_hash: Version of the item that was shown.
        annotator: Name of the adjudicator.
        decided_at: When the adjudicator decided.
    """

    item_id: str
    content_hash: str
    annotator: str
    decided_at: datetime


Returned = Literal["with_writer", "left", "spent"]
"""What became of a version of an item that reviewers send to its writer.

The writer has it, or left it as it was, or gets it no more, since as many versions of the item went back as may.
"""


class Adjudicated(NamedTuple):
    """What was done with one task beside its annotators' decisions.

    Args:
        sent_back: How often an adjudicator sent it back to annotators.
        decision: The adjudicator's decision that counts since then; None if there is none.
        returned: What became of it on the way to its writer; None where it went to nobody, and still may.
    """

    sent_back: int
    decision: Adjudication | None
    returned: Returned | None = None


@dataclass(frozen=True)
class Revision:
    """The next version of an item, made within a campaign.

    Attributes:
        item_id: The item.
        task_id: The task of the version.
        content_hash: Content hash of the version.
        revised_from: Content hash of the version that it was made from.
        round: Round in which annotators judge the version, from 2.
        edits: Edits that turn the version before into this one, as JSON values.
        annotator: Name of the annotator whose edits they are.
    """

    item_id: str
    task_id: int
    content_hash: str
    revised_from: str
    round: int
    edits: Mapping[str, Any]
    annotator: str


@dataclass(frozen=True)
class CampaignStatus:
    """Progress of a campaign. Only slots of current tasks count; expired leases count as free."""

    name: str
    kind: str
    rule: str
    simulated: bool
    tasks: Mapping[TaskState, int]
    slots: Mapping[SlotState, int]
    annotators: int

    def to_json(self) -> dict[str, Any]:
        """Return the entry that `review status --json` prints."""
        return {
            "name": self.name,
            "kind": self.kind,
            "rule": self.rule,
            "simulated": self.simulated,
            "tasks": dict(self.tasks),
            "slots": dict(self.slots),
            "annotators": self.annotators,
        }
