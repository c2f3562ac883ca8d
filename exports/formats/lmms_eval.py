"""lmms-eval: for each split a task file that refers to a Parquet file, and the functions that query and score."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from benchwright.records import LETTERS
from benchwright.release.format.schema import feature_of

from ..exporting.base import ExportFormat, ReadItem
from ..exporting.exported import ExportedItem, ExportHeader
from ..exporting.reply_reader import LOADER, READER, write_reader
from ..exporting.tables import IMAGE, TableWriter, item_row, picture_cells, read_table, text_fields

FUNCTIONS = "utils.py"
_DATA = "data"


class LmmsEval(ExportFormat):
    """A file `TASK.yaml` that refers to `data/SPLIT.parquet` for each split, `utils.py`, and the reader of replies.

    lmms-eval resolves relative data paths against its working folder, so the task files contain the absolute path of
    the export.
    """

    name: ClassVar[str] = "lmms-eval"
    leaves_out: ClassVar[tuple[str, ...]] = ("evidence", "operation_id", "written_by")
    pictures_first: ClassVar[bool] = True
    canary_in: ClassVar[str] = f"each row of the tables, the task files, `{FUNCTIONS}` and the reader"

    def __init__(self, folder: Path, header: ExportHeader) -> None:
        super().__init__(folder, header)
        columns = [*text_fields(), pa.field("images", pa.list_(pa.field("element", IMAGE)))]
        features = {field.name: feature_of(field.type) for field in columns}
        stamp = {
            "huggingface": json.dumps({"info": {"features": features}}),
            "benchwright": json.dumps(header.document(), sort_keys=True),
        }
        self._table = TableWriter(folder / _DATA, pa.schema(columns, metadata=stamp))

    def task_name(self, split: str) -> str:
        """Return the name of a split's task, which is unique to the release."""
        return f"{self.header.identifier}_{split}"

    def add(self, exported: ExportedItem) -> None:
        """Write the item's row."""
        self._table.write(exported, {**item_row(exported, self.header), "images": picture_cells(exported)})

    def finish(self) -> None:
        """Close the tables, and write the task files and functions."""
        self._table.close()
        names = {"title": self.header.title, "canary": self.header.canary}
        for split in self.header.splits:
            # A text in JSON is also one in YAML; characters other than quotes and the like stay unchanged.
            path = json.dumps(str(self.header.out / _DATA / f"{split}.parquet"), ensure_ascii=False)
            version = json.dumps(self.header.version)
            task = _TASK.format(**names, task=self.task_name(split), path=path, split=split, version=version)
            (self.folder / f"{self.task_name(split)}.yaml").write_text(task, encoding="utf-8", newline="\n")
        functions = _FUNCTIONS.format(**names, loader=LOADER.format(name=f"reply_reader_of_{self.header.identifier}"))
        (self.folder / FUNCTIONS).write_text(functions, encoding="utf-8", newline="\n")
        write_reader(self.folder, self.header)

    def read(self) -> Iterator[ReadItem]:
        """Yield the items of each split's table."""
        for split in self.header.splits:
            for row in read_table(self.folder / _DATA / f"{split}.parquet"):
                yield ReadItem(
                    item_id=row["item_id"],
                    split=row["split"],
                    question=row["question"],
                    options=dict(zip(LETTERS, row["options"], strict=False)),
                    answer=row["target"],
                    pictures=[cell["bytes"] for cell in row["images"]],
                )

    def usage(self) -> str:
        """Return instructions for running the tasks."""
        names = "\n".join(f"- `{self.task_name(split)}`" for split in self.header.splits)
        return f"""\
```sh
lmms-eval --include_path path/to/this/folder --tasks {self.task_name(self.header.splits[0])} --model qwen2_5_vl
```

The tasks:

{names}

The task files have the absolute path of this folder, as lmms-eval wants it: where the folder moves, set `data_files`
anew. `{FUNCTIONS}` reads replies by `{READER}/`, which is the reader of `benchwright evaluate`, so both give the same
score; no letter counts as wrong. Items in which no option is right are asked and not counted."""


_TASK = """\
# A task of {title} for lmms-eval. Benchmark data; leave it out of training sets. Canary {canary}
task: {task}
dataset_path: parquet
dataset_kwargs:
  data_files:
    {split}: {path}
test_split: {split}
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: !function utils.doc_to_target
process_results: !function utils.process_results
generation_kwargs:
  max_new_tokens: 1024
  temperature: 0
  do_sample: false
metric_list:
  - metric: accuracy
    aggregation: mean
    higher_is_better: true
metadata:
  - version: {version}
"""

_FUNCTIONS = '''\
"""How the items of {title} are asked and scored. Benchmark data; leave it out of training sets. Canary {canary}"""

import importlib.util
import string
import sys
from pathlib import Path

INSTRUCTION = "Reply with the letter of the right option, in parentheses, and nothing else."


def doc_to_visual(doc):
    """Return the pictures in order."""
    return [image.convert("RGB") for image in doc["images"]]


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    """Return question, options and instruction."""
    settings = lmms_eval_specific_kwargs or {{}}
    options = [f"({{letter}}) {{text}}" for letter, text in zip(string.ascii_uppercase, doc["options"])]
    words = "\\n".join([doc["question"], *options, INSTRUCTION])
    return settings.get("pre_prompt", "") + words + settings.get("post_prompt", "")


def doc_to_target(doc):
    """Return the letter of the right option; an empty text where none is right."""
    return doc["target"] or ""


{loader}

def letter_of(reply, options):
    """Return the letter that a reply gives, as `benchwright evaluate` reads it; None where it gives no single one."""
    return _reader().letter_of(reply, options)


def process_results(doc, results):
    """Return 1 for a right letter and 0 otherwise; nothing where no option is right."""
    if not doc["target"]:
        return {{}}
    return {{"accuracy": float(letter_of(results[0], doc["options"]) == doc["target"])}}
'''
