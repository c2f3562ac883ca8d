"""The step that decides which of several copies to keep.

It drops all confirmed copies except the best one. A chain A-B-C forms one group, but an image is dropped only if it is
a confirmed copy of a kept image. If B is kept, A and C are dropped. If A is kept, B is dropped, and C, which was not
confirmed as a copy of A, is kept. The best image is the first in an order of all images that does not depend on the
order of files. Members of a group that a curator declares, such as the two pictures of a pair, resemble each other by
design.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.diagnostics.copies.clusters import components
from benchwright.diagnostics.copies.linked_rows import linked_rows
from benchwright.errors import DataError, PrerequisiteError, RecipeError
from benchwright.files.tables import Table, table_end
from benchwright.steps import FOLDER, SCENES, GatherContext, Gathered, GatherStep, Stream, Verdict
from benchwright.workspace.arrow_arrays import arrow_numbers
from benchwright.workspace.stage_input import CLUSTER

if TYPE_CHECKING:
    import pyarrow as pa


Criterion = Literal["protected", "licence", "resolution", "quality", "id"]
CRITERIA: tuple[Criterion, ...] = ("protected", "licence", "resolution", "quality", "id")

Row = Mapping[str, Any]
"""An image: `image_id`, `source_uri`, `licence`, `width`, `height`, `size_bytes`, and optionally `quality`."""


@dataclass(frozen=True)
class KeepOrder:
    """An order of preference.

    Args:
        criteria: Criteria, compared in order. The id always comes last, so that no two images are equal.
        protected: Patterns of source paths (`*`, `?`, `[...]`; `*` also matches `/`) that come first.
        licences: Licenses in order of preference; other licenses follow, and images without a license come last.
    """  # phrase: allowed

    criteria: Sequence[Criterion] = CRITERIA
    protected: Sequence[str] = ()
    licences: Sequence[str] = ()

    def key(self, row: Row) -> tuple[Any, ...]:
        """Return the sort key of an image; images with smaller keys are preferred."""
        ways: dict[Criterion, Callable[[Row], Any]] = {
            "protected": lambda image: not self.is_protected(image),
            "licence": self._licence,
            "resolution": lambda image: -image["width"] * image["height"],
            "quality": lambda image: -quality_of(image),
            "id": lambda image: image["image_id"],
        }
        return tuple(ways[criterion](row) for criterion in (*self.criteria, "id"))

    def is_protected(self, row: Row) -> bool:
        """Return whether an image has a protected source path, and is therefore never dropped."""
        path = row["source_uri"]
        return path is not None and any(fnmatchcase(path, pattern) for pattern in self.protected)

    def _licence(self, row: Row) -> int:
        stated = row["licence"]
        if stated is None:
            return len(self.licences) + 1
        return list(self.licences).index(stated) if stated in self.licences else len(self.licences)


def quality_of(row: Row) -> float:
    """Return the measured quality or, if there is none, the number of bytes per pixel, since the less compressed of two
    copies is better.
    """
    measured = row.get("quality")
    return float(measured) if measured is not None else float(row["size_bytes"] / (row["width"] * row["height"]))


_MOST_BYTES = 256 << 20


def read_groups(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the sorted groups of each picture, by the picture's path below the image folder.

    The file is a table with the columns `path` and `group`; a picture may be in several groups.

    Raises:
        RecipeError: The file cannot be read, or a row lacks path or group.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RecipeError(f"groups {path} is larger than {_MOST_BYTES:,} bytes; give only the groups that matter")
        rows = list(Table.at(path).records(needed=("path", "group")))
    except OSError as error:
        raise RecipeError(f"groups {path} cannot be read: {error.strerror or error}") from error
    except DataError as error:
        raise RecipeError(f"groups {error}; it needs path and group") from error
    groups_of: defaultdict[str, set[str]] = defaultdict(set)
    for entry, row, problem in rows:
        if problem:
            raise RecipeError(f"groups {path}: {entry}: {problem}")
        if not row["path"] or not row["group"]:
            raise RecipeError(f"groups {path}: {entry}: path and group must both be given, not {row}")
        groups_of[row["path"]].add(row["group"])
    return {name: tuple(sorted(groups)) for name, groups in sorted(groups_of.items())}


class Links(NamedTuple):
    """Pairs of images by index, each pair listed once, in any order."""

    confirmed: Sequence[tuple[int, int]]
    unsure: Sequence[tuple[int, int]]
    scene: Sequence[tuple[int, int]] = ()
    """Pairs of views of one scene: both images are kept, in one group, without asking."""

    def of_scenes(self, scenes: Sequence[frozenset[str]]) -> Links:
        """Return the links, with every pair of images that share a scene added as views of that scene.

        Args:
            scenes: For each image, the scenes of which it is an intended view.
        """
        pairs = (self.confirmed, self.unsure)
        apart, together = (
            [[(left, right) for left, right in kind if bool(scenes[left] & scenes[right]) is is_one] for kind in pairs]
            for is_one in (False, True)
        )
        return Links(apart[0], apart[1], [*self.scene, *together[0], *together[1]])


class Decisions(NamedTuple):
    """The verdicts on the images that are linked to other images.

    Args:
        dropped: For each dropped image, the kept image that it is a copy of.
        to_ask: For each kept image to ask about, the better kept images of which it may be a copy, best first.
        group: For each linked image, the best image of its connected component.
    """

    dropped: Mapping[int, int]
    to_ask: Mapping[int, tuple[int, ...]]
    group: Mapping[int, int]


def decide(links: Links, *, rank: Sequence[int], exempt: Sequence[frozenset[str]], kept: frozenset[int]) -> Decisions:
    """Process the images from best to worst and drop each confirmed copy of an image that is already kept.

    Args:
        links: Pairs of images by index.
        rank: Rank of each image; smaller is better, no two are equal.
        exempt: Groups declared for each image; images that share a group resemble each other by design and are not
            compared.
        kept: Images that are never dropped; if one of them is a copy, annotators are asked about it.
    """
    confirmed, unsure, scene = (
        [(left, right) for left, right in pairs if not exempt[left] & exempt[right]] for pairs in links
    )
    better: defaultdict[int, set[int]] = defaultdict(set)
    for left, right in confirmed:
        first, second = sorted((left, right), key=lambda image: rank[image])
        better[second].add(first)
    dropped: dict[int, int] = {}
    doubtful = list(unsure)
    for image in sorted(better, key=lambda image: rank[image]):
        alive = [copy for copy in sorted(better[image], key=lambda copy: rank[copy]) if copy not in dropped]
        if alive and image not in kept:
            dropped[image] = alive[0]
        else:
            doubtful += [(image, copy) for copy in alive]
    rivals: defaultdict[int, set[int]] = defaultdict(set)
    for left, right in doubtful:
        if left not in dropped and right not in dropped:
            first, second = sorted((left, right), key=lambda image: rank[image])
            rivals[second].add(first)
    return Decisions(
        dropped=dropped,
        to_ask={
            image: tuple(sorted(better_images, key=lambda partner: rank[partner]))
            for image, better_images in rivals.items()
        },
        group=_best_of_component([*confirmed, *unsure, *scene], rank),
    )


def _best_of_component(pairs: Sequence[tuple[int, int]], rank: Sequence[int]) -> dict[int, int]:
    """Return, for each image in a pair, the best image of its connected component."""
    # Nodes are ranks, so the smallest node of a component is its best image.
    by_rank = np.argsort(np.array(rank, np.int64))
    node_of = np.argsort(by_rank)
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    root = components(len(rank), node_of[ends[:, 0]], node_of[ends[:, 1]])
    return {int(image): int(by_rank[root[node_of[image]]]) for image in np.unique(ends)}


_REASON = "near_duplicate"
_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LINKING = tuple(f"{looks}.{verdict}" for looks in ("looks", "chain_looks") for verdict in Links._fields)
_COLUMNS = ("image_id", "source_uri", "licence", "width", "height", "size_bytes", *_LINKING)


class KeptOfCopies(GatherStep):
    """Drop confirmed copies of kept images, ask about uncertain pairs, and group connected images, scenes included."""

    name: ClassVar[str] = "kept"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"group": "string", "like": "list<string>"}
    """The value `like`: for an image to ask about, the better images of which it may be a copy, best first."""
    imports: ClassVar[tuple[str, ...]] = ()

    keep: tuple[Criterion, ...]
    protected: tuple[str, ...]
    licences: tuple[str, ...]
    quality: str | None = None
    groups: str | None = None
    _scenes: tuple[str, ...] = PrivateAttr(())
    """Values that name the scenes of which an image is an intended view."""
    _groups: Mapping[str, tuple[str, ...]] | None = PrivateAttr(None)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns to read, including the values of other steps that the settings name."""
        named = (self.quality, self.groups if self.groups_are_a_value else None, *self._scenes)
        return (*_COLUMNS, *dict.fromkeys(name for name in named if name is not None))

    @property
    def groups_are_a_value(self) -> bool:
        """Return whether groups come from an earlier step instead of a file."""
        return self.groups is not None and table_end(self.groups) is None and not _BY_DIGEST.fullmatch(self.groups)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> KeptOfCopies:
        if self.groups is not None and table_end(self.groups) is not None:
            self._groups = read_groups((info.context or {}).get(FOLDER, Path()) / self.groups)
        return self

    def with_scenes(self, columns: tuple[str, ...]) -> KeptOfCopies:
        """Return the step with the values that name the scenes of which an image is an intended view."""
        step = self.model_copy()
        step._scenes = columns
        return step

    def parameters(self) -> dict[str, Any]:
        """Return the settings with a digest of the declared groups instead of the name of their file."""
        groups = f"sha256:{digest(dict(self._groups))}" if self._groups is not None else self.groups
        scenes = {SCENES: list(self._scenes)} if self._scenes else {}
        return self.model_dump(mode="json") | {"groups": groups} | scenes

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Decide on all images; the result does not depend on the order of rows and files."""
        order = KeepOrder(self.keep, self.protected, self.licences)
        linked = linked_rows(columns, _LINKING)  # an image without a link needs no decision
        rows = columns.take(arrow_numbers(linked))
        rows = rows.rename_columns(["quality" if name == self.quality else name for name in columns.column_names])
        images = rows.to_pylist()
        scenes = [frozenset(scene for name in self._scenes for scene in image[name] or ()) for image in images]
        links = _links(images).of_scenes(scenes)
        rank = np.empty(len(images), np.int64)
        rank[sorted(range(len(images)), key=lambda row: order.key(images[row]))] = np.arange(len(images))
        decisions = decide(
            links,
            rank=rank.tolist(),
            exempt=[frozenset(groups) for groups in self._declared(images, ctx.stage)],
            kept=frozenset(row for row, image in enumerate(images) if order.is_protected(image)),
        )
        gathered = _gathered(decisions, [image["image_id"] for image in images])
        return replace(gathered, rows=linked[gathered.rows])

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


def _gathered(decisions: Decisions, ids: list[str]) -> Gathered:
    rows = sorted(decisions.group)
    verdicts: list[Verdict] = [
        "drop" if row in decisions.dropped else "ask" if row in decisions.to_ask else "keep" for row in rows
    ]
    evidence: list[Mapping[str, Any]] = [
        {"of": ids[decisions.dropped[row]]}
        if row in decisions.dropped
        else {"like": [ids[partner] for partner in decisions.to_ask[row]]}
        if row in decisions.to_ask
        else {}
        for row in rows
    ]
    return Gathered(
        rows=np.array(rows, np.int64),
        verdicts=verdicts,
        reasons=[None if verdict == "keep" else _REASON for verdict in verdicts],
        values={
            "group": [f"{CLUSTER}{ids[decisions.group[row]][:16]}" for row in rows],
            "like": [
                [ids[partner] for partner in decisions.to_ask[row]] if row in decisions.to_ask else None for row in rows
            ],
        },
        evidence=evidence,
    )
