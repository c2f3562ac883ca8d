"""Identification of image files without decoding; every file of an image folder passes through it first.

`identify` opens only regular files inside the folder, reads each once, and takes header facts from
`benchwright.images.formats`. Every refusal has one of the reasons that `UnreadableImage` lists.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
import zlib
from pathlib import Path
from typing import BinaryIO, NamedTuple

from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats import HEAD_BYTES, MEDIA_TYPES, Container, media_type_of, sniff, walk
from benchwright.images.formats.others import other_format, unsupported
from benchwright.images.formats.walking import Limits
from benchwright.images.regular_files import inside, open_regular, shown

_MIB = 1 << 20
_MOST_AVIF_BYTES = 64 * _MIB
"""Largest AVIF or HEIC file in bytes; the decoder loads the whole file into memory to read its header."""

_ACCEPTED = {
    "AVIF": (".avif", ".avifs"),
    "BMP": (".bmp", ".dib"),
    "GIF": (".gif",),
    "HEIC": (".heic", ".heif", ".hif"),
    "JPEG": (".jfif", ".jpe", ".jpeg", ".jpg", ".mpo"),
    "JPEG2000": (".j2c", ".j2k", ".jp2", ".jpc", ".jpf", ".jpx"),
    "PNG": (".apng", ".png"),
    "TIFF": (".tif", ".tiff"),
    "WEBP": (".webp",),
}
_OTHERS = (
    ".cr2", ".dng", ".eps", ".exr", ".ico", ".jxl", ".nef", ".pbm", ".pgm", ".ppm",
    ".psd", ".svg", ".svgz", ".tga",
)  # fmt: skip
"""Extensions of image formats that are not accepted; an accepted format under one of them is `mislabelled`."""
_NAMED_AS = {end: form for form, ends in _ACCEPTED.items() for end in ends} | {end: end for end in _OTHERS}


class Identified(NamedTuple):
    """Identity of an image file; width and height are upright, notes (such as `exif_orientation:6`) are sorted."""

    image_id: str
    size_bytes: int
    width: int
    height: int
    media_type: str
    notes: tuple[str, ...]


def identify(path: Path, *, root: Path, limits: Limits | None = None) -> Identified:
    """Return the identity of an image file, without decoding it.

    Args:
        path: Path of the file, below `root`.
        root: The image folder; links must not lead out of it.
        limits: Limits of the file; the defaults of `Limits` where None.

    Raises:
        UnreadableImage: The file is refused, for a reason that `UnreadableImage` lists. The detail names the file by
            its path below `root`, on one line.
    """
    limits = limits or Limits()
    name = shown(path, root)
    try:
        real = inside(path, root)
        with open_regular(real, limits=limits) as (handle, size):
            container = _container(handle, size=size, suffix=path.suffix.lower(), limits=limits)
            image_id = _digest(handle, size)
    except UnreadableImage as error:
        raise UnreadableImage(error.reason, f"{name}: {error.detail}") from None
    width, height = container.upright_wh
    return Identified(image_id, size, width, height, media_type_of(container.format), container.notes)


def _container(handle: BinaryIO, *, size: int, suffix: str, limits: Limits) -> Container:
    head = handle.read(HEAD_BYTES)
    form, named = sniff(head), _NAMED_AS.get(suffix)
    if form is None:
        if is_svg(head):
            raise UnreadableImage("vector", "an SVG; export it as PNG first")
        if (other := other_format(head, suffix)) is not None:
            raise unsupported(other)
        raise UnreadableImage("not_an_image", f"the contents are none of {', '.join(MEDIA_TYPES)}")
    if named not in {None, form}:
        raise UnreadableImage("mislabelled", f"named as {named}, the contents are {form}")
    if form not in {"AVIF", "HEIC"}:
        return walk(handle, size=size, limits=limits)
    if size > _MOST_AVIF_BYTES:
        raise UnreadableImage("too_large", f"{size:,} bytes of {form}, limit {_MOST_AVIF_BYTES:,}")
    from benchwright.images.decode import decoded_header

    walk(handle, size=size, limits=limits)
    handle.seek(0)
    return decoded_header(handle.read(size), limits=limits)


def _digest(handle: BinaryIO, size: int) -> str:
    """Return the SHA-256 of `size` bytes, or of fewer if the file has shrunk in the meantime."""
    handle.seek(0)
    digest = hashlib.sha256()
    while size > 0 and (piece := handle.read(min(size, _MIB))):
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest()


def is_svg(head: bytes) -> bool:
    """Return whether a file's first bytes are those of an SVG file, compressed or not, in UTF-8 or UTF-16."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD_BYTES)
        except zlib.error:
            return False
    codec = "utf-16" if head[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    text = head.decode(codec, "ignore").lstrip()
    # Declarations and comments may come before the root element.
    while text.startswith(("<?", "<!--")):
        text = text.partition("?>" if text[1] == "?" else "-->")[2].lstrip()
    return re.match(r"<(!doctype\s+)?([\w.-]+:)?svg\b", text, re.IGNORECASE) is not None


def uri_for(relative: bytes | str | os.PathLike[str]) -> str:
    """Return a file's URI from its path below the image folder, with `/` between parts; `path_for` reverses it.

    Percent-encodes only `%`, control characters (including line and paragraph separators) and bytes that are not UTF-8,
    so ordinary names in any script stay readable.

    Example:
        >>> uri_for("séjour/100%\\n.png")
        'séjour/100%25%0A.png'
    """
    raw = relative if isinstance(relative, bytes) else os.fsencode(relative)
    return "".join(map(_spelled, raw.decode("utf-8", "surrogateescape")))


def _spelled(character: str) -> str:
    if character != "%" and unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}:
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def path_for(uri: str) -> Path:
    """Return the path below the image folder for a URI that `uri_for` returned.

    Raises:
        DataError: The text is not such a URI, or refers to a path outside the folder.
    """
    if "%" in uri and re.search("%(?![0-9A-Fa-f]{2})", uri):
        raise DataError(f"the image URI {uri!r} has a % that is not followed by two hexadecimal digits")
    try:
        spelled = uri.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise DataError(f"the image URI {uri!r} contains half a character (a lone surrogate)") from None
    raw = re.sub(rb"%(..)", lambda match: bytes.fromhex(match[1].decode()), spelled) if "%" in uri else spelled
    if raw.startswith(b"/") or b"\0" in raw or not raw or b".." in raw.split(b"/"):
        raise DataError(f"the image URI {uri!r} is not a path below the image folder")
    return Path(os.fsdecode(raw))
