"""The step that decides which of several copies stays, with its settings read from a recipe.

Of pictures that a second look confirmed as copies of each other, all but the best are dropped. A chain A-B-C is shown
as one group, but an image is dropped only against an image that is kept and that it was confirmed with directly: if B
stays, A and C go; if A stays, B goes and C, a stranger to A, stays. Which one is best is an order over all images that
no order of files changes. Groups that a curator declares, such as the two pictures of a pair, are alike by design.
"""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import digest
from benchwright.errors import PrerequisiteError, RecipeError
from benchwright.steps import FOLDER, GatherContext, Gathered, GatherStep, Stream, Verdict

from ..clusters import components

if TYPE_CHECKING:
    import pyarrow as pa


Criterion = Literal["protected", "licence", "resolution", "quality", "id"]
CRITERIA: tuple[Criterion, ...] = ("protected", "licence", "resolution", "quality", "id")

Row = Mapping[str, Any]
"""An image: `image_id`, `source_uri`, `licence`, `width`, `height`, `size_bytes`, and perhaps `quality`."""


@dataclass(frozen=True)
class KeepOrder:
    """An order of preference.

    Args:
        criteria: Compared one after the other. The id comes last, named or not, so that no two images are equal.
        protected: Patterns of source paths (`*`, `?`, `[...]`; `*` also stands for `/`) that come first.
        licences: Preferred first; others come after these, and images that state none last.
    """

    criteria: Sequence[Criterion] = CRITERIA
    protected: Sequence[str] = ()
    licences: Sequence[str] = ()

    def key(self, row: Row) -> tuple[Any, ...]:
        """Return what to sort an image by: smaller is kept before larger."""
        ways: dict[Criterion, Callable[[Row], Any]] = {
            "protected": lambda one: not self.is_protected(one),
            "licence": self._licence,
            "resolution": lambda one: -one["width"] * one["height"],
            "quality": lambda one: -quality_of(one),
            "id": lambda one: one["image_id"],
        }
        return tuple(ways[criterion](row) for criterion in (*self.criteria, "id"))

    def is_protected(self, row: Row) -> bool:
        """Return whether an image comes from a protected source; such an image is never dropped."""
        path = row["source_uri"]
        return path is not None and any(fnmatchcase(path, pattern) for pattern in self.protected)

    def _licence(self, row: Row) -> int:
        stated = row["licence"]
        if stated is None:
            return len(self.licences) + 1
        return list(self.licences).index(stated) if stated in self.licences else len(self.licences)


def quality_of(row: Row) -> float:
    """Return the measured quality where there is one, else bytes a pixel: of two copies the less compressed."""
    measured = row.get("quality")
    return float(measured) if measured is not None else float(row["size_bytes"] / (row["width"] * row["height"]))


_MOST_BYTES = 256 << 20


def read_groups(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the groups of each picture, sorted, by its path below the image folder.

    The file is CSV with the columns `path` and `group`; a picture may stand in several groups.

    Raises:
        RecipeError: It cannot be read, or a row lacks one of the two.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RecipeError(f"groups {path} is larger than {_MOST_BYTES:,} bytes; give only the groups that matter")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecipeError(f"groups {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"groups {path} is not UTF-8 text (byte {error.start})") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if missing := {"path", "group"} - set(reader.fieldnames or ()):
        raise RecipeError(f"groups {path}: line 1: there is no column {sorted(missing)[0]!r}; it needs path and group")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in reader:
        if not row["path"] or not row["group"]:
            raise RecipeError(f"groups {path}: line {reader.line_num}: path and group must both be given, not {row}")
        found[row["path"]].add(row["group"])
    return {name: tuple(sorted(groups)) for name, groups in sorted(found.items())}


class Links(NamedTuple):
    """Pairs of images, by position; each pair once, in any order and either way round."""

    confirmed: Sequence[tuple[int, int]]
    unsure: Sequence[tuple[int, int]]
    scene: Sequence[tuple[int, int]] = ()
    """Views of one scene: both stay, unasked, in one group."""


class Decisions(NamedTuple):
    """What becomes of the images that are linked to others.

    Args:
        dropped: Image to the kept one that it is a copy of.
        asked: Kept image to the kept ones before it that it might be a copy of, best first.
        group: Image to the best image of its component.
    """

    dropped: Mapping[int, int]
    asked: Mapping[int, tuple[int, ...]]
    group: Mapping[int, int]


def decide(links: Links, *, rank: Sequence[int], exempt: Sequence[frozenset[str]], kept: frozenset[int]) -> Decisions:
    """Go through the images from best to worst; drop each that is confirmed with one kept before it.

    Args:
        links: Between positions of images.
        rank: Of each image; smaller is better, no two are equal.
        exempt: Groups declared for each image; images that share one are alike by design, and not compared.
        kept: Images that are never dropped; where they would be, they are asked about.
    """
    confirmed, unsure, scene = (
        [(one, other) for one, other in pairs if not exempt[one] & exempt[other]] for pairs in links
    )
    better: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in confirmed:
        first, second = sorted((one, other), key=lambda image: rank[image])
        better[second].add(first)
    dropped: dict[int, int] = {}
    doubtful = list(unsure)
    for image in sorted(better, key=lambda image: rank[image]):
        alive = [one for one in sorted(better[image], key=lambda one: rank[one]) if one not in dropped]
        if alive and image not in kept:
            dropped[image] = alive[0]
        else:
            doubtful += [(image, one) for one in alive]
    asked: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in doubtful:
        if one not in dropped and other not in dropped:
            first, second = sorted((one, other), key=lambda image: rank[image])
            asked[second].add(first)
    return Decisions(
        dropped=dropped,
        asked={image: tuple(sorted(ones, key=lambda one: rank[one])) for image, ones in asked.items()},
        group=_best_of_component([*confirmed, *unsure, *scene], rank),
    )


def _best_of_component(pairs: Sequence[tuple[int, int]], rank: Sequence[int]) -> dict[int, int]:
    """Return for each image of a pair the best image that it hangs together with."""
    # Nodes are ranks, so the smallest node of a component is its best image.
    by_rank = np.argsort(np.array(rank, np.int64))
    node_of = np.argsort(by_rank)
    ends = np.array(pairs, np.int64).reshape(-1, 2)
    root = components(len(rank), node_of[ends[:, 0]], node_of[ends[:, 1]])
    return {int(image): int(by_rank[root[node_of[image]]]) for image in np.unique(ends)}


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
