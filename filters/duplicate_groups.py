"""Duplicates among the files of a folder, found by the same steps as in a recipe, told file by file."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .exact_duplicates import ExactDuplicates
from .near_duplicates import NearDuplicates

if TYPE_CHECKING:
    from benchwright.progress import Progress

HASH_BITS = 64


class UnreadableFile(NamedTuple):
    """A file that is no image we can read, and why; the path is relative to the folder."""

    path: str
    reason: str


class Member(NamedTuple):
    """A file that duplicates the kept one, or seems to.

    Args:
        path: Relative to the folder.
        kind: `exact`: equal bytes or equal pixels to the kept file, or to a member before it. `ask`: a person
            should look.
        score: 1.0 for `exact`; else 1 - distance / 64 between the pHashes of this file and the kept one.
    """

    path: str
    kind: Literal["exact", "ask"]
    score: float


class DuplicateGroup(NamedTuple):
    """A file to keep and the files that it stands for."""

    keep: str
    members: tuple[Member, ...]


class DuplicateReport(NamedTuple):
    """What was found in a folder; `images` counts the files that could be read."""

    images: int
    unreadable: tuple[UnreadableFile, ...]
    groups: tuple[DuplicateGroup, ...]


@dataclass(frozen=True)
class Picture:
    """All files that show exactly the same pixels.

    Args:
        paths: Sorted, at least one.
        pixels: Width times height.
        phash: 64-bit perceptual hash.
        cluster: Shared by pictures that are near-duplicates, through others or directly; None where there is
            none.
    """

    paths: tuple[str, ...]
    pixels: int
    phash: int
    cluster: str | None


def find_duplicates(
    folder: Path, *, distance: int, workers: int | None = None, progress: Progress | None = None
) -> DuplicateReport:
    """Find exact duplicates and propose near ones in a folder, in a temporary workspace.

    Args:
        folder: Searched with all its subfolders.
        distance: Bits of 64 in which two pHashes of a proposed pair may differ.
        workers: Processes; as many as there are processors if None.
        progress: Who wants to know how far it is.
    """
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        steps = [ExactDuplicates(), NearDuplicates(distance=distance)]
        done = run_steps(steps, images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        stages = ("exact_duplicates.pixels", "exact_duplicates.groups", "near_duplicates.hashes")
        pixels, equal, hashed = ([*done.outcomes(stage)] for stage in stages)
        failed = {row["record_id"]: str(row["reason"]) for row in [*pixels, *hashed] if row["verdict"] == "failed"}
        same_as = {row["record_id"]: row["evidence"]["of"] for row in equal if row["verdict"] == "drop"}
        clusters = {row["record_id"]: row["group"] for row in done.outcomes("near_duplicates.pairs")}
        sizes = {record.image_id: record.width * record.height for record in done.images()}
        paths, unreadable = _paths_by_picture(done.files(), failed=failed, same_as=same_as)
        pictures = [
            Picture(
                tuple(sorted(paths[row["record_id"]])),
                sizes[row["record_id"]],
                row["phash"],
                clusters.get(row["record_id"]),
            )
            for row in hashed
            if row["record_id"] in paths and row["record_id"] not in failed
        ]
    return DuplicateReport(
        images=sum(len(picture.paths) for picture in pictures),
        unreadable=tuple(sorted(unreadable)),
        groups=tuple(group_pictures(pictures)),
    )


def _paths_by_picture(
    files: Iterable[Mapping[str, Any]], *, failed: Mapping[str, str], same_as: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[UnreadableFile]]:
    """Return the files of each picture that was kept, and those that no step could read."""
    paths: defaultdict[str, list[str]] = defaultdict(list)
    unreadable: list[UnreadableFile] = []
    for file in files:
        image_id = file["image_id"]
        if image_id is None or image_id in failed:
            unreadable.append(
                UnreadableFile(file["uri"], str(file["reason"]) if image_id is None else failed[image_id])
            )
        else:
            paths[same_as.get(image_id, image_id)].append(file["uri"])
    return paths, unreadable


def group_pictures(pictures: Iterable[Picture]) -> list[DuplicateGroup]:
    """Return the groups of two files and more, sorted by the kept file.

    The kept file is one of the picture that most files hold, then that has most pixels, then whose path sorts
    first; of that picture, the file whose path sorts first. The order of `pictures` does not matter.
    """
    clustered: defaultdict[str, list[Picture]] = defaultdict(list)
    for picture in pictures:
        clustered[picture.cluster or f"alone:{picture.paths[0]}"].append(picture)
    groups = [_group(together) for together in clustered.values()]
    return sorted(group for group in groups if group.members)


def _group(pictures: list[Picture]) -> DuplicateGroup:
    kept = min(pictures, key=lambda picture: (-len(picture.paths), -picture.pixels, picture.paths))

    def bits(picture: Picture) -> int:
        return (picture.phash ^ kept.phash).bit_count()

    members = [Member(path, "exact", 1.0) for path in kept.paths[1:]]
    for picture in sorted(pictures, key=lambda picture: (bits(picture), picture.paths)):
        if picture is not kept:
            members.append(Member(picture.paths[0], "ask", 1 - bits(picture) / HASH_BITS))
            members += [Member(path, "exact", 1.0) for path in picture.paths[1:]]
    return DuplicateGroup(kept.paths[0], tuple(members))
