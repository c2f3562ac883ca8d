"""A bad cell of any kind affects only the values that need it, and is reported in a short line; no other row is lost.

The tests cover twenty kinds of cells that people and programs write, with several readers: invalid or too large
numbers, dates, other types, nesting, spaces, characters that text cannot represent, and texts of any length. They also
cover faults of whole files: byte order marks, duplicates, swapped columns, line ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dataset_fixtures.coco_files import write_coco
from dataset_fixtures.funkpoint_files import write_funkpoint
from dataset_fixtures.genome_files import write_genome
from dataset_fixtures.iiw_files import write_iiw
from dataset_fixtures.nights_files import write_nights
from dataset_fixtures.spair_files import write_spair
from dataset_fixtures.tally_files import write_tally
from dataset_fixtures.vqa_files import write_vqa
from dataset_fixtures.vsr_files import vsr_rows, write_vsr

from benchwright.construction.datasets.dataset_check import check_dataset
from benchwright.construction.readers.listing import make_reader

JSON_KINDS = {
    "nan": "NaN", "infinite": "-Infinity", "beyond any float": "1e999", "huge": "1e308", "400 digits": "9" * 400,
    "below any float": "1e-999", "true": "true", "null": "null", "deep": "[" * 300 + "]" * 300, "object": '{"a": {}}',
    "empty": '""', "spaces": '"   "', "date": '"2026-11-28"', "half a sign": r'"\ud800x"', "null sign": r'"a\u0000b"',
    "right to left": r'"\u202e\u0633"', "long": f'"{"x" * 100_000}"', "negative": "-7", "fraction": "1.5",
    "number as text": '"12"',
}  # fmt: skip
TABLE_KINDS = {
    "nan": "nan", "infinite": "inf", "400 digits": "9" * 400, "empty": "", "spaces": "   ", "date": "2026-11-28",
    "null sign": "a\x00b", "negative": "-7", "fraction": "1.5", "open quote": '"a', "long": "x" * 100_000,
    "list": "[1]", "thousands": "1 000", "byte order": "\ufeff1", "semicolon": "1;2",
}  # fmt: skip
JSON_CELLS: dict[str, tuple[Callable[[Path], Any], str, tuple[tuple[str | int, ...], ...]]] = {
    "tallyqa": (
        lambda root: write_tally(root, 3), "tallyqa/test.json",
        ((0, "answer"), (0, "question"), (0, "image"), (0, "issimple")),
    ),
    "vqa": (
        lambda root: write_vqa(root, 2), "v2_mscoco_val2014_annotations.json",
        (("annotations", 0, "answers", 3, "answer"), ("annotations", 0, "multiple_choice_answer")),
    ),
    "iiw": (
        lambda root: write_iiw(root, 2), "data/2.json",
        (("intrinsic_comparisons", 0, "darker"), ("intrinsic_comparisons", 0, "darker_score"), ("aspect_ratio",),
         ("license", "name")),
    ),
    "spair71k": (
        lambda root: write_spair(root, 2), "",
        (("src_kps", 0, 0), ("trg_kps", 1, 1), ("src_pose",)),
    ),
    "coco": (
        lambda root: write_coco(root, 2), "annotations/captions_val2014.json",
        (("annotations", 0, "caption"), ("images", 0, "coco_url"), ("images", 0, "license")),
    ),
    "visual_genome": (
        lambda root: write_genome(root, 2), "region_descriptions.json",
        ((0, "regions", 0, "phrase"), (0, "regions", 0, "region_id")),
    ),
}  # fmt: skip
"""For each reader how it is written, a file (the first pair's, of SPair-71k), and cells that cost one row at most."""
TABLES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "nights": (lambda root: write_nights(root, 3), "nights/data.csv"),
    "funkpoint": (lambda root: write_funkpoint(root, 3), "FunKPoint/labels.csv"),
}


def counts(name: str, root: Path) -> dict[str, Any]:
    return check_dataset(make_reader(name, {}), root, images=None, opens_pictures=False, examples=5)


def costs_one_row_at_most(name: str, root: Path, sound: dict[str, Any], case: str) -> bool:
    """Return whether a row or cell is named, after a check that no other row is hidden or lost."""
    said = counts(name, root)
    rows = said["rows"]
    assert rows["read"] == sound["read"], case
    assert rows["read"] == rows["used"] + sum(rows["refused"].values()) + sum(rows["left_out"].values()), case
    assert sound["used"] - rows["used"] <= 1, case
    assert all(0 < len(row["detail"]) <= 700 for row in said["examples"]), case
    lost = sound["used"] - rows["used"]
    assert lost == sum(rows["refused"].values()) + sum(rows["left_out"].values()) - sum(sound["left_out"].values()), (
        case
    )
    return bool(said["examples"])


@pytest.mark.parametrize("name", JSON_CELLS)
def test_a_bad_cell_of_a_document_costs_what_needs_it(tmp_path: Path, name: str) -> None:
    write, file, places = JSON_CELLS[name]
    write(tmp_path)
    path = tmp_path / file if file else sorted((tmp_path / "SPair-71k" / "PairAnnotation").rglob("*.json"))[0]
    whole, sound, named = path.read_text(encoding="utf-8"), counts(name, tmp_path)["rows"], 0
    for place in places:
        document = json.loads(whole)
        holder = document
        for part in place[:-1]:
            holder = holder[part]
        holder[place[-1]] = "@@"
        for kind, cell in JSON_KINDS.items():
            path.write_text(json.dumps(document).replace('"@@"', cell), encoding="utf-8")
            named += costs_one_row_at_most(name, tmp_path, sound, f"{place}, {kind}")
    assert named >= len(JSON_KINDS) // 2


@pytest.mark.parametrize("name", TABLES)
def test_a_bad_cell_of_a_table_costs_its_row(tmp_path: Path, name: str) -> None:
    write, file = TABLES[name]
    write(tmp_path)
    path = tmp_path / file
    head, first, *rest = path.read_text(encoding="utf-8").splitlines()
    sound, named = counts(name, tmp_path)["rows"], 0
    for column, _ in enumerate(first.split(",")):
        for kind, cell in TABLE_KINDS.items():
            row = ",".join(cell if place == column else other for place, other in enumerate(first.split(",")))
            path.write_text("\n".join([head, row, *rest]), encoding="utf-8")
            named += costs_one_row_at_most(name, tmp_path, sound, f"column {column}, {kind}")
    assert named >= len(TABLE_KINDS)


def test_a_mark_of_byte_order_line_ends_and_spaces_behind_rows_cost_nothing(tmp_path: Path) -> None:
    write_nights(tmp_path / "nights", 3)
    write_vsr(tmp_path / "vsr", vsr_rows(3))
    for name, file in (("nights", "nights/data.csv"), ("vsr", "data/splits/random/train.jsonl")):
        path = tmp_path / name / file
        sound = counts(name, tmp_path / name)["rows"]
        lines = path.read_text(encoding="utf-8").splitlines()
        spaces = "" if name == "nights" else "  "
        path.write_bytes(("\ufeff" + "".join(f"{line}{spaces}\r\n" for line in lines)).encode("utf-8"))
        assert counts(name, tmp_path / name)["rows"] == sound, name


def test_rows_that_stand_twice_and_columns_that_changed_places_cost_these_rows(tmp_path: Path) -> None:
    write_nights(tmp_path, 4)
    path = tmp_path / "nights" / "data.csv"
    head, first, second, *rest = path.read_text(encoding="utf-8").splitlines()
    place = head.split(",").index("id"), head.split(",").index("ref_path")
    swapped = second.split(",")
    swapped[place[0]], swapped[place[1]] = swapped[place[1]], swapped[place[0]]
    sound = counts("nights", tmp_path)["rows"]
    path.write_text("\n".join([head, first, first, ",".join(swapped), *rest]), encoding="utf-8")
    said = check_dataset(make_reader("nights", {}), tmp_path, images=None, opens_pictures=True, examples=5)
    assert said["rows"]["read"] == sound["read"] + 1
    assert said["rows"]["refused"] == {"bad_row": 1, "repeated": 1}
    assert said["rows"]["used"] == sound["used"] - 1


def test_comparisons_of_a_photograph_whose_proportions_nobody_can_read_are_used_and_that_is_said(
    tmp_path: Path,
) -> None:
    write_iiw(tmp_path, 2)
    path = tmp_path / "data" / "2.json"
    sound = counts("iiw", tmp_path)["rows"]
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "aspect_ratio": "wide"}), encoding="utf-8")
    said = counts("iiw", tmp_path)
    assert said["rows"] == sound
    assert [(row["reason"], row["rows"]) for row in said["examples"]] == [("bad_cell", 0)]
    assert said["examples"][0]["detail"].endswith("not 'wide'; used without it")
