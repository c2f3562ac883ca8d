"""Writing a release.

- It can be read back unchanged: items, splits, and the exact bytes of every picture.
- Its bytes depend on its content only, not on order or time.
- A folder appears complete or not at all, and an existing one is never changed.
- Content that cannot be released is refused with a reason.
"""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from small_bench import bench_of

from benchwright.errors import BenchwrightError, DataError
from benchwright.records import ImageRecord, Operation
from benchwright.release import Release, content_id_of, verify_release
from benchwright.release.format.parquet import PieceLimits
from benchwright.release.writing.folder import unfinished

pytestmark = pytest.mark.slow


def test_items_splits_and_pictures_come_back_as_they_went_in(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    expected = {item.item_id: (item, split) for item, split in bench.items}
    found = list(release.items())
    assert {one.item.item_id: (one.item, one.split) for one in found} == expected
    for one in found:
        assert one.images == {image.image_id: bench.files[image.image_id] for image in one.item.images}
    assert len(release) == 8
    assert release.splits == ("test", "val")
    by_picture = sorted((item.images[0].image_id, item.item_id) for item, split in bench.items if split == "val")
    assert [one.item.item_id for one in release.items("val")] == [item_id for _, item_id in by_picture]


def test_writing_twice_gives_equal_bytes(bench, tmp_path, tree):
    bench.write(tmp_path / "a")
    bench.write(tmp_path / "b")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_the_order_of_items_does_not_show(bench, tmp_path, tree):
    bench.write(tmp_path / "a")
    shuffled = random.Random(5).sample(bench.items, k=len(bench.items))
    assert shuffled != bench.items
    bench.write(tmp_path / "b", items=iter(shuffled))
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_the_content_id_is_that_of_the_items_and_holds_across_names(bench, tmp_path):
    first = bench.write(tmp_path / "a")
    second = bench.write(tmp_path / "b", name="other", version="2.0", recipe={}, limits=PieceLimits(group_rows=1))
    assert first.content_id == second.content_id == content_id_of(reversed(bench.items))
    assert first.release_id != second.release_id
    assert first.canary != second.canary


def test_an_item_in_another_split_is_another_content(bench):
    item, split = bench.items[0]
    moved = [(item, "test" if split == "val" else "val"), *bench.items[1:]]
    assert content_id_of(moved) != content_id_of(bench.items)


def test_an_equal_release_is_left_alone(bench, tmp_path):
    bench.write(tmp_path / "r")
    before = {path: path.stat().st_ino for path in (tmp_path / "r").rglob("*")}
    bench.write(tmp_path / "r")
    assert {path: path.stat().st_ino for path in (tmp_path / "r").rglob("*")} == before
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_release_of_other_items_is_refused_and_stays(bench, tmp_path, tree):
    bench.write(tmp_path / "r")
    before = tree(tmp_path / "r")
    with pytest.raises(BenchwrightError, match=r"contains other items as version '1\.0'.*raise the version"):
        bench.write(tmp_path / "r", items=bench.items[1:])
    with pytest.raises(BenchwrightError, match=r"the same items, made or described differently.*raise the version"):
        bench.write(tmp_path / "r", seed=18)
    assert tree(tmp_path / "r") == before


def test_a_draft_takes_the_place_of_another(bench, tmp_path, tree):
    bench.write(tmp_path / "r")
    bench.write(tmp_path / "r", seed=18, replace=True)
    bench.write(tmp_path / "fresh", seed=18)
    assert tree(tmp_path / "r") == tree(tmp_path / "fresh")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "r"]


def test_the_same_release_damaged_is_refused(bench, tmp_path):
    bench.write(tmp_path / "r")
    (tmp_path / "r" / "README.md").write_text("other")
    with pytest.raises(DataError, match=r"contains a damaged copy of this release \(README\.md"):
        bench.write(tmp_path / "r")


def test_a_folder_that_is_no_release_is_refused_and_stays(bench, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("years of work")
    for manifest in (None, '{"name": "of another program", "version": 1}'):
        if manifest:
            (tmp_path / "thesis" / "manifest.json").write_text(manifest)
        with pytest.raises(BenchwrightError, match="exists and is not a readable release"):
            bench.write(tmp_path / "thesis", replace=True)
    assert (tmp_path / "thesis" / "chapter.txt").read_text() == "years of work"


def test_a_failure_on_the_way_leaves_nothing_behind(bench, tmp_path):
    def broken(record: ImageRecord) -> bytes:
        raise DataError(f"source of {record.image_id} is gone")

    with pytest.raises(DataError, match="is gone"):
        bench.write(tmp_path / "r", image_bytes=broken)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_cleared(bench, tmp_path, tree):
    bench.write(tmp_path / "fresh")
    for stray in (".r.unfinished", ".r.replaced"):
        (tmp_path / stray / "data").mkdir(parents=True)
        (tmp_path / stray / "data" / "val-00007.parquet").write_bytes(b"half a file")
    bench.write(tmp_path / "r")
    bench.write(tmp_path / "r")
    assert tree(tmp_path / "r") == tree(tmp_path / "fresh")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "r"]


def test_two_writers_of_one_folder_do_not_mix(bench, tmp_path):
    with unfinished(tmp_path / "r") as draft:
        (draft / "mine").write_text("first")
        with pytest.raises(BenchwrightError, match="another process is writing"):
            bench.write(tmp_path / "r")
        assert (draft / "mine").read_text() == "first"


def test_row_groups_and_files_are_cut_by_rows_and_bytes(tmp_path):
    bench = bench_of(11, 3_000)
    by_rows = bench.write(tmp_path / "rows", limits=PieceLimits(group_rows=4))
    data = pq.ParquetFile(by_rows.path / "data/test-00000.parquet").metadata
    assert [data.row_group(i).num_rows for i in range(data.num_row_groups)] == [4, 4, 3]
    by_bytes = bench.write(tmp_path / "bytes", limits=PieceLimits(group_bytes=10_000, file_bytes=20_000))
    names = by_bytes.manifest.data_files("test")
    assert names == [f"data/test-{number:05d}.parquet" for number in range(3)]
    assert [pq.ParquetFile(by_bytes.path / name).metadata.num_rows for name in names] == [4, 4, 3]
    assert [one.item for one in by_bytes.items()] == [one.item for one in by_rows.items()]
    assert verify_release(by_bytes.path).ok


def test_a_picture_that_several_items_show_is_stored_once_however_many_row_groups_there_are(tmp_path):
    bench = bench_of(6, 30_000)
    once = bench.write(tmp_path / "once")
    for number, (item, split) in enumerate(list(bench.items)):
        for again in range(1, 5):
            asked_again = {"item_id": f"{again:02d}{number:02d}".ljust(32, "0"), "question": f"Is it blue, {again}?"}
            bench.items.append((item.model_copy(update=asked_again), split))
    five_times = bench.write(tmp_path / "five", limits=PieceLimits(group_bytes=70_000))
    sizes = [sum(path.stat().st_size for path in (r.path / "data").iterdir()) for r in (once, five_times)]
    assert sizes[0] > 180_000
    assert sizes[1] < 1.2 * sizes[0]
    assert len(list(five_times.items())) == 30
    assert pq.ParquetFile(five_times.path / "data" / "test-00000.parquet").num_row_groups == 3
    encodings = [
        pq.ParquetFile(r.path / "data" / "test-00000.parquet").metadata.row_group(0).column(6).encodings
        for r in (once, five_times)
    ]
    assert ["RLE_DICTIONARY" in names for names in encodings] == [False, True]


def test_memory_does_not_grow_with_the_number_of_items(tmp_path):
    """Arrow's own memory; one row group here is 0.4 MB, the data 6 MB."""
    bench, before = bench_of(60, 100_000), pa.default_memory_pool()
    pool = pa.proxy_memory_pool(before)
    pa.set_memory_pool(pool)
    try:
        release = bench.write(tmp_path / "r", limits=PieceLimits(group_bytes=400_000))
        assert sum(1 for _ in release.items()) == 60
    finally:
        pa.set_memory_pool(before)
    assert (release.path / "data" / "test-00000.parquet").stat().st_size > 6_000_000
    assert 300_000 < pool.max_memory() < 3_000_000


def test_each_picture_is_asked_for_once_an_item(bench, tmp_path):
    asked: list[str] = []

    def image_bytes(record: ImageRecord) -> bytes:
        asked.append(record.image_id)
        return bench.files[record.image_id]

    bench.write(tmp_path / "r", image_bytes=image_bytes)
    assert len(asked) == 5 * 3 + 3


def test_provenance_names_operations_and_every_image_back_to_its_source(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    found = list(release.provenance())
    assert [one.step for one in found if isinstance(one, Operation)] == ["by_hand"]
    assert {one.image_id: one for one in found if isinstance(one, ImageRecord)} == bench.records
    document = json.loads((tmp_path / "r" / "provenance.json").read_text())
    assert len(document["entries"]) == 1 + len(bench.records)


def test_the_card_tells_counts_licences_and_simulated_annotators(bench, tmp_path):
    bench.write(tmp_path / "r", name="tiny", licence="Mine | all mine")
    text = (tmp_path / "r" / "README.md").read_text()
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["license_name"] == "Mine | all mine"
    assert front["configs"] == [
        {
            "config_name": "default",
            "data_files": [
                {"split": "test", "path": "data/test-*.parquet"},
                {"split": "val", "path": "data/val-*.parquet"},
            ],
        }
    ]
    assert "| `jigsaw` | 3 | 2 |" in text
    assert "| `ring_colour` | 2 | 1 |" in text
    assert "| all | 5 | 3 |" in text
    assert "`verify`: **simulated** annotators" in text
    assert "| trip | CC BY 4.0 | 2 | 0 |" in text
    assert "| trip | not stated | 3 | 0 |" in text
    assert "| `by_hand` |  | 9 | 7 | blank 2 |  |  |  | items 8 |" in text
    assert Release.open(tmp_path / "r").canary in text


def test_text_from_outside_cannot_break_out_of_the_card(tmp_path):
    bench = bench_of(1, 30)
    (image_id,) = bench.records
    source = bench.records[image_id].source.model_copy(update={"licence": "a | b\n# <script>"})
    bench.records[image_id] = bench.records[image_id].model_copy(update={"source": source})
    bench.write(tmp_path / "r")
    text = (tmp_path / "r" / "README.md").read_text()
    assert "| a \\| b \\# \\<script\\> | 1 | 0 |" in text


def test_people_are_not_marked_as_simulated(bench, tmp_path):
    bench.write(tmp_path / "r", agreement={"verify": {"simulated": False}})
    text = (tmp_path / "r" / "README.md").read_text()
    assert "simulated" not in text
    assert "- `verify`: people" in text


def test_a_human_baseline_is_there_only_if_given(bench, tmp_path):
    bench.write(tmp_path / "without")
    assert not (tmp_path / "without" / "human_baseline.json").exists()
    items = {bench.items[0][0].item_id: {"asked": 2, "right": 1}}
    baseline = {"answer": {"simulated": False, "annotators": 2, "answers_per_item": 2, "items": items}}
    bench.write(tmp_path / "with", human_baseline=baseline)
    document = json.loads((tmp_path / "with" / "human_baseline.json").read_text())
    assert document["baseline"] == baseline
    assert verify_release(tmp_path / "with").ok


def _with(bench, **changes):
    item, split = bench.items[0]
    return [(item.model_copy(update=changes), split), *bench.items[1:]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param({"evidence": {"score": float("nan")}}, "cannot be released", id="nan"),
        pytest.param({"evidence": {"text": "\ud800"}}, "cannot be released", id="half-a-surrogate-pair"),
        pytest.param({"operation_id": "unheard-of"}, "unknown operations", id="unknown-operation"),
    ],
)
def test_an_item_that_cannot_be_released_is_named(bench, tmp_path, changes, message):
    with pytest.raises(DataError, match=message):
        bench.write(tmp_path / "r", items=_with(bench, **changes))


def test_no_items_an_item_twice_and_an_odd_split_are_refused(bench, tmp_path):
    with pytest.raises(DataError, match="would be empty"):
        bench.write(tmp_path / "r", items=[])
    with pytest.raises(DataError, match="appears twice"):
        bench.write(tmp_path / "r", items=[*bench.items, bench.items[2]])
    with pytest.raises(DataError, match=r"split '\.\./up'"):
        bench.write(tmp_path / "r", items=[(bench.items[0][0], "../up")])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("changes", [{"name": "../up"}, {"version": "1/0"}, {"name": "Tiny"}, {"version": ""}])
def test_names_that_are_no_folder_names_are_refused(bench, tmp_path, changes):
    with pytest.raises(BenchwrightError, match="give"):
        bench.write(tmp_path / "r", **changes)


def test_a_picture_that_changed_since_is_refused(bench, tmp_path):
    with pytest.raises(DataError, match="has changed"):
        bench.write(tmp_path / "r", image_bytes=lambda record: bench.files[record.image_id] + b"\0")


def test_sha256sum_reads_the_seal(bench, tmp_path):
    release = bench.write(tmp_path / "r")
    assert (release.path / "manifest.sha256").read_text() == f"{release.release_id}  manifest.json\n"
