"""All measures of a picture for an audit, taken from a single decode and cached by the picture's content.

Measuring runs in workers of the local engine, so that a picture that crashes its worker causes only a single failure.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import canonical_json
from benchwright.diagnostics.copies.pair_looks import in_batches, run_jobs
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import open_regular
from benchwright.raised import RaisedError
from benchwright.rights import metadata_blocks, stated_contents
from benchwright.texts.normalization import counted

from .check import FailedItem

if TYPE_CHECKING:
    from benchwright.engines import Attempt
    from benchwright.question_files.indexed_rows import IndexedPicture

    from .check import AuditContext

_KIND = "audit picture 4"
"""Name of the entries in the cache, including a version to raise when the measurement of pictures changes."""
_EVIDENCE = "audit adversary 2"
"""The corresponding name for the adversary's evidence of pictures."""
_STAGE = "audit"
_PICTURES_A_JOB = 16
_PRELOAD = (
    "benchwright.diagnostics.shortcuts.picture_facts",
    "benchwright.diagnostics.copies.verification",
    "cv2",
)
_PERSONAL = {0x0110: "camera", 0xA430: "owner", 0xA431: "serial_number", 0x013B: "artist"}
"""EXIF fields that may name a person or identify their camera."""
_GPS, _EXIF = 0x8825, 0x8769
_LATITUDE = 2
_MOST_EXIF_BYTES = 1 << 20


class PictureMeasures(NamedTuple):
    """The measures of a picture, as JSON values.

    Args:
        failed: Reason decoding failed; if it did, everything else is empty.
        pixel_hash: SHA-256 of the shape and the upright pixels.
        hashes: `phash`, `dhash` and `mirrored`, as 64-bit numbers.
        words: Encoded visual words.
        miniature: Encoded miniature; None if there are no visual words.
        quality: Values of `benchwright.diagnostics.pictures.quality`, and the quality of a JPEG file.
        file: Facts about the file (`PictureTraits.file`).
        light: Facts about the pixels (`PictureTraits.pixels`).
        personal: Statements in the file about people and places: `gps` (True), `owner`, `serial_number`, `artist`.
        stated: Statements in the file about its content, by standard and field.
        is_grey: Whether the picture has no color; None if it cannot be decoded.
    """

    failed: str | None = None
    pixel_hash: str = ""
    hashes: Mapping[str, int] = {}
    words: str = ""
    miniature: str | None = None
    quality: Mapping[str, float | None] = {}
    file: Mapping[str, float | None] = {}
    light: Mapping[str, float | None] = {}
    personal: Mapping[str, Any] = {}
    stated: Mapping[str, str] = {}
    is_grey: bool | None = None


_RAISED = "raised"
"""Key of a document that describes an exception, which replaces a result."""


class PictureFile(NamedTuple):
    """A picture to measure, with its id, file and media type."""

    image_id: str
    file: str
    media_type: str


@dataclass(frozen=True)
class MeasurePictures:
    """A job that measures a batch of pictures."""

    pictures: tuple[PictureFile, ...]

    @property
    def name(self) -> str:
        """Return the job's name for logs, on one line."""
        return f"measures of {counted(len(self.pictures), 'picture')} from {self.pictures[0].image_id[:12]}"

    @property
    def size(self) -> int:
        """Return the number of pictures."""
        return len(self.pictures)

    def run(self, worker: Any, attempt: Attempt) -> list[tuple[str, dict[str, Any]]]:
        """Return the measures of each picture, as JSON values."""
        del worker
        results = []
        for picture in self.pictures:
            place = (_STAGE, picture.image_id)
            if place in attempt.blamed:
                document: dict[str, Any] = {"failed": f"worker_died: {attempt.blamed[place]}"}
            else:
                attempt.at(place)
                try:
                    document = self.document_of(picture)
                except (BenchwrightError, MemoryError):
                    raise
                except Exception as error:  # noqa: BLE001 - recorded with its place, and one picture loses no other
                    document = {_RAISED: list(RaisedError.of(error))}
            results.append((picture.image_id, document))
        return results

    def document_of(self, picture: PictureFile) -> dict[str, Any]:
        """Return the cached values of a picture as JSON values; `failed` gives the reason if there are none."""
        return measure(Path(picture.file), picture.media_type)._asdict()


@dataclass(frozen=True)
class MeasureEvidence(MeasurePictures):
    """A job that measures the adversary's evidence for a batch of pictures."""

    def document_of(self, picture: PictureFile) -> dict[str, Any]:
        """Return the evidence of a picture as JSON values; `failed` gives the reason if there is none."""
        import cv2

        from benchwright.diagnostics.adversary.item_evidence import picture_evidence
        from benchwright.images.decode import decode_rgb

        cv2.setNumThreads(1)
        try:
            data = Path(picture.file).read_bytes()
            return picture_evidence(data, decode_rgb(data)).to_json()
        except UnreadableImage as error:
            return {"failed": f"{error.reason}: {error.detail}"}
        except OSError as error:
            return {"failed": f"unreadable: {error.strerror or error}"}


def learned_pictures(pictures: Sequence[IndexedPicture], context: AuditContext) -> dict[str, dict[str, Any]]:
    """Return the adversary's evidence of pictures by id, as JSON values; unreadable pictures are left out.

    Args:
        pictures: Pictures, each once.
        context: Context with cache, workers and progress.
    """
    documents = kept_documents(pictures, context, kind=_EVIDENCE, phase="what pictures tell", job=MeasureEvidence)
    return {image_id: document for image_id, document in documents.items() if "failed" not in document}


def measure(file: Path, media_type: str) -> PictureMeasures:
    """Return the measures of one picture."""
    import cv2

    from benchwright.diagnostics.copies.picture_hashes import copy_measures
    from benchwright.diagnostics.pictures.compression import jpeg_quality
    from benchwright.diagnostics.pictures.measures import is_grey
    from benchwright.diagnostics.pictures.quality import quality_of
    from benchwright.diagnostics.shortcuts.picture_facts import facts_of_picture
    from benchwright.images.decode import decode_rgb

    cv2.setNumThreads(1)
    try:
        data = file.read_bytes()
        pixels = decode_rgb(data)
        facts = facts_of_picture(data, with_pixels=True, pixels=pixels)
    except UnreadableImage as error:
        return PictureMeasures(failed=f"{error.reason}: {error.detail}")
    except OSError as error:
        return PictureMeasures(failed=f"unreadable: {error.strerror or error}")
    found = copy_measures(pixels)
    return PictureMeasures(
        pixel_hash=found.pixel_hash,
        hashes={"phash": found.phash, "dhash": found.dhash, "mirrored": found.mirrored},
        words=found.words,
        miniature=found.miniature,
        quality={**quality_of(pixels), "jpeg_quality": jpeg_quality(data) if media_type == "image/jpeg" else None},
        file=dict(facts.file),
        light=dict(facts.pixels),
        personal=personal_metadata(file, media_type),
        stated=stated_contents(file, media_type, limits=Limits()),
        is_grey=is_grey(pixels),
    )


def personal_metadata(file: Path, media_type: str) -> dict[str, Any]:
    """Return a file's EXIF statements about people and places; empty if there are none or the EXIF block is damaged."""
    from PIL import Image

    limits = Limits()
    try:
        with open_regular(file, limits=limits) as (handle, _):
            blocks = [block for block in metadata_blocks(handle, media_type, to_end=False) if block.kind == "exif"]
            if not blocks:
                return {}
            handle.seek(blocks[0].payload)
            data = handle.read(min(blocks[0].payload_stop - blocks[0].payload, _MOST_EXIF_BYTES))
    except UnreadableImage:
        return {}
    exif = Image.Exif()
    try:
        exif.load(data)
        fields = {**dict(exif), **exif.get_ifd(_EXIF)}
        personal: dict[str, Any] = {
            name: str(fields[tag]).strip("\0 ")[:80] for tag, name in _PERSONAL.items() if fields.get(tag)
        }
        if exif.get_ifd(_GPS).get(_LATITUDE):
            personal["gps"] = True
    except Exception:  # noqa: BLE001 - Pillow raises what it likes on damaged metadata, which then state nothing
        return {}
    return {name: value for name, value in personal.items() if value}


def measured_pictures(pictures: Sequence[IndexedPicture], context: AuditContext) -> dict[str, PictureMeasures]:
    """Return the measures of pictures by id; workers measure the pictures that are missing from the cache.

    Args:
        pictures: Pictures, each once.
        context: Context with cache, workers and progress.
    """
    documents = kept_documents(pictures, context, kind=_KIND, phase="pictures", job=MeasurePictures)
    return {image_id: PictureMeasures(**document) for image_id, document in documents.items()}


def kept_documents(
    pictures: Sequence[IndexedPicture],
    context: AuditContext,
    *,
    kind: str,
    phase: str,
    job: Callable[[tuple[PictureFile, ...]], MeasurePictures],
) -> dict[str, dict[str, Any]]:
    """Return the documents of pictures by id, either from the cache or made by workers and then cached.

    If the job raises an exception on a picture, the context records it and there is no document for that picture.

    Args:
        pictures: Pictures, each once.
        context: Context with cache, workers and progress.
        kind: Name of the entries in the cache, including a version to raise when their computation changes.
        phase: Name of the activity, for progress reports.
        job: Job that makes the documents of a batch of pictures.
    """
    documents: dict[str, dict[str, Any]] = {}
    missing: list[PictureFile] = []
    for picture in pictures:
        data = context.cache.get(kind, picture.image_id)
        if data is None:
            missing.append(PictureFile(picture.image_id, str(picture.file), picture.media_type))
        else:
            documents[picture.image_id] = json.loads(zlib.decompress(data))
    jobs = [job(tuple(batch)) for batch in in_batches(missing, _PICTURES_A_JOB)]
    if missing:
        context.progress.phase(phase, len(missing))
    for results in run_jobs(jobs, workers=context.workers, progress=context.progress, preload=_PRELOAD):
        for image_id, document in results:
            if _RAISED in document:
                context.failed.append(FailedItem(RaisedError(*document[_RAISED]), pictures=(image_id,)))
                continue
            documents[image_id] = document
            if not (document.get("failed") or "").startswith("worker_died"):
                context.cache.put(kind, image_id, zlib.compress(canonical_json(document).encode(), 1))
    return documents
