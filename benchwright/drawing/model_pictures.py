"""Pictures as models see them: upright, marks drawn, no pixel changed and none resized, without metadata.

Evaluation sends these files, and exports hold them. JPEG and PNG files that every decoder reads alike stay the bytes
that they are, less what is no pixel; what decoders may read in different ways (turning, transparency, 16 bits, other
formats) and what carries marks becomes a PNG file, or a JPEG where a release is frozen and what people see of the
task's pictures counts (`benchwright.images.made_pictures`).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchwright.drawing import draw_prompts
from benchwright.drawing.painting import Pixels
from benchwright.errors import UnreadableImage
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.images.formats import MEDIA_TYPES, Container, walk
from benchwright.images.formats.walking import Limits
from benchwright.images.made_pictures import encode_jpeg
from benchwright.records import VisualPrompt
from benchwright.steps import PictureFidelity

DRAWING_VERSION = 1
"""Version of what models see of a picture and its marks; raise it when the same file and marks give other pixels."""

EXTENSIONS = {"image/jpeg": "jpg", "image/png": "png"}
"""Extensions of file names by media type; models see no other types."""

_KEPT_AS_STORED = frozenset({"JPEG", "PNG"})
"""What everything reads."""

_SAME_EVERYWHERE = frozenset({"palette"})
"""Notes of a container that leave no choice to whoever decodes it; turning, alpha and 16 bits do."""


class ModelPicture(NamedTuple):
    """A picture as a model sees it.

    Attributes:
        data: Bytes of the file.
        media_type: `image/png` or `image/jpeg`.
        width: Width in pixels.
        height: Height in pixels.
        how: `stored` (the file's own bytes, without what is no pixel), `encoded` (because decoders differ about the
            file) or `drawn` (with marks).
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
    """Return a file's own bytes without what is no pixel; None where decoders may read the file in different ways.

    Raises:
        UnreadableImage: The file is none of the formats that are read, or is damaged.
    """
    container = walk(io.BytesIO(data), size=len(data), limits=Limits())
    if not _reads_alike_everywhere(container):
        return None
    width, height = container.upright_wh
    return ModelPicture(_pixels_only(data, container), MEDIA_TYPES[container.format], width, height, "stored")


def is_seen_as_stored(data: bytes, prompts: Sequence[VisualPrompt]) -> bool:
    """Return whether models see a file's own pixels: no marks, and nothing that decoders differ about.

    A file that cannot be read is seen by nobody; it counts as stored where it has no marks.
    """
    if prompts:
        return False
    try:
        return _reads_alike_everywhere(walk(io.BytesIO(data), size=len(data), limits=Limits()))
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


def drawn_picture(data: bytes, prompts: Sequence[VisualPrompt], *, fidelity: PictureFidelity = "exact") -> ModelPicture:
    """Return a picture with its marks, if any, as a PNG file, or as a JPEG where what people see counts.

    Raises:
        UnreadableImage: The file cannot be decoded.
        PromptError: A mark cannot be drawn.
    """
    drawn = drawn_pixels(data, prompts)
    how: Literal["drawn", "encoded"] = "drawn" if prompts else "encoded"
    if fidelity == "visual":
        return ModelPicture(encode_jpeg(drawn), "image/jpeg", drawn.shape[1], drawn.shape[0], how)
    return ModelPicture(encode_png(drawn), "image/png", drawn.shape[1], drawn.shape[0], how)


def released_picture(drawn: bytes, prompts: Sequence[VisualPrompt]) -> ModelPicture:
    """Return a picture that a release holds as models see it.

    Args:
        drawn: Bytes of the file, drawn when the release was frozen.
        prompts: Marks that were drawn.

    Raises:
        UnreadableImage: The file is none of the formats that are read, or is damaged.
    """
    stored = stored_picture(drawn)
    if stored is None:
        raise UnreadableImage("unsupported_mode", "a drawn picture that decoders may read in different ways")
    return stored._replace(how="drawn" if prompts else "encoded")


def _reads_alike_everywhere(container: Container) -> bool:
    return container.format in _KEPT_AS_STORED and container.bits == 8 and set(container.notes) <= _SAME_EVERYWHERE


def _pixels_only(data: bytes, container: Container) -> bytes:
    """Return a file without texts, profiles and the like, which could tell a model more than the pixels do."""
    if not container.keep or container.keep == ((0, len(data)),):
        return data
    return b"".join(data[start:stop] for start, stop in container.keep)
