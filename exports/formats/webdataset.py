"""WebDataset: archives (TAR) of samples, read as a stream by `webdataset` and by Hugging Face `datasets`.

All samples have the same keys, which `datasets` asks for: items with fewer pictures are padded by tiny ones, and the
sample's JSON says how many count. All pictures have the same extension, and so the same format: JPEG where models see
nothing else, PNG otherwise.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np

from benchwright.drawing.model_pictures import EXTENSIONS
from benchwright.errors import DataError
from benchwright.images.decode import decode_rgb, encode_png
from benchwright.records import LETTERS
from benchwright.release.format import documents
from benchwright.release.format.parquet import PieceLimits
from benchwright.text_normalization import counted

from ..exporting.base import ExportFormat, NotCarried, ReadItem
from ..exporting.exported import ExportedItem, ExportedPicture, ExportHeader
from ..exporting.tables import item_row

_JPEG, _PNG = "image/jpeg", "image/png"


class WebDataset(ExportFormat):
    """Archives `SPLIT-000000.tar`, cut at about 500 MB, with `ID.json`, `ID.0.png`, `ID.1.png`, ... for each item."""

    name: ClassVar[str] = "webdataset"
    leaves_out: ClassVar[tuple[str, ...]] = ("evidence", "operation_id", "written_by")
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = "each sample's JSON"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._archive: tarfile.TarFile | None = None
        self._split, self._number, self._written = "", 0, 0
        self._media_type = _JPEG if header.only_jpeg else _PNG

    @property
    def _extension(self) -> str:
        return EXTENSIONS[self._media_type]

    def add(self, exported: ExportedItem) -> None:
        """Write the item's sample."""
        self._turn_to(exported.split)
        row = item_row(exported, self.header)
        sample = {
            **{name: "" if value is None else value for name, value in row.items()},
            "group_keys": json.dumps(row["group_keys"]),
            "n_images": len(exported.pictures),
        }
        data = json.dumps(sample, sort_keys=True, ensure_ascii=False).encode()
        self._write(f"{exported.item_id}.json", data)
        for number in range(self.header.most_pictures):
            picture = exported.pictures[number] if number < len(exported.pictures) else None
            data = _padding(self._media_type) if picture is None else self._file(picture)
            self._write(f"{exported.item_id}.{number}.{self._extension}", data)

    def _file(self, picture: ExportedPicture) -> bytes:
        if picture.media_type == self._media_type:
            return picture.data
        if self._media_type == _JPEG:
            raise DataError(f"image {picture.image.image_id} is no JPEG file that all decoders read alike")
        return encode_png(decode_rgb(picture.data))

    def _turn_to(self, split: str) -> None:
        """Open the archive that the next sample goes into."""
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
        """Close the archive that is open, if any."""
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def read(self) -> Iterator[ReadItem]:
        """Yield the items as readers group files: neighbours with the same name up to the first dot are a sample."""
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

    def not_carried(self, exported: ExportedItem) -> Iterator[NotCarried]:
        """Yield what samples lack of an item."""
        yield from super().not_carried(exported)
        if any(picture.media_type != self._media_type for picture in exported.pictures):
            yield NotCarried(
                "bytes of JPEG files",
                "all pictures of samples have one format, here PNG; the pixels are the same",
            )

    def usage(self) -> str:
        """Return how to read the archives."""
        split, extension = self.header.splits[0], self._extension
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
too."""


def _padding(media_type: str) -> bytes:
    """Return a picture of one black pixel."""
    from PIL import Image

    pixel = np.zeros((1, 1, 3), np.uint8)
    if media_type == _PNG:
        return encode_png(pixel)
    handle = io.BytesIO()
    Image.fromarray(pixel).save(handle, "JPEG")
    return handle.getvalue()


def _samples(path: Path) -> Iterator[dict[str, bytes]]:
    """Yield the files of each sample by what follows the first dot of their names."""
    sample: dict[str, bytes] = {}
    key = None
    try:
        with tarfile.open(path, "r|") as archive:
            for entry in archive:
                handle = archive.extractfile(entry)
                stem, _, extension = entry.name.partition(".")
                if handle is None or not extension:
                    raise DataError(f"{path.name}: {entry.name!a} is no file of a sample")
                if key is not None and stem != key:
                    yield sample
                    sample = {}
                key = stem
                sample[extension] = handle.read()
    except tarfile.TarError as error:
        raise DataError(f"{path.name} cannot be read as TAR: {error}") from error
    if sample:
        yield sample
