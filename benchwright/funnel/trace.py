"""The complete history of an item or image, from source bytes to the latest score, read from tables and releases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.files.parquet_tables import rows_of_item
from benchwright.overrides import OVERRIDDEN, REVERSED, Override, unsaid
from benchwright.pipeline.stages.overrides import snapshot_of
from benchwright.records import ImageRecord, Item
from benchwright.release.format.manifest import MANIFEST
from benchwright.release.format.provenance import METADATA_REMOVED, read_provenance, steps_of_released_files
from benchwright.steps import AnyRecord
from benchwright.workspace.run_results import files_of, outcomes_of, stage_names
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stage_input import INGEST
from benchwright.workspace.tables import image_records, items_of
from benchwright.workspace.workspace import Workspace

SHORTEST_PREFIX = 6


def trace(root: Path, name: str) -> dict[str, Any]:
    """Return the history of an item (by id), an image (by id) or a file (by path in the image folder).

    An id may be shortened to a unique prefix of at least 6 digits.

    Raises:
        BenchwrightError: No record or file has that name, or more than one record does.
    """
    history = _History(Workspace.open(root))
    records: list[tuple[str, AnyRecord]] = [*history.items_named(name), *history.images_named(name)]
    if not records and (links := list(history.of_released_file(name))):
        return {"kind": "image", "id": links[-1]["image_id"], "chain": links}
    if not records:
        files = [row for row in files_of(history.workspace) if row["uri"] == name]
        if not files:
            raise BenchwrightError(
                f"no item, image or file {name!r} in {root}; `benchwright outcomes {root}` lists them all"
            )
        records = [*history.images_named(files[0]["image_id"] or "")]
        if not records:
            return {"kind": "file", "id": name, "chain": [{"what": "file", **files[0]}]}
    if len(records) > 1:
        raise BenchwrightError(
            f"{name!r} is a prefix of {len(records)} ids, such as {records[0][1].record_id} "
            f"and {records[1][1].record_id}; give more digits"
        )
    stage, record = records[0]
    if isinstance(record, Item):
        return {"kind": "item", "id": record.item_id, "chain": list(history.of_item(stage, record))}
    return {"kind": "image", "id": record.image_id, "chain": list(history.of_image(record))}


@dataclass
class _History:
    workspace: Workspace

    @cached_property
    def _stages(self) -> list[str]:
        return [name for name in stage_names(self.workspace) if name != INGEST]

    @cached_property
    def _images(self) -> dict[str, tuple[str, ImageRecord]]:
        images: dict[str, tuple[str, ImageRecord]] = {}
        for stage in [INGEST, *self._stages]:
            table = StageTable(self.workspace, stage)
            for marker in table.current():
                if (rows := table.read(marker, "images")) is not None:
                    images |= {record.image_id: (stage, record) for record in image_records(rows)}
        return images

    def images_named(self, name: str) -> list[tuple[str, ImageRecord]]:
        if len(name) < SHORTEST_PREFIX:
            return []
        return [entry for image_id, entry in sorted(self._images.items()) if image_id.startswith(name)]

    def items_named(self, name: str) -> list[tuple[str, Item]]:
        if len(name) < SHORTEST_PREFIX:
            return []
        items: dict[str, tuple[str, Item]] = {}
        for stage, item in self._items_named(name):
            items.setdefault(item.item_id, (stage, item))  # the first version; its revisions follow in its history
        return [items[item_id] for item_id in sorted(items)]

    def _items_named(self, name: str) -> Iterator[tuple[str, Item]]:
        """Yield items and their later versions, each with the stage that wrote it, in stage order."""
        for stage in self._stages:
            table = StageTable(self.workspace, stage)
            for marker in table.current():
                rows = table.read(marker, "items")
                if rows is not None:
                    yield from ((stage, item) for item in items_of(rows) if item.item_id.startswith(name))

    def of_image(self, record: ImageRecord) -> Iterator[dict[str, Any]]:
        """Yield an image's history: its parents, its ingest or creation, then every verdict."""
        for parent in record.derived_from:
            yield from self.of_image(self._images[parent][1])
        stage = self._images[record.image_id][0]
        described = {
            "image_id": record.image_id,
            "size_wh": [record.width, record.height],
            "media_type": record.media_type,
        }
        if record.source is not None:
            for row in files_of(self.workspace):
                if row["image_id"] == record.image_id:
                    yield {"what": "file", "uri": row["uri"], "verdict": row["verdict"], "reason": row["reason"]}
            source = {key: value for key, value in record.source.model_dump().items() if value is not None}
            yield {"what": "source image", **described, "source": source, "notes": list(record.notes)}
        else:
            yield {"what": "made image", **described, "step": stage, "operation": self._operation(stage)}
        yield from self._verdicts(record.image_id)

    def of_released_file(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the history of a file, by its id, that a release made from a workspace image; otherwise nothing."""
        made: dict[str, list[tuple[Path, ImageRecord]]] = {}
        if len(name) >= SHORTEST_PREFIX:
            for folder in self._release_folders():
                for record in read_provenance(folder):
                    if isinstance(record, ImageRecord) and record.image_id.startswith(name):
                        made.setdefault(record.image_id, []).append((folder, record))
        if len(made) > 1:
            first, second, *_ = sorted(made)
            raise BenchwrightError(
                f"{name!r} is a prefix of {len(made)} ids, such as {first} and {second}; give more digits"
            )
        for files in made.values():
            for parent in files[0][1].derived_from:
                if parent in self._images:
                    yield from self.of_image(self._images[parent][1])
            for folder, record in files:
                # A sealed split records no origin of its files: release only removes metadata there.
                steps = steps_of_released_files(read_provenance(folder))
                yield {
                    "what": "released file",
                    "image_id": record.image_id,
                    "size_wh": [record.width, record.height],
                    "media_type": record.media_type,
                    "release": folder.name,
                    "step": steps.get(record.image_id, METADATA_REMOVED),
                }

    def of_item(self, stage: str, item: Item) -> Iterator[dict[str, Any]]:
        """Yield an item's history: its images, its creation, verdicts, releases and scores."""
        seen: set[str] = set()
        for image in item.images:
            for link in self.of_image(self._images[image.image_id][1]):
                key = json.dumps(link, sort_keys=True)
                if key not in seen:
                    seen.add(key)
                    yield link
        yield {
            "what": "item made",
            "step": stage,
            "operation": self._operation(stage),
            "item": item.model_dump(mode="json"),
        }
        versions = {by: version for by, version in self._items_named(item.item_id) if by != stage}
        for link in self._verdicts(item.item_id):
            yield link
            if link["what"] == "verdict" and link["step"] in versions:
                version = versions[link["step"]].model_dump(mode="json")
                yield {"what": "item revised", "step": link["step"], "item": version}
        yield from self._releases(item.item_id)
        yield from self._scores(item.item_id)

    def _operation(self, stage: str) -> Any:
        path = StageTable(self.workspace, stage).folder / "current.json"
        return json.loads(path.read_text(encoding="utf-8"))["operation"]

    def _verdicts(self, record_id: str) -> Iterator[dict[str, Any]]:
        common = {"record_id", "record_hash", "verdict", "reason", "evidence"}
        for stage in self._stages:
            for row in outcomes_of(self.workspace, stage):
                if row["record_id"] == record_id:
                    values = {key: value for key, value in row.items() if key not in common and value is not None}
                    verdict, reason, evidence = unsaid(row["verdict"], row["reason"], row["evidence"])
                    yield {
                        "what": "verdict",
                        "step": stage,
                        "verdict": verdict,
                        "reason": reason,
                        "values": values,
                        "evidence": evidence,
                    }
                    if OVERRIDDEN in row["evidence"]:
                        yield self._decision(stage, record_id, row["reason"])

    def _decision(self, stage: str, record_id: str, reason: str) -> dict[str, Any]:
        """Return a curator's decision against the preceding verdict, with the curator's name and reason."""
        taken_in = next(
            (override for override in self._overrides if (override.stage, override.record_id) == (stage, record_id)),
            None,
        )
        decided = {"by": taken_in.by, "why": taken_in.why} if taken_in is not None else {"by": None, "why": None}
        return {"what": "overridden", "step": stage, "verdict": "keep" if reason == REVERSED else "drop", **decided}

    @cached_property
    def _overrides(self) -> list[Override]:
        return snapshot_of(self.workspace)

    def _release_folders(self) -> list[Path]:
        return sorted(path.parent for path in (self.workspace.root / "releases").glob(f"[!.]*/{MANIFEST}"))

    def _releases(self, item_id: str) -> Iterator[dict[str, Any]]:
        for folder in self._release_folders():
            document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            for path in sorted((folder / "data").glob("*.parquet")):
                for row in rows_of_item(path, item_id, ["item_id", "split"]):
                    yield {
                        "what": "released",
                        "release": folder.name,
                        "version": document["release_version"],
                        "content_id": document["content_id"],
                        "split": row["split"],
                    }

    def _scores(self, item_id: str) -> Iterator[dict[str, Any]]:
        for path in sorted((self.workspace.root / "results").glob("*/predictions.parquet")):
            for row in rows_of_item(path, item_id):
                yield {"what": "scored", "results": path.parent.name, **row}
