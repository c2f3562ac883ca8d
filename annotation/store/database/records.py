"""The records that the review store accepts and returns, and the errors that it raises."""

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
    """The store refuses a claim or a decision; the message gives the reason."""


class StaleError(RefusedError):
    """A window submitted without having shown what the same annotator wrote meanwhile in another window."""


class UpsertCounts(NamedTuple):
    """Numbers of tasks that changed when a campaign's tasks were updated."""

    opened: int
    kept: int
    retired: int
    reopened: int


@dataclass(frozen=True)
class Campaign:
    """A campaign, with the latest settings from its step."""

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
    """Whether only annotators assigned to it may decide."""
    is_closed: bool = False
    """Whether a curator closed it, so that annotators get no further tasks."""


@dataclass(frozen=True)
class Task:
    """A content of an item; `round` is the number of that content, counted from 1."""

    id: int
    item_id: str
    content_hash: str
    round: int
    state: TaskState
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Lease:
    """A slot that an annotator holds until `until`; after that time, the next annotator who asks receives the slot."""

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
    """A version of an annotator's submission on a task, as stored.

    Attributes:
        item_id: Item of the task.
        content_hash: Hash of the version of the item that the task showed.
        round: Number of that version among the item's contents, from 1.
        slot: Number of the annotator's slot in the task, from 1.
        annotator: Name.
        annotator_kind: `person` or `simulated`.
        version: Number of the submission among the annotator's submissions on this task, from 1.
        started_at: Time of the task's assignment.
        submitted_at: Time of the submission.
        regions_agree: Whether the required number of the task's annotators marked the same regions; None if their
            regions were not compared.
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
        """Return the seconds that the decision took: without pauses if known, or else from assignment to decision."""
        return (self.submitted_at - self.started_at).total_seconds() if self.active_s is None else self.active_s


@dataclass(frozen=True, kw_only=True)
class Adjudication(Submission):
    """An adjudicator's submission on a task, as stored; it has no time, and has fields only for marked regions.

    Attributes:
        item_id: Item of the task.
        content_hash: Hash of the version of the item that the task showed.
        annotator: Name of the adjudicator.
        decided_at: Time of the decision.
    """

    item_id: str
    content_hash: str
    annotator: str
    decided_at: datetime


Returned = Literal["with_writer", "left", "spent"]
"""Outcome of sending a version of an item back to its writer.

The writer has it, or left it as it was, or no longer gets it because the allowed number of its versions went back.
"""


class Adjudicated(NamedTuple):
    """The actions on a task other than the decisions of its annotators.

    Args:
        sent_back: Number of times an adjudicator sent it back to annotators.
        decision: The adjudicator's decision that counts since then, or None if there is none.
        returned: Outcome of sending it back to its writer; None if it was not sent back but still may be.
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
        revised_from: Content hash of the previous version.
        round: Round in which annotators judge the version, from 2.
        edits: Edits that turn the previous version into this one, as JSON values.
        annotator: Name of the annotator who made the edits.
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
    """Progress of a campaign; only slots of current tasks count, and expired leases count as free."""

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
