"""What is in a source of questions, and what of it cannot be used; nothing is written but a file of columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.images.formats.walking import Limits
from benchwright.images.identify import identify as identify_file
from benchwright.source_files.files import DatasetFiles, FileNote
from benchwright.source_files.refusal_lists import refusals_in
from benchwright.source_files.refusals import RefusedRow
from benchwright.text_normalization import counted
from benchwright.workspace.objects import ObjectStore

from .absent_pictures import nearly_all_absent
from .key_evidence import KeyTable
from .key_report import key_lines, row_lines
from .looked_into import LookedInto
from .mapping.column_files import write_columns
from .picture_lookup import Identify, PictureLookup
from .question_files import QuestionFile, Stated
from .question_index import QuestionIndex
from .question_source import QuestionSource, open_source

_OTHERS_SHOWN = 20
_SHOWN = 200
"""Most refusals that a document lists."""


@dataclass(frozen=True)
class ReadQuestions:
    """Everything that was read of a source.

    Args:
        files: Files of questions and of replies; none for a release.
        index: Questions, whether they are items or not, and replies of models.
        left_out: Number of rows that are no items, by reason.
        refusals: File with each of these rows, one JSON document a line (`RefusedRow`).
        picture_files: Folder or archive in which pictures were looked for.
        source: The source itself.
        pictures: Its pictures by name.
        pictures_below: Path below the source of the folder in which pictures were looked for; empty where it is the
            source, or lies elsewhere.
    """

    files: list[QuestionFile]
    index: QuestionIndex
    left_out: dict[str, int]
    refusals: Path
    picture_files: DatasetFiles
    source: QuestionSource
    pictures: PictureLookup
    pictures_below: str = ""

    def path_of(self, picture: str) -> str:
        """Return the path below the source of a picture, by its name in `FileQuestion.names`."""
        is_below = bool(self.pictures_below) and self.picture_files.has(picture)
        return f"{self.pictures_below}/{picture}" if is_below else picture

    @property
    def keys(self) -> list[KeyTable]:
        """Return how keys are read, for each set of files with the same columns."""
        return self.source.keys

    @property
    def notes(self) -> list[FileNote]:
        """Return what was assumed about the tables as they were read."""
        return self.source.notes()

    @property
    def looked_into(self) -> list[LookedInto]:
        """Return what each file was taken for in which questions were looked for, by path; none for a release."""
        return self.source.looked_into

    def refused(self) -> Iterator[RefusedRow]:
        """Yield the rows that are no items, in the order in which they were read."""
        with self.refusals.open(encoding="utf-8") as lines:
            for line in lines:
                yield RefusedRow(**json.loads(line))


@contextmanager
def read_questions(
    source: Path,
    *,
    pictures: Path | None = None,
    mapping: Stated | None = None,
    columns: Path | None = None,
    keeps_copies: bool = False,
    store: ObjectStore | None = None,
    keeps_repeats: bool = False,
    identify: Identify = identify_file,
) -> Iterator[ReadQuestions]:
    """Read a benchmark that exists, without a run; what is yielded is there until the block ends.

    Args:
        source: File of questions, folder or archive that holds such files, or folder of a release.
        pictures: Folder of the pictures where they lie elsewhere.
        mapping: Columns by field where their names do not tell.
        columns: File of columns.
        keeps_copies: Whether pictures that stand in files of questions can be opened within the block
            (`QuestionIndex.pictures`); default False, they are only identified.
        store: Where such pictures are kept beyond the block; None for nowhere.
        keeps_repeats: Whether each question whose id stands twice is kept (`QuestionIndex.fill`); default False.
        identify: Function that identifies picture files (`PictureLookup`).

    Raises:
        DataError: The source holds no questions, or cannot be read.
    """
    opened = open_source(source.resolve(), pictures=pictures, mapping=mapping, columns=columns)
    with TemporaryDirectory(prefix="benchwright-") as folder:
        place = Path(folder)
        objects = store or ObjectStore(place / "objects", tmp=place)
        searched = opened.picture_files()
        lookup = PictureLookup(
            searched, objects, Limits(), keeps_copies=keeps_copies or store is not None, identify=identify
        )
        index = QuestionIndex(place / "questions.sqlite")
        with refusals_in(place / "refused.jsonl", tmp=place) as refused:
            index.fill(opened.entries(), lookup, refused, keeps_repeats=keeps_repeats)
        counts = dict(sorted(refused.counts.items()))
        below = "" if pictures is None else _below(pictures.resolve(), source.resolve())
        yield ReadQuestions(opened.files, index, counts, place / "refused.jsonl", searched, opened, lookup, below)


def _below(folder: Path, source: Path) -> str:
    """Return the path of a folder below a source, or below the folder of a file; empty where it lies elsewhere."""
    root = source if source.is_dir() else source.parent
    path = folder.relative_to(root).as_posix() if folder.is_relative_to(root) else "."
    return "" if path == "." else path


def check_items(
    source: Path,
    *,
    pictures: Path | None = None,
    mapping: Stated | None = None,
    columns: Path | None = None,
    write_to: Path | None = None,
) -> dict[str, Any]:
    """Return what the step `items` would make of a source, as a document.

    Args:
        source: File of questions, folder or archive that holds such files, or folder of a release.
        pictures: Folder of the pictures where they lie elsewhere.
        mapping: Columns by field where their names do not tell.
        columns: File of columns.
        write_to: New file for the columns that are used; None for none.

    Raises:
        BenchwrightError: The file for the columns exists already.
        DataError: The source holds no questions, or cannot be read.
    """
    if write_to is not None:
        opened = open_source(source.resolve(), pictures=pictures, mapping=mapping, columns=columns)
        write_columns(write_to, {file.path: file.stated for file in opened.files if file.model is None})
    with read_questions(source, pictures=pictures, mapping=mapping, columns=columns) as read:
        looked_into = [file._asdict() for file in read.looked_into]
        counts = read.index.counts()
        absent = nearly_all_absent(read.index, read.picture_files)
        rows = read.index.row_counts()
        shown = [row.document() for row, _ in zip(read.refused(), range(_SHOWN), strict=False)]
        # Each reason is shown by an example, also one that comes after thousands of others.
        seen = Counter(row["reason"] for row in shown)
        shown += [row.document() for row in _first_of_each(read.refused(), read.left_out.keys() - seen.keys())]
    return {
        "source": str(source),
        "files": [
            {
                "file": file.path,
                "columns": file.columns.fields,
                "options": list(file.columns.options),
                "images": list(file.columns.images),
                "first_answer": file.first_answer,
                "is_binary": file.is_binary,
                "model": file.model,
            }
            for file in read.files
        ],
        "keys": [table.document() for table in read.keys],
        "rows": [{"file": row.file, "read": row.read, **row._asdict()} for row in rows],
        "looked_into": looked_into,
        "items": counts.items,
        "images": counts.images,
        "absent": absent,
        "as_texts": dict(sorted(counts.as_texts.items())),
        "tasks": dict(sorted(counts.tasks.items())),
        "splits": dict(sorted(counts.splits.items())),
        "replies": dict(sorted(counts.replies.items())),
        "notes": [note._asdict() for note in read.notes],
        "left_out": read.left_out,
        "refused": shown,
    }


def _first_of_each(rows: Iterator[RefusedRow], reasons: set[str]) -> Iterator[RefusedRow]:
    """Yield the first row of each reason."""
    left = set(reasons)
    for row in rows:
        if not left:
            return
        if row.reason in left:
            left.remove(row.reason)
            yield row


def check_items_text(document: dict[str, Any], *, examples: int = 3) -> str:
    """Return the document in words.

    Args:
        document: What `check_items` returns.
        examples: Refusals to show of each reason.
    """
    lines = []
    described: dict[str, list[str]] = {}
    for file in document["files"]:
        described.setdefault(_columns_in_words(file), []).append(file["file"])
    for words, paths in described.items():
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        lines += [", ".join(paths[:3]) + more, words]
    lines += [f"{note['file']}: {note['note']}" for note in document["notes"]]
    lines += key_lines(document["keys"])
    lines += _others_in_words(document["looked_into"])
    lines.append(f"{counted(document['items'], 'item')}, {counted(document['images'], 'image')}")
    lines += row_lines(document["rows"])
    lines += [document["absent"]] if document["absent"] else []
    if document["as_texts"]:
        reasons = ", ".join(f"{reason} {number}" for reason, number in document["as_texts"].items())
        total = sum(document["as_texts"].values())
        lines.append(
            f"{counted(total, 'more question is no item', 'more questions are no items')}, and can be checked as texts "
            f"and keys: {reasons}"
        )
    for name in ("tasks", "splits", "replies"):
        if document[name]:
            lines.append(f"{name}: " + ", ".join(f"{key or 'none stated'} {n}" for key, n in document[name].items()))
    shown: Counter[str] = Counter()
    for reason, number in document["left_out"].items():
        lines.append(f"left out, {reason}: {number}")
        for row in document["refused"]:
            if row["reason"] == reason and shown[reason] < examples:
                shown[reason] += 1
                lines.append(f"  {row['file']}, {row['entry']}: {row['detail']}")
    return "\n".join(lines)


def _others_in_words(looked_into: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield what the files were taken for that hold no questions and no replies, and why others were not taken."""
    for what in ("keys", "splits"):
        for file in looked_into:
            if file["taken_as"] == what and file["why"]:
                yield f"{file['file']}\n  {what} {file['why']}"
    left = [file for file in looked_into if file["taken_as"] is None]
    if left:
        yield f"not taken: {counted(len(left), 'file')}"
        yield from (f"  {file['file']}: {file['why']}" for file in left[:_OTHERS_SHOWN])
        if len(left) > _OTHERS_SHOWN:
            yield f"  and {len(left) - _OTHERS_SHOWN} more"


def _columns_in_words(file: dict[str, Any]) -> str:
    if file["model"] is not None:
        return f"  replies of {file['model']}"
    parts = [f"{field} = {column}" for field, column in file["columns"].items()]
    parts += [f"{name} = {', '.join(file[name])}" for name in ("options", "images") if file[name]]
    if "answer" not in file["columns"]:
        parts.append("no column was taken for keys; --column answer=COLUMN says which holds them")
    if file["is_binary"]:
        parts.append("keys 1 and 0 are Yes and No")
    return "\n".join(f"  {part}" for part in parts)
