"""Text files of one picture each: a question, a tab and its key on each line (MME)."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import count

from benchwright.files.bounds import ROW_BYTES
from benchwright.files.code_pages import code_page
from benchwright.files.recoded_text import in_utf_8, is_utf_8
from benchwright.questions.own_ids import ENTRY_ID
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.refusals import BAD_ROW, RefusedRow
from benchwright.source_files.rows import Row

END = ".txt"
_LINE = re.compile(r"(?P<question>[^\t]*\S[^\t]*)\t\s*(?P<answer>yes|no|[A-Z])\s*[.]?\s*", re.I)
_MOST_BYTES = 1 << 20
"""Size limit of such a file in bytes; longer texts are other files."""


def text_line_rows(files: DatasetFiles, path: str) -> Iterator[Row | RefusedRow]:
    """Yield the lines of a text file; yield nothing if its first line is not a question with a key."""
    with files.opened(path) as handle:
        data = in_utf_8(handle).read(min(_MOST_BYTES, ROW_BYTES.usual) + 1)
    if len(data) > _MOST_BYTES:
        return
    written = data.removeprefix(BOM_UTF8).splitlines()
    page = None if is_utf_8(data) else code_page(line for line in written if not line.isascii())
    lines = [line.decode("utf-8" if page is None else page.codec, "surrogateescape") for line in written]
    if not lines or _LINE.fullmatch(lines[0]) is None:
        return
    if page is not None:
        files.table(path).tell(page.told())
    picture = _picture_of(files, path)
    stem = path.rpartition("/")[2][: -len(END)]
    for number, line in zip(count(1), lines, strict=False):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if any("\udc80" <= character <= "\udcff" for character in line):
            encodings = "not UTF-8" if page is None else f"neither UTF-8 nor {page.name}"
            yield RefusedRow(path, f"line {number}", BAD_ROW, f"is {encodings}; save it in UTF-8")
        elif match is None:
            yield RefusedRow(path, f"line {number}", BAD_ROW, f"not a question, tab and key: {line[:80]!r}")
        else:
            entry = path[: -len(END)]
            row = {"id": f"{entry}-{number}", ENTRY_ID: entry, "group": path, "question": match["question"].strip()}
            yield Row(f"line {number}", {**row, "answer": match["answer"], "image": picture or stem})


def _picture_of(files: DatasetFiles, path: str) -> str | None:
    """Return the picture with a text's name, next to it or in `images` next to or above it; None if there is none."""
    folder, _, name = path.rpartition("/")
    upper = folder.rpartition("/")[0]
    stem = name[: -len(END)]
    for under in dict.fromkeys((folder, f"{folder}/images", f"{upper}/images", "images")):
        for suffix in sorted(PICTURE_SUFFIXES):
            place = f"{under.strip('/')}/{stem}{suffix}".lstrip("/")
            if files.has(place):
                return place
    return None
