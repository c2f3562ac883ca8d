"""Tables, markers and workspaces: equal rows yield equal bytes; newer, damaged or foreign ones are refused with a
message.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.pipeline.stages.outcomes import Journal, Judged
from benchwright.records import ImageRecord, Source
from benchwright.steps import Outcome
from benchwright.workspace import shards
from benchwright.workspace.atomic import replacing, write_json
from benchwright.workspace.sealed import read_sealed, write_sealed
from benchwright.workspace.shards import StageTable, VerdictCounts, shard_names, shard_of
from benchwright.workspace.tables import (
    IMAGES,
    image_records,
    image_row,
    outcome_schema,
    read_table,
    sorted_rows,
    write_table,
)
from benchwright.workspace.workspace import Workspace


def _image(number: int) -> ImageRecord:
    image_id = f"{number:064x}"
    return ImageRecord(
        image_id=image_id, width=3 + number, height=5, media_type="image/png", size_bytes=9, root_image_id=image_id,
        source=Source(uri=f"{number}.png", licence="cc0"), notes=("palette",),
    )  # fmt: skip


def test_images_survive_the_round_trip_through_parquet(tmp_path: Path) -> None:
    made = _image(9).model_copy(update={"source": None, "derived_from": (_image(1).image_id,)})
    records = [_image(1), _image(2), made]
    write_table(tmp_path / "t.parquet", [image_row(record, "x") for record in records], IMAGES)
    assert list(image_records(read_table(tmp_path / "t.parquet"))) == records


def test_equal_rows_give_equal_bytes_in_any_order(tmp_path: Path) -> None:
    rows = [image_row(_image(number)) for number in range(50)]
    write_table(tmp_path / "a", sorted_rows(rows, "image_id"), IMAGES)
    write_table(tmp_path / "b", sorted_rows(reversed(rows), "image_id"), IMAGES)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_table_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [image_row(_image(1))], IMAGES)
    table = pq.read_table(tmp_path / "t")
    pq.write_table(table.replace_schema_metadata({"format": "benchwright/table", "version": "2"}), tmp_path / "t")
    with pytest.raises(DataError, match=r"table version 2, but this program reads up to 1; upgrade"):
        read_table(tmp_path / "t")


def test_a_table_of_another_program_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path / "t", [image_row(_image(1))], IMAGES)
    pq.write_table(pq.read_table(tmp_path / "t").replace_schema_metadata({}), tmp_path / "foreign")
    (tmp_path / "cut").write_bytes((tmp_path / "t").read_bytes()[:-9])
    for name, words in (
        ("foreign", "is not a Benchwright table"),
        ("cut", "cannot read table"),
        ("none", "cannot read"),
    ):
        with pytest.raises(DataError, match=words):
            read_table(tmp_path / name)


def test_a_value_of_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="value 'x' has type 'complex'"):
        outcome_schema({"x": "complex"})


@pytest.mark.parametrize("count", [1, 2, 16, 32, 256, 4096])
def test_shards_are_the_leading_bits_of_the_id_and_all_are_used(count: int) -> None:
    names = shard_names(count)
    assert len(set(names)) == count
    assert names == sorted(names)
    assert [shard_of(format(i * (2**32 // count), "08x") + "f" * 56, count) for i in range(count)] == names


def test_a_marker_whose_file_is_gone_counts_as_none(tmp_path: Path) -> None:
    table = StageTable(Workspace.create(tmp_path / "w"), "stage")
    rows = [image_row(_image(1))]
    marker = table.write("0", tables={"images": (rows, IMAGES)}, fingerprint="f", config="c", effect="e", counts={})
    assert table.marker("0") == marker
    next(table.folder.glob("*.parquet")).unlink()
    assert table.marker("0") is None


def test_a_marker_is_read_once_until_it_is_written_again_or_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(shards, "read_sealed", lambda path: read.append(path) or read_sealed(path))
    space = Workspace.create(tmp_path / "w")
    given: dict[str, Any] = {"tables": {}, "config": "c", "effect": "e", "counts": {}}
    StageTable(space, "stage").write("0", fingerprint="before", **given)
    markers = [StageTable(Workspace(space.root), "stage").marker("0") for _ in range(3)]
    assert ([marker and marker.fingerprint for marker in markers], len(read)) == (["before"] * 3, 1)
    StageTable(space, "stage").write("0", fingerprint="after!", **given)  # as many bytes as the marker before
    after = StageTable(space, "stage").marker("0")
    assert (after and after.fingerprint, len(read)) == ("after!", 2)
    StageTable(space, "stage").marker_path("0").unlink()
    assert StageTable(space, "stage").marker("0") is None


def test_a_marker_of_a_newer_program_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    table = StageTable(Workspace.create(tmp_path / "w"), "stage")
    table.write("0", tables={}, fingerprint="f", config="c", effect="e", counts={})
    path = table.folder / "markers" / "0.json"
    write_sealed(path, {**read_sealed(path), "version": 2})
    with pytest.raises(DataError, match=r"version 2, but this program reads 'benchwright/stage' 1"):
        table.marker("0")
    path.write_text("{")
    with pytest.raises(DataError, match="is damaged"):
        table.marker("0")


def test_counts_add_up_over_shards() -> None:
    parts = [
        VerdictCounts.of([("keep", None), ("drop", "small"), ("failed", "truncated")], {"items": 2}).to_json(),
        VerdictCounts.of([("keep", None), ("ask", "near"), ("drop", "small")], {"items": 1}).to_json(),
    ]
    total = VerdictCounts.total(parts)
    assert (total.records, total.kept, total.made["items"]) == (6, 3, 3)
    assert total.reasons("drop", "failed") == {"small": 2, "truncated": 1}


def test_a_workspace_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w")
    workspace.save_settings({})
    write_json(workspace.root / "workspace.json", {"format": "benchwright/workspace", "version": 9})
    with pytest.raises(DataError, match=r"version 9, but this program reads 1; upgrade"):
        Workspace.open(workspace.root)


def test_a_folder_with_other_things_is_never_made_a_workspace(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BenchwrightError, match=r"not empty \(it contains 'thesis.tex'\)"):
        Workspace.create(tmp_path)


def test_a_file_that_fails_to_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("old")

    def fail_half_way() -> None:
        with replacing(path) as draft:
            draft.write_text("new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_journal_ignores_torn_and_altered_lines_and_other_settings(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j" / "0.jsonl", "config")
    said = [Judged(name, "hash", Outcome("drop", "small", evidence={"line": "a\u2028b"})) for name in "abcd"]
    for one in said:
        journal.append(one)
    lines = journal.path.read_text(encoding="utf-8").split("\n")
    torn = [lines[0], lines[1].replace("small", "large"), lines[2], lines[3][:-7]]
    journal.path.write_text("\n".join(torn), encoding="utf-8")
    assert journal.load() == {one.record_id: one for one in (said[0], said[2])}
    assert Journal(journal.path, "other settings").load() == {}
