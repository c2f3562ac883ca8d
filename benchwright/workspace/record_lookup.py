"""Lookup of a workspace's records by their displayed names, and of each stage's verdict on them.

Images are named by their files, items by task and file. The look-up of verdicts reads only single shards.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.overrides import unsaid
from benchwright.steps import Stream
from benchwright.workspace.run_results import files_of, stage_names
from benchwright.workspace.shards import Marker, StageTable, shard_of
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.workspace import Workspace

_LONGEST_TEXT = 100
"""Longest word to display, in characters; of longer ones, such as packed features, only the length is shown."""
_LONGEST_STRUCTURE = 500
"""Longest list, object or JSON text to display, in characters, such as facts or outlines."""
_ID = re.compile(r"\b(?:[0-9a-f]{32}){1,2}\b")
_DIGITS = 12


class RecordNames:
    """Names of all images and items of a workspace, read once from its tables."""

    def __init__(self, workspace: Workspace) -> None:
        self._files: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._tasks: dict[str, str] = {}
        for row in _columns(workspace, "images", ["image_id", "source_uri", "root_image_id"]):
            if row["source_uri"] is not None:
                self._files.setdefault(row["image_id"], row["source_uri"])
            self._roots.setdefault(row["image_id"], row["root_image_id"])
        for row in _columns(workspace, "items", ["item_id", "task", "root_image_id"]):
            self._tasks.setdefault(row["item_id"], row["task"])
            self._roots.setdefault(row["item_id"], row["root_image_id"])

    def file(self, record_id: str) -> str | None:
        """Return the file of the image folder from which a record derives; None if unknown."""
        return self._files.get(self._roots.get(record_id, record_id))

    def name(self, record_id: str) -> str:
        """Return a record's name: a source image's path, or else kind, first digits of the id, and source file."""
        file = self.file(record_id)
        if record_id in self._files or (file is None and record_id not in self._tasks):
            return file or record_id
        name = f"{self._tasks.get(record_id, 'picture')} {record_id[:_DIGITS]}"
        return f"{name} of {file}" if file is not None else name

    def spelled(self, value: Any) -> str:
        """Return a value as text for display: ids as names; long features, outlines and facts as their length."""
        if isinstance(value, str):
            is_word, is_json = " " not in value, value.startswith(("[", "{"))
            if (is_word and len(value) > _LONGEST_TEXT) or (is_json and len(value) > _LONGEST_STRUCTURE):
                return f"({len(value):,} characters)"
            return _ID.sub(lambda match: self.name(match[0]), value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.spelled(part)}" for key, part in value.items()) + "}"
        if isinstance(value, list | tuple):
            text = "[" + ", ".join(map(self.spelled, value)) + "]"
            return text if len(text) <= _LONGEST_STRUCTURE else f"({len(text):,} characters)"
        return str(value)


def _columns(workspace: Workspace, kind: str, columns: list[str]) -> Iterator[dict[str, Any]]:
    for stage in dict.fromkeys([INGEST, *stage_names(workspace)]):
        table = StageTable(workspace, stage)
        for marker in table.current():
            if (rows := table.read(marker, kind, columns)) is not None:
                yield from rows.to_pylist()


SHORTEST_PREFIX = 6
_SHARDS_HELD = 64


class KnownRecord(NamedTuple):
    """A record in the workspace's tables, whether or not it was dropped."""

    record_id: str
    root_image_id: str
    stream: Stream


class StageVerdict(NamedTuple):
    """Verdict of one stage on one record.

    Args:
        stage: Id of the stage.
        verdict: Effective verdict.
        reason: Effective reason.
        own_verdict: Verdict of the step itself; differs if a curator decided otherwise.
        own_reason: Reason of the step itself.
        evidence: The step's evidence.
    """

    stage: str
    verdict: str
    reason: str | None
    own_verdict: str
    own_reason: str | None
    evidence: dict[str, Any]

    @property
    def is_overridden(self) -> bool:
        """Return whether a curator's decision takes precedence over the step's verdict."""
        return (self.verdict, self.reason) != (self.own_verdict, self.own_reason)


class Lookup:
    """Lookup of records by id, by the beginning of an id, or by path in the image folder, and of their verdicts."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.stages = [name for name in stage_names(workspace) if name != INGEST]
        self._shard_count = int(workspace.settings()["shards"])
        self._outcomes = lru_cache(maxsize=_SHARDS_HELD)(self._read_outcomes)

    def find(self, name: str) -> KnownRecord:
        """Return the record with the given name.

        Raises:
            BenchwrightError: No record or several have that name, or its file was refused.
        """
        records = self._beginning_with(name)
        if not records:
            records = [self._of_file(name)]
        if len(records) > 1:
            raise BenchwrightError(
                f"{name!r} is a prefix of {len(records)} ids, such as {records[0].record_id} and "
                f"{records[1].record_id}; give more digits"
            )
        return records[0]

    def told(self, record: KnownRecord) -> Iterator[StageVerdict]:
        """Yield each stage's verdict on a record, in stage order."""
        for stage in self.stages:
            if (row := self.told_by(stage, record.record_id, record.root_image_id)) is not None:
                yield row

    def told_by(self, stage: str, record_id: str, root_image_id: str) -> StageVerdict | None:
        """Return one stage's verdict on a record; None if the stage has not processed the record."""
        if stage not in self.stages:
            return None
        import pyarrow.compute as pc  # imported here, because runs do not need it

        table = self._outcomes(stage, shard_of(root_image_id, self._shard_count))
        rows = table.filter(pc.equal(table["record_id"], record_id)).to_pylist() if table is not None else []
        if not rows:
            return None
        [row] = rows
        evidence = json.loads(row["evidence"]) if row["evidence"] else {}
        own_verdict, own_reason, evidence = unsaid(row["verdict"], row["reason"], evidence)
        return StageVerdict(stage, row["verdict"], row["reason"], own_verdict, own_reason, evidence)

    def _read_outcomes(self, stage: str, shard: str) -> Any:
        table = StageTable(self._workspace, stage)
        marker = self._markers(stage).get(shard)
        return table.read(marker, "outcomes", ["record_id", "verdict", "reason", "evidence"]) if marker else None

    @cached_property
    def _listed(self) -> dict[str, dict[str, Marker]]:
        return {}

    def _markers(self, stage: str) -> dict[str, Marker]:
        if stage not in self._listed:
            self._listed[stage] = {marker.shard: marker for marker in StageTable(self._workspace, stage).current()}
        return self._listed[stage]

    def _beginning_with(self, name: str) -> list[KnownRecord]:
        if len(name) < SHORTEST_PREFIX:
            return []
        place = bisect_left(self._ids, (name,))
        records: list[KnownRecord] = []
        while place < len(self._ids) and self._ids[place][0].startswith(name):
            records.append(KnownRecord(*self._ids[place]))
            place += 1
        return records

    @cached_property
    def _ids(self) -> list[tuple[str, str, Stream]]:
        """Return the id, source image and stream of every image and item, each once and sorted."""
        found: set[tuple[str, str, Stream]] = set()
        for stage in [INGEST, *self.stages]:
            table = StageTable(self._workspace, stage)
            for marker in self._markers(stage).values():
                if stage == INGEST:
                    rows = table.read(marker, "images", ["image_id"])
                    ids = rows.column("image_id").to_pylist() if rows is not None else []
                    found |= {(image_id, image_id, "images") for image_id in ids}
                elif (rows := table.read(marker, "items", ["item_id", "root_image_id"])) is not None:
                    pairs = zip(rows["item_id"].to_pylist(), rows["root_image_id"].to_pylist(), strict=True)
                    found |= {(item_id, root, "items") for item_id, root in pairs}
        return sorted(found)

    def _of_file(self, name: str) -> KnownRecord:
        for row in files_of(self._workspace):
            if row["uri"] != name:
                continue
            if row["image_id"] is None:
                raise BenchwrightError(
                    f"the file {name!r} was refused ({row['reason']}), so it has no image to decide on; fix or replace "
                    "the file and run again"
                )
            return KnownRecord(row["image_id"], row["image_id"], "images")
        raise BenchwrightError(
            f"no image, item or file {name!r} in {self._workspace.root}; `benchwright outcomes "
            f"{self._workspace.root}` lists them all (ids may be shortened to {SHORTEST_PREFIX} digits or more)"
        )
