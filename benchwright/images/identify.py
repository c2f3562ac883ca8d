"""Identification of image files without decoding; every file of an image folder passes through it first.

`identify` opens only regular files inside the folder, reads each once, and takes header facts from
`benchwright.images.formats`. Every refusal has one of the reasons that `UnreadableImage` lists.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import unicodedata
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from benchwright.errors import DataError, UnreadableImage
from benchwright.images.formats import HEAD_BYTES, MEDIA_TYPES, Container, sniff, walk
from benchwright.images.formats.walking import Limits

_MIB = 1 << 20
MOST_AVIF_BYTES = 64 * _MIB
"""Largest AVIF file in bytes; the header is read by the decoder, which loads the whole file into memory."""

_OPEN_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC
_ACCEPTED = {
    "AVIF": (".avif", ".avifs"),
    "BMP": (".bmp", ".dib"),
    "GIF": (".gif",),
    "JPEG": (".jfif", ".jpe", ".jpeg", ".jpg", ".mpo"),
    "PNG": (".apng", ".png"),
    "TIFF": (".tif", ".tiff"),
    "WEBP": (".webp",),
}
_OTHERS = (
    ".cr2", ".dng", ".eps", ".exr", ".heic", ".heif", ".ico", ".jp2", ".jxl", ".nef", ".pbm", ".pgm", ".ppm",
    ".psd", ".svg", ".svgz", ".tga",
)  # fmt: skip
"""Extensions of image formats that are not accepted; a file of an accepted format with one of them is mislabelled."""
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
        root: The image folder; links may not lead out of it.
        limits: Limits of the file; the defaults of `Limits` where None.

    Raises:
        UnreadableImage: The file is refused; this module's docstring lists the reasons. The detail names the file by
            its path below `root`, on one line.
    """
    limits = limits or Limits()
    name = _shown(path, root)
    try:
        real = _inside(path, root)
        with open_regular(real, limits=limits) as (handle, size):
            container = _container(handle, size=size, suffix=path.suffix.lower(), limits=limits)
            image_id = _digest(handle, size)
    except UnreadableImage as error:
        raise UnreadableImage(error.reason, f"{name}: {error.detail}") from None
    width, height = container.upright_wh
    return Identified(image_id, size, width, height, MEDIA_TYPES[container.format], container.notes)


def _shown(path: Path, root: Path) -> str:
    """Return a name on one line, relative to the folder if it is inside it."""
    return repr(os.fspath(path.relative_to(root) if path.is_relative_to(root) else path.name))


def _inside(path: Path, root: Path) -> Path:
    """Return the real path, with links resolved; refuse one outside the folder."""
    try:
        real = Path(os.path.realpath(path, strict=True))
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENOTDIR}:
            raise UnreadableImage("not_a_file", f"leads nowhere ({os.strerror(error.errno)})") from None
        raise UnreadableImage("unreadable", _strerror(error)) from None
    if not real.is_relative_to(os.path.realpath(root)):
        raise UnreadableImage("outside_folder", "a link that leads out of the image folder")
    return real


def _strerror(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else type(error).__name__


@contextmanager
def open_regular(path: Path, *, limits: Limits) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file and yield it with its size; never blocks, whatever the path refers to.

    Raises:
        UnreadableImage: `not_a_file`, `unreadable`, `empty` or `too_large`.
    """
    try:
        # The kind is checked before opening, because opening a device can already have effects.
        mode = os.stat(path).st_mode
        handle = os.fdopen(_opened(path), "rb", buffering=1 << 16) if stat.S_ISREG(mode) else None
    except OSError as error:
        reason = "not_a_file" if error.errno in {errno.ENOENT, errno.ENXIO} else "unreadable"
        raise UnreadableImage(reason, _strerror(error)) from None
    if handle is None:
        raise UnreadableImage("not_a_file", f"{_kind(mode)}, not a regular file")
    with handle:
        before = os.fstat(handle.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableImage("not_a_file", f"{_kind(before.st_mode)}, not a regular file")
        if before.st_size == 0:
            raise UnreadableImage("empty", "0 bytes")
        if before.st_size > limits.max_bytes:
            raise UnreadableImage("too_large", f"{before.st_size:,} bytes, limit {limits.max_bytes:,}")
        try:
            yield handle, before.st_size
        except OSError as error:
            raise UnreadableImage("unreadable", _strerror(error)) from None
        after = os.fstat(handle.fileno())
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            raise UnreadableImage("unreadable", "changed while it was read")


def _opened(path: Path) -> int:
    """Return the descriptor of a file, or of the target of a link."""
    try:
        return os.open(path, _OPEN_FLAGS)
    except OSError as error:
        if error.errno != errno.ELOOP:  # the error of O_NOFOLLOW for a link; other files need no extra call
            raise
    return os.open(os.path.realpath(path), _OPEN_FLAGS)


def read_file(path: Path, *, limits: Limits) -> bytes:
    """Return the bytes of a regular file within the limit; links are followed.

    Raises:
        UnreadableImage: The file is refused, as by `open_regular`.
    """
    with open_regular(path, limits=limits) as (handle, size):
        return handle.read(size)


def _kind(mode: int) -> str:
    for is_so, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    ):
        if is_so(mode):
            return name
    return "something else"


def _container(handle: BinaryIO, *, size: int, suffix: str, limits: Limits) -> Container:
    head = handle.read(HEAD_BYTES)
    form, named = sniff(head), _NAMED_AS.get(suffix)
    if form is None:
        if is_svg(head):
            raise UnreadableImage("vector", "an SVG; export it as PNG first")
        raise UnreadableImage("not_an_image", f"the contents are none of {', '.join(MEDIA_TYPES)}")
    if named not in {None, form}:
        raise UnreadableImage("mislabelled", f"named as {named}, the contents are {form}")
    if form != "AVIF":
        return walk(handle, size=size, limits=limits)
    if size > MOST_AVIF_BYTES:
        raise UnreadableImage("too_large", f"{size:,} bytes of AVIF, limit {MOST_AVIF_BYTES:,}")
    from benchwright.images.decode import avif_header

    walk(handle, size=size, limits=limits)
    handle.seek(0)
    return avif_header(handle.read(size), limits=limits)


def _digest(handle: BinaryIO, size: int) -> str:
    """Return the SHA-256 of `size` bytes, or of fewer if the file shrank meanwhile."""
    handle.seek(0)
    digest = hashlib.sha256()
    while size > 0 and (piece := handle.read(min(size, _MIB))):
        digest.update(piece)
        size -= len(piece)
    return digest.hexdigest()


def is_svg(head: bytes) -> bool:
    """Return whether a file's first bytes are those of an SVG, compressed or not, in UTF-8 or UTF-16."""
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
    """Return the URI of a file from its path below the image folder, `/` between parts; `path_for` undoes it.

    Only `%`, control characters (line and paragraph separators among them) and bytes that are not UTF-8 are
    percent-encoded, so ordinary names in any script stay readable.

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
    """Return the path below the image folder that a URI of `uri_for` stands for.

    Raises:
        DataError: The text is not such a URI, or leads out of the folder.
    """
    if "%" in uri and re.search("%(?![0-9A-Fa-f]{2})", uri):
        raise DataError(f"the image URI {uri!r} has a % that is not followed by two hexadecimal digits")
    try:
        spelled = uri.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise DataError(f"the image URI {uri!r} holds half a character (a lone surrogate)") from None
    raw = re.sub(rb"%(..)", lambda match: bytes.fromhex(match[1].decode()), spelled) if "%" in uri else spelled
    if raw.startswith(b"/") or b"\0" in raw or not raw or b".." in raw.split(b"/"):
        raise DataError(f"the image URI {uri!r} is not a path below the image folder")
    return Path(os.fsdecode(raw))
