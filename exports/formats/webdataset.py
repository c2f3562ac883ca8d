"""WebDataset: TAR archives of samples, read as a stream by `webdataset` and by Hugging Face `datasets`.

All samples have the same keys, as `datasets` requires: items that show fewer pictures are padded with tiny ones, and
the sample's JSON says how many are real. Pictures are the files that models see, never re-encoded. All have the
extension of their common format; if there are several formats, the extension is `png`, and readers recognize each
format by the file's first bytes, as Pillow does in `webdataset` and `datasets`.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from benchwright.errors import DataError
from benchwright.images.decode import encode_png
from benchwright.records import LETTERS
from benchwright.release.format import documents
from benchwright.release.format.parquet import PieceLimits
from benchwright.texts.normalization import counted

from ..exporting.base import ExportFormat, ReadItem
from ..exporting.exported import ExportedItem, ExportHeader
from ..exporting.tables import item_row

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)
"""Shared encoder; `json.dumps` would create one for each sample."""


class WebDataset(ExportFormat):
    """Archives `SPLIT-000000.tar`, split at about 500 MB, with `ID.json`, `ID.0.png`, `ID.1.png`, ... for each item."""

    name: ClassVar[str] = "webdataset"
    leaves_out: ClassVar[tuple[str, ...]] = ("evidence", "operation_id", "written_by")
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = "each sample's JSON"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._archive: tarfile.TarFile | None = None
        self._split, self._number, self._written = "", 0, 0
        self._formats: set[str] = set()
        self._extension = header.extension

    def add(self, exported: ExportedItem) -> None:
        """Write the item's sample."""
        self._turn_to(exported.split)
        row = item_row(exported, self.header)
        sample = {
            **{name: "" if value is None else value for name, value in row.items()},
            "group_keys": json.dumps(row["group_keys"]),
            "n_images": len(exported.pictures),
        }
        data = _ENCODER.encode(sample).encode()
        self._write(f"{exported.item_id}.json", data)
        for number in range(self.header.most_pictures):
            picture = exported.pictures[number] if number < len(exported.pictures) else None
            data = _padding() if picture is None else picture.data
            self._formats.update(() if picture is None else [picture.extension])
            self._write(f"{exported.item_id}.{number}.{self._extension}", data)

    def _turn_to(self, split: str) -> None:
        """Open the archive for the next sample, or keep the current archive open if the sample belongs in it."""
        if self._archive is not None and split == self._split and self._written < PieceLimits().file_bytes:
            return
        self._number = self._number + 1 if split == self._split else 0
        self.finish()
        self._split, self._written = split, 0
        path = self.folder / f"{split}-{self._number:06d}.tar"
        self._archive = tarfile.TarFile(path, "x", format=tarfile.USTAR_FORMAT)

    def _write(self, name: str, data: bytes) -> None:
        assert self._archive is not None
        entry = tarfile.TarInfo(name)
        entry.size, entry.mode = len(data), 0o644
        self._archive.addfile(entry, io.BytesIO(data))
        self._written += len(data)

    def finish(self) -> None:
        """Close the open archive, if any."""
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def read(self) -> Iterator[ReadItem]:
        """Yield the items as readers group files: consecutive files with the same name before the first dot."""
        for split in self.header.splits:
            for path in sorted(self.folder.glob(f"{split}-*.tar")):
                for sample in _samples(path):
                    yield self._item(sample, path.name)

    def _item(self, sample: Mapping[str, bytes], name: str) -> ReadItem:
        expected = {"json", *(f"{number}.{self._extension}" for number in range(self.header.most_pictures))}
        if sample.keys() != expected:
            raise DataError(f"{name}: a sample has the keys {sorted(sample)}, not {sorted(expected)}")
        row = documents.parse(sample["json"], title=name)
        return ReadItem(
            item_id=row["item_id"],
            split=row["split"],
            question=row["question"],
            options=dict(zip(LETTERS, row["options"], strict=False)),
            answer=row["target"] or None,
            pictures=[sample[f"{number}.{self._extension}"] for number in range(row["n_images"])],
        )

    def usage(self) -> str:
        """Return instructions for reading the archives."""
        split, extension = self.header.splits[0], self._extension
        several = (
            f" Pictures are of several formats ({', '.join(sorted(self._formats))}) though all are named "
            f"`.{extension}`; `webdataset` and `datasets` tell them by their first bytes."
            if len(self._formats) > 1
            else ""
        )
        return f"""\
```python
import webdataset

samples = webdataset.WebDataset("path/to/this/folder/{split}-000000.tar", shardshuffle=False).decode("pil")
for sample in samples:
    item = sample["json"]
    pictures = [sample[f"{{number}}.{extension}"] for number in range(item["n_images"])]
```

All samples have {counted(self.header.most_pictures, "picture")}, so that their keys are the same; those from
`n_images` on are tiny and mean nothing. In the JSON an empty `target` means that no option is right; `attributes`,
`sources` and `group_keys` are JSON in a text. `datasets.load_dataset("webdataset", data_files=...)` reads the archives
too.{several}"""


@cache
def _padding() -> bytes:
    """Return a picture that consists of one black pixel."""
    return encode_png(np.zeros((1, 1, 3), np.uint8))


def _samples(path: Path) -> Iterator[dict[str, bytes]]:
    """Yield the files of each sample, keyed by the part of their names after the first dot."""
    sample: dict[str, bytes] = {}
    key = None
    try:
        with path.open("rb") as handle, tarfile.open(fileobj=handle, mode="r:") as archive:
            for entry in archive:
                stem, _, extension = entry.name.partition(".")
                if not entry.isreg() or not extension:
                    raise DataError(f"{path.name}: {entry.name!a} is not the file of a sample")
                if key is not None and stem != key:
                    yield sample
                    sample = {}
                key = stem
                handle.seek(entry.offset_data)
                sample[extension] = handle.read(entry.size)
    except tarfile.TarError as error:
        raise DataError(f"{path.name} cannot be read as TAR: {error}") from error
    if sample:
        yield sample
