"""Croissant 1.1 by MLCommons: JSON-LD metadata that describes Parquet files, with a record set for each split.

The pictures are in columns `image_1`, `image_2`, ..., since Croissant readers cannot read lists of pictures. File
hashes are stated in the form that `mlcroissant` checks when it reads records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from benchwright.canonical import file_digest
from benchwright.records import LETTERS
from benchwright.release.format import documents

from ..exporting.base import ExportFormat, ReadItem
from ..exporting.exported import ExportedItem, ExportHeader
from ..exporting.tables import IMAGE, LISTS, TEXTS, TableWriter, item_row, picture_cells, read_table, text_fields

METADATA = "croissant.json"
_DATA = "data"

_MEANINGS = {
    "item_id": "Id of the item.",
    "split": "Name of the split.",
    "question": "Text of the question; it calls pictures Image 1, Image 2, ...",
    "target": "Letter of the right option: the answer, else the refusal; absent where no option is right.",
    "answer": "Letter of the option that the pictures bear out; absent where they answer nothing.",
    "refusal": "Letter of the option that declines to answer.",
    "task": "Task of the item.",
    "kind": "yes_no or multiple_choice.",
    "level": "Level of the question.",
    "category": "Category of the question.",
    "explanation": "Why the answer is right.",
    "attributes": "JSON: what the authors brought.",
    "sources": "JSON: for each picture, author, license and place of what it was made from.",
    "canary": "Canary: the text to search training data for.",
    "options": "Texts of the options A, B, C, ... in order; an option that is a picture has its name (Image 2).",
    "image_ids": "SHA-256 of each picture in the release.",
    "image_roles": "Role of each picture.",
    "group_keys": "Keys of what splits keep together.",
}


class Croissant(ExportFormat):
    """A file `croissant.json` that describes `data/SPLIT.parquet`."""

    name: ClassVar[str] = "croissant"
    leaves_out: ClassVar[tuple[str, ...]] = ("evidence", "operation_id", "written_by")
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = f"each row of the tables and in `{METADATA}`"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        pictures = [pa.field(f"image_{number}", IMAGE) for number in range(1, header.most_pictures + 1)]
        stamp = {"benchwright": json.dumps(header.document(), sort_keys=True)}
        self._table = TableWriter(folder / _DATA, pa.schema([*text_fields(), *pictures], metadata=stamp))

    def add(self, exported: ExportedItem) -> None:
        """Write the item's row."""
        pictures = {f"image_{number}": cell for number, cell in enumerate(picture_cells(exported), start=1)}
        self._table.write(exported, {**item_row(exported, self.header), **pictures})

    def finish(self) -> None:
        """Close the tables and write the metadata file."""
        self._table.close()
        (self.folder / METADATA).write_bytes(documents.spell(self._document(), title=METADATA))

    def _document(self) -> dict[str, Any]:
        header = self.header
        splits = [split for split in header.splits if self._path(split).exists()]
        document = {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.1",
            "name": header.name,
            "version": header.version,
            "description": f"{header.title}: a benchmark of questions about pictures. It is for testing; leave it out "
            f"of training sets. Canary {header.canary}",
            "identifier": header.release_id,
            "citeAs": f"{header.title}, release {header.release_id}",
            "distribution": [self._file(split) for split in splits],
            "recordSet": [self._records(split) for split in splits],
        }
        return document if header.licence is None else {**document, "license": header.licence}

    def _path(self, split: str) -> Path:
        return self.folder / _DATA / f"{split}.parquet"

    def _file(self, split: str) -> dict[str, Any]:
        path = self._path(split)
        return {
            "@type": "cr:FileObject",
            "@id": f"{split}.parquet",
            "name": f"{split}.parquet",
            "contentUrl": f"{_DATA}/{split}.parquet",
            "contentSize": f"{path.stat().st_size} B",
            "encodingFormat": "application/x-parquet",
            "sha256": file_digest(path),
        }

    def _records(self, split: str) -> dict[str, Any]:
        def field(name: str, meaning: str, kind: str = "sc:Text", **more: Any) -> dict[str, Any]:
            source = {"fileObject": {"@id": f"{split}.parquet"}, "extract": {"column": name}, **more.pop("source", {})}
            return {
                "@type": "cr:Field", "@id": f"{split}/{name}", "name": name, "description": meaning, "dataType": kind,
                "source": source, **more,
            }  # fmt: skip

        return {
            "@type": "cr:RecordSet",
            "@id": split,
            "name": split,
            "description": f"Items of the split {split}, sorted by id.",
            "key": {"@id": f"{split}/item_id"},
            "field": [
                *(field(name, _MEANINGS[name]) for name in TEXTS),
                *(field(name, _MEANINGS[name], repeated=True) for name in LISTS),
                *(
                    field(
                        f"image_{number}",
                        f"Picture {number} of the item as models see it; absent where there are fewer.",
                        "sc:ImageObject",
                        source={"transform": {"jsonPath": "bytes"}},
                    )
                    for number in range(1, self.header.most_pictures + 1)
                ),
            ],
        }

    def read(self) -> Iterator[ReadItem]:
        """Yield the items of the files that the metadata names, with pictures in numerical order."""
        document = documents.parse((self.folder / METADATA).read_bytes(), title=METADATA)
        for entry in document["distribution"]:
            for row in read_table(self.folder / entry["contentUrl"]):
                cells = [row[f"image_{number}"] for number in range(1, self.header.most_pictures + 1)]
                yield ReadItem(
                    item_id=row["item_id"],
                    split=row["split"],
                    question=row["question"],
                    options=dict(zip(LETTERS, row["options"], strict=False)),
                    answer=row["target"],
                    pictures=[cell["bytes"] for cell in cells if cell is not None],
                )

    def usage(self) -> str:
        """Return instructions for reading the records."""
        return f"""\
```python
import mlcroissant

dataset = mlcroissant.Dataset("path/to/this/folder/{METADATA}")
for record in dataset.records("{self.header.splits[0]}"):
    question = record["{self.header.splits[0]}/question"].decode()
```

There is a record set for each split. `mlcroissant` gives texts as bytes and pictures as Pillow images, and checks the
SHA-256 of each file when it reads records (validation alone does not). Before you publish the metadata, add what a
release does not state: `url`, `creator` and `datePublished`."""


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The JSON-LD context from the specification, section "Namespaces and prefixes"."""
