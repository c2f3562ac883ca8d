"""Text in pictures, read by OCR in workers of the local engine and cached by the picture's content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import PrerequisiteError, UnreadableImage

from .check import CheckSkipped
from .picture_measures import MeasurePictures, PictureFile, kept_documents

if TYPE_CHECKING:
    from benchwright.diagnostics.picture_text.regions import TextFinder
    from benchwright.question_files.indexed_rows import IndexedPicture

    from .check import AuditContext

_KIND = "audit text of picture 1"
_MEMORY_MB = 1024


@dataclass(frozen=True)
class ReadTexts(MeasurePictures):
    """A job that reads the text in a batch of pictures."""

    def document_of(self, picture: PictureFile) -> dict[str, Any]:
        """Return the lines of text in a picture, from top to bottom, as `lines`."""
        from benchwright.images.decode import decode_rgb

        try:
            pixels = decode_rgb(Path(picture.file).read_bytes())
        except UnreadableImage as error:
            return {"failed": f"{error.reason}: {error.detail}"}
        except OSError as error:
            return {"failed": f"unreadable: {error.strerror or error}"}
        return {"lines": [region.text for region in _finder().find(pixels) if region.is_text]}


@cache
def _finder() -> TextFinder:
    """Return the default engine of the step `text_ratio`, set to read every text box."""
    from benchwright.diagnostics.picture_text.base import CONFIDENCE, RegionRules
    from benchwright.diagnostics.picture_text.rapid import RapidText
    from benchwright.diagnostics.picture_text.regions import TextFinder

    return TextFinder(RegionRules(sure=float("inf")), RapidText(confidence=CONFIDENCE))


def read_texts(pictures: Sequence[IndexedPicture], context: AuditContext) -> Mapping[str, tuple[str, ...]]:
    """Return the lines of text in pictures by id, each picture read once and from top to bottom; failures are left out.

    Raises:
        CheckSkipped: The OCR engine is not installed.
    """
    from benchwright.diagnostics.picture_text.rapid import models_hash
    from benchwright.engines import default_workers

    try:
        models = models_hash()
    except PrerequisiteError as error:
        raise CheckSkipped(str(error)) from None
    documents = kept_documents(
        pictures,
        replace(context, workers=min(context.workers, default_workers(_MEMORY_MB))),
        kind=f"{_KIND} {models}",
        phase="reading text",
        job=ReadTexts,
    )
    return {image_id: tuple(document["lines"]) for image_id, document in documents.items() if "lines" in document}
