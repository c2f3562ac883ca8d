"""Pictures that the splits of a release or workspace show, and copies of these in other splits.

The search needs files, so each picture is written once. The file is named by a number, because the ids of a third
party's release may be any text.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.progress import Progress, Silent
from benchwright.release import Release
from benchwright.steps import Step
from benchwright.texts.normalization import counted

from ..features.embeddings import Embeddings
from .pair_looks import Looking
from .pairing import COSINE, DISTANCE
from .picture_copies import CopyAcross, MeasuredPicture, find_copies
from .picture_hashes import CopyMeasures, MeasuredForCopies

_VALUE = ".split"
_WORKER_MB = 500


@dataclass(frozen=True)
class SplitPictures:
    """The pictures that the items of each split show.

    Args:
        files: Id of the picture in each file, by the file's name.
        shown: For each picture, the first item of each split that shows it, by the split's name.
    """

    files: Mapping[str, str]
    shown: Mapping[str, Mapping[str, str]]

    @property
    def splits(self) -> tuple[str, ...]:
        """Return the names of the splits that show a picture, sorted."""
        return tuple(sorted({split for splits in self.shown.values() for split in splits}))


class _PictureInSplit(NamedTuple):
    """A picture in an item, and the item's split."""

    split: str
    item_id: str
    image_id: str
    data: bytes


class CopiesAcrossSplits(NamedTuple):
    """The result of a search for copies across splits.

    Args:
        pictures: The compared pictures, by id.
        across: For each picture, its likeliest copy in each other split, sorted; equal files are included.
        unreadable: Why a picture could not be compared with all others, or with one of them, by its id; equal files are
            found nevertheless.
    """

    pictures: Mapping[str, MeasuredPicture]
    across: tuple[CopyAcross, ...]
    unreadable: Mapping[str, str]


def write_split_pictures(place: Path, folder: Path) -> SplitPictures:
    """Write the pictures that the items of each split show into a folder.

    Args:
        place: A release, or a workspace whose recipe assigns splits and has run to its end.
        folder: Empty folder.

    Raises:
        BenchwrightError: The place is neither a release nor such a workspace, or not exactly one step of the workspace
            names splits.
    """
    files: dict[str, str] = {}
    shown: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for picture in _of_workspace(place) if (place / "workspace.json").is_file() else _of_release(place):
        if picture.image_id not in shown:
            name = f"{len(files):08}"
            (folder / name).write_bytes(picture.data)
            files[name] = picture.image_id
        shown[picture.image_id].setdefault(picture.split, picture.item_id)
    return SplitPictures(files, dict(shown))


def _of_release(place: Path) -> Iterator[_PictureInSplit]:
    for row in Release.open(place).rows(("item_id", "split", "images", "image_ids")):
        for image_id, picture in zip(row["image_ids"], row["images"], strict=True):
            yield _PictureInSplit(str(row["split"]), str(row["item_id"]), image_id, picture["bytes"])


def _of_workspace(place: Path) -> Iterator[_PictureInSplit]:
    from benchwright.pipeline.run import open_view

    view = open_view(place)
    for item, values in view.items():
        named = sorted(name for name in values if name.endswith(_VALUE))
        if len(named) != 1:
            raise BenchwrightError(
                f"{counted(len(named), 'step')} of the recipe in {place} name splits ({', '.join(named) or 'none'}); "
                "to check splits against each other, exactly one step must do so, such as `splits`"
            )
        for image in item.images:
            data = view.image_bytes(view.image(image.image_id))
            yield _PictureInSplit(str(values[named[0]]), item.item_id, image.image_id, data)


def copies_across_splits(
    place: Path,
    *,
    distance: int = DISTANCE,
    embeddings: Path | None = None,
    cosine: float = COSINE,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[SplitPictures, CopiesAcrossSplits]:
    """Return the pictures that splits show and, for each of them, its most likely copy in each other split.

    Each picture is written to a temporary folder, which is removed afterwards, and decoded once for its measures.
    Pictures of proposed pairs are decoded again, in reduced size, for the comparison. With only one split, there is
    nothing to compare.

    Args:
        place: A release, or a workspace whose recipe assigns splits and has run to its end.
        distance: Number of bits of 64 in which two hashes of a proposed pair may differ.
        embeddings: Folder of a model whose embeddings also propose pairs; default None.
        cosine: Smallest cosine, 0-1, of two embeddings for a pair to be proposed.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress; default None.

    Raises:
        BenchwrightError: The place is neither a release nor such a workspace, or not exactly one step of the workspace
            names splits.
        DataError: A data file of the release is damaged.
    """
    from benchwright.engines import default_workers

    progress = progress or Silent()
    model = None if embeddings is None else Embeddings.model_validate({"model": str(embeddings.resolve())})
    with tempfile.TemporaryDirectory(prefix="benchwright-") as name:
        folder = Path(name) / "pictures"
        folder.mkdir()
        progress.phase("reading pictures", 0, "pictures")
        pictures = write_split_pictures(place, folder)
        if len(pictures.splits) < 2:
            return pictures, CopiesAcrossSplits({}, (), {})
        measured, unreadable = _measured(folder, pictures.files, model, workers=workers, progress=progress)
        looking = Looking(workers or default_workers(_WORKER_MB), progress)
        copies = find_copies(measured, looking, distance=distance, cosine=None if model is None else cosine)
    failed = {one[:2] for one in looking.failed}
    for look in copies.looks:
        if look.verdict == "unreadable":
            reason = "step_error" if look[:2] in failed else "worker_died"
            unreadable |= {image_id: unreadable.get(image_id, reason) for image_id in look[:2]}
    return pictures, CopiesAcrossSplits(measured, tuple(copies.across(pictures.shown)), unreadable)


def _measured(
    folder: Path, ids: Mapping[str, str], model: Embeddings | None, *, workers: int | None, progress: Progress
) -> tuple[dict[str, MeasuredPicture], dict[str, str]]:
    """Return the readable pictures of a folder, by id, and the reasons why the others are unreadable."""
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        steps: list[Step] = [MeasuredForCopies(), *([] if model is None else [model])]
        done = run_steps(steps, images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        rows = {row["record_id"]: row for row in done.outcomes(MeasuredForCopies.name)}
        vectors = {} if model is None else {row["record_id"]: row["embedding"] for row in done.outcomes(model.name)}
        records = {record.image_id: record for record in done.images()}
        files = list(done.files())
    measured: dict[str, MeasuredPicture] = {}
    unreadable: dict[str, str] = {}
    for file in files:
        image_id, found = ids[file["uri"]], file["image_id"]
        row = {"verdict": "failed", "reason": file["reason"]} if found is None else rows[found]
        if row["verdict"] == "failed":
            unreadable[image_id] = str(row["reason"])
            continue
        measures = CopyMeasures(*(row[name] for name in CopyMeasures._fields))
        record = records[found]
        path = folder / file["uri"]
        measured[image_id] = MeasuredPicture(path, record.width, record.height, measures, vectors.get(found))
    return measured, unreadable
