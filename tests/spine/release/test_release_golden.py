"""The release format is a promise.

`golden/release-v1` was written once and stays as it is: every later Benchwright must read it as today's does.
A change that fails here needs a new version of the format, with a golden folder of its own beside this one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.release import Release, verify_release
from benchwright.release.format import SCHEMA, stamped_schema

GOLDEN = Path(__file__).parent.parent / "golden"
CONTENT_ID = "6d59f669c2fa18b0fce52fef6afd6c8feac8213dfeea05cb34ae8f264ba0e8b0"
CANARY = "120d37b5-9be7-58e5-a705-6aeaf2f24d11"


def spelled(kind: pa.DataType) -> str:
    """Spell a type in words of our own, since PyArrow's may change."""
    if pa.types.is_list(kind):
        return f"list<{spelled(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return "struct<" + ", ".join(f"{f.name}: {spelled(f.type)}" for f in kind.fields) + ">"
    return str(kind)


def described(schema: pa.Schema) -> str:
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    return "".join(f"{f.name}: {spelled(f.type)}\n    {json.dumps(features[f.name])}\n" for f in schema)


def keys_of(document: object, depth: int) -> object:
    if isinstance(document, dict) and depth:
        return {key: keys_of(value, depth - 1) for key, value in sorted(document.items())}
    return type(document).__name__


def test_the_golden_release_still_reads_as_the_items_it_was_made_of(bench):
    release = Release.open(GOLDEN / "release-v1")
    found = {one.item.item_id: (one.item, one.split) for one in release.items()}
    assert found == {item.item_id: (item, split) for item, split in bench.items}
    for one in release.items():
        assert one.images == {image.image_id: bench.files[image.image_id] for image in one.item.images}


def test_the_golden_release_still_verifies_under_its_ids():
    found = verify_release(GOLDEN / "release-v1")
    assert found.problems == []
    assert found.content_id == CONTENT_ID
    assert Release.open(GOLDEN / "release-v1").canary == CANARY


def test_the_schema_is_the_golden_one():
    assert described(stamped_schema(canary="x")) == (GOLDEN / "release-v1.schema.txt").read_text()
    assert SCHEMA.equals(pq.read_schema(GOLDEN / "release-v1" / "data" / "val-00000.parquet"))


def test_the_manifest_has_the_golden_keys(bench, tmp_path):
    bench.write(tmp_path / "r")
    documents = [
        json.loads((folder / "manifest.json").read_text()) for folder in (GOLDEN / "release-v1", tmp_path / "r")
    ]
    golden, today = (keys_of(document, 3) for document in documents)
    assert today == golden


def test_the_same_items_still_give_the_golden_ids_and_provenance(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    assert (release.content_id, release.canary) == (CONTENT_ID, CANARY)
    provenance = (tmp_path / "r" / "provenance.json").read_bytes()
    assert provenance == (GOLDEN / "release-v1" / "provenance.json").read_bytes()


def test_the_same_arrow_still_gives_the_golden_bytes(bench, tmp_path):
    bench.write(tmp_path / "r")
    for name in ("data/val-00000.parquet", "data/test-00000.parquet"):
        golden, today = GOLDEN / "release-v1" / name, tmp_path / "r" / name
        if pq.read_metadata(golden).created_by != pq.read_metadata(today).created_by:
            pytest.skip("another version of Arrow than the one that wrote the golden release")
        assert today.read_bytes() == golden.read_bytes()
