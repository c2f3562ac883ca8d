"""Outcomes of one stage over one shard, written as rows of its table and read again by a later run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchwright.canonical import bytes_digest, canonical_json, digest
from benchwright.machine.storage_faults import writing
from benchwright.overrides import OverriddenVerdict, Override, said, unsaid
from benchwright.records import ImageRecord, Item
from benchwright.steps import AnyRecord, Outcome
from benchwright.workspace.shards import Marker, StageTable, VerdictCounts, effect_of
from benchwright.workspace.stage_input import GROUP
from benchwright.workspace.stages import Stage
from benchwright.workspace.tables import (
    IMAGES,
    ITEMS,
    image_records,
    image_row,
    item_row,
    items_of,
    outcome_schema,
    sorted_rows,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A record's outcome, with the hash of the step's input and any decision of a curator."""

    record_id: str
    record_hash: str
    outcome: Outcome
    override: Override | None = None

    @property
    def said(self) -> OverriddenVerdict:
        """Return the effective verdict, reason and evidence: a curator's decision takes precedence over the step's."""
        return said(self.outcome, self.override)


def record_hash(record: AnyRecord, values: Mapping[str, Any]) -> str:
    """Return the hash of a record and the values that a step reads; records with equal hashes share an outcome."""
    return digest([record.model_dump(mode="json"), dict(values)])[:32]


def write_outcomes(
    table: StageTable,
    stage: Stage,
    shard: str,
    judged: Iterable[Judged],
    *,
    fingerprint: str,
    config: str,
    overrides: str = "",
) -> Marker:
    """Write a shard of a stage and return its marker."""
    judgements = list(judged)
    verdicts = [judgement.said for judgement in judgements]
    outcomes = [
        {
            "record_id": judgement.record_id,
            "record_hash": judgement.record_hash,
            "verdict": verdict,
            "reason": reason,
            "evidence": canonical_json(dict(evidence)) if evidence else None,
            **{name: judgement.outcome.values.get(name) for name in stage.values},
        }
        for judgement, (verdict, reason, evidence) in zip(judgements, verdicts, strict=True)
    ]
    # Two records may yield identical pictures; these are one image, attributed to the first.
    images: dict[str, dict[str, Any]] = {}
    for judgement in sorted(judgements, key=lambda judgement: judgement.record_id):
        for record in judgement.outcome.images:
            images.setdefault(record.image_id, image_row(record, judgement.record_id))
    items = [item_row(item, judgement.record_id) for judgement in judgements for item in judgement.outcome.items]
    groups = [
        (judgement.record_id, str(key))
        for judgement in judgements
        if (key := judgement.outcome.values.get(GROUP)) is not None
    ]
    return table.write(
        shard,
        tables={
            "outcomes": (sorted_rows(outcomes, "record_id"), outcome_schema(stage.values)),
            "images": (sorted_rows(images.values(), "image_id"), IMAGES),
            "items": (sorted_rows(items, "item_id"), ITEMS),
        },
        fingerprint=fingerprint,
        config=config,
        effect=effect_of(
            (judgement.record_id for judgement in judgements if stage.removes(judgement.said.verdict)), groups
        ),
        counts=VerdictCounts.of(
            ((verdict.verdict, verdict.reason) for verdict in verdicts), {"images": len(images), "items": len(items)}
        ).to_json(),
        overrides=overrides,
    )


def write_gathered(
    table: StageTable,
    stage: Stage,
    shard: str,
    ids: pa.Array,
    spoken_of: Mapping[int, Judged],
    *,
    fingerprint: str,
    config: str,
    overrides: str = "",
) -> Marker:
    """Write a shard of a gather stage, column by column, because most of its rows are kept without comment.

    Args:
        table: The stage's table.
        stage: The stage.
        shard: Name of the shard.
        ids: Ids of the shard's records, sorted.
        spoken_of: Outcomes by row; all other rows are kept with empty values.
        fingerprint: As in `Marker`.
        config: As in `Marker`.
        overrides: As in `Marker`.
    """
    count = len(ids)
    verdicts: list[str] = ["keep"] * count
    columns: dict[str, list[Any]] = {name: [None] * count for name in ("reason", "evidence", *stage.values)}
    gone, groups = [], []
    for row, judgement in spoken_of.items():
        verdicts[row], columns["reason"][row], evidence = judgement.said
        columns["evidence"][row] = canonical_json(dict(evidence)) if evidence else None
        for name in stage.values:
            columns[name][row] = judgement.outcome.values.get(name)
        if stage.removes(verdicts[row]):
            gone.append(judgement.record_id)
        if (key := judgement.outcome.values.get(GROUP)) is not None:
            groups.append((judgement.record_id, str(key)))
    counts = VerdictCounts.of(zip(verdicts, columns["reason"], strict=True), {})
    outcomes = {"record_id": ids, "record_hash": [""] * count, "verdict": verdicts, **columns}
    return table.write(
        shard,
        tables={"outcomes": (outcomes, outcome_schema(stage.values))},
        fingerprint=fingerprint,
        config=config,
        effect=effect_of(gone, groups),
        counts=counts.to_json(),
        overrides=overrides,
    )


def read_outcomes(table: StageTable, stage: Stage, marker: Marker) -> dict[str, Judged]:
    """Return the step's own outcomes for a shard, by record id, without curators' decisions."""
    images, items = table.read(marker, "images"), table.read(marker, "items")
    pictures: dict[str, ImageRecord] = (
        {} if images is None else {image.image_id: image for image in image_records(images)}
    )
    made: dict[str, list[Item]] = {}
    shown: dict[str, dict[str, ImageRecord]] = {}
    if images is not None:
        for record_id, image_id in zip(
            *(images.column(name).to_pylist() for name in ("made_by", "image_id")), strict=True
        ):
            shown.setdefault(record_id, {})[image_id] = pictures[image_id]
    if items is not None:
        for record_id, item in zip(items.column("made_by").to_pylist(), items_of(items), strict=True):
            made.setdefault(record_id, []).append(item)
            for image in item.images:
                if image.image_id in pictures:
                    shown.setdefault(record_id, {})[image.image_id] = pictures[image.image_id]
    outcomes = table.read(marker, "outcomes")
    assert outcomes is not None, "every stage writes outcomes"
    found: dict[str, Judged] = {}
    for row in outcomes.to_pylist():
        record_id = row["record_id"]
        verdict, reason, evidence = unsaid(
            row["verdict"], row["reason"], json.loads(row["evidence"]) if row["evidence"] else {}
        )
        outcome = Outcome(
            verdict=verdict,
            reason=reason,
            values={name: row[name] for name in stage.values},
            evidence=evidence,
            images=tuple(shown.get(record_id, {}).values()),
            items=tuple(made.get(record_id, ())),
        )
        found[record_id] = Judged(record_id, row["record_hash"], outcome)
    return found


class Journal:
    """A journal of the finished records of an unfinished shard, with one line and checksum per record.

    An incomplete last line is ignored.
    """

    def __init__(self, path: Path, config: str) -> None:
        self.path = path
        self._config = config

    def load(self) -> dict[str, Judged]:
        """Return the records finished by an earlier attempt that had the same settings and was killed."""
        try:
            lines = self.path.read_text(encoding="utf-8", errors="replace").split("\n")
        except FileNotFoundError:
            return {}
        outcomes: dict[str, Judged] = {}
        for line in lines:
            if not _is_whole(line):
                continue
            document = json.loads(line.partition(" ")[2])
            if document["config"] == self._config:
                outcomes[document["record_id"]] = Judged(
                    document["record_id"], document["record_hash"], _outcome_from(document["outcome"])
                )
        return outcomes

    def append(self, judged: Judged) -> None:
        """Add one finished record."""
        text = canonical_json(
            {
                "config": self._config,
                "record_id": judged.record_id,
                "record_hash": judged.record_hash,
                "outcome": _outcome_to(judged.outcome),
            }
        )
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as handle:
                handle.write(f"{bytes_digest(text.encode('utf-8', 'surrogatepass'))[:16]} {text}\n")

    def remove(self) -> None:
        """Remove the journal once its shard is written."""
        self.path.unlink(missing_ok=True)


def torn_lines(path: Path) -> int:
    """Return the number of damaged lines in a journal; an incomplete last line is not counted."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return sum(not _is_whole(line) for line in lines[:-1])


def _is_whole(line: str) -> bool:
    checksum, _, text = line.partition(" ")
    return bytes_digest(text.encode("utf-8", "surrogatepass"))[:16] == checksum


def _outcome_to(outcome: Outcome) -> dict[str, Any]:
    return {
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "values": dict(outcome.values),
        "evidence": dict(outcome.evidence),
        "images": [image.model_dump(mode="json") for image in outcome.images],
        "items": [item.model_dump(mode="json") for item in outcome.items],
    }


def _outcome_from(document: Mapping[str, Any]) -> Outcome:
    images: Sequence[Any] = document["images"]
    return Outcome(
        verdict=document["verdict"],
        reason=document["reason"],
        values=document["values"],
        evidence=document["evidence"],
        images=tuple(ImageRecord.model_validate_json(canonical_json(image)) for image in images),
        items=tuple(Item.model_validate_json(canonical_json(item)) for item in document["items"]),
    )
