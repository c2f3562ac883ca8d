"""Send items back to their writers if a reviewer returns them with a note or a check flags them.

The writer gets the questions about that picture again, in the campaign in which they were written, with the old texts
filled in and the reason next to them. The next run makes the items again from the writer's submission, and a changed
item goes through all steps again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import Field

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, RecipeError
from benchwright.questions.implication import WrittenIn
from benchwright.records import Item, Record
from benchwright.review_files.tasks import LONGEST_TEXT, SideText
from benchwright.rooms import catalogue, find
from benchwright.settings.help import reasons_of
from benchwright.steps import CampaignContext, Flag, Step
from benchwright.texts.normalization import counted

from ...forms.kinds import CHANGE, TO_WRITER
from ...forms.payloads import item_in, payload_of_revision
from ...simulated.annotators import NOW
from ...store.campaigns.adjudications import list_adjudicated
from ...store.campaigns.authors import written_in
from ...store.campaigns.decisions import list_decisions
from ...store.campaigns.revision_requests import (
    RevisionRequest,
    SentBack,
    is_being_revised,
    is_gone,
    list_sent_back,
    open_revision,
    with_unrevised,
)
from ...store.campaigns.tasks import find_campaign, list_tasks
from ...store.database.records import Annotation
from ...store.review_store import ReviewStore
from ...workflow.settlement.criteria import YES
from ...workflow.settlement.revisions import by_version
from ...workflow.settlement.rounds import NOBODY, in_count, votes_in
from ...workflow.settlement.settle import policy_of, settle
from .open_campaign import AssignedCampaign

SENT_BACK = "Sent back"
"""Label of the text shown next to a question that came back to its writer."""
_LONGEST_WORDS = 2000
_LISTED = 4
_DEGREES = {
    "most": "the option with the most", "least": "the option with the fewest",
    "odd": "the option that stands out by its", "middle": "the option in the middle by its",
}  # fmt: skip
_MEASURES = {
    "text.length": "characters", "text.words": "words", "text.in_question": "words of the question",
    "text.like_others": "words of the other options",
}  # fmt: skip
_KEY_WORDS = "words more frequent in right options than in wrong ones"


class SendBack(Record):
    """Which items are sent back to their writers, and how often.

    Attributes:
        reviewers: Whether reviewers may send an item back with a note, besides their other decisions.
        flagged_by: Entries of checks before this one, such as `shortcuts`. An item that one of them flags goes back
            before any review, with the check's reason.
        rounds: Versions of an item that go back before it is dropped.
        hold_hours: Hours for which a revision is reserved for its writer. After that, and at once if the writer's
            account is locked, any annotator of that campaign may take it.
    """

    reviewers: bool = True
    flagged_by: tuple[Annotated[str, Field(pattern=r"^[a-z0-9_.]+$")], ...] = ()
    rounds: int = Field(3, ge=1, le=20)
    hold_hours: float = Field(72.0, ge=0, le=24 * 365)


class ReturningCampaign(AssignedCampaign):
    """A campaign on items that may send them back to their writers."""

    send_back: SendBack | None = None

    @property
    def heeds(self) -> tuple[str, ...]:
        """Return the checks whose flags send items back to their writers."""
        return () if self.send_back is None else self.send_back.flagged_by

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> Step:
        """Return the step itself, if all checks whose flags send items back come before it.

        Raises:
            RecipeError: A check is not before this step.
        """
        before = set(given) | {stage.partition(".")[0] for stage in given}
        for entry in self.heeds:
            if entry not in before:
                raise RecipeError(
                    f"step {self.name!r} has `send_back: {{flagged_by: [{entry}]}}`, but no earlier step has that name"
                )
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings that determine the result; `send_back` only if set, so that older stages stay valid."""
        return {name: value for name, value in super().parameters().items() if name != "send_back" or value is not None}


def sends_back(send_back: SendBack | None) -> dict[str, Any]:
    """Return the form keys with which reviewers send items back; empty if the recipe does not allow this."""
    if send_back is None or not send_back.reviewers:
        return {}
    return {"to_writer": True, "writer_rounds": send_back.rounds}


class WriterRounds:
    """The items of one campaign that go back to their writers.

    Args:
        settings: Setting of the campaign.
        store: Store, in a transaction.
        ctx: Context of the campaign.
    """

    def __init__(self, settings: SendBack, store: ReviewStore, ctx: CampaignContext) -> None:
        self._settings, self._ctx = settings, ctx
        with store.reading() as connection:
            self._campaign = find_campaign(connection, ctx.stage)
            self._sent = list_sent_back(connection)
            decided = list_decisions(connection, self._campaign)
        self._decided = {(decision.item_id, decision.content_hash) for decision in decided}
        self._flagged: list[tuple[WrittenIn, RevisionRequest]] = []
        self.spent: set[str] = set()
        """Items that are still flagged although they went back the maximum number of times."""
        self.with_writers: dict[str, WrittenIn] = {}
        """By item, the place where it was written, for items that went back and for which the run waits."""

    def withholds(self, item: Item) -> bool:
        """Return whether an item gets no review because a check flags it and it goes back, or has gone back too often.

        A reviewed version, or one that its writer left unchanged, is not sent back for a flag.
        """
        writer = written_in(item.model_dump(mode="json"))
        flags = {entry: flag for entry, of in self._ctx.flags.items() if (flag := of.get(item.item_id)) is not None}
        version = item.item_id, item.content_hash
        if writer is None or not flags or version in self._decided:
            return False
        if (sent := self._request_of(*version)) is not None:
            if not sent.is_answered:
                self.with_writers[item.item_id] = writer
            return not sent.is_answered
        if self._is_spent(item.item_id):
            self.spent.add(item.item_id)
            return True
        for entry, flag in flags.items():
            request = RevisionRequest(*version, writer.slot, entry, None, item.question, _words_of_flag(entry, flag))
            self._flagged.append((writer, request))
        self.with_writers[item.item_id] = writer
        return True

    def send(self, store: ReviewStore) -> None:
        """Send back flagged items, and items that reviewers sent back if all items of their picture are decided."""
        with store.writing(alone=True) as connection:
            requests = [*self._flagged, *self._from_reviewers(connection)]
            by_record: dict[tuple[str, str], list[RevisionRequest]] = {}
            for writer, request in requests:
                by_record.setdefault((writer.campaign, writer.record_id), []).append(request)
            for (campaign, record_id), of_record in sorted(by_record.items()):
                self._open(connection, campaign, record_id, of_record)
            self._sent = list_sent_back(connection)

    def times(self, item_id: str) -> dict[str, int]:
        """Return, by sender, how many versions of an item each campaign or check sent back."""
        versions = {(sent.request.stage, sent.request.content_hash) for sent in self._sent.get(item_id, ())}
        return dict(sorted(Counter(stage for stage, _ in versions).items()))

    def _request_of(self, item_id: str, content_hash: str) -> SentBack | None:
        sent = [one for one in self._sent.get(item_id, ()) if one.request.content_hash == content_hash]
        return sent[-1] if sent else None

    def _is_spent(self, item_id: str) -> bool:
        versions = {sent.request.content_hash for sent in self._sent.get(item_id, ())}
        return len(versions) >= self._settings.rounds

    def _from_reviewers(self, connection: sa.Connection) -> list[tuple[WrittenIn, RevisionRequest]]:
        """Return the items that reviewers send back, unless another item of the same picture is still undecided."""
        campaign, policy = self._campaign, policy_of(self._campaign)
        current = list_tasks(connection, campaign, states=("open", "done"))
        writers = {task.id: written_in(task.payload) for task in current}
        open_records = {
            (writer.campaign, writer.record_id)
            for task in current
            if task.state == "open" and (writer := writers[task.id]) is not None
        }
        decisions, adjudicated = (
            by_version(list_decisions(connection, campaign)),
            list_adjudicated(connection, campaign),
        )
        requests = []
        for task in current:
            writer, version = writers[task.id], (task.item_id, task.content_hash)
            if writer is None or (writer.campaign, writer.record_id) in open_records:
                continue
            verdict = adjudicated.get(version, NOBODY)
            votes = votes_in(policy, decisions.get(version, ()), verdict, is_closed=task.state == "done")
            if settle(policy, votes) != TO_WRITER:
                continue
            self.with_writers[task.item_id] = writer
            if verdict.returned == "with_writer":
                continue
            counted, _ = in_count(policy, decisions[version], sent_back=verdict.sent_back)
            question = str(item_in(task.payload)["question"])
            requests += [
                (writer, RevisionRequest(*version, writer.slot, campaign.name, decision.annotator, question, words))
                for decision in counted
                if (words := _words_of_reviewer(decision)) is not None
            ]
        return requests

    def _open(self, connection: sa.Connection, name: str, record_id: str, requests: Sequence[RevisionRequest]) -> None:
        """Open the revision of the texts about one record, unless a revision is open or no texts were written there."""
        try:
            campaign = find_campaign(connection, name)
        except BenchwrightError:  # its items came from elsewhere
            return
        if is_being_revised(connection, campaign, record_id):
            return
        task = next(iter(list_tasks(connection, campaign, states=("done",), item_id=record_id)), None)
        if task is None:
            return
        written = {
            annotation.slot: annotation
            for annotation in with_unrevised(connection, campaign, list_decisions(connection, campaign, task=task.id))
            if annotation.item_id == record_id
        }
        kept = [request for request in requests if request.slot in written]
        if not kept:
            return
        now = NOW if campaign.is_simulated else datetime.now(UTC)
        previous = {request.slot: written[request.slot].fields or {} for request in kept}
        holders = {
            slot: written[slot].annotator
            for slot in previous
            if not campaign.is_simulated and not is_gone(connection, written[slot].annotator)
        }
        open_revision(
            connection,
            campaign,
            task,
            kept,
            payload_of_revision(task.payload, _texts_beside(kept), previous),
            holders=holders if self._settings.hold_hours else {},
            now=now,
            until=now + timedelta(hours=self._settings.hold_hours),
        )


def back_line(with_writers: Mapping[str, WrittenIn]) -> str:
    """Return a phrase with the number of items that are now with their writers, and the writers' campaigns."""
    campaigns = ", ".join(sorted({repr(writer.campaign) for writer in with_writers.values()}))
    return (
        f"{counted(len(with_writers), 'item')} went back to the writers in {campaigns}, who revise what they wrote "
        "in the review app"
    )


def _words_of_reviewer(decision: Annotation) -> str | None:
    """Return the change requested by a reviewer, in their words; None if the reviewer did not send the item back."""
    fields = decision.fields or {}
    if decision.decision == TO_WRITER:
        return decision.note or ""
    return str(fields.get(CHANGE, "")) if fields.get(TO_WRITER) == YES else None


def _texts_beside(requests: Sequence[RevisionRequest]) -> list[SideText]:
    """Return the texts that a writer sees next to the form: each question that came back, and the reason."""
    by_question: dict[str, list[str]] = {}
    for request in requests:
        words = f"{request.stage}: {request.words}" if request.annotator is None else request.words
        by_question.setdefault(request.question, []).append(words)
    return [
        SideText(label=SENT_BACK, text="\n".join([f"«{question}»", *words])[:LONGEST_TEXT])
        for question, words in by_question.items()
    ]


def _words_of_flag(entry: str, flag: Flag) -> str:
    """Return a description of why a check flags an item: the meaning of the check's reason, and the measurements."""
    parts, evidence = [_words_of_reason(entry, flag.reason)], flag.evidence
    for rule in [*evidence.get("solvers", ()), *evidence.get("rules", ())][:_LISTED]:
        name = _words_of_rule(rule.get("solver") or rule["rule"])
        parts.append(
            f"{name}: right on {rule['accuracy']:.0%} of {counted(rule['items'], 'item')}, chance {rule['chance']:.0%}."
        )
    for fault in list(evidence.get("faults", ()))[:_LISTED]:
        meant = f" ({fault['correction']}?)" if fault.get("correction") else ""
        parts.append(f"{fault['kind'].replace('_', ' ')}, {fault['place']}: {fault['words']}{meant}.")
    known = {"solvers", "rules", "faults", "kinds"}
    parts += [f"{name}: {_short(value)}." for name, value in evidence.items() if name not in known]
    return " ".join(parts)[:_LONGEST_WORDS]


def _words_of_rule(name: str) -> str:
    """Return a description of the option that a rule or solver picks, in terms that the text's writer can act on."""
    degree, _, measure = name.partition(" ")
    if degree in _DEGREES and measure in _MEASURES:
        return f"{_DEGREES[degree]} {_MEASURES[measure]}"
    return _KEY_WORDS if name == "words" else name


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return text if len(text) <= 200 else f"{text[:199]}…"


def _words_of_reason(entry: str, code: str) -> str:
    """Return the meaning of a reason code from the step's documentation, or the code if the entry is unknown."""
    reasons = reasons_of(find("steps", entry).load()) if entry in catalogue("steps") else ()
    return next((reason.help for reason in reasons if reason.code == code), code.replace("_", " ") + ".")
