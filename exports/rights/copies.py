"""Copies of a picture in a workspace: files with equal pixels, and copies that steps of the recipe recorded.

Two files with equal bytes are one image. This module finds pictures with equal upright pixels, regardless of the
recipe. Smaller, cropped or recolored copies are known only if a step such as `near_duplicates` searched for them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.errors import BenchwrightError
from benchwright.images.decode import decode_rgb, pixel_hash
from benchwright.overrides import unsaid
from benchwright.pipeline.run import stages_of_workspace
from benchwright.records import ImageRecord
from benchwright.workspace.shards import StageTable
from benchwright.workspace.stage_input import GROUP
from benchwright.workspace.stages import Stage
from benchwright.workspace.workspace import Workspace

_EQUAL_PIXELS = "equal pixels"
_OF, _LIKE, _PIXELS = "of", "like", "pixel_hash"


@dataclass(frozen=True)
class CopiesToWithdraw:
    """The copies of a picture.

    Attributes:
        certain: Ids of pictures that are copies, each with its evidence: `equal pixels`, or the name of a step's stage.
        possible: Ids of pictures that may be copies, each with the stage that grouped it with a certain copy or asks
            people about it.
        groups: Group keys that items share with these pictures.
        not_compared: Ids of pictures of the same size whose files are unreadable, so that their status is unknown.
        looked_for_near: Whether a step of the recipe searched for copies whose pixels differ.
    """

    certain: Mapping[str, str]
    possible: Mapping[str, str]
    groups: frozenset[str]
    not_compared: tuple[str, ...]
    looked_for_near: bool


def copies_of(
    space: Workspace, image_id: str, records: Sequence[ImageRecord], read: Callable[[ImageRecord], bytes]
) -> CopiesToWithdraw:
    """Return the copies of a picture.

    Only pictures of equal upright size are decoded.

    Args:
        space: The workspace.
        image_id: Id of the picture.
        records: Records of all pictures, both source images and pictures made by steps.
        read: Function that returns the file of a record; raises `OSError` or `BenchwrightError` if the file cannot be
            read.
    """
    recorded = _Recorded.of(space, stages_of_workspace(space.root))
    pixels = _Pixels(records, recorded.pixel_hashes, read)
    certain: dict[str, str] = {}
    waiting = [image_id]
    while waiting:
        known = waiting.pop()
        for copy, how in (*recorded.copies.get(known, {}).items(), *pixels.equal_to(known)):
            if copy != image_id and copy not in certain:
                certain[copy] = how
                waiting.append(copy)
    own = {image_id, *certain}
    groups = {group for known in own for group in recorded.groups_of.get(known, ())}
    possible = {
        **{copy: how for group in groups for copy, how in recorded.members[group].items()},
        **{copy: how for known in own for copy, how in recorded.like.get(known, {}).items()},
    }
    return CopiesToWithdraw(
        dict(sorted(certain.items())),
        {copy: how for copy, how in sorted(possible.items()) if copy not in own},
        frozenset(groups),
        tuple(sorted(pixels.unread - own)),
        recorded.looks_for_near,
    )


class _Pixels:
    """Pictures by their upright pixels, which are hashed on demand for pictures of the same size."""

    def __init__(
        self, records: Iterable[ImageRecord], hashes: Mapping[str, str], read: Callable[[ImageRecord], bytes]
    ) -> None:
        self._records = {record.image_id: record for record in records}
        self._hashes = dict(hashes)
        self._read = read
        self._of_size: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
        for record in self._records.values():
            self._of_size[record.width, record.height].append(record.image_id)
        self.unread: set[str] = set()

    def equal_to(self, image_id: str) -> Iterator[tuple[str, str]]:
        record = self._records[image_id]
        others = [other for other in self._of_size[record.width, record.height] if other != image_id]
        own = self._hash(image_id) if others else None
        if own is None:
            self.unread.update(others)
            return
        yield from ((other, _EQUAL_PIXELS) for other in others if self._hash(other) == own)

    def _hash(self, image_id: str) -> str | None:
        record = self._records[image_id]
        if image_id not in self._hashes and record.pixel_hash is None:
            try:
                self._hashes[image_id] = pixel_hash(decode_rgb(self._read(record)))
            except (OSError, BenchwrightError):
                self.unread.add(image_id)
                return None
        return record.pixel_hash or self._hashes[image_id]


class _Recorded:
    """Copies recorded by the stages of a run."""

    def __init__(self) -> None:
        self.copies: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.like: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.groups_of: defaultdict[str, set[str]] = defaultdict(set)
        self.members: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self.pixel_hashes: dict[str, str] = {}
        self.looks_for_near = False

    @classmethod
    def of(cls, space: Workspace, stages: Iterable[Stage]) -> _Recorded:
        """Return the copies recorded by the stages that process images."""
        recorded = cls()
        for stage in stages:
            if stage.consumes == "images" and stage.kind != "final":
                recorded._read(space, stage)
        return recorded

    def _read(self, space: Workspace, stage: Stage) -> None:
        values = [name for name in (GROUP, _PIXELS) if name in stage.values]
        self.looks_for_near = self.looks_for_near or GROUP in stage.values
        table = StageTable(space, stage.id)
        for marker in table.current():
            outcomes = table.read(marker, "outcomes", ["record_id", "verdict", "reason", "evidence", *values])
            for row in outcomes.to_pylist() if outcomes is not None else ():
                self._add(stage.id, row)

    def _add(self, stage: str, row: Mapping[str, Any]) -> None:
        image_id = row["record_id"]
        if row.get(_PIXELS) is not None:
            self.pixel_hashes[image_id] = row[_PIXELS]
        if row.get(GROUP) is not None:
            self.groups_of[image_id].add(row[GROUP])
            self.members[row[GROUP]][image_id] = stage
        if not row["evidence"] or (f'"{_OF}"' not in row["evidence"] and f'"{_LIKE}"' not in row["evidence"]):
            return
        verdict, _, evidence = unsaid(row["verdict"], row["reason"], json.loads(row["evidence"]))
        if verdict == "drop" and isinstance(copy := evidence.get(_OF), str):
            # If a curator brought a copy back, annotators have to decide once more what it is.
            links = self.copies if row["verdict"] == "drop" else self.like
            links[image_id][copy] = links[copy][image_id] = stage
        for copy in evidence.get(_LIKE) or ():
            self.like[image_id][copy] = self.like[copy][image_id] = stage
