"""The columns of a release's Parquet files: a stable format, protected by golden files in the tests.

One row is one item. `images` and `unmarked` have the layout in which Hugging Face `datasets` stores `List(Image())`.
The schema's metadata states this, so `datasets.load_dataset(<release folder>)` returns decoded pictures. Open
structures (visual prompts, attributes, evidence) are canonical JSON in a text column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pyarrow as pa

from benchwright.release.format.manifest import FORMAT, FORMAT_VERSION

_TEXT = pa.string()


def _list_of(kind: pa.DataType) -> pa.DataType:
    # The inner field has an explicit name because PyArrow's default may change.
    return pa.list_(pa.field("element", kind))


_CHOICE = pa.struct([("key", _TEXT), ("text", _TEXT), ("image_id", _TEXT)])
IMAGE = pa.struct([("bytes", pa.binary()), ("path", _TEXT)])
"""Bytes of a picture's file, and a file name based on their SHA-256."""

_TABLE: tuple[tuple[str, pa.DataType, str], ...] = (
    ("item_id", _TEXT, "Id of the item: 32 hexadecimal digits."),
    ("revision", pa.int32(), "Number of revisions of the item, 0 or more."),
    ("content_hash", _TEXT, "Digest of the content shown and of the answer."),
    ("split", _TEXT, "Name of the item's split."),
    ("task", _TEXT, "Task that the item belongs to, such as `jigsaw`."),
    ("kind", _TEXT, "`yes_no` or `multiple_choice`."),
    ("images", _list_of(IMAGE), "Each picture as models see it, marks drawn, and a file name made of its SHA-256."),
    ("unmarked", _list_of(IMAGE), "Parallel to `images`: the clean file of a picture with drawn marks; else null."),
    ("image_ids", _list_of(_TEXT), "SHA-256 of each picture's clean file, parallel to `images`."),
    ("image_roles", _list_of(_TEXT), "Role of each picture, parallel to `images`, such as `reference` or `choice`."),
    ("visual_prompts", _TEXT, "JSON: for each picture a list of marks, in its upright coordinates."),
    ("question", _TEXT, "Text of the question; it may place pictures: `<image 2>`."),
    ("choices", _list_of(_CHOICE), "Choices in order; each has a text or one of the item's pictures."),
    ("answer", _TEXT, "Key of the right choice; null if nothing in the picture answers."),
    ("refusal", _TEXT, "Key of the choice that declines to answer; null if none does."),
    ("level", _TEXT, "Level of the question, such as `high` or `low`; null without one."),
    ("category", _TEXT, "Category of the question, such as MVP-Bench's `B1`; null without one."),
    ("attributes", _TEXT, 'JSON: values from users, such as `{"domain": "Life"}`, by which metrics can group.'),
    ("explanation", _TEXT, "Why the answer is right; null without an explanation."),
    ("group_keys", _list_of(_TEXT), "Keys of the groups that splits keep together."),
    ("written_by", _TEXT, "JSON: the author of each text: `person`, `simulated`, `template`, or a model."),
    ("operation_id", _TEXT, "Operation that made the item, described in `provenance.json`."),
    ("root_image_id", _TEXT, "Source image from which the item derives, with its record in `provenance.json`."),
    ("made_from", _TEXT, "Record that the item was made from."),
    ("evidence", _TEXT, "JSON: evidence of how the item was made."),
)  # fmt: skip
COLUMNS: dict[str, pa.DataType] = {name: kind for name, kind, _ in _TABLE}
"""Columns in order; `images`, `unmarked`, `image_ids`, `image_roles` and the outer list of `visual_prompts` have the
same length, in display order of the pictures."""
COLUMN_MEANINGS: dict[str, str] = {name: meaning for name, _, meaning in _TABLE}

PICTURE_COLUMNS = ("images", "unmarked")
"""Columns that contain the bytes of files."""

_ADDED_IN = {"unmarked": 2}

SCHEMA = pa.schema(list(COLUMNS.items()))
"""Schema of the format version to write, without metadata."""


def sort_key_of(row: Mapping[str, Any], version: int = FORMAT_VERSION) -> tuple[str, str]:
    """Return the sort key of a data file's rows: the first picture that an item shows, then its id."""
    return (row["image_ids"][0] if version >= 3 and row["image_ids"] else "", row["item_id"])


def columns_of_version(version: int) -> dict[str, pa.DataType]:
    """Return the columns of a version of the format, in order."""
    return {name: kind for name, kind in COLUMNS.items() if _ADDED_IN.get(name, 1) <= version}


def feature_of(kind: pa.DataType) -> Any:
    """Return a column's type in the form of `datasets.Features.to_dict`; a struct of bytes and path is a picture."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": feature_of(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {kind.field(i).name: feature_of(kind.field(i).type) for i in range(kind.num_fields)}
    return {"dtype": str(kind), "_type": "Value"}


@lru_cache(maxsize=32)
def stamped_schema(*, canary: str, version: int = FORMAT_VERSION) -> pa.Schema:
    """Return a version's schema with its metadata: the features for `datasets`, and the format, version and canary."""
    columns = columns_of_version(version)
    features = {name: feature_of(kind) for name, kind in columns.items()}
    stamp = {"format": FORMAT, "version": version, "canary": canary}
    return pa.schema(list(columns.items())).with_metadata(
        {
            "huggingface": json.dumps({"info": {"features": features}}),
            "benchwright": json.dumps(stamp, sort_keys=True),
        }
    )
