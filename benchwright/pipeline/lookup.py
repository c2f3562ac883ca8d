"""Records of a workspace by what people call them, and what each stage said of them. Reads single shards only."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.overrides import unsaid
from benchwright.pipeline.finished import files_of, stage_names
from benchwright.pipeline.live import INGEST
from benchwright.shards import Marker, StageTable, shard_of
from benchwright.steps import Stream
from benchwright.workspace import Workspace

SHORTEST_PREFIX = 6
_SHARDS_HELD = 64


class Known(NamedTuple):
    """A record that is in the workspace's tables, dropped or not."""

    record_id: str
    root_image_id: str
    stream: Stream


class Told(NamedTuple):
    """What one stage said of one record.

    Args:
        stage: Its id.
        verdict: As it counts.
        reason: So too.
        own_verdict: As the step itself gave it; differs where a curator decided otherwise.
        own_reason: So too.
        evidence: As the step gave it.
    """

    stage: str
    verdict: str
    reason: str | None
    own_verdict: str
    own_reason: str | None
    evidence: dict[str, Any]

    @property
    def is_overridden(self) -> bool:
        """Return whether a curator's decision counts instead of the step's."""
        return (self.verdict, self.reason) != (self.own_verdict, self.own_reason)


class Lookup:
    """Finds records by id, by the beginning of an id, or by path in the image folder."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.stages = [name for name in stage_names(workspace) if name != INGEST]
        self._shard_count = int(workspace.settings()["shards"])
        self._outcomes = lru_cache(maxsize=_SHARDS_HELD)(self._read_outcomes)

    def find(self, name: str) -> Known:
        """Return the record of that name.

        Raises:
            BenchwrightError: Nothing has that name, more than one record does, or its file was refused.
        """
        found = self._beginning_with(name)
        if not found:
            found = [self._of_file(name)]
        if len(found) > 1:
            raise BenchwrightError(
                f"{name!r} is the beginning of {len(found)} ids, such as {found[0].record_id} and "
                f"{found[1].record_id}; give more digits"
            )
        return found[0]

    def told(self, record: Known) -> Iterator[Told]:
        """Yield what each stage said of a record, in the order in which they ran."""
        for stage in self.stages:
            if (row := self.told_by(stage, record.record_id, record.root_image_id)) is not None:
                yield row

    def told_by(self, stage: str, record_id: str, root_image_id: str) -> Told | None:
        """Return what one stage said of a record; None where it did not see it."""
        if stage not in self.stages:
            return None
        import pyarrow.compute as pc  # only asked for one record at a time, and no run needs it

        table = self._outcomes(stage, shard_of(root_image_id, self._shard_count))
        rows = table.filter(pc.equal(table["record_id"], record_id)).to_pylist() if table is not None else []
        if not rows:
            return None
        [row] = rows
        evidence = json.loads(row["evidence"]) if row["evidence"] else {}
        own_verdict, own_reason, evidence = unsaid(row["verdict"], row["reason"], evidence)
        return Told(stage, row["verdict"], row["reason"], own_verdict, own_reason, evidence)

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

    def _beginning_with(self, name: str) -> list[Known]:
        if len(name) < SHORTEST_PREFIX:
            return []
        place = bisect_left(self._ids, (name,))
        found: list[Known] = []
        while place < len(self._ids) and self._ids[place][0].startswith(name):
            found.append(Known(*self._ids[place]))
            place += 1
        return found

    @cached_property
    def _ids(self) -> list[tuple[str, str, Stream]]:
        """Return every image and item with its source image, sorted and each once."""
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

    def _of_file(self, name: str) -> Known:
        for row in files_of(self._workspace):
            if row["uri"] != name:
                continue
            if row["image_id"] is None:
                raise BenchwrightError(
                    f"the file {name!r} was refused ({row['reason']}), so there is no image to decide about; "
                    "mend or replace the file and run again"
                )
            return Known(row["image_id"], row["image_id"], "images")
        raise BenchwrightError(
            f"no image, item or file {name!r} in {self._workspace.root}; `benchwright outcomes "
            f"{self._workspace.root}` lists them all (ids may be cut to {SHORTEST_PREFIX} digits or more)"
        )
