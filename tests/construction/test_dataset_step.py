"""The step `dataset`: pictures enter a run with their source, and records become values of their images.

- A release carries license, author and canonical id; no image folder is needed.
- Pictures in archives are read member by member; pictures outside of the dataset's folder are found.
- The seed chooses records; refused rows are listed in the workspace; a record that lacks a picture is left out.
- With equal settings and files, nothing runs again, wherever the files are; the number of workers changes no byte.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from dataset_fixtures.coco_files import write_coco, write_lvis
from dataset_fixtures.diw_files import write_diw
from dataset_fixtures.folder_files import write_folder
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.hpatches_files import write_hpatches
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.pictures import save
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.tara_files import write_tara
from dataset_fixtures.vsr_files import write_vsr
from dataset_fixtures.wikiart_files import write_wikiart
from dataset_fixtures.wild6d_files import write_wild6d
from walks import tree_digest

from benchwright.construction.ground_truth.truths import TRUTHS
from benchwright.construction.ground_truth.values import records_of, truth_columns, truths_of
from benchwright.construction.item_parts.options.choices import PlacedChoices, text_choices
from benchwright.errors import DataError, RecipeError
from benchwright.pipeline import run_recipe
from benchwright.recipe import Recipe, parse_recipe, step
from benchwright.records import ImageRecord, Item, ItemImage, Source
from benchwright.release import Release
from benchwright.steps import Context, Filter, MapStep, Outcome

pytestmark = pytest.mark.slow

WRITERS: dict[str, tuple[Callable[[Path], Any], int, set[str]]] = {
    "coco": (write_coco, 80, {"boxes", "captions"}),
    "diw": (write_diw, 41, {"depth"}),
    "folder": (write_folder, 40, {"captions"}),
    "funkpoint": (write_funkpoint, 41, {"functions"}),
    "hpatches": (write_hpatches, 40, {"homographies"}),
    "lvis": (write_lvis, 40, {"boxes"}),
    "nights": (write_nights, 31, {"similarity"}),
    "tallyqa": (write_tally, 41, {"counts"}),
    "tara": (write_tara, 40, {"places"}),
    "wikiart": (write_wikiart, 40, {"styles"}),
    "wild6d": (write_wild6d, 3, {"poses"}),
}
"""How each dataset is written, its number of records, and the kinds of truth that they have."""


class Told(MapStep):
    """Make an item of every truth, with all pictures of its record and the truth as evidence."""

    name: ClassVar[str] = "told"
    consumes: ClassVar[Any] = "images"
    makes: ClassVar[Any] = ("items",)
    reads: ClassVar[tuple[str, ...]] = truth_columns(*TRUTHS)

    def one(self, record: ImageRecord, ctx: Context) -> Outcome:
        """Make the items of the records whose first picture the image is."""
        items = []
        for kind in TRUTHS:
            for number, truth in enumerate(truths_of(record, ctx, kind)):
                placed = PlacedChoices(("Yes", "No"), "A")
                items.append(
                    Item(
                        item_id=ctx.item_id(record.image_id, truth.record, ordinal=number),
                        task="told",
                        kind="yes_no",
                        images=tuple(ItemImage(image_id=image_id, role="view") for image_id in truth.image_ids),
                        question=f"Is {truth.record} number {number} true?",
                        choices=text_choices(placed),
                        answer="A",
                        root_image_id=record.root_image_id,
                        operation_id=ctx.operation_id,
                        made_from=record.image_id,
                        evidence={
                            "kind": truth.truth.kind,
                            "truth": truth.truth.model_dump(mode="json"),
                            "sizes": [[ctx.image(i).width, ctx.image(i).height] for i in truth.image_ids],
                            "places": [list(place) for place in records_of(record, ctx)],
                        },
                    )
                )
        return Outcome(items=tuple(items)) if items else Outcome("drop", "nothing_stated")


class Without(Filter):
    """Drop images of one size."""

    name: ClassVar[str] = "without"
    consumes: ClassVar[Any] = "images"
    values: ClassVar[Mapping[str, str]] = {"wide": "int64"}
    width: int

    def measure(self, record: ImageRecord, ctx: Context) -> Mapping[str, int]:
        """Return the width."""
        return {"wide": record.width}

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop it or keep it."""
        return Outcome("drop", "of_that_width") if measured["wide"] == self.width else Outcome()


def run(tmp_path: Path, *steps: Any, seed: int = 1, name: str = "w", workers: int = 1, **more: Any) -> Any:
    recipe = Recipe(
        "data",
        [*steps, Told(), step("freeze", name="data", version="1.0", why="all keys are A")],
        seed=seed,
        folder=tmp_path,
        shards=2,
    )
    return run_recipe(recipe, workspace=tmp_path / name, workers=workers, **more)


def sources(release: Release) -> list[Source]:
    """Return the source of every picture that has one."""
    rows = [row for row in release.provenance() if isinstance(row, ImageRecord)]
    return [row.source for row in rows if row.source is not None]


def released(finished: Any) -> tuple[list[Item], Release]:
    release = Release.open(finished.workspace / finished.artifacts["release"])
    return [item.item for item in release.items()], release


def test_a_release_carries_licence_author_and_canonical_id_of_every_picture(tmp_path: Path) -> None:
    photos = write_iiw(tmp_path / "iiw-dataset")
    finished = run(tmp_path, step("dataset", reader="iiw", folder="iiw-dataset", records=None))
    items, release = released(finished)
    by_id = {source.canonical_id: source for source in sources(release)}
    assert len(by_id) == len(photos)
    assert by_id["iiw:1"].licence == "CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/)"
    assert by_id["flickr:9007"].author == "A. Person (https://example.org/1)"
    assert by_id["flickr:9007"].uri == "dataset:data/7.png"
    assert {source.dataset for source in by_id.values()} == {"iiw"}
    evidence = next(item.evidence for item in items if "iiw:1 " in item.question)
    assert evidence["sizes"] == [[80, 60]]
    assert evidence["truth"]["first"] == [0.25 * 80, 30.0]
    assert evidence["places"] == [["iiw:1", 0]]


@pytest.mark.parametrize("reader", sorted(WRITERS))
def test_records_of_every_dataset_reach_the_steps_whole(tmp_path: Path, reader: str) -> None:
    write, records, kinds = WRITERS[reader]
    write(tmp_path / "data")
    items, release = released(run(tmp_path, step("dataset", reader=reader, folder="data", records=None)))
    assert len({item.evidence["places"][0][0] for item in items}) <= records
    assert len(items) == records
    assert {item.evidence["kind"] for item in items} == kinds
    for item in items:
        assert len(item.images) == len(item.evidence["sizes"])
    assert {source.dataset for source in sources(release)} == {reader}
    assert {image.media_type for image in release.provenance() if isinstance(image, ImageRecord)} <= {
        "image/jpeg",
        "image/png",
    }


def test_pairs_name_both_images_of_the_run(tmp_path: Path) -> None:
    write_spair(tmp_path)
    items, _ = released(run(tmp_path, step("dataset", reader="spair71k", folder="SPair-71k")))
    assert len(items) == 40
    assert {tuple(map(tuple, item.evidence["sizes"])) for item in items} == {
        ((80, 60), (64, 90)),
        ((500, 333), (500, 332)),
    }


def test_a_record_whose_partner_left_the_run_is_left_out(tmp_path: Path) -> None:
    write_spair(tmp_path)
    items, _ = released(run(tmp_path, Without(width=64), step("dataset", reader="spair71k", folder="SPair-71k")))
    assert [item.evidence["sizes"] for item in items] == [[[500, 333], [500, 332]]]


@pytest.mark.workers
def test_the_seed_chooses_records_and_the_bytes_are_those_of_any_number_of_workers(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    chosen = {}
    for name, seed, workers in (("one", 1, 1), ("four", 1, 4), ("other", 2, 1)):
        settings = step("dataset", reader="vsr", folder="vsr", records=12)
        finished = run(tmp_path, settings, seed=seed, name=name, workers=workers)
        chosen[name] = (tree_digest(finished.workspace), {item.question for item in released(finished)[0]})
    assert chosen["one"] == chosen["four"]
    assert len(chosen["one"][1]) == 12
    assert chosen["one"][1] != chosen["other"][1]


def test_pictures_in_an_archive_come_in_by_members(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    settings = step("dataset", reader="vsr", folder="vsr", records=None)
    plain = released(run(tmp_path, settings, name="plain"))
    with zipfile.ZipFile(tmp_path / "vsr" / "images.zip", "w") as archive:  # flat, as some put it
        for path in sorted((tmp_path / "vsr" / "images").iterdir()):
            archive.write(path, path.name)
    shutil.rmtree(tmp_path / "vsr" / "images")
    packed = released(run(tmp_path, settings, name="packed"))
    assert packed[1].manifest.content_id == plain[1].manifest.content_id
    assert sorted(path.name for path in (tmp_path / "vsr").iterdir()) == ["data", "images.zip"]


def test_a_second_run_does_nothing_wherever_the_dataset_lies(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    assert run(tmp_path, step("dataset", reader="vsr", folder="vsr")).executed > 0
    (tmp_path / "vsr").rename(tmp_path / "moved")
    assert run(tmp_path, step("dataset", reader="vsr", folder="moved")).executed == 0


def test_what_is_refused_is_listed_in_the_workspace_with_file_row_and_value(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_iiw(tmp_path / "iiw")
    (tmp_path / "iiw" / "data" / "4.png").write_bytes(b"no picture")
    (tmp_path / "iiw" / "data" / "9.json").write_text('{"photo": "nine"}', encoding="utf-8")
    finished = run(tmp_path, step("dataset", reader="iiw", folder="iiw"))
    lines = (finished.workspace / "datasets" / "dataset.refused.jsonl").read_text(encoding="utf-8").splitlines()
    refused = [json.loads(line) for line in lines]
    assert {(row["file"], row["reason"]) for row in refused} == {
        ("data/4.json", "picture_not_an_image"),
        ("data/9.json", "bad_row"),
    }
    assert "refused of iiw: bad_row 1, picture_not_an_image 1" in caplog.text
    assert len(sources(released(finished)[1])) == 38


def test_a_picture_that_several_folders_hold_keeps_the_source_that_states_a_licence(tmp_path: Path) -> None:
    write_iiw(tmp_path / "iiw")
    (tmp_path / "own").mkdir()
    shutil.copy(tmp_path / "iiw" / "data" / "7.png", tmp_path / "own" / "a.png")
    _, release = released(run(tmp_path, step("dataset", reader="iiw", folder="iiw"), images=tmp_path / "own"))
    licences = {source.licence for source in sources(release)}
    assert licences == {"CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/)"}


def test_coco_pictures_elsewhere_are_found_by_images(tmp_path: Path) -> None:
    for row in write_vsr(tmp_path / "vsr", pictures=False):
        save(tmp_path / "coco" / Path(row["image_link"]).parent.name / row["image"], int(row["image"][:12]), 48, 36)
    settings = step("dataset", reader="vsr", folder="vsr", images="coco", records=None)
    assert len(released(run(tmp_path, settings))[0]) == 41


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("reader: spair71", "did you mean 'spair71k'"),
        ("reader: vsr, options: {split: all_of_it}", "split"),
        ("reader: iiw, options: {min_wait: 2}", "it has: min_weight"),
    ],
)
def test_a_recipe_with_a_wrong_reader_or_option_is_refused_when_it_is_read(
    tmp_path: Path, settings: str, message: str
) -> None:
    write_vsr(tmp_path / "vsr")
    text = f"name: x\nshards: 2\nsteps:\n  - {{step: dataset, folder: vsr, {settings}}}\n"
    with pytest.raises(RecipeError, match=message):
        parse_recipe(text, "x.yaml", tmp_path)


def test_a_folder_of_another_dataset_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    write_vsr(tmp_path / "vsr")
    with pytest.raises(DataError, match="not laid out as SPair-71k"):
        run(tmp_path, step("dataset", reader="spair71k", folder="vsr"))
    with pytest.raises(DataError, match="away does not exist; name the dataset's folder, or its archive"):
        run(tmp_path, step("dataset", reader="spair71k", folder="away"))
