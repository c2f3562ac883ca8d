"""The step that decides which of several copies stays, with its settings read from a recipe."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.errors import PrerequisiteError
from benchwright.steps import FOLDER, GatherContext, Gathered, GatherStep, Stream, Verdict

from .declared_groups import read_groups
from .duplicate_decisions import Decisions, Links, decide
from .keep_order import Criterion, KeepOrder

if TYPE_CHECKING:
    import pyarrow as pa

REASON = "near_duplicate"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_COLUMNS = (
    "image_id", "source_uri", "licence", "width", "height", "size_bytes",
    *(f"{looks}.{verdict}" for looks in ("looks", "chain_looks") for verdict in Links._fields),
)  # fmt: skip


class KeptOfCopies(GatherStep):
    """Drop confirmed copies of what is kept, ask about the unsure, and group what hangs together, scenes too."""

    name: ClassVar[str] = "kept"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"group": "string", "like": "list<string>"}
    """`like`: of an image that is asked about, the images before it that it may be a copy of, best first."""
    imports: ClassVar[tuple[str, ...]] = ()

    keep: tuple[Criterion, ...]
    protected: tuple[str, ...]
    licences: tuple[str, ...]
    quality: str | None = None
    groups: str | None = None
    _groups: Mapping[str, tuple[str, ...]] | None = PrivateAttr(None)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return what is read, with the values of other steps that the settings name."""
        named = (self.quality, self.groups if self.groups_are_a_value else None)
        return (*_COLUMNS, *dict.fromkeys(name for name in named if name is not None))

    @property
    def groups_are_a_value(self) -> bool:
        """Return whether groups come from a step before, rather than from a file."""
        return self.groups is not None and not self.groups.endswith(".csv") and not _BY_DIGEST.fullmatch(self.groups)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> KeptOfCopies:
        if self.groups is not None and self.groups.endswith(".csv"):
            self._groups = read_groups((info.context or {}).get(FOLDER, Path()) / self.groups)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the settings, with a digest of the declared groups in place of their file's name."""
        groups = f"sha256:{digest(dict(self._groups))}" if self._groups is not None else self.groups
        return self.model_dump(mode="json") | {"groups": groups}

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Decide over all images; neither the order of rows nor that of files matters."""
        order = KeepOrder(self.keep, self.protected, self.licences)
        rows = columns.rename_columns(["quality" if name == self.quality else name for name in columns.column_names])
        images = rows.to_pylist()
        links = _links(images)
        rank = np.empty(len(images), np.int64)
        rank[sorted(range(len(images)), key=lambda row: order.key(images[row]))] = np.arange(len(images))
        found = decide(
            links,
            rank=rank.tolist(),
            exempt=[frozenset(groups) for groups in self._declared(images, ctx.stage)],
            kept=frozenset(row for row, image in enumerate(images) if order.is_protected(image)),
        )
        return _told(found, [image["image_id"] for image in images])

    def _declared(self, images: list[dict[str, Any]], stage: str) -> Iterator[tuple[str, ...]]:
        if self.groups is not None and self._groups is None and not self.groups_are_a_value:
            raise PrerequisiteError(f"step {stage!r}: groups {self.groups} are known by digest only; give the file")
        for image in images:
            if self._groups is not None:
                yield self._groups.get(image["source_uri"] or "", ())
            else:
                stated = image[self.groups] if self.groups else None
                yield tuple(stated) if isinstance(stated, list) else (str(stated),) if stated is not None else ()


def _links(images: list[dict[str, Any]]) -> Links:
    row_of = {image["image_id"]: row for row, image in enumerate(images)}
    return Links(
        *(
            [
                (row, row_of[partner])
                for row, image in enumerate(images)
                for partner in (*(image[f"looks.{verdict}"] or ()), *(image[f"chain_looks.{verdict}"] or ()))
                if partner in row_of
            ]
            for verdict in Links._fields
        )
    )


def _told(found: Decisions, ids: list[str]) -> Gathered:
    rows = sorted(found.group)
    verdicts: list[Verdict] = [
        "drop" if row in found.dropped else "ask" if row in found.asked else "keep" for row in rows
    ]
    evidence: list[Mapping[str, Any]] = [
        {"of": ids[found.dropped[row]]}
        if row in found.dropped
        else {"like": [ids[one] for one in found.asked[row]]}
        if row in found.asked
        else {}
        for row in rows
    ]
    return Gathered(
        rows=np.array(rows, np.int64),
        verdicts=verdicts,
        reasons=[None if verdict == "keep" else REASON for verdict in verdicts],
        values={
            "group": [f"cluster:{ids[found.group[row]][:16]}" for row in rows],
            "like": [[ids[one] for one in found.asked[row]] if row in found.asked else None for row in rows],
        },
        evidence=evidence,
    )
