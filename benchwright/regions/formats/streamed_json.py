"""The lists in a large JSON file, element by element, with memory use that does not grow with the file.

Python's decoder reads each element, so this takes as long as `json.load`; only the current element is in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from benchwright.errors import DataError
from benchwright.files.bounded_json import has_more_values, plain_value
from benchwright.files.bounds import MIB, ROW_BYTES, ROW_VALUES
from benchwright.machine.storage_faults import naming

_CHUNK_BYTES = 1 << 20
_SPACE = " \t\n\r"
_CUT = "the file ends before the JSON does; fetch or write it again"
_LONGEST_WORD = 16
"""Length of a word or escape that may be cut by the end of a chunk: `-Infinity`, `\u00e9`."""


class JsonLists:
    """The elements of a JSON object's values in a file.

    Args:
        path: Path of the file, UTF-8 with or without a byte order mark.

    Attributes:
        keys: Keys read so far, including those of empty lists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.keys: set[str] = set()

    def elements(self) -> Iterator[tuple[str, int, int, Any]]:
        """Yield (key, offset, length, element) of every element of every list, in the order of the file.

        Offset and length are in bytes, for `element_at`. A value other than a list is treated as one element.

        Raises:
            DataError: The file is not a JSON object, is truncated, or has an element of more than `bounds.ROW_BYTES`.
        """
        with naming(self.path), self.path.open("rb") as handle:
            yield from _Cursor(self.path, handle).members(self.keys)

    def entries(self) -> Iterator[Any]:
        """Yield the elements of a file that is one JSON list, without NaN (`bounded_json.plain_value`).

        Raises:
            DataError: The file is not a JSON list, is truncated, or has an element of more than `bounds.ROW_BYTES`.
        """
        with naming(self.path), self.path.open("rb") as handle:
            cursor = _Cursor(self.path, handle)
            cursor.expect("[", "a JSON list")
            for _, _, element in cursor.items():
                yield plain_value(element)
            cursor.expect_end("list")

    def starts(self) -> Iterator[tuple[str, int]]:
        """Yield (key, offset) of every element of an object's values, as `elements`, or of a list, with an empty key.

        Raises:
            DataError: The file is neither, is truncated, or has an element of more than `bounds.ROW_BYTES`.
        """
        with naming(self.path), self.path.open("rb") as handle:
            cursor = _Cursor(self.path, handle)
            if cursor.peek() == "{":
                yield from ((key, offset) for key, offset, _, _ in cursor.members(self.keys))
                return
            cursor.expect("[", "a JSON list")
            yield from (("", offset) for offset, _, _ in cursor.items())
            cursor.expect_end("list")

    def element_at(self, handle: BinaryIO, offset: int, length: int) -> Any:
        """Reread one element from the open file."""
        handle.seek(offset)
        return json.loads(handle.read(length))


class _Cursor:
    """A position in a JSON text read in chunks."""

    def __init__(self, path: Path, handle: BinaryIO) -> None:
        self.path, self.handle = path, handle
        self.decoder = json.JSONDecoder()
        self.text, self.place, self.at_end = "", 0, False
        self.offset = 0  # of the text's start in the file, in bytes
        self.rest = b""
        if self.handle.read(3) == b"\xef\xbb\xbf":
            self.offset = 3
        else:
            self.handle.seek(0)

    def members(self, keys: set[str]) -> Iterator[tuple[str, int, int, Any]]:
        self.expect("{", "a JSON object")
        if self.peek() == "}":
            return
        while True:
            key, _, _ = self.value()
            if not isinstance(key, str):
                raise self.wrong("a key must be a text")
            keys.add(key)
            self.expect(":", "a colon after a key")
            if self.peek() == "[":
                self.expect("[", "a list")
                yield from ((key, *element) for element in self.items())
            else:
                value, offset, length = self.value()
                yield key, offset, length, value
            if not self.goes_on("}"):
                break
        self.expect_end("object")

    def expect_end(self, what: str) -> None:
        if self.peek():
            raise self.wrong(f"something follows the JSON {what}")

    def items(self) -> Iterator[tuple[int, int, Any]]:
        if self.peek() == "]":
            self.expect("]", "the end of a list")
            return
        while True:
            value, offset, length = self.value()
            yield offset, length, value
            if not self.goes_on("]"):
                return

    def goes_on(self, end: str) -> bool:
        """Take a comma (True) or the end of a list or object (False)."""
        mark = self.peek()
        if mark not in (",", end):
            raise self.wrong(f"a comma or {end!r} must follow" if mark else _CUT)
        self.take(1)
        return mark == ","

    def expect(self, mark: str, what: str) -> None:
        if self.peek() != mark:
            raise self.wrong(f"expected {what}" if self.peek() else _CUT)
        self.take(1)

    def peek(self) -> str:
        """Return the next character other than white space; empty at the end."""
        while True:
            start = self.place
            while self.place < len(self.text) and self.text[self.place] in _SPACE:
                self.place += 1
            self.offset += self.place - start
            if self.place < len(self.text):
                return self.text[self.place]
            if not self.more():
                return ""

    def take(self, characters: int) -> None:
        taken = self.text[self.place : self.place + characters]
        self.place += characters
        self.offset += len(taken) if taken.isascii() else len(taken.encode("utf-8", "surrogatepass"))

    def value(self) -> tuple[Any, int, int]:
        """Return a value, its offset and its length in bytes."""
        self.peek()
        start = self.offset
        while True:
            try:
                value, stop = self.decoder.raw_decode(self.text, self.place)
            except json.JSONDecodeError as error:
                # An element cut at the chunk's end may continue in the next chunk; an earlier mistake stays one.
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self.text) - _LONGEST_WORD
                if self.at_end or not is_cut or len(self.text) - self.place > ROW_BYTES.most():
                    raise self._refused(error, is_cut=is_cut) from None
                if has_more_values(self.text[self.place :], ROW_VALUES):
                    most = f"an entry has more than {ROW_VALUES.most():,} values"
                    raise self.wrong(f"{most}; split it, {ROW_VALUES.or_raise()}") from None
                self.more()
                continue
            except (RecursionError, ValueError) as error:
                raise self.wrong(f"cannot be read: {error}") from None
            # A number may continue in the next chunk.
            if stop == len(self.text) and self.more():
                continue
            if stop - self.place > ROW_BYTES.most():
                raise self._too_long()
            self.take(stop - self.place)
            return value, start, self.offset - start

    def more(self) -> bool:
        """Read one more chunk, drop the text that has been consumed, and return whether there was another chunk."""
        if self.at_end:
            return False
        # Chunks grow with a long element, so that decoding does not restart from its beginning too often.
        held = len(self.text) - self.place
        data = self.rest + self.handle.read(max(_CHUNK_BYTES, min(held, ROW_BYTES.most() - held)))
        self.at_end = len(data) == len(self.rest)
        try:
            text = data.decode("utf-8")
            self.rest = b""
        except UnicodeDecodeError as error:
            if self.at_end or error.end < len(data) or len(data) - error.start > 3:
                self.take(held)
                self.offset += error.start
                raise self.wrong(f"the text is not UTF-8 (0x{data[error.start]:02x}); save it in UTF-8") from None
            text, self.rest = data[: error.start].decode("utf-8"), data[error.start :]
        self.text, self.place = self.text[self.place :] + text, 0
        return not self.at_end or bool(text)

    def _refused(self, error: json.JSONDecodeError, *, is_cut: bool) -> DataError:
        if is_cut and not self.at_end:
            return self._too_long()
        if error.msg.startswith("Unterminated") or error.pos >= len(self.text.rstrip(_SPACE)):
            return self.wrong(_CUT)
        self.take(max(0, error.pos - self.place))
        return self.wrong(f"this is not JSON: {error.msg}")

    def _too_long(self) -> DataError:
        most = f"an entry is longer than {ROW_BYTES.most() / MIB:g} MiB"
        return self.wrong(f"{most}; split it, {ROW_BYTES.or_raise()}")

    def wrong(self, what: str) -> DataError:
        return DataError(f"{self.path}, byte {self.offset:,}: {what}")
