"""Questions with the labels of their pictures, from a release or from II-Bench's published files.

    data/dev.json, data/test.json, ...      lists of {"local_path", "questions": [{...}], "meta_data": {...}}
    images/dev/dev-1.jpg, ...

A published record is one question; a picture with several questions occurs in several identical files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.canonical import bytes_digest
from benchwright.errors import DataError
from benchwright.release import ReleasedItem
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.rows import Row, first_mistake, json_list

LABELS = ("difficulty", "domain", "emotion", "image_type", "rhetoric")
"""Labels of a picture, as in II-Bench."""
_MAX_PICTURE_BYTES = 1 << 28


class ImplicationQuestion(NamedTuple):
    """A question with the labels of its picture.

    Args:
        question_id: Id of the question.
        split: Split of the question; empty if it has none.
        image: Identity of its picture, such as the SHA-256 of its file.
        question: The question.
        options: Its text options.
        labels: Labels of the picture by kind; a picture may have several of one kind.
        explanation: The picture's meaning, in words; None if it is not stated.
    """

    question_id: str
    split: str
    image: str
    question: str
    options: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    explanation: str | None


def released_questions(items: Iterable[ReleasedItem]) -> Iterator[ImplicationQuestion]:
    """Yield the items of a release whose picture has labels (attributes `difficulty`, `domain` and so on)."""
    for released in items:
        item = released.item
        labels = {
            kind: tuple(part for part in str(item.attributes[kind]).split("+") if part)
            for kind in LABELS
            if kind in item.attributes
        }
        if labels:
            options = tuple(choice.text for choice in item.choices if choice.text is not None)
            yield ImplicationQuestion(
                item.item_id, released.split, item.root_image_id, item.question, options, labels, item.explanation
            )


class _PublishedQuestion(BaseModel):
    id: str
    question: str
    options: list[str] = Field(min_length=2)


class _PublishedLabels(BaseModel):
    model_config = ConfigDict(extra="allow")

    difficulty: str
    domain: str
    emotion: str
    image_type: str | list[str]
    rhetoric: list[str]
    explanation: Any = None


class _PublishedRecord(BaseModel):
    local_path: str
    questions: list[_PublishedQuestion] = Field(min_length=1, max_length=1)
    meta_data: _PublishedLabels


def published_questions(folder: Path) -> Iterator[ImplicationQuestion]:
    """Yield the questions in II-Bench's published files, `data/*.json`; the split is the first word of the file name.

    Raises:
        DataError: The files are missing, a record has another form, or a picture is missing.
    """
    files = DatasetFiles(folder)
    names = [name for name in files.listing("data") if name.endswith(".json")] if files.has_folder("data") else []
    if not names:
        raise DataError(f"{folder} is neither a release nor a folder of II-Bench with data/dev.json or data/test.json")
    for name in sorted(names):
        for row in json_list(files, f"data/{name}"):
            yield _published(files, f"data/{name}", name.partition(".")[0].partition("_")[0], row)


def _published(files: DatasetFiles, path: str, split: str, row: Row) -> ImplicationQuestion:
    try:
        record = _PublishedRecord.model_validate(row.document)
    except ValidationError as error:
        raise DataError(f"{files.shown(path)}: {row.entry}: {first_mistake(error)}") from None
    [question] = record.questions
    stated = record.meta_data
    types = [stated.image_type] if isinstance(stated.image_type, str) else stated.image_type
    labels = {
        "difficulty": (stated.difficulty,),
        "domain": (stated.domain,),
        "emotion": (stated.emotion,),
        "image_type": tuple(types),
        "rhetoric": tuple(stated.rhetoric),
    }
    image = bytes_digest(files.read(record.local_path, max_bytes=_MAX_PICTURE_BYTES))
    return ImplicationQuestion(
        question.id, split, image, question.question, tuple(question.options), labels, _text(stated.explanation)
    )


def _text(explanation: Any) -> str | None:
    """Return an explanation as text; one of the published records states it as `{"text": [...]}`."""
    if isinstance(explanation, str) or explanation is None:
        return explanation
    texts = explanation.get("text") if isinstance(explanation, dict) else None
    return " ".join(map(str, texts)) if isinstance(texts, list) else None
