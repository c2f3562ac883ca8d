"""The view that final steps have of a workspace, after the last stage before them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.pipeline.stages.worker_context import WorkerContext
from benchwright.records import ImageRecord, Item, Operation
from benchwright.workspace.sealed import read_sealed
from benchwright.workspace.shards import StageTable, VerdictCounts
from benchwright.workspace.stage_input import StageInput, load_stage_input
from benchwright.workspace.stages import Stage
from benchwright.workspace.takedowns import goes_back_to

_RECORDS_KEPT = 4096
"""Number of pictures and items that a view keeps in memory after reading, a few kB each.

A release is written in several passes over them, and rereading the tables of many shards costs more than the passes
themselves.
"""


class View:
    """A finished workspace, or one up to a stage (`benchwright.steps.WorkspaceView`).

    Args:
        worker: Worker context of the run.
        stages: Stages that made the view, in order.
        shards: Names of the shards.
        recipe: Resolved recipe that made the view.
        withdrawn: Ids of withdrawn images; the view omits items that show any of them or derive from any.
    """

    def __init__(
        self,
        worker: WorkerContext,
        stages: Sequence[Stage],
        shards: Sequence[str],
        recipe: Mapping[str, Any],
        *,
        withdrawn: Collection[str] = (),
    ) -> None:
        self._worker = worker
        self._stages = [stage for stage in stages if stage.kind != "final"]
        self._shards = shards
        self._stage_input = StageInput()
        self._kept: dict[str, StageInput] = {}
        self._room = _RECORDS_KEPT
        self._withdrawn = frozenset(withdrawn)
        self.recipe = recipe
        self.seed = worker.seed

    def _upstream(self, shard: str) -> Any:
        return self._worker.upstream_of(self._stages, shard)

    @cached_property
    def fingerprint(self) -> str:
        """Return the digest of all tables of the view and of the withdrawn images."""
        withdrawn = [sorted(self._withdrawn)] if self._withdrawn else []
        return digest([self.stages(), self.campaigns(), self.seed, *withdrawn])

    def items(self) -> Iterator[tuple[Item, Mapping[str, Any]]]:
        """Yield live items sorted by shard and id, with the values that stages over items gave them."""
        names = [f"{stage.id}.{value}" for stage in self._stages if stage.consumes == "items" for value in stage.values]
        for shard in self._shards:
            self._stage_input = stage_input = self._read(shard, names)
            for item_id in sorted(stage_input.items):
                if self._withdrawn and goes_back_to(stage_input.items[item_id], self._withdrawn, self.image):
                    continue
                yield (
                    stage_input.items[item_id],
                    {name: stage_input.values.get(name, {}).get(item_id) for name in names},
                )

    def _read(self, shard: str, names: Sequence[str]) -> StageInput:
        """Return the live records of a shard; the first shards are read only once."""
        if (kept := self._kept.get(shard)) is not None:
            return kept
        read = load_stage_input(self._worker.workspace, self._upstream(shard), names)
        if (size := len(read.pictures) + len(read.items)) <= self._room:
            self._kept[shard], self._room = read, self._room - size
        return read

    def image(self, image_id: str) -> ImageRecord:
        """Return the record of an image that belongs to the item last yielded, or of any source image."""
        record = self._stage_input.pictures.get(image_id) or self._worker.source_image(image_id)
        if record is None:
            raise DataError(f"no table has image {image_id} in {self._worker.workspace.root}; run the recipe again")
        return record

    def image_bytes(self, record: ImageRecord) -> bytes:
        """Return an image's file, checked against its id."""
        return self._worker.reader.file_bytes(record)

    def operations(self) -> Sequence[Operation]:
        """Return the operations of all stages, in order."""
        return [stage.step.operation(self.seed) for stage in self._stages if stage.role != "measure"]

    def stages(self) -> Sequence[Mapping[str, Any]]:
        """Return names, streams, fingerprint and counts of each stage, in order."""
        rows = []
        for stage in self._stages:
            table = StageTable(self._worker.workspace, stage.id)
            markers = [marker for shard in self._shards if (marker := table.marker(shard)) is not None]
            content = [
                [marker.effect, {kind: file["sha256"] for kind, file in marker.files.items()}] for marker in markers
            ]
            rows.append(
                {
                    "stage": stage.id,
                    "entry": stage.entry,
                    "consumes": stage.consumes,
                    "makes": list(stage.makes),
                    "step": stage.step.name,
                    "fingerprint": digest([self._worker.config(stage), content]),
                    "counts": VerdictCounts.total(marker.counts for marker in markers).to_json(),
                }
            )
        return rows

    def campaigns(self) -> Mapping[str, Mapping[str, Any]]:
        """Return each campaign's summary by stage name."""
        campaigns: dict[str, Mapping[str, Any]] = {}
        for stage in self._stages:
            path: Path = StageTable(self._worker.workspace, stage.id).folder / "summary.json"
            if stage.kind == "campaign" and path.exists():
                campaigns[stage.id] = read_sealed(path)
        return campaigns
