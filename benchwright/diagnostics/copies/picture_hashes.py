"""All hashes of a picture by which two collections can be searched for common pictures."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.images.decode import luma_of, pixel_hash
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX, hashes
from benchwright.records import ImageRecord
from benchwright.steps import Context, MapStep, OpenContext, Outcome, Step, Stream

from ..features.embeddings import Embeddings
from ..features.local_features import detector
from ..features.visual_words import WORD_CANDIDATES, encode_miniature, encoded_words_of, miniature

if TYPE_CHECKING:
    from benchwright.progress import Progress


class PerceptualHashes(MapStep):
    """Compute ImageHash's 64-bit pHash and dHash of every image as unsigned integers, most significant bit first.

    `mirrored` is the pHash of the picture mirrored left to right.
    """

    name: ClassVar[str] = "hashes"
    version: ClassVar[int] = 2
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"phash": "uint64", "dhash": "uint64", "mirrored": "uint64"}

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one image, decoded once, in reduced size if its format allows."""
        return Outcome(values=hashes(ctx.images.luma(record, at_least_px=HASHED_AT_LEAST_PX))._asdict())


class CopyMeasures(NamedTuple):
    """The measures of a picture by which its copies can be found.

    Args:
        pixel_hash: SHA-256 of shape and upright pixels.
        phash: pHash of 64 bits.
        dhash: dHash of 64 bits.
        mirrored: pHash of the mirrored picture.
        words: Visual words, encoded.
        miniature: Miniature, encoded; None if it has no words.
    """

    pixel_hash: str
    phash: int
    dhash: int
    mirrored: int
    words: str
    miniature: str | None


def copy_measures(pixels: NDArray[np.uint8], *, orb: Any = None) -> CopyMeasures:
    """Return the measures of a picture by which its copies can be found.

    Args:
        pixels: Upright pixels, RGB.
        orb: Detector of local features with `WORD_CANDIDATES`; None creates one.
    """
    luma = luma_of(pixels)
    words = encoded_words_of(luma, orb if orb is not None else detector(WORD_CANDIDATES))
    small = encode_miniature(miniature(luma)) if words else None
    return CopyMeasures(pixel_hash(pixels), *hashes(luma), words, small)


class PictureHashes(MapStep):
    """Hash upright pixels and frame, and describe local features, decoding each image once."""

    name: ClassVar[str] = "hashes"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {
        "pixel_hash": "string",
        "phash": "uint64",
        "dhash": "uint64",
        "mirrored": "uint64",
        "words": "string",
    }

    def open(self, ctx: OpenContext) -> object:
        """Create the detector."""
        del ctx
        return detector(WORD_CANDIDATES)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Hash one image."""
        measured = copy_measures(ctx.images.rgb(record), orb=ctx.opened)._asdict()
        return Outcome(values={name: value for name, value in measured.items() if name in self.values})


class MeasuredForCopies(PictureHashes):
    """Measure, in one decoding, everything about an image that the search for copies within one set needs."""

    name: ClassVar[str] = "measures"
    values: ClassVar[Mapping[str, str]] = {**PictureHashes.values, "miniature": "string"}


class KnownPicture(NamedTuple):
    """A collection's facts about one picture; facts that the collection does not state are None.

    Args:
        name: Name in its collection.
        image_id: SHA-256 of the file's bytes.
        canonical_id: Canonical id, such as `coco:000000123`.
        pixel_hash: Hash of the upright pixels, by `benchwright.images.decode.pixel_hash`.
        phash: pHash of 64 bits, by `PerceptualHashes`.
        dhash: dHash of 64 bits, by `PerceptualHashes`.
        mirrored: pHash of the mirrored picture, by `PerceptualHashes`.
        words: Visual words, by `FeatureWords`.
        embedding: Embedding, by `Embeddings`; embeddings of different models are not comparable.
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
    """Return the hashes of all readable pictures of a folder, sorted by name.

    Args:
        folder: Folder of images, searched with all its subfolders.
        workers: Number of processes; default one per processor.
        progress: Receiver of progress; default None.
        embedded: Step that also embeds each picture; default None.

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
