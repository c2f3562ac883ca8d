"""A check of the content of a source of questions and its unusable parts; it writes nothing except a column file."""

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
from benchwright.texts.normalization import counted
from benchwright.workspace.objects import ObjectStore

from .absent_pictures import nearly_all_absent
from .keys.key_evidence import KeyTable
from .keys.key_report import key_lines, row_lines, summed
from .looked_into import LookedInto
from .mapping.column_files import write_columns
from .mapping.own_columns import Origin, shown_name
from .pictures.picture_lookup import Identify, PictureLookup
from .question_files import QuestionFile, Stated
from .question_index import QuestionIndex
from .question_source import QuestionSource, open_source

_OTHERS_SHOWN = 20
_REGIONS = (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("x1", "y1", "x2", "y2"), ("bbox",))
"""Columns that describe a rectangle in the picture."""
_SHOWN = 200
"""Largest number of refusals listed in a document."""


@dataclass(frozen=True)
class ReadQuestions:
    """Everything that was read from a source.

    Args:
        files: Files of questions and of replies; none for a release.
        index: Questions, whether they are items or not, and replies of models.
        left_out: Number of rows that are not items, for each reason.
        refusals: File with each of these rows, one JSON document per line (`RefusedRow`).
        picture_files: Folder or archive searched for pictures.
        source: The source.
        pictures: Its pictures by name.
        pictures_below: Path below the source of the folder searched for pictures; empty if that folder is the source or
            is outside it.
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
        """Return the path of a picture below the source, by its name in `FileQuestion.names`."""
        is_below = bool(self.pictures_below) and self.picture_files.has(picture)
        return f"{self.pictures_below}/{picture}" if is_below else picture

    @property
    def keys(self) -> list[KeyTable]:
        """Return the reading of keys for each group of files with the same columns."""
        return self.source.keys

    @property
    def notes(self) -> list[FileNote]:
        """Return the assumptions that were made while reading the tables."""
        told = [FileNote(self.picture_files.shown(""), note) for note in self.pictures.paths.notes()]
        return [*self.source.notes(), *told]

    @property
    def looked_into(self) -> list[LookedInto]:
        """Return the use of each file that was searched for questions, by path; empty for a release."""
        return self.source.looked_into

    def refused(self) -> Iterator[RefusedRow]:
        """Yield the rows that are not items, in the order in which they were read."""
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
    keeps_keyless: bool = False,
    identify: Identify = identify_file,
) -> Iterator[ReadQuestions]:
    """Read an existing benchmark without a run; the result is valid until the block ends.

    Args:
        source: File of questions, folder or archive that contains such files, or folder of a release.
        pictures: Folder of the pictures, if separate.
        mapping: Columns by field, if their names are not recognized.
        columns: File of columns.
        keeps_copies: Whether pictures embedded in question files can be opened within the block
            (`QuestionIndex.pictures`); default False, they are only identified.
        store: Store that keeps such pictures beyond the block; None if they are not kept.
        keeps_repeats: Whether to keep every question with a repeated id (`QuestionIndex.fill`); default False.
        keeps_keyless: Whether questions without a key are items (`QuestionIndex.fill`); default False.
        identify: Function that identifies picture files (`PictureLookup`).

    Raises:
        DataError: The source contains no questions, or cannot be read.
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
            index.fill(opened.entries(), lookup, refused, keeps_repeats=keeps_repeats, keeps_keyless=keeps_keyless)
        counts = dict(sorted(refused.counts.items()))
        below = "" if pictures is None else _below(pictures.resolve(), source.resolve())
        yield ReadQuestions(opened.files, index, counts, place / "refused.jsonl", searched, opened, lookup, below)


def _below(folder: Path, source: Path) -> str:
    """Return the path of a folder below a source, or below the folder of a file; empty if it is elsewhere."""
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
    keeps_keyless: bool = False,
) -> dict[str, Any]:
    """Return, as a document, the result that the step `items` would produce for a source.

    Args:
        source: File of questions, folder or archive that contains such files, or folder of a release.
        pictures: Folder of the pictures, if separate.
        mapping: Columns by field, if their names are not recognized.
        columns: File of columns.
        write_to: New file to which the used columns are written; None if they are not written.
        keeps_keyless: Whether to keep questions without a key; default False.

    Raises:
        BenchwrightError: The file for the columns already exists.
        DataError: The source contains no questions, or cannot be read.
    """
    if write_to is not None:
        opened = open_source(source.resolve(), pictures=pictures, mapping=mapping, columns=columns)
        write_columns(write_to, {file.path: file.stated for file in opened.files if file.model is None})
    with read_questions(
        source, pictures=pictures, mapping=mapping, columns=columns, keeps_keyless=keeps_keyless
    ) as read:
        looked_into = [file._asdict() for file in read.looked_into]
        counts = read.index.counts()
        absent = nearly_all_absent(read.index, read.picture_files)
        rows = [
            {"file": row.file, "read": row.read, "items": row.items, "no_item": row.no_item, "replies": row.replies,
             "left_out": row.left_out}
            for row in read.index.row_counts()
        ]  # fmt: skip
        no_item = summed(row.no_item for row in read.index.row_counts())
        left_out = summed([*(row.left_out for row in read.index.row_counts()), read.index.unread()])
        shown = [row.document() for row, _ in zip(read.refused(), range(_SHOWN), strict=False)]
        # Show each reason by an example, even one that comes after thousands of others.
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
                **_own_columns(file),
            }
            for file in read.files
        ],
        "keys": [table.document() for table in read.keys],
        "rows": rows,
        "looked_into": looked_into,
        "items": counts.items,
        "images": counts.images,
        "absent": absent,
        "as_texts": dict(sorted(counts.as_texts.items())),
        "tasks": dict(sorted(counts.tasks.items())),
        "splits": dict(sorted(counts.splits.items())),
        "replies": dict(sorted(counts.replies.items())),
        "notes": [note._asdict() for note in read.notes],
        "no_item": no_item,
        "left_out": left_out,
        "refused": shown,
    }


def _own_columns(file: QuestionFile) -> dict[str, Any]:
    """Return the columns made by layouts, with their sources, the columns that are only labels, and the unused ones."""
    columns = file.columns
    taken = (*columns.fields.values(), *columns.options, *columns.images)
    labels, unused = file.own.others(columns)
    made = {
        name: [{"from": list(origin.columns), "by": list(origin.made_by)} for origin in file.own.origins_of(name)]
        for name in taken
        if any(origin.made_by for origin in file.own.origins_of(name))
    }
    return {"made": made, "labels": list(labels), "unused": list(unused), "region": list(_region(labels))}


def _region(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that hold a rectangle to be cropped from the picture, as in CREPE; empty if there are none."""
    folded = {name.strip().lower(): name for name in labels}
    found = [names for names in _REGIONS if all(name in folded for name in names)]
    return tuple(folded[name] for name in found[0]) if found else ()


def _first_of_each(rows: Iterator[RefusedRow], reasons: set[str]) -> Iterator[RefusedRow]:
    """Yield the first row with each reason."""
    left = set(reasons)
    for row in rows:
        if not left:
            return
        if row.reason in left:
            left.remove(row.reason)
            yield row


def check_items_text(document: dict[str, Any], *, examples: int = 3) -> str:
    """Return the document as text.

    Args:
        document: The result of `check_items`.
        examples: Number of refusals to show for each reason.
    """
    lines = []
    described: dict[str, list[str]] = {}
    for file in document["files"]:
        described.setdefault(_columns_in_words(file), []).append(file["file"])
    for words, paths in described.items():
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        lines += [", ".join(paths[:3]) + more, words]
    lines += _others_of_source(document["files"])
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
            f"{counted(total, 'row')} without an item {'has' if total == 1 else 'have'} a question whose words and key "
            f"audit can check: {reasons}"
        )
    for name in ("tasks", "splits", "replies"):
        if document[name]:
            lines.append(f"{name}: " + ", ".join(f"{key or 'none stated'} {n}" for key, n in document[name].items()))
    shown: Counter[str] = Counter()
    numbers = {"question that is not an item": document["no_item"], "left out": document["left_out"]}
    for kind, by_reason in numbers.items():
        for reason, number in by_reason.items():
            lines.append(f"{kind}, {reason}: {number}")
            for row in document["refused"]:
                if row["reason"] == reason and shown[reason] < examples:
                    shown[reason] += 1
                    lines.append(f"  {row['file']}, {row['entry']}: {row['detail']}")
    return "\n".join(lines)


def _others_in_words(looked_into: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield lines that state how files without questions and replies are used, and why other files are unused."""
    for what in ("keys", "splits", "pictures"):
        for file in looked_into:
            if file["taken_as"] == what and file["why"]:
                yield f"{file['file']}\n  {what} {file['why']}"
    left = [file for file in looked_into if file["taken_as"] is None]
    if left:
        yield f"not taken: {counted(len(left), 'file')}"
        yield from (f"  {file['file']}: {file['why']}" for file in left[:_OTHERS_SHOWN])
        if len(left) > _OTHERS_SHOWN:
            yield f"  and {len(left) - _OTHERS_SHOWN} more"


def _told(column: str, made: dict[str, Any]) -> str:
    """Return the column's name in the file, or the columns from which a layout made it."""
    if column not in made:
        return shown_name(column)
    return ", or ".join(str(Origin(tuple(way["from"]), tuple(way["by"]))) for way in made[column])


def _others_of_source(files: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the columns that no field uses, only once for the whole source."""
    for kind, words in (("labels", "kept as labels only"), ("unused", "not used")):
        if names := list(dict.fromkeys(name for file in files if file["model"] is None for name in file[kind])):
            more = f" and {len(names) - _OTHERS_SHOWN} more" if len(names) > _OTHERS_SHOWN else ""
            yield f"{words}: {', '.join(map(shown_name, names[:_OTHERS_SHOWN]))}{more}"
    if region := next((file["region"] for file in files if file["region"]), None):
        yield f"whole pictures are shown: the rectangle in {', '.join(region)} is a label and cuts nothing out"


def _columns_in_words(file: dict[str, Any]) -> str:
    if file["model"] is not None:
        return f"  replies of {file['model']}"
    made = file["made"]
    parts = [f"{field} = {_told(column, made)}" for field, column in file["columns"].items()]
    parts += [
        f"{name} = {', '.join(_told(column, made) for column in file[name])}"
        for name in ("options", "images")
        if file[name]
    ]
    if "answer" not in file["columns"]:
        parts.append("no column is recognized as keys; name it with --column answer=COLUMN")
    if file["is_binary"]:
        parts.append("keys 1 and 0 are Yes and No")
    return "\n".join(f"  {part}" for part in parts)
