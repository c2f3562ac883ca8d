"""Image containers, read block by block without decoding: size, frames, orientation, completeness.

`benchwright.images.identify` (from a file) and `benchwright.images.decode` (from memory) use the same walk, so decoding
is consistent with the recorded facts. A container states where it ends; a file that ends earlier is `truncated`. The
work is bounded: no pixels or text are read, and at most `walking.MOST_BLOCKS` blocks.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from benchwright.errors import UnreadableImage
from benchwright.images.formats.avif import walk_avif, walk_heic
from benchwright.images.formats.bmp import DIB_HEADERS, walk_bmp
from benchwright.images.formats.gif import walk_gif
from benchwright.images.formats.jpeg import walk_jpeg
from benchwright.images.formats.jpeg2000 import BOXES, CODESTREAM, walk_jpeg2000
from benchwright.images.formats.others import check_installed
from benchwright.images.formats.png import walk_png
from benchwright.images.formats.tiff import walk_tiff
from benchwright.images.formats.walking import Container, Walk
from benchwright.images.formats.webp import walk_webp

if TYPE_CHECKING:
    from benchwright.images.formats.walking import Limits

__all__ = ["FURTHER_MEDIA_TYPES", "HEAD_BYTES", "MEDIA_TYPES", "Container", "media_type_of", "sniff", "walk"]

HEAD_BYTES = 4096
MEDIA_TYPES = {
    "AVIF": "image/avif",
    "BMP": "image/bmp",
    "GIF": "image/gif",
    "JPEG": "image/jpeg",
    "JPEG2000": "image/jp2",
    "PNG": "image/png",
    "TIFF": "image/tiff",
    "WEBP": "image/webp",
}
"""Formats that every installation can read."""
FURTHER_MEDIA_TYPES = {"HEIC": "image/heic"}
"""Formats that an installation with the extra `heic` can read as well."""
_WALKS: dict[str, Callable[[Walk], Container]] = {
    "AVIF": walk_avif,
    "BMP": walk_bmp,
    "GIF": walk_gif,
    "HEIC": walk_heic,
    "JPEG": walk_jpeg,
    "JPEG2000": walk_jpeg2000,
    "PNG": walk_png,
    "TIFF": walk_tiff,
    "WEBP": walk_webp,
}
_HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs"})


def sniff(head: bytes) -> str | None:
    """Return the format that a file's first bytes indicate (in `MEDIA_TYPES` or `FURTHER_MEDIA_TYPES`); None if
    unknown.
    """
    for form, lead in (
        ("JPEG", (b"\xff\xd8\xff",)),
        ("PNG", (b"\x89PNG\r\n\x1a\n",)),
        ("GIF", (b"GIF87a", b"GIF89a")),
        ("TIFF", (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")),
        ("JPEG2000", (CODESTREAM, BOXES)),
    ):
        if head.startswith(lead):
            return form
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    if head[:2] == b"BM" and len(head) >= 18 and struct.unpack_from("<I", head, 14)[0] in DIB_HEADERS:
        return "BMP"
    if head[4:8] == b"ftyp":
        # HEIC shares the container and the brand mif1: only the list of brands distinguishes them.
        brands = head[8 : struct.unpack_from(">I", head)[0]]
        stated = {brands[at : at + 4] for at in range(0, len(brands), 4)}
        if stated & {b"avif", b"avis"}:
            return "AVIF"
        if stated & _HEIC_BRANDS:
            return "HEIC"
    return None


def media_type_of(form: str) -> str:
    """Return the media type of a format returned by `sniff`."""
    return MEDIA_TYPES.get(form) or FURTHER_MEDIA_TYPES[form]


def walk(handle: BinaryIO, *, size: int, limits: Limits) -> Container:
    """Check that a container is complete and return the facts that it states.

    For AVIF and HEIC the size is an upper bound; the decoder reads orientation and frames later (`decoded_header`).

    Args:
        handle: The file, seekable.
        size: Length of the file in bytes.
        limits: Limits of pixels and frames.

    Raises:
        UnreadableImage: `not_an_image`, `too_many_pixels`, `too_many_frames`, `truncated`, `corrupt` or
            `unsupported_mode`, `unsupported_format`.
    """
    handle.seek(0)
    form = sniff(handle.read(HEAD_BYTES))
    if form is None:
        raise UnreadableImage("not_an_image", f"the contents are none of {', '.join(MEDIA_TYPES)}")
    check_installed(form)
    return _WALKS[form](Walk(handle, size=size, limits=limits))
