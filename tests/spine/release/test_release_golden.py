"""The release format is a promise.

`golden/release-v1` to `release-v3` were written once and stay unchanged: every later Benchwright must read them as
today's does. A change that fails here needs a new version of the format, with a new golden folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_bench import Bench, small_bench

from benchwright.canonical import bytes_digest
from benchwright.release import Release, verify_release
from benchwright.release.format import rows
from benchwright.release.format.later_pictures import GroupPictures
from benchwright.release.format.schema import SCHEMA, stamped_schema

GOLDEN = Path(__file__).parent.parent / "golden"
CONTENT_ID_OF_VERSION_1 = "6d59f669c2fa18b0fce52fef6afd6c8feac8213dfeea05cb34ae8f264ba0e8b0"
CONTENT_ID = "aae993fef83786dfdf302e86f60fafe624c8a0fa2e3836f2126df85811fbc138"
CANARY = "120d37b5-9be7-58e5-a705-6aeaf2f24d11"


def spelled(kind: pa.DataType) -> str:
    """Spell a type in fixed words, since PyArrow's may change."""
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


@pytest.fixture
def old_bench() -> Bench:
    """The items of the golden release of version 1, whose rings cannot be drawn."""
    return small_bench(ring_scale=1)


def _assert_reads_as(release: Release, bench: Bench) -> None:
    items = {one.item.item_id: (one.item, one.split) for one in release.items()}
    assert items == {item.item_id: (item, split) for item, split in bench.items}
    for one in release.items():
        assert one.images == {image.image_id: bench.files[image.image_id] for image in one.item.images}


@pytest.mark.parametrize("version", [2, 3])
def test_a_golden_release_still_reads_as_the_items_it_was_made_of(version, bench):
    _assert_reads_as(Release.open(GOLDEN / f"release-v{version}"), bench)


def test_the_golden_release_of_version_1_still_reads_as_the_items_it_was_made_of(old_bench):
    release = Release.open(GOLDEN / "release-v1")
    _assert_reads_as(release, old_bench)
    assert all(drawn is None for one in release.items() for drawn in one.drawn)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_pictures_come_with_the_wanted_items_only(version, monkeypatch):
    release = Release.open(GOLDEN / f"release-v{version}")
    whole = list(release.items())
    wanted = {one.item.item_id for one in whole[1::3]}
    hashed: list[int] = []
    monkeypatch.setattr(rows, "bytes_digest", lambda data: hashed.append(len(data)) or bytes_digest(data))
    some = list(release.items(pictures_of=wanted))
    assert [one.item for one in some] == [one.item for one in whole]
    assert [one for one in some if one.item.item_id in wanted] == whole[1::3]
    assert all(not one.images and not one.drawn for one in some if one.item.item_id not in wanted)
    shown = {data for one in whole[1::3] for data in (*one.images.values(), *one.drawn) if data is not None}
    assert len(hashed) == len(shown)
    of_task = [one for one in some if one.item.task == whole[1].item.task]
    assert list(release.items(tasks=[whole[1].item.task], pictures_of=wanted)) == of_task


@pytest.mark.parametrize("version", [1, 2, 3])
def test_pictures_are_read_when_they_are_looked_at(version, monkeypatch):
    release = Release.open(GOLDEN / f"release-v{version}")
    whole = list(release.items())
    read: list[int] = []
    monkeypatch.setattr(
        GroupPictures, "_read", lambda one, group, real=GroupPictures._read: read.append(group) or real(one, group)
    )
    later = list(release.items_without_pictures())
    assert [(one.item, one.split) for one in later] == [(one.item, one.split) for one in whole]
    assert not read
    assert [(one.images, one.drawn) for one in later] == [(one.images, one.drawn) for one in whole]
    assert len(read) == len(release.splits)  # their files are small: one row group each
    wanted = {one.item.item_id for one in whole[1::3]}
    assert [one.item for one in release.items_without_pictures(item_ids=wanted)] == [one.item for one in whole[1::3]]


@pytest.mark.parametrize("version", [2, 3])
def test_an_item_with_withheld_answers_keeps_the_pictures_that_models_see(version):
    release = Release.open(GOLDEN / f"release-v{version}")
    public = list(release.items())
    release.withheld = {one.item.item_id: {"level": "withheld"} for one in public}
    opened = list(release.items())
    assert {one.item.level for one in opened} == {"withheld"}
    assert any(drawn is not None for one in public for drawn in one.drawn)
    assert [(one.images, one.drawn) for one in opened] == [(one.images, one.drawn) for one in public]


@pytest.mark.slow
@pytest.mark.parametrize(("version", "content_id"), [(1, CONTENT_ID_OF_VERSION_1), (2, CONTENT_ID), (3, CONTENT_ID)])
def test_a_golden_release_still_verifies_under_its_ids(version, content_id):
    verification = verify_release(GOLDEN / f"release-v{version}")
    assert verification.problems == []
    assert verification.content_id == content_id
    assert Release.open(GOLDEN / f"release-v{version}").canary == CANARY


@pytest.mark.parametrize("version", [1, 2, 3])
def test_the_schema_is_the_golden_one(version):
    schema = stamped_schema(canary="x", version=version)
    assert described(schema) == (GOLDEN / f"release-v{version}.schema.txt").read_text()
    assert schema.equals(pq.read_schema(GOLDEN / f"release-v{version}" / "data" / "val-00000.parquet"))
    assert version == 1 or schema.equals(SCHEMA)


def test_a_version_writes_no_other_content_id_than_the_one_before(old_bench, tmp_path):
    assert old_bench.write(tmp_path / "r").content_id == CONTENT_ID_OF_VERSION_1


def test_the_manifest_has_the_golden_keys(bench, tmp_path):
    bench.write(tmp_path / "r")
    documents = [
        json.loads((folder / "manifest.json").read_text()) for folder in (GOLDEN / "release-v3", tmp_path / "r")
    ]
    golden, today = (keys_of(document, 3) for document in documents)
    assert today == golden


def test_the_same_items_still_give_the_golden_ids_and_provenance(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    assert (release.content_id, release.canary) == (CONTENT_ID, CANARY)
    provenance = (tmp_path / "r" / "provenance.json").read_bytes()
    assert provenance == (GOLDEN / "release-v3" / "provenance.json").read_bytes()


def test_the_same_arrow_and_pillow_still_give_the_golden_bytes(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    golden = Release.open(GOLDEN / "release-v3")
    if _drawn_files(golden) != _drawn_files(release):
        pytest.skip("another encoder than the one that wrote the golden release")
    for name in ("data/val-00000.parquet", "data/test-00000.parquet"):
        if pq.read_metadata(golden.path / name).created_by != pq.read_metadata(release.path / name).created_by:
            pytest.skip("another version of Arrow than the one that wrote the golden release")
        assert (release.path / name).read_bytes() == (golden.path / name).read_bytes()


def _drawn_files(release: Release) -> list[tuple[bytes | None, ...]]:
    return [one.drawn for one in release.items()]
