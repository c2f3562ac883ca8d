"""What is in a file of questions, and what of it cannot be used; nothing is written."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.images.formats.walking import Limits
from benchwright.workspace.objects import ObjectStore

from ..sources.dataset_index import refusals_in
from .items import ImportedItems
from .picture_lookup import PictureLookup
from .question_files import question_files
from .question_index import QuestionIndex

_SHOWN = 200
"""Most refusals that a document lists."""


def check_items(
    source: Path, *, pictures: Path | None = None, mapping: dict[str, str | list[str]] | None = None
) -> dict[str, Any]:
    """Return what the step `items` would make of a source, as a document.

    Args:
        source: File of questions, or folder that holds such files.
        pictures: Folder of the pictures where they lie elsewhere.
        mapping: Columns by field where their names do not tell.

    Raises:
        DataError: The source holds no questions, or cannot be read.
    """
    step = ImportedItems(
        file=str(source.resolve()),
        pictures=None if pictures is None else str(pictures.resolve()),
        mapping=mapping or {},
    )
    files, only = step.question_folder()
    found = question_files(files, step.mapping, only=only)
    with TemporaryDirectory(prefix="benchwright-") as folder:
        place = Path(folder)
        lookup = PictureLookup(step.picture_folder(), ObjectStore(place / "objects", tmp=place), Limits())
        index = QuestionIndex(place / "questions.sqlite")
        with refusals_in(place / "refused.jsonl", tmp=place) as refused:
            taken = index.fill(files, found, lookup, refused)
        lines = (place / "refused.jsonl").read_text(encoding="utf-8").splitlines()
        tasks, splits = index.tasks_and_splits()
        images = len(index.brought("items"))
    return {
        "source": str(source),
        "files": [
            {
                "file": file.path,
                "columns": file.columns.fields,
                "options": list(file.columns.options),
                "images": list(file.columns.images),
                "first_answer": file.first_answer,
            }
            for file in found
        ],
        "items": taken,
        "images": images,
        "tasks": dict(sorted(tasks.items())),
        "splits": dict(sorted(splits.items())),
        "left_out": dict(sorted(Counter(refused.counts).items())),
        "refused": [json.loads(line) for line in lines[:_SHOWN]],
    }


def check_items_text(document: dict[str, Any], *, examples: int = 3) -> str:
    """Return the document in words.

    Args:
        document: What `check_items` returns.
        examples: Refusals to show of each reason.
    """
    lines = []
    for file in document["files"]:
        parts = [f"{field} = {column}" for field, column in file["columns"].items()]
        parts += [f"{name} = {', '.join(file[name])}" for name in ("options", "images") if file[name]]
        lines += [f"{file['file']}", *(f"  {part}" for part in parts)]
    lines.append(f"{document['items']} items, {document['images']} images")
    for name in ("tasks", "splits"):
        lines.append(f"{name}: " + ", ".join(f"{key or 'none stated'} {n}" for key, n in document[name].items()))
    shown: Counter[str] = Counter()
    for reason, number in document["left_out"].items():
        lines.append(f"left out, {reason}: {number}")
        for row in document["refused"]:
            if row["reason"] == reason and shown[reason] < examples:
                shown[reason] += 1
                lines.append(f"  {row['file']}, {row['entry']}: {row['detail']}")
    return "\n".join(lines)
