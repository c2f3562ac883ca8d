"""Pictures that no column names, but whose files are named by the ids of the questions: `MMVP Images/12.jpg`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from benchwright.errors import BenchwrightError
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.portable_pixmap import PICTURE_SUFFIXES
from benchwright.source_files.rows import Row

from .question_files import QuestionFile
from .tables.rows import rows_of

_SAMPLE = 200
"""Number of questions whose ids are searched for among the names of pictures."""
_MOST_PICTURES = 1_000_000


def with_pictures_named_by_id(
    files: DatasetFiles, pictures: DatasetFiles, found: Sequence[QuestionFile]
) -> list[QuestionFile]:
    """Return the question files, with the id column as the picture column if pictures are named by id.

    That is the case if a file has no picture column and each sampled id is the name of exactly one picture.

    Args:
        files: Folder of the questions.
        pictures: Folder of the pictures.
        found: Files of questions and of replies.
    """
    known: dict[str, int] | None = None
    read = []
    for file in found:
        identity = file.columns.column("id")
        has_pictures = bool(file.columns.column("image") or file.columns.images)
        if identity is None or has_pictures or file.model is not None or not file.columns.has_questions:
            read.append(file)
            continue
        known = _names(pictures) if known is None else known
        ids = list(_ids(files, file, identity)) if known else []
        if ids and all(known.get(name) == 1 for name in ids):
            columns = file.columns.model_copy(update={"fields": {**file.columns.fields, "image": identity}})
            read.append(file._replace(columns=columns))
        else:
            read.append(file)
    return read


def _ids(files: DatasetFiles, file: QuestionFile, identity: str) -> Iterator[str]:
    for row in islice(rows_of(files, file.path, asked=file.columns.taken), _SAMPLE):
        if isinstance(row, Row) and row.document.get(identity) is not None:
            yield str(row.document[identity]).strip()


def _names(pictures: DatasetFiles) -> dict[str, int]:
    """Return how many pictures have each name, ignoring suffixes."""
    names: dict[str, int] = {}
    try:
        for path in islice(pictures.walk(suffixes=PICTURE_SUFFIXES), _MOST_PICTURES):
            name = path.rpartition("/")[2].rpartition(".")[0]
            names[name] = names.get(name, 0) + 1
    except BenchwrightError:
        return {}
    return names
