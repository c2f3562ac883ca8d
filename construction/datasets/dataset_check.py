"""The content and the faults of a source dataset's folder, found by applying a run's checks to all records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.images.formats.walking import Limits
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusal_lists import RowCounts, refusals_in
from benchwright.source_files.refusals import RefusedRow
from benchwright.texts.normalization import counted
from benchwright.workspace.objects import ObjectStore

from ..readers.reader import DatasetReader, read_dataset
from .dataset_index import DatasetIndex


def check_dataset(
    reader: DatasetReader, folder: Path, *, images: Path | None, opens_pictures: bool, examples: int
) -> dict[str, Any]:
    """Return the content and the refusals of a folder, as the document of `construct check`.

    Args:
        reader: The reader.
        folder: Folder of the dataset, or its archive.
        images: Folder of its pictures; None for the dataset's own folder.
        opens_pictures: Whether to open every picture to read its size; otherwise, only checks that it exists.
        examples: Largest number of refusals to list for each reason.

    Raises:
        DataError: The dataset as a whole cannot be read.
    """
    files, pictures = DatasetFiles(folder), None if images is None else DatasetFiles(images)
    with TemporaryDirectory() as name:
        place = Path(name)
        refused = place / "refused.jsonl"
        if opens_pictures:
            index = DatasetIndex(place / "index.sqlite")
            objects = ObjectStore(place / "objects", tmp=place)
            with refusals_in(refused, tmp=place) as refusals:
                rows = index.fill(
                    reader,
                    files,
                    pictures,
                    at_most=None,
                    seed=0,
                    limits=Limits(),
                    objects=objects,
                    refused=refusals,
                    keeps_copies=False,
                ).rows
            records, picture_count, truths, licences = index.summary()
        else:
            records, picture_count, truths, licences, used = 0, 0, Counter[str](), Counter[str](), 0
            with refusals_in(refused, tmp=place) as refusals:
                for record in read_dataset(reader, files, pictures):
                    if isinstance(record, RefusedRow):
                        refusals.add(record)
                        continue
                    records += 1
                    used += record.rows
                    picture_count += len(record.pictures)
                    truths.update(truth.kind for truth in record.truths)
                    licences.update(picture.licence or "not stated" for picture in record.pictures)
                rows = refusals.rows(used)
        shown = _examples(refused, examples)
    return {
        "reader": reader.name,
        "folder": str(folder),
        "ok": not refusals.counts,
        "records": records,
        "pictures": picture_count,
        "truths": dict(sorted(truths.items())),
        "licences": dict(sorted(licences.items())),
        "refused": dict(sorted(refusals.counts.items())),
        "examples": shown,
        "rows": rows.document(),
    }


def _examples(path: Path, most: int) -> list[dict[str, str]]:
    shown: list[dict[str, str]] = []
    counts: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            counts[row["reason"]] += 1
            if counts[row["reason"]] <= most:
                shown.append(row)
    return shown


def check_text(document: Mapping[str, Any]) -> str:
    """Return the document as readable text."""
    counts = ", ".join(f"{kind} {number:,}" for kind, number in document["truths"].items()) or "pictures only"
    lines = [
        f"{document['folder']}: {counted(document['records'], 'record')} of {document['reader']}, "
        f"{counted(document['pictures'], 'picture')}; {counts}"
    ]
    lines += [f"  license {licence}: {counted(number, 'picture')}" for licence, number in document["licences"].items()]
    rows = document["rows"]
    lines.append(str(RowCounts(rows["used"], rows["refused"], rows["left_out"])))
    if document["ok"]:
        return "\n".join([*lines, "nothing is refused"])
    lines.append(f"refused: {', '.join(f'{reason} {number:,}' for reason, number in document['refused'].items())}")
    lines += [f"  {RefusedRow(**row)}" for row in document["examples"]]
    return "\n".join(lines)
