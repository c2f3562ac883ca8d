"""The run's data on each image and item of one shard: content, verdicts, measures, hashes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import BenchwrightError
from benchwright.overrides import BY_HAND, REVERSED
from benchwright.workspace.run_results import stage_names
from benchwright.workspace.shards import Marker, StageTable
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

RunState = Literal["kept", "dropped", "failed", "rejected", "withdrawn"]
"""Result of the last run: kept, dropped by a filter, failed, dropped in a campaign, or dropped by hand."""
_NUMBERS = {"int64", "double", "float", "bool"}
"""Arrow types of measures that allow a search by range. Hashes, which are `uint64`, do not."""
_PHASH = "phash"
"""Value under which a step keeps ImageHash's pHash of an image."""


class PictureRow(NamedTuple):
    """A picture of a record: the image, and its marks as JSON, which are empty if there are no marks."""

    image_id: str
    marks: str = ""


@dataclass
class RunRecord:
    """An image or item in the run's tables.

    Attributes:
        record_id: Id of the image or item.
        stream: `images` or `items`.
        root_image_id: Its source image.
        name: Path of a source image; empty for others.
        task: Task of an item, such as `jigsaw`; empty for images.
        category: Category of an item; empty if it has none.
        question: Question of an item; empty for images.
        options: Texts of its options.
        texts: Options, explanation and its other searchable texts.
        pictures: Pictures with their marks, in display order.
        revision: Number of the item's newest version, from 0.
        state: Result of the run.
        reason: Why it was dropped, or last asked about; None if it was kept without question.
        stage: Stage that dropped it; None if no stage did.
        reasons: Every reason that a step gave against it, including those that a curator reversed.
        stages: Stages that gave them.
        is_overridden: Whether a curator's decision counts instead of a step's.
        measures: Numbers that steps measured, by `<stage>.<value>`.
        phash: ImageHash's pHash of it, or of the first picture that has one; None if no step computed any.
    """

    record_id: str
    stream: Literal["images", "items"]
    root_image_id: str
    name: str = ""
    task: str = ""
    category: str = ""
    question: str = ""
    options: Sequence[str] = ()
    texts: Sequence[str] = ()
    pictures: Sequence[PictureRow] = ()
    revision: int = 0
    state: RunState = "kept"
    reason: str | None = None
    stage: str | None = None
    reasons: set[str] = field(default_factory=set)
    stages: set[str] = field(default_factory=set)
    is_overridden: bool = False
    measures: dict[str, float] = field(default_factory=dict)
    phash: int | None = None


class RunFacts:
    """Reads the shards of a workspace's last run; only tables are read, and their listings show which ones changed."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        has_run = bool(workspace.settings().get("stages"))
        self._stages = [name for name in stage_names(workspace) if name != INGEST] if has_run else []
        self._plans = _plans(workspace)
        self._tables = {name: StageTable(workspace, name) for name in [INGEST, *self._stages]}
        self._markers = {
            name: {marker.shard: marker for marker in table.current()} for name, table in self._tables.items()
        }

    @staticmethod
    def stamp(workspace: Workspace) -> str:
        """Return a text that changes whenever a run changes the contents of its tables; no table is read."""
        places = [workspace.root / "workspace.json", *sorted(workspace.tables.glob("*/current.json"))]
        seen = []
        for place in places:
            try:
                status = place.stat()
            except FileNotFoundError:
                continue
            seen.append([place.parent.name, status.st_mtime_ns, status.st_size, status.st_ino])
        return digest(seen)

    def shards(self) -> dict[str, str]:
        """Return, by shard, a digest of all table contents about the shard."""
        listed: dict[str, list[Any]] = {}
        for stage, markers in self._markers.items():
            role = self._plans.get(stage)
            for shard, marker in markers.items():
                names = sorted(file["name"] for file in marker.files.values())
                listed.setdefault(shard, []).append([stage, names, None if role is None else role.kind])
        return {shard: digest(entries) for shard, entries in sorted(listed.items())}

    def records(self, shard: str) -> list[RunRecord]:
        """Return the images and items of a shard, images first, including dropped ones.

        Images that only serve as pictures of items are left out: they appear with their items.
        """
        records: dict[str, RunRecord] = {}
        hashes: dict[str, int] = {}
        made: dict[str, RunRecord] = {}
        for stage in [INGEST, *self._stages]:
            for row in self._rows(stage, shard, "images", _IMAGE_COLUMNS):
                image = _image(row)
                if stage == INGEST:
                    records.setdefault(image.record_id, image)
                else:
                    made.setdefault(image.record_id, image)
            for row in self._rows(stage, shard, "items", ["item_id", "root_image_id", "record"]):
                self._take_item(records, row)
            if stage != INGEST:
                self._take_outcomes(stage, shard, records, made, hashes)
        for record in records.values():
            of_pictures = (hashes.get(picture.image_id) for picture in record.pictures)
            record.phash = next((code for code in of_pictures if code is not None), hashes.get(record.root_image_id))
        return sorted(records.values(), key=lambda record: (record.stream, record.record_id))

    @staticmethod
    def _take_item(records: dict[str, RunRecord], row: Mapping[str, Any]) -> None:
        """Add an item, or replace it with its later version."""
        document = json.loads(row["record"])
        record = records.setdefault(
            row["item_id"], RunRecord(row["item_id"], "items", row["root_image_id"], task=document["task"])
        )
        record.question, record.revision = document["question"], document["revision"]
        record.category = document.get("category") or ""
        record.options, record.texts = options_in(document), texts_in(document)
        record.pictures = pictures_in(document)

    def _take_outcomes(
        self,
        stage: str,
        shard: str,
        records: dict[str, RunRecord],
        made: Mapping[str, RunRecord],
        hashes: dict[str, int],
    ) -> None:
        marker = self._markers[stage].get(shard)
        table = None if marker is None else self._tables[stage].read(marker, "outcomes")
        if table is None:
            return
        plan = self._plans.get(stage)
        is_making = plan is not None and bool(plan.makes)
        numbers = [name for name in table.schema.names[5:] if str(table.schema.field(name).type) in _NUMBERS]
        measured = {name: table[name].to_pylist() for name in numbers}
        codes = table[_PHASH].to_pylist() if _PHASH in table.schema.names else None
        columns = (table[name].to_pylist() for name in ("record_id", "verdict", "reason"))
        for place, (record_id, verdict, reason) in enumerate(zip(*columns, strict=True)):
            if codes is not None and codes[place] is not None:
                hashes[record_id] = codes[place]
            if record_id not in records and record_id in made:
                records[record_id] = made[record_id]
            record = records.get(record_id)
            if record is None:
                continue
            for name, values in measured.items():
                if values[place] is not None:
                    record.measures[f"{stage}.{name}"] = float(values[place])
            if reason is not None and not (is_making and verdict == "drop"):
                _judge(record, stage, verdict, reason, is_campaign=plan is not None and plan.kind == "campaign")

    def _rows(self, stage: str, shard: str, kind: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        marker: Marker | None = self._markers[stage].get(shard)
        rows = None if marker is None else self._tables[stage].read(marker, kind, columns)
        if rows is not None:
            yield from rows.to_pylist()


_IMAGE_COLUMNS = ["image_id", "root_image_id", "source_uri", "dataset", "author"]


def _plans(workspace: Workspace) -> dict[str, Stage]:
    """Return the stages of the last recipe, by id; none if any of its steps is no longer installed."""
    from benchwright.pipeline.run import stages_of_workspace

    try:
        return {stage.id: stage for stage in stages_of_workspace(workspace.root)}
    except (BenchwrightError, KeyError):
        return {}


def _image(row: Mapping[str, Any]) -> RunRecord:
    name = row["source_uri"] or ""
    texts = [text for text in (row["dataset"], row["author"]) if text]
    pictures = [PictureRow(row["image_id"])]
    return RunRecord(row["image_id"], "images", row["root_image_id"], name=name, texts=texts, pictures=pictures)


def _judge(record: RunRecord, stage: str, verdict: str, reason: str, *, is_campaign: bool) -> None:
    record.reasons.add(reason)
    record.stages.add(stage)
    record.is_overridden = record.is_overridden or reason in {REVERSED, BY_HAND}
    if reason != REVERSED:
        record.reason = reason
    if verdict in {"drop", "failed"}:
        record.stage = stage
        if verdict == "failed":
            record.state = "failed"
        elif reason == BY_HAND:
            record.state = "withdrawn"
        else:
            record.state = "rejected" if is_campaign else "dropped"


def texts_in(document: Mapping[str, Any]) -> list[str]:
    """Return the texts of an item, given as JSON values, other than its question: options, explanation, names."""
    attributes = [str(value) for value in (document.get("attributes") or {}).values()]
    named = [document.get(name) for name in ("explanation", "category", "level", "task")]
    return [text for text in (*options_in(document), *named, *attributes) if text]


def options_in(document: Mapping[str, Any]) -> list[str]:
    """Return the texts of an item's options, given as JSON values."""
    return [choice["text"] for choice in document.get("choices", ()) if choice.get("text")]


def pictures_in(document: Mapping[str, Any]) -> list[PictureRow]:
    """Return the pictures of an item, given as JSON values."""
    images = document.get("images", ())
    return [
        PictureRow(image["image_id"], canonical_json(image["prompts"]) if image.get("prompts") else "")
        for image in images
    ]
