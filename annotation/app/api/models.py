"""Models of the HTTP API's requests and answers; a request with an unknown key is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ...items.likeness import LikenessBy

MOST_ON_A_PAGE = 200
_Text = Annotated[str, Field(max_length=20_000)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Codes = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)]


class _ApiInput(BaseModel):
    """Part of a request."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _ApiAnswer(BaseModel):
    """Part of an answer."""

    model_config = ConfigDict(frozen=True)


class PageQuery(_ApiInput):
    """The requested page of a list."""

    cursor: str | None = Field(
        None, max_length=60, description="`next` of the previous page; without it, the first page."
    )
    limit: int = Field(50, ge=1, le=MOST_ON_A_PAGE, description="Maximum number of entries on the page.")


class OwnTasksQuery(PageQuery):
    """The requested part of the account's own tasks."""

    state: Literal["held", "decided"] = Field("held", description="Tasks that you hold, or those that you decided.")


class ItemsQuery(PageQuery):
    """The requested items of a campaign."""

    state: Literal["open", "done", "retired"] | None = Field(None, description="State of the tasks; default all.")


class AlikeQuery(_ApiInput):
    """What to compare the items of a campaign with: one of `item` and `meaning`."""

    item: str = Field("", max_length=64, description="Id of an item or image.")
    by: Literal["question", "pictures"] = Field("question", description="What is compared with that item.")
    meaning: str = Field("", max_length=200, description="Words that describe the subject of the questions.")
    limit: int = Field(50, ge=1, le=MOST_ON_A_PAGE, description="Maximum number of items.")


class ClaimBody(_ApiInput):
    """The number of tasks that an annotator requests."""

    most: int = Field(
        1, ge=1, le=3, description="Maximum number of tasks that you then hold, including those that you already hold."
    )


class DecisionBody(_ApiInput):
    """A decision on a task, in the fields that the task's `takes` names."""

    decision: _Text = Field("", description="Code of the decision, or letter of an option; omitted in typed forms.")
    reasons: _Codes = Field(default_factory=list, description="Codes of reasons.")
    note: _Text | None = Field(None, description="A note for the curator.")
    edits: dict[str, Any] | None = Field(None, description="Changed parts of the item: question, choices, right.")
    fields: dict[str, Any] | None = Field(None, description="Values by field of a typed form.")
    active_s: float | None = Field(
        None, ge=0, le=1e9, description="Seconds spent on the task; at most the time since it was handed out counts."
    )
    version: int | None = Field(
        None,
        ge=0,
        le=2**31 - 1,
        description="Version of your decision that you saw, 0 for none; refused if a newer one exists.",
    )


class WordsBody(_ApiInput):
    """A text about a task."""

    words: Annotated[str, Field(max_length=2_000)] = Field("", description="Your comment; a flag needs no text.")


class AnnouncementBody(_ApiInput):
    """A message to annotators."""

    words: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(description="Text of the message.")
    recipient: str | None = Field(
        None, description="The only annotator who sees it; null: all annotators of the campaign."
    )


class PostBody(_ApiInput):
    """A post of a discussion."""

    words: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(description="Text of the post.")


class WhyBody(_ApiInput):
    """The reason for an action."""

    why: Annotated[str, Field(min_length=1, max_length=2_000)] = Field(description="Reason; the audit log keeps it.")


class InviteeBody(_ApiInput):
    """A person to invite."""

    name: _Name = Field(description="Name under which the person decides.")
    role: Literal["annotator", "adjudicator"] = Field("annotator", description="The person's role.")


class InvitationsBody(_ApiInput):
    """People to invite."""

    people: Annotated[list[InviteeBody], Field(min_length=1, max_length=1000)]


class FreezeBody(_ApiInput):
    """The release to freeze."""

    name: str = Field(min_length=1, max_length=60, description="Lowercase letters, digits and hyphens.")
    version: str = Field("", max_length=31, description="A version such as `1.0`; without it, a draft.")


class ExportBody(_ApiInput):
    """The format and options of an export."""

    pseudonyms: bool = Field(False, description="Whether numbers replace people's names.")


class TokenBody(_ApiInput):
    """A token to create; a token cannot create another token with the scope `curator`."""

    person: _Name = Field(description="Account on whose behalf the token acts.")
    label: _Name = Field(description="Purpose of the token.")
    days: int = Field(90, ge=1, le=366, description="Days until it expires.")


class WebhookBody(_ApiInput):
    """An address to notify of events."""

    url: str = Field(min_length=8, max_length=2_000, description="An `https` address, or `http` where that is allowed.")
    events: Annotated[list[str], Field(max_length=20)] = Field(
        default_factory=list, description="Names of events; default all."
    )


class PayQuery(_ApiInput):
    """The pay of a campaign."""

    rate: float = Field(ge=0, le=100_000, description="Pay per hour.")
    currency: str = Field("USD", pattern="^[A-Z]{3}$", description="Code of the currency (ISO 4217).")


class PagedReply(_ApiAnswer):
    """One page of a list."""

    items: list[dict[str, Any]]
    next: str | None = Field(description="Cursor of the next page; null on the last one.")


class AlikeReply(_ApiAnswer):
    """Similar items, the most similar first."""

    by: LikenessBy = Field(description="Method of the comparison.")
    items: list[dict[str, Any]] = Field(
        description="Each `item_id`, `question`, `state` and `likeness`: 0 to 1, or, for `picture_hashes`, how many of "
        "64 bits differ."
    )


class ListReply(_ApiAnswer):
    """A complete list."""

    items: list[dict[str, Any]]


class DiscussionReply(_ApiAnswer):
    """The discussion of an item."""

    task: int = Field(description="Task whose pictures, question and key are discussed.")
    decisions: dict[str, int] = Field(description="Number of annotators who made each decision.")
    posts: list[dict[str, Any]] = Field(description="Posts, the earliest first: id, author, words, posted_at.")


class CampaignReply(_ApiAnswer):
    """A campaign, as the token's account sees it."""

    name: str
    kind: str
    is_open: bool = Field(description="Whether tasks are handed out; a curator may have closed it.")
    decided: int = Field(description="Tasks that the token's person decided.")
    left: int = Field(description="Tasks that they hold or may still take.")
    is_paused: bool = Field(description="Whether their votes are set aside, so that they get no tasks.")
    is_qualified: bool = Field(description="Whether they passed the practice that the campaign requires.")
    guidelines: str | None = Field(description="Guidelines for annotators, in Markdown; null without any.")
    progress: dict[str, Any] | None = Field(
        description="For curators: what `review status --json` prints of the campaign."
    )


class CampaignsReply(_ApiAnswer):
    """The campaigns to which the token gives access: exactly one."""

    items: list[CampaignReply]


class PictureReply(_ApiAnswer):
    """A picture of a task."""

    url: str = Field(description="Path from which the token can fetch it.")
    marks: str | None = Field(description="Path of a transparent layer with the marks drawn over it; null without any.")
    width: int
    height: int
    caption: str
    letter: str


class TaskReply(_ApiAnswer):
    """A task as its annotator sees it: without the key unless the campaign shows it, and without others' votes."""

    task: int
    mode: str
    question: str
    choices: list[dict[str, Any]]
    right: str | None = Field(description="Right option if the campaign shows it; else null.")
    pictures: list[PictureReply]
    beside: list[dict[str, Any]]
    takes: dict[str, Any] = Field(
        description="Parts of a decision: possible decisions, reasons, fields, editable parts."
    )
    said: dict[str, Any] | None = Field(description="Your own decision so far; null without one.")
    version: int = Field(description="Version of your decision; 0 without one.")
    is_current: bool = Field(description="Whether a decision still changes anything.")
    remarks: list[dict[str, Any]]


class TasksReply(_ApiAnswer):
    """A list of tasks."""

    items: list[TaskReply]
    next: str | None = Field(None, description="Cursor of the next page; null on the last one.")


class DecidedReply(_ApiAnswer):
    """The result of a decision."""

    task: TaskReply | None = Field(description="The task if it continues with votes after the answer; else null.")
    words: str = Field(description="Message to the annotator, such as that the decision was too fast; else empty.")
    notice: list[str] = Field(description="Right decision on a gold item if the campaign reveals it; else empty.")
    decided: int
    left: int


class ProgressReply(_ApiAnswer):
    """The progress of the token's account."""

    decided: int
    left: int


class CaseReply(_ApiAnswer):
    """A case that an adjudicator opened: the item with its key, and the annotators' answers without names."""

    task: int
    question: str
    choices: list[dict[str, Any]]
    right: str | None
    answers: list[dict[str, Any]]
    pictures: list[PictureReply]
    takes: dict[str, Any]
    about: str


class PersonReply(_ApiAnswer):
    """A person, and the measured care of their decisions."""

    name: str
    decided: int
    care: dict[str, Any] | None = Field(description="Posterior, interval and evidence; null if nothing is known.")
    is_paused: bool
    paused_by: str | None
    paused_why: str | None


class PeopleReply(_ApiAnswer):
    """People of a campaign."""

    items: list[PersonReply]


class VotesReply(_ApiAnswer):
    """The result for the votes of a request."""

    votes: int
    replaced: int = Field(0, description="Votes that stay set aside, because others have decided in their place.")
    held: int = Field(0, description="Votes that stay set aside for now, because others are working on their tasks.")


class ImportReply(_ApiAnswer):
    """The result for the rows of a table."""

    rows: int
    new: int
    unchanged: int
    blank: int
    refused: list[dict[str, Any]]
    new_annotators: list[str]


class StateReply(_ApiAnswer):
    """Whether a campaign is open."""

    is_open: bool


class JobReply(_ApiAnswer):
    """A command that the server runs."""

    id: str
    kind: str
    state: str
    started_at: str
    ended_at: str | None
    download: str | None = Field(description="Path of the result once it can be downloaded; else null.")


class AddedReply(_ApiAnswer):
    """The result of reading a table of questions, and the run that adds them."""

    file: str
    items: int
    left_out: dict[str, int] = Field(description="Rows that give no item, by reason.")
    job: JobReply


class NewTokenReply(_ApiAnswer):
    """A new token, shown only once."""

    id: int
    token: str


class NewWebhookReply(_ApiAnswer):
    """A new webhook, with its secret, shown only once."""

    id: int
    secret: str = Field(description="Key of the signatures, in the form of Standard Webhooks (`whsec_`).")
    events: list[str]
