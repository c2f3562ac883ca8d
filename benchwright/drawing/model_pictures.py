"""Pictures as models see them: upright, marks drawn, otherwise unchanged pixels, original size, no metadata.

Evaluation sends these files, and exports contain them. JPEG, PNG and WebP files that every decoder reads in the same
way keep their bytes, minus all data other than pixels. A picture is encoded again if decoders may disagree about it
(rotation, transparency, 16 bits, animation, other formats) or if it carries marks. The new file is a PNG. In a frozen
release it is a JPEG if only the visible content of the task's pictures matters, and a lossless WebP if every pixel
matters (`benchwright.images.made_pictures`). A file from a lossless format that is shown without marks stays lossless.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from benchwright.drawing import draw_prompts
from benchwright.drawing.painting import Pixels
from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb, jpeg_coding
from benchwright.images.formats import HEAD_BYTES, MEDIA_TYPES, Container, sniff, walk
from benchwright.images.formats.walking import Limits
from benchwright.images.formats.webp import pixels_only
from benchwright.images.made_files import encode_made
from benchwright.images.made_pictures import MadeForm, encode_jpeg
from benchwright.records import VisualPrompt

if TYPE_CHECKING:
    from benchwright.steps import PictureFidelity

DRAWING_VERSION = 2
"""Version of the pictures that models see; it must be raised when the same file and marks give other pixels.

Version 1 converted WebP files to PNG or JPEG, and encoded rotated JPEG files at quality 95.
"""

EXTENSIONS = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp"}
"""File name extensions by media type; models see no other types."""

_KEPT_AS_STORED = {1: frozenset({"JPEG", "PNG"}), 2: frozenset({"JPEG", "PNG", "WEBP"})}
"""Formats that everything can read, by drawing version: browsers, `datasets` and vendors' interfaces read WebP."""

KNOWN_VERSIONS = frozenset(_KEPT_AS_STORED)
"""Drawing versions whose pictures can be reproduced."""

_LOSSLESS = frozenset({"BMP", "GIF", "PNG", "TIFF"})
"""Formats that are always, or almost always, lossless; a release keeps such files lossless."""

_SAME_EVERYWHERE = frozenset({"palette"})
"""Notes on a container that every decoder treats alike, unlike rotation, alpha and 16 bits."""


class ModelPicture(NamedTuple):
    """A picture as a model sees it.

    Attributes:
        data: Bytes of the file.
        media_type: `image/png`, `image/jpeg` or `image/webp`.
        width: Width in pixels.
        height: Height in pixels.
        how: `stored` (the file's own bytes, reduced to pixel data), `encoded` (because decoders differ about the file)
            or `drawn` (with marks).
    """

    data: bytes
    media_type: str
    width: int
    height: int
    how: Literal["stored", "encoded", "drawn"]


def model_picture(data: bytes, prompts: Sequence[VisualPrompt] = ()) -> ModelPicture:
    """Return a picture as models see it.

    Args:
        data: Bytes of the file, without marks.
        prompts: Marks to draw, in the coordinates of the upright picture.

    Raises:
        UnreadableImage: The file cannot be decoded.
        PromptError: A mark cannot be drawn.
    """
    stored = None if prompts else stored_picture(data)
    return drawn_picture(data, prompts) if stored is None else stored


def stored_picture(data: bytes) -> ModelPicture | None:
    """Return a file's own bytes, reduced to pixel data; None if decoders may disagree about the file.

    Raises:
        UnreadableImage: The file has an unsupported format or is damaged.
    """
    container = walk(io.BytesIO(data), size=len(data), limits=Limits())
    if not _reads_alike_everywhere(container):
        return None
    width, height = container.upright_wh
    return ModelPicture(_pixels_only(data, container), MEDIA_TYPES[container.format], width, height, "stored")


def is_seen_as_stored(data: bytes, prompts: Sequence[VisualPrompt], *, version: int = DRAWING_VERSION) -> bool:
    """Return whether models see a file's own pixels: no marks, and no feature that decoders treat differently.

    An unreadable file without marks counts as stored.
    """
    if prompts:
        return False
    try:
        return _reads_alike_everywhere(walk(io.BytesIO(data), size=len(data), limits=Limits()), version=version)
    except UnreadableImage:
        return True


def drawn_pixels(data: bytes, prompts: Sequence[VisualPrompt]) -> Pixels:
    """Return the upright pixels of a file, (height, width, 3) RGB, with its marks, if any.

    Raises:
        UnreadableImage: The file cannot be decoded.
        PromptError: A mark cannot be drawn.
    """
    pixels = decode_rgb(data)
    return draw_prompts(pixels, prompts) if prompts else pixels


def drawn_picture(
    data: bytes,
    prompts: Sequence[VisualPrompt],
    *,
    fidelity: PictureFidelity = "exact",
    lossless: MadeForm = "png",
    version: int = DRAWING_VERSION,
) -> ModelPicture:
    """Return a picture with its marks, if any: lossless, or as a JPEG if only the visible content matters.

    Args:
        data: Bytes of the file, without marks.
        prompts: Marks to draw.
        fidelity: Whether every pixel of the picture matters, or only its visible content.
        lossless: Format for lossless pictures; models get PNG for pictures that no release has drawn.
        version: Version of the drawing.

    Raises:
        UnreadableImage: The file cannot be decoded.
        PromptError: A mark cannot be drawn.
    """
    return as_released(
        drawn_pixels(data, prompts), data, prompts, fidelity=fidelity, lossless=lossless, version=version
    )


def as_released(
    drawn: Pixels,
    data: bytes,
    prompts: Sequence[VisualPrompt],
    *,
    fidelity: PictureFidelity,
    lossless: MadeForm = "png",
    version: int = DRAWING_VERSION,
) -> ModelPicture:
    """Return the result of `drawn_picture`, from pixels that `drawn_pixels` made from the same file and marks."""
    how: Literal["drawn", "encoded"] = "drawn" if prompts else "encoded"
    size_wh = (drawn.shape[1], drawn.shape[0])
    form = sniff(data[:HEAD_BYTES]) if version > 1 and not prompts else None
    if fidelity == "exact" or form in _LOSSLESS:
        return ModelPicture(*encode_made(drawn, lossless), *size_wh, how)
    coding = jpeg_coding(data) if form == "JPEG" else None
    return ModelPicture(encode_jpeg(drawn, coding and coding.no_finer()), "image/jpeg", *size_wh, how)


def released_picture(drawn: bytes, prompts: Sequence[VisualPrompt]) -> ModelPicture:
    """Return a picture of a release as models see it.

    Args:
        drawn: Bytes of the file, drawn when the release was frozen.
        prompts: Marks already drawn.

    Raises:
        UnreadableImage: The file has an unsupported format or is damaged.
    """
    stored = stored_picture(drawn)
    if stored is None:
        raise UnreadableImage("unsupported_mode", "a drawn picture that decoders may read in different ways")
    return stored._replace(how="drawn" if prompts else "encoded")


def _reads_alike_everywhere(container: Container, *, version: int = DRAWING_VERSION) -> bool:
    kept = _KEPT_AS_STORED[version]
    return container.format in kept and container.bits == 8 and set(container.notes) <= _SAME_EVERYWHERE


def _pixels_only(data: bytes, container: Container) -> bytes:
    """Return a file without texts, profiles and other data that could reveal more to a model than the pixels do."""
    if container.format == "WEBP":
        return pixels_only(data)
    if not container.keep or container.keep == ((0, len(data)),):
        return data
    return b"".join(data[start:stop] for start, stop in container.keep)
