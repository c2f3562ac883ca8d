"""An image or item in full: versions, verdicts with measures, people's decisions and comments, scores, origin.

All data comes from one shard of the tables and one item's rows in the store; the index only locates it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import pyarrow.compute as pc

from benchwright.errors import BenchwrightError
from benchwright.files.parquet_tables import rows_of_item
from benchwright.overrides import unsaid
from benchwright.pipeline.run import stages_of_workspace
from benchwright.workspace.record_lookup import KnownRecord
from benchwright.workspace.run_results import stage_names
from benchwright.workspace.shards import StageTable, shard_of
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.workspace import Workspace

from ..forms.payloads import item_in
from ..store.campaigns.overrides import OverrideStore, RecordedOverride
from ..store.campaigns.tasks import list_campaigns
from ..store.counts.item_facts import TaskFacts, payloads_of, revisions_of, task_facts
from ..store.database.records import Campaign
from ..store.review_store import ReviewStore
from ..store.submissions.comments import Comment, remarks_on_item
from ..workflow.settlement.rounds import in_count, votes_in
from ..workflow.settlement.settle import OPEN, policy_of, settle_last
from .item_index import ItemIndex, step_of

_MEASURES = {"int64", "float64", "bool", "string"}
_LONGEST_VALUE = 60
"""Maximum number of characters in a measured text to show; packed features are longer and are left out."""
_SCORES = ("state", "letter", "right", "reply")


class ItemVersion(NamedTuple):
    """A version of an item: its maker, its author and time if people made it, and its content as JSON values."""

    by: str
    content: Mapping[str, Any]
    edited_by: str | None = None
    at: datetime | None = None


class StepVerdict(NamedTuple):
    """The verdict of a step: the verdict that counts, the step's own verdict, and the measures."""

    step: str
    verdict: str
    reason: str | None
    own_verdict: str
    own_reason: str | None
    measures: Mapping[str, Any]
    evidence: Mapping[str, Any]


class ReviewedTask(NamedTuple):
    """A task about the item: campaign, round, the outcome so far, and all decisions and comments."""

    campaign: Campaign
    facts: TaskFacts
    outcome: str
    counted: int


@dataclass
class RecordHistory:
    """All data about a record.

    Attributes:
        record: The record; its source image is empty if only the review store knows it.
        versions: Versions, the earliest first; none for images.
        verdicts: Verdicts of steps, in the order of the run.
        tasks: Tasks about it, by campaign and round.
        remarks: Comments and flags, the earliest first.
        overrides: Curators' decisions about it, the earliest first.
        scores: Rows of evaluations, each with the folder of its results.
        releases: Releases that hold it.
        source: Its origin, by name of the fact.
    """

    record: KnownRecord
    versions: list[ItemVersion] = field(default_factory=list)
    verdicts: list[StepVerdict] = field(default_factory=list)
    tasks: list[ReviewedTask] = field(default_factory=list)
    remarks: Sequence[Comment] = ()
    overrides: Sequence[RecordedOverride] = ()
    scores: list[Mapping[str, Any]] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    source: dict[str, str] = field(default_factory=dict)

    @property
    def content(self) -> Mapping[str, Any]:
        """Return the content of the newest version; empty for images."""
        return self.versions[-1].content if self.versions else {}


def known_records(connection: sqlite3.Connection, record_ids: Sequence[str]) -> list[KnownRecord]:
    """Return the records of the index with these ids, by id; `root_image_id` is empty for those that no run made."""
    query = (
        "SELECT record_id, coalesce(root_image_id, ''), stream FROM records "
        "WHERE record_id IN (SELECT value FROM json_each(?)) ORDER BY record_id"
    )
    return [KnownRecord(*row) for row in connection.execute(query, (json.dumps(list(record_ids)),))]


def item_history(workspace: Workspace, store: ReviewStore, index: ItemIndex, record_id: str) -> RecordHistory | None:
    """Return all data about a record, or None if the index has no record with this id."""
    known = index.reading(lambda connection: known_records(connection, [record_id]))
    if not known:
        return None
    record = known[0]
    history = RecordHistory(record)
    if record.root_image_id:
        _read_run(history, workspace)
    with store.as_it_is() as held:
        _read_review(history, held)
    _read_scores(history, workspace)
    return history


def _read_run(history: RecordHistory, workspace: Workspace) -> None:
    record = history.record
    shard = shard_of(record.root_image_id, int(workspace.settings()["shards"]))
    try:
        plans = {stage.id: stage for stage in stages_of_workspace(workspace.root)}
    except (BenchwrightError, KeyError):
        plans = {}
    for stage in [INGEST, *(name for name in stage_names(workspace) if name != INGEST)]:
        table = StageTable(workspace, stage)
        marker = next((marker for marker in table.current() if marker.shard == shard), None)
        if marker is None:
            continue

        def rows(kind: str, key: str, value: str, columns: list[str] | None) -> list[dict[str, Any]]:
            read = table.read(marker, kind, columns)  # noqa: B023 - used within this turn of the loop only
            return [] if read is None else read.filter(pc.equal(read[key], value)).to_pylist()

        if stage == INGEST:
            for row in rows("images", "image_id", record.root_image_id, None):
                history.source = _source(row)
            continue
        if record.stream == "items":
            for row in rows("items", "item_id", record.record_id, ["item_id", "record"]):
                history.versions.append(ItemVersion(step_of(stage), json.loads(row["record"])))
        plan = plans.get(stage)
        measures = [name for name, kind in (plan.values if plan else {}).items() if kind in _MEASURES]
        columns = ["record_id", "verdict", "reason", "evidence", *measures]
        for row in rows("outcomes", "record_id", record.record_id, columns):
            _add_verdict(history.verdicts, _verdict(stage, row, measures))


def _add_verdict(verdicts: list[StepVerdict], verdict: StepVerdict) -> None:
    """Add a verdict; the two halves of a filter are combined into one line with the measures of the first half."""
    if verdicts and verdicts[-1].step == verdict.step and verdicts[-1].verdict == "keep":
        verdict = verdict._replace(measures={**verdicts.pop().measures, **verdict.measures})
    verdicts.append(verdict)


def _verdict(stage: str, row: Mapping[str, Any], measures: Sequence[str]) -> StepVerdict:
    evidence = json.loads(row["evidence"]) if row["evidence"] else {}
    own_verdict, own_reason, evidence = unsaid(row["verdict"], row["reason"], evidence)
    shown = {name: row[name] for name in measures if row[name] is not None and len(str(row[name])) <= _LONGEST_VALUE}
    return StepVerdict(step_of(stage), row["verdict"], row["reason"], own_verdict, own_reason, shown, evidence)


def _source(row: Mapping[str, Any]) -> dict[str, str]:
    names = ("source_uri", "dataset", "canonical_id", "licence", "author", "retrieved_at", "media_type")
    facts = {name: str(row[name]) for name in names if row.get(name)}
    return {**facts, "size": f"{row['width']} × {row['height']}", "image": row["image_id"]}


def _made(version: ItemVersion) -> dict[str, str]:
    """Return how an item was made: the step, the authors of the texts, and the step's notes."""
    content = version.content
    writers = ", ".join(f"{part}: {writer}" for part, writer in (content.get("written_by") or {}).items())
    evidence = ", ".join(f"{name} {_short(value)}" for name, value in (content.get("evidence") or {}).items())
    facts = {"made_by": version.by, "written_by": writers, "evidence": evidence}
    return {name: text for name, text in facts.items() if text}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"({len(text):,} characters)"


def _read_review(history: RecordHistory, store: ReviewStore) -> None:
    record_id = history.record.record_id
    with store.reading() as connection:
        campaigns = {campaign.id: campaign for campaign in list_campaigns(connection)}
        facts = list(task_facts(connection, [record_id]))
        payloads = {
            task_id: item_in(payload) for task_id, payload in payloads_of(connection, [t.task_id for t in facts])
        }
        revisions = revisions_of(connection, record_id)
        history.remarks = remarks_on_item(connection, record_id)
    history.overrides = OverrideStore(store).of_record(record_id)
    for task in facts:
        policy = policy_of(campaigns[task.campaign_id])
        counted, _ = in_count(policy, task.annotations, sent_back=task.adjudicated.sent_back)
        is_judged = task.state != "retired" and not task.is_gold
        is_closed = task.state == "done"
        votes = votes_in(policy, task.annotations, task.adjudicated, is_closed=is_closed) if is_judged else None
        outcome = OPEN if votes is None else settle_last(policy, votes, round_number=task.round)
        shown = outcome if is_judged else "gold" if task.is_gold else "retired"
        history.tasks.append(ReviewedTask(campaigns[task.campaign_id], task, shown, len(counted)))
    known = [version.content for version in history.versions]
    if history.versions:
        history.source = {**_made(history.versions[0]), **history.source}
    if not known and facts and history.record.stream != "images":
        history.versions.append(ItemVersion(campaigns[facts[0].campaign_id].name, payloads[facts[0].task_id]))
    for revision in revisions:
        content = payloads.get(revision.task_id, {})
        campaign = next((task.campaign.name for task in history.tasks if task.facts.task_id == revision.task_id), "")
        version = ItemVersion(campaign, content, revision.annotator, revision.at)
        same = [place for place, earlier in enumerate(known) if place and _shown(earlier) == _shown(content)]
        if same:  # the run has taken it in
            history.versions[same[0]] = version
        else:
            history.versions.append(version)


def _shown(content: Mapping[str, Any]) -> list[Any]:
    return [content.get(name) for name in ("question", "choices", "answer", "explanation")]


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the differences between two versions of an item: each changed part, with its text before and after."""
    parts = {}
    for name in ("question", "answer", "explanation"):
        if before.get(name) != after.get(name):
            parts[name] = (str(before.get(name) or ""), str(after.get(name) or ""))
    earlier, later = ({choice["key"]: choice for choice in content.get("choices", ())} for content in (before, after))
    for key in sorted({*earlier, *later}):
        texts = [str((choices.get(key) or {}).get("text") or "") for choices in (earlier, later)]
        if earlier.get(key) != later.get(key):
            parts[key] = (texts[0], texts[1])
    return parts


def _read_scores(history: RecordHistory, workspace: Workspace) -> None:
    item_id = history.record.record_id
    if history.record.stream == "images":
        return
    for path in sorted((workspace.root / "results").glob("*/predictions.parquet")):
        for row in rows_of_item(path, item_id, _SCORES):
            history.scores.append({"results": path.parent.name, **row})
    for manifest in sorted((workspace.root / "releases").glob("[!.]*/manifest.json")):
        for path in sorted((manifest.parent / "data").glob("*.parquet")):
            for row in rows_of_item(path, item_id, ["split"]):
                history.releases.append(f"{manifest.parent.name} · {row['split']}")
