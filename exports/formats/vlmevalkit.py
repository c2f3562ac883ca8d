"""VLMEvalKit: a table of tab-separated values for each split, and a dataset class that reads its values unchanged.

VLMEvalKit's own reader lets pandas guess types: options such as "NA" or "None" are lost, and "1" becomes "1.0" in
columns with empty cells. `benchwright_dataset.py` reads every cell as text.
"""

from __future__ import annotations

import ast
import base64
import binascii
import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, ClassVar

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.records import LETTERS

from ..exporting.base import ExportFormat, NotCarried, ReadItem
from ..exporting.exported import ExportedItem, ExportedPicture, ExportHeader
from ..exporting.reply_reader import LOADER, READER, write_reader

CLASS_FILE = "benchwright_dataset.py"
COLUMNS = (
    "index", "image", "image_path", "question", *LETTERS, "n_options", "answer", "category", "l2-category", "split",
    "task", "kind", "level", "refusal", "item_id", "canary",
)  # fmt: skip
"""Columns in order; `n_options` is the number of options, since an empty cell may be an option without text."""

MOST_ITEMS = 1_000_000
"""Maximum number of items per table: to rotate options, VLMEvalKit adds multiples of a million to the index."""

_VANISH = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
     "NULL", "NaN", "None", "n/a", "nan", "null"}
)  # fmt: skip
"""Strings that pandas reads as missing values (`pandas.read_csv`, `na_values`)."""

_NOT_NAMES = 64
"""Length, in characters, up to which VLMEvalKit reads `image` as the index of another row with that picture."""


class VLMEvalKit(ExportFormat):
    """A file `NAME.tsv` for each split, with embedded pictures, and `benchwright_dataset.py`."""

    name: ClassVar[str] = "vlmevalkit"
    leaves_out: ClassVar[tuple[str, ...]] = (
        "attributes", "evidence", "explanation", "group_keys", "operation_id", "written_by",
    )  # fmt: skip
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = "each row of the tables, `benchwright_dataset.py` and the reader"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        self._table: tuple[str, IO[str], Any] | None = None
        self._index = 0
        self._first_with: dict[bytes, int] = {}

    def dataset_name(self, split: str) -> str:
        """Return the name of a split's dataset, which VLMEvalKit also uses for its picture cache."""
        return f"{self.header.identifier}_{split}"

    def add(self, exported: ExportedItem) -> None:
        """Write the item's row."""
        item = exported.item
        writer = self._writer(exported.split)
        self._index += 1
        if self._index > MOST_ITEMS:
            raise DataError(f"split {exported.split} has more than {MOST_ITEMS:,} items; VLMEvalKit takes no more")
        options = exported.options
        row = {
            "index": self._index,
            "image": self._image(exported.pictures),
            "image_path": _as_list([f"{picture.sha256}.png" for picture in exported.pictures]),
            "question": exported.question,
            **options,
            "n_options": len(options),
            "answer": exported.target or "",
            "category": item.category or item.task,
            "l2-category": item.task,
            "split": exported.split,
            "task": item.task,
            "kind": item.kind,
            "level": item.level or "",
            "refusal": item.refusal or "",
            "item_id": exported.item_id,
            "canary": self.header.canary,
        }
        writer.writerow([row.get(column, "") for column in COLUMNS])

    def _image(self, pictures: Sequence[ExportedPicture]) -> str:
        """Return the pictures in base64, or the index of an earlier row with the same pictures."""
        key = bytes.fromhex(digest([picture.sha256 for picture in pictures]))
        first = self._first_with.setdefault(key, self._index)
        if first != self._index:
            return str(first)
        text = _as_list([base64.b64encode(picture.data).decode("ascii") for picture in pictures])
        assert len(text) > _NOT_NAMES  # no picture file is that small
        return text

    def _writer(self, split: str) -> Any:
        if self._table is None or self._table[0] != split:
            self._close()
            path = self.folder / f"{self.dataset_name(split)}.tsv"
            handle = path.open("x", encoding="utf-8", newline="")
            writer = csv.writer(handle, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
            writer.writerow(COLUMNS)
            self._table = (split, handle, writer)
            self._index = 0
            self._first_with = {}
        return self._table[2]

    def _close(self) -> None:
        if self._table is not None:
            self._table[1].close()
            self._table = None

    def finish(self) -> None:
        """Close the table and write the dataset class that reads it."""
        self._close()
        names = [self.dataset_name(split) for split in self.header.splits]
        loader = LOADER.format(name=f"reply_reader_of_{self.header.identifier}")
        text = _CLASS.format(title=self.header.title, canary=self.header.canary, names=names, loader=loader)
        (self.folder / CLASS_FILE).write_text(text, encoding="utf-8", newline="\n")
        write_reader(self.folder, self.header)

    def read(self) -> Iterator[ReadItem]:
        """Yield the items as `benchwright_dataset.py` and VLMEvalKit's `ImageBaseDataset` read them."""
        for split in self.header.splits:
            path = self.folder / f"{self.dataset_name(split)}.tsv"
            pictures_of: dict[str, int] = {}
            with _long_cells(), path.open(encoding="utf-8", newline="") as handle:
                head = next(csv.reader([handle.readline()], delimiter="\t"))
                if tuple(head) != COLUMNS:
                    raise DataError(f"{path.name} does not have the columns {', '.join(COLUMNS)}")
                place = handle.tell()
                yield from self._rows(handle, place, pictures_of, path.name)

    def _rows(self, handle: IO[str], place: int, pictures_of: dict[str, int], name: str) -> Iterator[ReadItem]:
        """Yield the items of a table; the pictures of a referenced row are found by its offset."""
        lines = _CountedLines(handle, place)
        for cells in csv.reader(lines, delimiter="\t"):
            row = dict(zip(COLUMNS, cells, strict=True))
            image = row["image"]
            if len(image) <= _NOT_NAMES:
                image = _image_at(handle, pictures_of[image], name)
            else:
                pictures_of[row["index"]] = lines.row_start
            lines.begin_row()
            yield ReadItem(
                item_id=row["item_id"],
                split=row["split"],
                question=row["question"],
                options={key: row[key] for key in LETTERS[: int(row["n_options"])]},
                answer=row["answer"] or None,
                pictures=[_decoded(text, name) for text in _listed(image)],
            )

    def not_carried(self, exported: ExportedItem) -> Iterator[NotCarried]:
        """Yield the parts of an item that the VLMEvalKit format cannot carry."""
        yield from super().not_carried(exported)
        if any(text in _VANISH or _is_number(text) for text in exported.options.values()):
            yield NotCarried(
                "options such as NA, None or 1, without the dataset class",
                f"VLMEvalKit's own reader drops or changes them; register `{CLASS_FILE}`, which reads them as they are",
            )
        if exported.target is None:
            yield NotCarried("that no option is right", "VLMEvalKit scores every row; its answer is an empty cell")

    def usage(self) -> str:
        """Return instructions for reading the tables with VLMEvalKit."""
        names = "\n".join(f"- `{self.dataset_name(split)}`" for split in self.header.splits)
        return f"""\
Copy the `.tsv` files into VLMEvalKit's data folder (`$LMUData`, else `~/LMUData`), and `{CLASS_FILE}` and `{READER}/`
into `vlmeval/dataset/`, where `__init__.py` imports it and lists the class:

```python
from .benchwright_dataset import BenchwrightDataset
IMAGE_DATASET.append(BenchwrightDataset)  # above DATASET_CLASSES
```

The datasets:

{names}

The class reads replies by `{READER}/`, which is the reader of `benchwright evaluate`, so both give the same score; no
letter counts as wrong, and items in which no option is right are asked and not counted. It asks no judge.

The class reads every cell as text. VLMEvalKit's own reader, which takes over where the class is not registered, lets
pandas guess: options such as `NA` and `None` vanish there, and `1` becomes `1.0`. Decoded pictures are cached by the
name of the dataset, so the names have the release's id in them. `image_path` has VLMEvalKit
save every picture as PNG, without loss; without that column it would encode single pictures as JPEG."""


class _CountedLines:
    """Lines of a table for a CSV reader, with the offset at which the current row began."""

    def __init__(self, handle: IO[str], start: int) -> None:
        self._handle = handle
        self.row_start = self._next = start

    def __iter__(self) -> _CountedLines:
        return self

    def __next__(self) -> str:
        self._handle.seek(self._next)
        line = self._handle.readline()
        self._next = self._handle.tell()
        if not line:
            raise StopIteration
        return line

    def begin_row(self) -> None:
        """Mark the next line as the beginning of a row."""
        self.row_start = self._next


def _image_at(handle: IO[str], place: int, name: str) -> str:
    """Return the cell `image` of the row that begins at an offset."""
    row = next(csv.reader(_CountedLines(handle, place), delimiter="\t"))
    image = row[COLUMNS.index("image")]
    if len(image) <= _NOT_NAMES:
        raise DataError(f"{name}: a row refers to row {row[0]}, which has no pictures itself")
    return image


@contextmanager
def _long_cells() -> Iterator[None]:
    """Allow CSV cells as long as encoded pictures, then restore Python's limit, which applies to all readers."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _as_list(texts: Sequence[str]) -> str:
    """Return strings in the form that VLMEvalKit's `toliststr` reads: one unchanged, several as a Python list."""
    return texts[0] if len(texts) == 1 else str(list(texts))


def _listed(text: str) -> list[str]:
    return [str(value) for value in ast.literal_eval(text)] if text[:1] == "[" and text[-1:] == "]" else [text]


def _decoded(text: str, name: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise DataError(f"{name}: a picture is not base64: {error}") from error


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


_CLASS = '''\
"""Datasets of {title} for VLMEvalKit. Benchmark data; leave it out of training sets. Canary {canary}"""

import importlib.util
import os.path as osp
import string
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from ..smp import LMUDataRoot, dump, load
from .image_mcq import ImageMCQDataset


{loader}

class BenchwrightDataset(ImageMCQDataset):
    """Multiple-choice questions whose cells are read as the texts that they are."""

    DATASET_URL = dict.fromkeys({names}, "")
    DATASET_MD5 = {{}}

    def load_data(self, dataset):
        """Return a table; cells beyond a question's options are missing, and all others are texts."""
        path = osp.join(LMUDataRoot(), f"{{dataset}}.tsv")
        data = pd.read_csv(path, sep="\\t", dtype=str, keep_default_na=False, na_filter=False)
        data = data.astype(object)
        number = data["n_options"].astype(int)
        for place, letter in enumerate(string.ascii_uppercase):
            if place < number.max():
                data.loc[number <= place, letter] = np.nan
            else:
                del data[letter]
        return data

    def evaluate(self, eval_file, **judge_kwargs):
        """Return the accuracy by split, over all and by category, of the letters that `benchwright evaluate` reads."""
        table = load(eval_file)
        replies = dict(zip(map(_index, table["index"]), table["prediction"]))
        if unknown := replies.keys() - set(map(_index, self.data["index"])):
            raise ValueError(f"{{eval_file}}: index {{min(unknown)}} is none of {{self.dataset_name}}")
        rows = []
        for _, line in self.data.iterrows():
            index = _index(line["index"])
            if index not in replies or not line["answer"]:
                continue
            reply = replies[index]
            options = [line[letter] for letter in string.ascii_uppercase[: int(line["n_options"])]]
            letter = _reader().letter_of("" if pd.isna(reply) else str(reply), options)
            names = ("item_id", "split", "category", "l2-category", "answer")
            row = {{name: line[name] for name in names}}
            rows.append({{"index": index, **row, "letter": letter, "hit": int(letter == line["answer"])}})
        columns = ["index", "item_id", "split", "category", "l2-category", "answer", "letter", "hit"]
        scored = pd.DataFrame(rows, columns=columns)
        stem, suffix = osp.splitext(eval_file)
        dump(scored, f"{{stem}}_benchwright_result{{suffix}}")
        accuracy = _accuracy(scored)
        dump(accuracy, f"{{stem}}_acc.csv")
        return accuracy


def _index(value):
    """Return an index as a text, whichever number a table made of it."""
    return str(int(value))


def _accuracy(scored):
    """Return shares of right rows, a line for each split: over all, by task and by category."""
    lines = []
    for split, rows in scored.groupby("split", sort=True):
        line = {{"split": split, "Overall": rows["hit"].mean()}}
        for column in ("l2-category", "category"):
            line.update(rows.groupby(column, sort=True)["hit"].mean())
        lines.append(line)
    return pd.DataFrame(lines)
'''
