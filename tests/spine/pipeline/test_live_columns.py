"""The columns that a gather step receives: only live records, as left by the last stage, in bounded memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from benchwright.errors import DataError
from benchwright.pipeline.stages.live_columns import live_columns
from benchwright.steps import GatherStep, Step, Stream
from benchwright.workspace.shards import Marker, StageTable, effect_of
from benchwright.workspace.stage_input import load_stage_input
from benchwright.workspace.stages import Stage, stages_of
from benchwright.workspace.tables import IMAGES, ITEMS, outcome_schema
from benchwright.workspace.workspace import Workspace

Row = Mapping[str, Any]


class _OfImages(Step):
    """A filter of images that gives groups and a value."""

    name: ClassVar[str] = "of_images"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = {"group": "string", "tone": "float64"}


class _Maker(Step):
    """Makes items of images."""

    name: ClassVar[str] = "maker"
    consumes: ClassVar[Stream] = "images"
    makes: ClassVar[tuple[Stream, ...]] = ("items",)


class _OfItems(Step):
    """A filter of items that gives groups and a value."""

    name: ClassVar[str] = "of_items"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"group": "string", "length": "int64"}


class _Reviser(Step):
    """A campaign's like: it hands over items in new versions."""

    name: ClassVar[str] = "reviser"
    consumes: ClassVar[Stream] = "items"
    revises: ClassVar[bool] = True


class _ItemsSeen(GatherStep):
    name: ClassVar[str] = "seen"
    consumes: ClassVar[Stream] = "items"
    columns: ClassVar[tuple[str, ...]] = ("item_id", "answer", "group_keys", "of_items.length")


class _ImagesSeen(GatherStep):
    name: ClassVar[str] = "images_seen"
    consumes: ClassVar[Stream] = "images"
    columns: ClassVar[tuple[str, ...]] = ("width", "of_images.tone")


class _WidthsSeen(GatherStep):
    name: ClassVar[str] = "widths_seen"
    consumes: ClassVar[Stream] = "images"
    columns: ClassVar[tuple[str, ...]] = ("width",)


@dataclass
class Tables:
    """The tables of one shard, written stage by stage."""

    space: Workspace
    upstream: list[tuple[Stage | None, Marker]] = field(default_factory=list)

    def write(
        self, step: Step | None, judged: Sequence[Row] = (), *, effect: str = "", **made: Sequence[Row]
    ) -> Marker:
        """Write what a stage says of records and what it makes; None stands for ingest."""
        stage = None if step is None else stages_of(step.name, step)[0]
        schemas = {"images": IMAGES, "items": ITEMS}
        tables: dict[str, Any] = {kind: (rows, schemas[kind]) for kind, rows in made.items()}
        if stage is not None:
            tables["outcomes"] = ([{"verdict": "keep"} | dict(row) for row in judged], outcome_schema(stage.values))
        table = StageTable(self.space, stage.id if stage else "ingest")
        marker = table.write("0", tables=tables, fingerprint="", config="", effect=effect, counts={})
        self.upstream.append((stage, marker))
        return marker

    def seen_by(self, step: GatherStep) -> pa.Table:
        """Return what a step gets after all stages that were written."""
        return live_columns(self.space, stages_of(step.name, step)[0], step.columns, self.upstream)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(Workspace.create(tmp_path / "w"))


def _image(name: str, width: int) -> Row:
    return {"image_id": name, "root_image_id": name, "width": width}


def _item(name: str, image: str, answer: str, *groups: str) -> Row:
    return {"item_id": name, "root_image_id": image, "answer": answer, "group_keys": [*groups]}


def test_images_are_those_that_stay_sorted_by_id_with_the_values_of_earlier_stages(tables: Tables) -> None:
    tables.write(None, images=[_image(name, ord(name)) for name in "dcba"])
    judged = [
        {"record_id": "a", "tone": 0.5},
        {"record_id": "b", "verdict": "drop", "tone": 0.7},
        {"record_id": "c", "verdict": "failed"},
        {"record_id": "d", "verdict": "ask"},
    ]
    tables.write(_OfImages(), judged)
    assert tables.seen_by(_ImagesSeen()).to_pydict() == {
        "record_id": ["a", "d"],
        "width": [97, 100],
        "of_images.tone": [0.5, None],
    }


def test_items_have_the_groups_of_their_images_and_of_stages_and_the_answer_of_their_last_version(
    tables: Tables,
) -> None:
    tables.write(None, images=[_image("a", 1), _image("b", 2)])
    tables.write(_OfImages(), [{"record_id": "a", "group": "film"}, {"record_id": "b"}])
    items = [_item("1", "b", "A", "own"), _item("2", "a", "A", "own", "film"), _item("3", "a", "A")]
    # A step that makes items drops an image from its own use only.
    tables.write(_Maker(), [{"record_id": "a"}, {"record_id": "b", "verdict": "drop"}], items=items)
    judged = [
        {"record_id": "1", "group": "long", "length": 9},
        {"record_id": "2", "group": "brief", "length": 1},
        {"record_id": "3", "verdict": "drop", "group": "long"},
    ]
    tables.write(_OfItems(), judged)
    tables.write(_Reviser(), [{"record_id": "1"}, {"record_id": "2"}], items=[_item("1", "b", "C", "own")])
    assert tables.seen_by(_ItemsSeen()).to_pydict() == {
        "record_id": ["1", "2"],
        "item_id": ["1", "2"],
        "answer": ["C", "A"],
        "group_keys": [["own"], ["brief", "film", "own"]],
        "of_items.length": [9, 1],
    }


@pytest.mark.parametrize(("gone", "is_read"), [((), False), (("b",), True)])
def test_verdicts_are_read_only_where_they_removed_or_grouped_a_record(
    tables: Tables, gone: Sequence[str], is_read: bool
) -> None:
    tables.write(None, images=[_image("a", 1), _image("b", 2)])
    judged = [{"record_id": name, "verdict": "drop" if name in gone else "keep"} for name in "ab"]
    marker = tables.write(_OfImages(), judged, effect=effect_of(gone, ()))
    assert tables.seen_by(_WidthsSeen()).column("record_id").to_pylist() == [name for name in "ab" if name not in gone]
    (StageTable(tables.space, "of_images").folder / marker.files["outcomes"]["name"]).unlink()
    if is_read:
        with pytest.raises(DataError):
            tables.seen_by(_WidthsSeen())
    else:
        assert tables.seen_by(_WidthsSeen()).num_rows == 2


def test_a_shard_without_records_has_empty_columns_of_the_same_types(tables: Tables) -> None:
    tables.write(None, images=[])
    tables.write(_OfImages())
    seen = tables.seen_by(_ImagesSeen())
    assert (seen.num_rows, seen.schema.types) == (0, [pa.string(), pa.int64(), pa.float64()])


def test_a_value_that_an_earlier_version_of_a_step_did_not_write_is_unknown(tables: Tables) -> None:
    tables.write(None, images=[_image("a", 1), _image("b", 2)])
    tables.write(_OfImages(), [{"record_id": "a", "tone": 0.5}, {"record_id": "b"}])
    reads = ["of_images.tone", "of_images.grain"]
    read = load_stage_input(tables.space, tables.upstream, reads, with_images=False)
    assert read.values == {"of_images.tone": {"a": 0.5, "b": None}, "of_images.grain": {"a": None, "b": None}}
