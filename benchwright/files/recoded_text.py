"""Conversion of texts to UTF-8 during a single read from start to end."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO, cast

from benchwright.errors import DataError
from benchwright.files.numbered_lines import JoinedLines

_MARKS = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32",  # begins with the mark of UTF-16
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order marks with the encodings that they indicate."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE_BYTES = 1 << 16


def in_utf_8(handle: BinaryIO, encoding: str | None = None) -> BinaryIO:
    """Return a text in UTF-8; invalid bytes become replacement characters.

    Args:
        handle: The text.
        encoding: Encoding of the text; by default None: UTF-8, or UTF-16 after a byte order mark.
    """
    head = handle.read(2)
    rest = cast(BinaryIO, io.BufferedReader(JoinedLines(head, handle), _PIECE_BYTES))
    if encoding is None and head not in UTF_16_MARKS:
        return rest
    return cast(BinaryIO, io.BufferedReader(_Recoded(rest, encoding or "utf-16"), _PIECE_BYTES))


def is_utf_8(data: bytes) -> bool:
    """Return whether bytes are UTF-8 text."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def known_encoding(name: object) -> str | None:
    """Return the canonical name of a text encoding; None for an unknown one.

    Example:
        >>> known_encoding("Latin1"), known_encoding("base64"), known_encoding("Klingon")
        ('iso8859-1', None, None)
    """
    try:
        "a".encode(str(name))  # refuses codecs that are not text encodings, such as base64
        found = codecs.lookup(str(name))
    except (LookupError, UnicodeError, ValueError):
        return None
    return found.name if found.incrementaldecoder is not None else None


def check_encoding(handle: BinaryIO, encoding: str, title: str) -> None:
    """Check that a text is in its stated encoding.

    Args:
        handle: The text, which is read to its end.
        encoding: The encoding.
        title: Name of the text for messages.

    Raises:
        DataError: The text is in another encoding; the message names the line and the byte.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    what = "state another encoding, or none to detect it"
    line, piece = 1, handle.read(_PIECE_BYTES)
    stated = next((name for mark, name in _MARKS.items() if piece.startswith(mark)), None)
    if stated is not None and not encoding.upper().replace("_", "-").startswith(stated):
        raise DataError(
            f"{title} begins with the byte order mark of {stated}, but its stated encoding is {encoding}; {what}"
        )
    while True:
        try:
            line += decoder.decode(piece, final=not piece).count("\n")
        except UnicodeError as error:
            bad = "it breaks off within a character"
            if isinstance(error, UnicodeDecodeError):
                line += error.object[: error.start].decode(encoding, "replace").count("\n")
                bad = f"byte 0x{error.object[error.start]:02x}: {error.reason}"
            raise DataError(f"{title}, line {line}: the text is not {encoding}, as stated ({bad}); {what}") from None
        if not piece:
            return
        piece = handle.read(_PIECE_BYTES)


class _Recoded(io.RawIOBase):
    """A UTF-8 view of a text in another encoding; invalid bytes become replacement characters."""

    def __init__(self, handle: BinaryIO, encoding: str) -> None:
        self._handle, self._left = handle, b""
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._left and (piece := self._handle.read(len(buffer))):
            self._left = self._decoder.decode(piece).encode("utf-8", "replace")
        piece, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
