"""Report on the duplicates among a folder's files, found by the same steps as in a recipe."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from benchwright.diagnostics.copies.clusters import components

from ..measured_folder import UnreadableFile
from .exact_duplicates import ExactDuplicates
from .near_duplicates import NearDuplicates

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.workspace.run_results import FinishedRun


class Member(NamedTuple):
    """A file that duplicates the kept file, or may do so.

    Args:
        path: Path relative to the folder.
        kind: `exact`: equal bytes or equal pixels to the kept file. `near`: a copy of it, confirmed by a comparison of
            pixels. `ask`: a person should decide.
        score: 1.0 for `exact`; otherwise the proportion, 0-1, of the aligned overlap that matches.
    """

    path: str
    kind: Literal["exact", "near", "ask"]
    score: float


class DuplicateGroup(NamedTuple):
    """A file to keep, and the files that duplicate it or may do so.

    A `near` or `ask` member that itself has exact copies is also the kept file of a group with them.
    """

    keep: str
    members: tuple[Member, ...]


class DuplicateReport(NamedTuple):
    """The duplicates of a folder.

    Args:
        images: Number of readable files.
        unreadable: Unreadable files.
        groups: Groups of duplicates, sorted by the kept file.
        scenes: Sorted groups of files that show one scene from several viewpoints; all of them are kept, and each also
            represents its copies.
        not_compared: Pictures that were compared with only some of the pictures with a similar hash, each with the
            number of those skipped.
    """

    images: int
    unreadable: tuple[UnreadableFile, ...]
    groups: tuple[DuplicateGroup, ...]
    scenes: tuple[tuple[str, ...], ...] = ()
    not_compared: tuple[tuple[str, int], ...] = ()

    def pairs_to_ask(self) -> list[tuple[str, str, float]]:
        """Return the pairs that people must decide on, each as the kept file, the possible duplicate and the score."""
        return [
            (group.keep, member.path, member.score)
            for group in self.groups
            for member in group.members
            if member.kind == "ask"
        ]


@dataclass(frozen=True)
class PictureFiles:
    """All files with exactly the same pixels, and their relation to other pictures.

    Args:
        paths: Paths of the files, sorted, at least one; the first represents all.
        of: First path of the picture of which this one is a confirmed copy; None if there is none.
        like: First paths of the pictures of which this one may be a copy.
        scores: Similarity, 0-1, to each of these pictures.
    """

    paths: tuple[str, ...]
    of: str | None = None
    like: tuple[str, ...] = ()
    scores: Mapping[str, float] | None = None


def find_duplicates(
    folder: Path, *, distance: int, workers: int | None = None, progress: Progress | None = None
) -> DuplicateReport:
    """Find exact and near duplicates in a folder, in a temporary workspace.

    Args:
        folder: Folder of images, searched with all its subfolders.
        distance: Largest number of differing bits, of 64, between the hashes of a pair to compare.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.
    """
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        steps = [ExactDuplicates(), NearDuplicates(distance=distance)]
        done = run_steps(steps, images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        return report_of(done)


def report_of(done: FinishedRun) -> DuplicateReport:
    """Return the report on the stages `exact_duplicates` and `near_duplicates` of a finished run."""
    stages = (
        "exact_duplicates.pixels",
        *(f"near_duplicates.{part}" for part in ("hashes", "features", "looks", "chain_looks")),
    )
    failed = {
        row["record_id"]: str(row["reason"])
        for stage in stages
        for row in done.outcomes(stage)
        if row["verdict"] == "failed"
    }
    equal = done.outcomes("exact_duplicates.groups")
    same_as = {row["record_id"]: row["evidence"]["of"] for row in equal if row["verdict"] == "drop"}
    paths, unreadable = _paths_by_picture(done.files(), failed=failed, same_as=same_as)
    decided = {row["record_id"]: row["evidence"] for row in done.outcomes("near_duplicates.kept")}
    looks = [row for part in ("looks", "chain_looks") for row in done.outcomes(f"near_duplicates.{part}")]
    scores = _scores(looks)
    first = {image: sorted(files)[0] for image, files in paths.items()}
    pictures = []
    for image, files in paths.items():
        evidence = decided.get(image, {})
        linked = [partner for partner in (evidence.get("of"), *evidence.get("like", ())) if partner is not None]
        pictures.append(
            PictureFiles(
                tuple(sorted(files)),
                of=first[evidence["of"]] if "of" in evidence else None,
                like=tuple(first[partner] for partner in evidence.get("like", ())),
                scores={first[partner]: scores[frozenset((image, partner))] for partner in linked},
            )
        )
    images = sum(len(picture.paths) for picture in pictures)
    kept_as = {first[image]: first[evidence["of"]] for image, evidence in decided.items() if "of" in evidence}
    views = [
        tuple(kept_as.get(first[image], first[image]) for image in (row["record_id"], partner))
        for row in looks
        for partner in row["scene"] or ()
    ]
    return DuplicateReport(
        images,
        tuple(sorted(unreadable)),
        tuple(group_pictures(pictures)),
        _scenes(views),
        tuple(sorted((first[image], more) for image, more in _not_compared(done).items())),
    )


def _not_compared(done: FinishedRun) -> dict[str, int]:
    """Return, by image, the number of images with a similar hash that it was not compared with, if any."""
    left = {row["record_id"]: row["left_out"] for row in done.outcomes("near_duplicates.pairs") if row["left_out"]}
    for row in done.outcomes("near_duplicates.chains"):
        for image, met in (
            (row["record_id"], len(row["partners"] or ())),
            *((partner, 1) for partner in row["partners"] or ()),
        ):
            if image in left:
                left[image] -= met
    return {image: more for image, more in left.items() if more > 0}


def _scenes(views: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Return the connected components of the pairs of views, as sorted groups of two or more files."""
    names = sorted({name for pair in views for name in pair})
    number_of = {name: number for number, name in enumerate(names)}
    ends = np.array([[number_of[name] for name in pair] for pair in views], np.int64).reshape(-1, 2)
    scenes: defaultdict[int, list[str]] = defaultdict(list)
    for name, root in zip(names, components(len(names), ends[:, 0], ends[:, 1]).tolist(), strict=True):
        scenes[root].append(name)
    return tuple(sorted(tuple(scene) for scene in scenes.values() if len(scene) > 1))


def _scores(rows: Iterable[Mapping[str, Any]]) -> dict[frozenset[str], float]:
    """Return the similarity of every compared pair, 0 for a pair without an alignment."""
    return {
        frozenset((row["record_id"], partner["image_id"])): partner.get("alike", 0.0)
        for row in rows
        for partner in row["evidence"].get("partners", ())
    }


def _paths_by_picture(
    files: Iterable[Mapping[str, Any]], *, failed: Mapping[str, str], same_as: Mapping[str, str]
) -> tuple[dict[str, list[str]], list[UnreadableFile]]:
    """Return the paths of the files of each readable picture, and the unreadable files."""
    paths: defaultdict[str, list[str]] = defaultdict(list)
    unreadable: list[UnreadableFile] = []
    for file in files:
        image_id = file["image_id"]
        if image_id is None or image_id in failed:
            unreadable.append(
                UnreadableFile.of(file) if image_id is None else UnreadableFile(file["uri"], failed[image_id])
            )
        else:
            paths[same_as.get(image_id, image_id)].append(file["uri"])
    return paths, unreadable


def group_pictures(pictures: Sequence[PictureFiles]) -> list[DuplicateGroup]:
    """Return the groups of two or more files, sorted by the kept file; the result does not depend on the order of
    `pictures`.

    Members are sorted: exact copies, then confirmed copies, then uncertain ones; in each of these, the best score comes
    first.
    """
    members: defaultdict[str, list[Member]] = defaultdict(list)
    for picture in pictures:
        name, scores = picture.paths[0], picture.scores or {}
        members[name] += [Member(path, "exact", 1.0) for path in picture.paths[1:]]
        if picture.of is not None:
            members[picture.of].append(Member(name, "near", scores[picture.of]))
        for similar in picture.like:
            members[similar].append(Member(name, "ask", scores[similar]))
    order = {"exact": 0, "near": 1, "ask": 2}
    return [
        DuplicateGroup(
            keep, tuple(sorted(duplicates, key=lambda member: (order[member.kind], -member.score, member.path)))
        )
        for keep, duplicates in sorted(members.items())
        if duplicates
    ]
