"""Report on leaks between folders, found by the recipe step, and between splits, found in the same way as the copies in
`audit`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.diagnostics.copies.pairing import COSINE, DISTANCE
from benchwright.diagnostics.copies.split_pictures import copies_across_splits
from benchwright.texts.normalization import printable

from ..measured_folder import UnreadableFile
from .leakage import Leakage

if TYPE_CHECKING:
    from benchwright.progress import Progress


@dataclass(frozen=True, order=True)
class Leak:
    """A picture that another collection contains, or may contain.

    Args:
        path: Path of the picture, relative to its folder; for a release its image id.
        against: The other collection, by the given path, or the other split.
        name: Name of the picture in that collection.
        kind: `leak` for certainly the same picture, `ask` if a person should decide.
        by: `canonical_id`, `file`, `pixels`, `look` (a comparison of pixels), or `hash` if the other collection has no
            pixels.
        score: 1.0 for an equal id or hash; otherwise the proportion, 0-1, of the aligned overlap that matches, or 0.0
            if there are no pixels to compare.
    """

    path: str
    against: str
    name: str
    kind: Literal["leak", "ask"]
    by: str
    score: float

    def to_json(self) -> dict[str, Any]:
        """Return the leak as JSON values, as printed on the command line."""
        return asdict(self)


class LeakReport(NamedTuple):
    """The result of a search for leaks.

    Args:
        leaks: Leaks, at most one for each picture, sorted by path.
        unreadable: Files that could not be compared, with the reason, sorted by path.
    """

    leaks: tuple[Leak, ...]
    unreadable: tuple[UnreadableFile, ...]


class CandidateSettings(NamedTuple):
    """Settings that determine which pairs of pictures to compare.

    Args:
        distance: Largest number of differing bits, of 64, between two hashes; default 8.
        embeddings: Folder of a model whose embeddings also propose pairs; default none.
        cosine: Smallest cosine, 0-1, at which embeddings propose a pair; default 0.85.
    """

    distance: int = DISTANCE
    embeddings: Path | None = None
    cosine: float = COSINE

    def settings(self) -> dict[str, Any]:
        """Return the same settings for the step `leakage`."""
        model = str(self.embeddings.resolve()) if self.embeddings is not None else None
        return {"distance": self.distance, "embeddings": model, "cosine": self.cosine}


_BY_HASHES = CandidateSettings()


def find_leaks(
    folder: Path,
    places: Sequence[Path],
    *,
    proposing: CandidateSettings = _BY_HASHES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> LeakReport:
    """Return the pictures of a folder that other collections contain, and the files that could not be compared.

    Args:
        folder: Folder of images, searched with all its subfolders.
        places: Paths of the folders, releases or hash lists to check against.
        proposing: Settings that determine which pairs to compare; default by hashes.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.

    Raises:
        BenchwrightError: A path contains no collection to check against.
    """
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        against = [str(place.resolve()) for place in places]
        step = Leakage.model_validate({"against": against, **proposing.settings()})
        done = run_steps([step], images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        outcomes = [row for stage in ("leakage.candidates", "leakage.looks") for row in done.outcomes(stage)]
        rows = {row["record_id"]: row for row in outcomes if row["verdict"] in {"drop", "ask"}}
        failed = {row["record_id"]: str(row["reason"]) for row in outcomes if row["verdict"] == "failed"}
        leaks = sorted(
            Leak(
                path=file["uri"],
                against=str(places[row["evidence"]["against"]]),
                name=row["evidence"]["name"],
                kind="leak" if row["verdict"] == "drop" else "ask",
                by=row["evidence"]["by"],
                score=row["evidence"]["score"],
            )
            for file in done.files()
            if (row := rows.get(file["image_id"])) is not None
        )
        unreadable = sorted(
            UnreadableFile.of(file)
            if file["image_id"] is None
            else UnreadableFile(file["uri"], failed[file["image_id"]])
            for file in done.files()
            if file["image_id"] is None or file["image_id"] in failed
        )
        return LeakReport(tuple(leaks), tuple(unreadable))


def leaks_between_splits(
    place: Path,
    *,
    proposing: CandidateSettings = _BY_HASHES,
    workers: int | None = None,
    progress: Progress | None = None,
) -> LeakReport:
    """Return, by image id, the pictures of each split that an earlier split also contains.

    Args:
        place: A release, or a workspace whose recipe assigns splits and whose run is complete.
        proposing: Settings that determine which pairs to compare; default by hashes.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress updates; default none.

    Raises:
        BenchwrightError: The folder is neither a release nor such a workspace, or no step of the workspace assigns
            splits.
    """
    pictures, found = copies_across_splits(place, **proposing._asdict(), workers=workers, progress=progress)
    leaks = [
        Leak(
            path=f"{copy.first_place}:{copy.first}",
            against=copy.second_place,
            name=copy.second,
            kind="leak" if copy.verdict == "confirmed" else "ask",
            by=copy.by,
            score=copy.alike,
        )
        for copy in found.across
        if copy.second_place < copy.first_place
    ]
    unreadable = {
        UnreadableFile(f"{split}:{image_id}", reason)
        for image_id, reason in found.unreadable.items()
        for split in pictures.shown[image_id]
    }
    return LeakReport(tuple(sorted(leaks)), tuple(sorted(unreadable)))


def report_lines(report: LeakReport) -> list[str]:
    """Return the report as lines of text, ending with the counts."""
    leaks = report.leaks
    lines = [
        f"{leak.kind:<5} {printable(leak.path)}  in {printable(leak.against)}: {printable(leak.name)}  "
        f"({leak.by}, {leak.score:.3f})"
        for leak in leaks
    ]
    lines += [f"not compared  {printable(file.path)}: {file.told}" for file in report.unreadable]
    sure = sum(leak.kind == "leak" for leak in leaks)
    not_compared = f", not compared {len(report.unreadable)}" if report.unreadable else ""
    return [*lines, f"leaks {sure}, to look at {len(leaks) - sure}{not_compared}"]
