"""The columns of a release's Parquet files: a stable format, guarded by golden files in the tests.

One row is one item. `images` has the layout in which Hugging Face `datasets` keeps `List(Image())`, and the schema's
metadata states this, so that `datasets.load_dataset(<release folder>)` gives decoded pictures. Open structures (visual
prompts, attributes, evidence) are canonical JSON in a text column.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

FORMAT = "benchwright/release"
FORMAT_VERSION = 1

_TEXT = pa.string()


def _list_of(kind: pa.DataType) -> pa.DataType:
    # The name of the inner field is given explicitly, because PyArrow's default may change.
    return pa.list_(pa.field("element", kind))


IMAGE = pa.struct([("bytes", pa.binary()), ("path", _TEXT)])
"""Bytes of a picture's file, unchanged, and a file name made of its SHA-256."""

COLUMNS: dict[str, pa.DataType] = {
    "item_id": _TEXT,
    "revision": pa.int32(),
    "content_hash": _TEXT,
    "split": _TEXT,
    "task": _TEXT,
    "kind": _TEXT,
    "images": _list_of(IMAGE),
    "image_ids": _list_of(_TEXT),
    "image_roles": _list_of(_TEXT),
    "visual_prompts": _TEXT,
    "question": _TEXT,
    "choices": _list_of(pa.struct([("key", _TEXT), ("text", _TEXT), ("image_id", _TEXT)])),
    "answer": _TEXT,
    "refusal": _TEXT,
    "level": _TEXT,
    "category": _TEXT,
    "attributes": _TEXT,
    "explanation": _TEXT,
    "group_keys": _list_of(_TEXT),
    "written_by": _TEXT,
    "operation_id": _TEXT,
    "root_image_id": _TEXT,
    "made_from": _TEXT,
    "evidence": _TEXT,
}
"""Columns in order; `images`, `image_ids`, `image_roles` and the outer list of `visual_prompts` have the same length,
in the order in which the pictures are shown."""

SCHEMA = pa.schema(list(COLUMNS.items()))


def _feature(kind: pa.DataType) -> Any:
    """Return a column's type in the form of `datasets.Features.to_dict`."""
    if kind == IMAGE:
        return {"_type": "Image"}
    if pa.types.is_list(kind):
        return {"feature": _feature(kind.value_type), "_type": "List"}
    if pa.types.is_struct(kind):
        return {kind.field(i).name: _feature(kind.field(i).type) for i in range(kind.num_fields)}
    return {"dtype": str(kind), "_type": "Value"}


def stamped_schema(*, canary: str) -> pa.Schema:
    """Return the schema with its metadata: features for `datasets`, and format, version and canary."""
    features = {name: _feature(kind) for name, kind in COLUMNS.items()}
    stamp = {"format": FORMAT, "version": FORMAT_VERSION, "canary": canary}
    return SCHEMA.with_metadata(
        {
            "huggingface": json.dumps({"info": {"features": features}}),
            "benchwright": json.dumps(stamp, sort_keys=True),
        }
    )
