"""All hashes of a picture at once: what one collection has to know of another to find what both hold."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.images.decode import luma_of, pixel_hash
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from ..features.embeddings import Embeddings
from ..features.local_features import detector
from ..features.perceptual_hash import hashes
from ..features.visual_words import WORD_CANDIDATES, described

if TYPE_CHECKING:
    from benchwright.progress import Progress


class PictureHashes(MapStep):
    """Hash upright pixels and frame, and describe local features, from one full decoding."""

    name: ClassVar[str] = "hashes"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "pixel_hash": "string", "phash": "uint64", "dhash": "uint64", "mirrored": "uint64", "words": "string",
    }  # fmt: skip

    def open(self, ctx: OpenContext) -> object:
        """Make the detector."""
        del ctx
        return detector(WORD_CANDIDATES)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one image."""
        pixels = ctx.images.rgb(record)
        luma = luma_of(pixels)
        return Outcome(
            values={"pixel_hash": pixel_hash(pixels), **hashes(luma)._asdict(), "words": described(luma, ctx.opened)}
        )


class KnownPicture(NamedTuple):
    """What a collection tells of one picture; None where it does not.

    Args:
        name: As its collection calls it.
        image_id: SHA-256 of the file's bytes.
        canonical_id: Such as `coco:000000123`.
        pixel_hash: As `benchwright.images.decode.pixel_hash`.
        phash: 64 bits; so are `dhash` and `mirrored`.
        dhash: As `PerceptualHashes`.
        mirrored: As `PerceptualHashes`.
        words: As `FeatureWords`.
        embedding: As `Embeddings`; two of different models say nothing of each other.
    """

    name: str
    image_id: str | None = None
    canonical_id: str | None = None
    pixel_hash: str | None = None
    phash: int | None = None
    dhash: int | None = None
    mirrored: int | None = None
    words: str | None = None
    embedding: str | None = None


def hashes_of_folder(
    folder: Path, *, workers: int | None = None, progress: Progress | None = None, embedded: Embeddings | None = None
) -> list[KnownPicture]:
    """Return all pictures of a folder that can be read, by name, hashed in a temporary workspace.

    Args:
        folder: Searched with all its subfolders.
        workers: Processes; as many as there is room for if None.
        progress: Who wants to know how far it is.
        embedded: What embeds each picture too.

    Raises:
        BenchwrightError: The folder cannot be read.
    """
    from benchwright.pipeline import run_steps

    with tempfile.TemporaryDirectory(prefix="benchwright-") as workspace:
        steps: list[Step] = [PictureHashes(), *([embedded] if embedded is not None else [])]
        done = run_steps(steps, images=folder, workspace=Path(workspace), workers=workers, progress=progress)
        by_id: dict[str, dict[str, Any]] = {
            row["record_id"]: {name: row[name] for name in PictureHashes.values}
            for row in done.outcomes("hashes")
            if row["verdict"] != "failed"
        }
        for row in done.outcomes(embedded.name) if embedded is not None else ():
            by_id[row["record_id"]]["embedding"] = row["embedding"]
        files = sorted((file["uri"], file["image_id"]) for file in done.files() if file["image_id"] in by_id)
        return [KnownPicture(name, image_id, **by_id[image_id]) for name, image_id in files]
