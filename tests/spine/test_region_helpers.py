"""The common parts of helpers that propose regions: hints from browsers, outlines of masks, stored arrays, names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from shapely import Polygon

from benchwright.errors import BenchwrightError
from benchwright.regions import (
    MAX_CORNERS,
    KeptArrays,
    Proposal,
    Region,
    RegionError,
    change_of,
    helpers_of,
    kind_of_change,
    outline_of,
    proposed_region,
    read_hints,
    read_region,
)
from benchwright.rooms import catalogue

SIZE_WH = (400, 300)
NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("document", "why"),
    [
        pytest.param({"shape": "mask", "inside": [[[401, 5]]]}, "leaves the picture", id="stroke outside"),
        pytest.param({"shape": "mask", "outside": [[[-1, 5]]]}, "leaves the picture", id="stroke before"),
        pytest.param({"shape": "mask", "inside": [[[NAN, 5]]]}, "finite", id="NaN"),
        pytest.param({"shape": "mask", "box": [0, 0, INFINITY, 9]}, "finite", id="infinite box"),
        pytest.param({"shape": "mask", "box": [500, 0, 600, 9]}, "lies outside the picture", id="box outside"),
        pytest.param({"shape": "mask", "box": [50, 50, 10, 10]}, "lies outside the picture", id="box turned around"),
        pytest.param({"shape": "mask", "inside": [[[1, 1]] * 100_000]}, "inside", id="100,000 points"),
        pytest.param({"shape": "mask", "inside": [[[1, 1]] * 200] * 150}, "30,000 points", id="points of all strokes"),
        pytest.param({"shape": "mask", "inside": [[[1, 1]]] * 1000}, "inside", id="1,000 strokes"),
        pytest.param({"shape": "mask", "inside": [[]]}, "inside", id="an empty stroke"),
        pytest.param({"shape": "star"}, "shape", id="no shape"),
        pytest.param({"shape": "mask", "stroke_px": -1}, "stroke_px", id="a width below zero"),
        pytest.param({"shape": "mask", "more": 1}, "more", id="an unknown key"),
        pytest.param({"shape": "mask", "phrase": "x" * 1000}, "phrase", id="a long phrase"),
        pytest.param([], "dictionary", id="a list"),
        pytest.param(None, "dictionary", id="nothing"),
    ],
)
def test_hints_that_no_picture_can_have_are_refused_in_words(document: Any, why: str) -> None:
    with pytest.raises(RegionError, match=why):
        read_hints(document, SIZE_WH)


def test_a_box_that_sticks_out_is_cut_to_the_picture() -> None:
    assert read_hints({"shape": "mask", "box": [-5, 10, 900, 40]}, SIZE_WH).box == (0, 10, 400, 40)


def test_the_outline_of_a_rectangle_runs_along_the_edges_of_its_cells() -> None:
    mask = np.zeros((30, 50), np.bool_)
    mask[10:20, 5:25] = True
    outline = outline_of(mask, tolerance_px=0)
    assert outline is not None
    assert sorted(outline) == [(5.0, 10.0), (5.0, 20.0), (25.0, 10.0), (25.0, 20.0)]


def test_the_outline_of_one_cell_is_its_square() -> None:
    mask = np.zeros((7, 9), np.bool_)
    mask[3, 4] = True
    outline = outline_of(mask)
    assert outline is not None
    assert Polygon(outline).bounds == (4.0, 3.0, 5.0, 4.0)


def test_an_empty_mask_has_no_outline() -> None:
    assert outline_of(np.zeros((7, 9), np.bool_)) is None


@pytest.mark.parametrize("tolerance_px", [0.0, 1.5, 20.0])
@pytest.mark.parametrize("seed", range(8))
def test_outlines_of_ragged_masks_stay_valid_regions_however_they_are_simplified(
    seed: int, tolerance_px: float
) -> None:
    rng = np.random.default_rng(seed)
    mask = rng.random((90, 130)) < (0.2 + 0.09 * seed)  # cells that touch at corners, thin bridges, holes
    outline = outline_of(mask, tolerance_px=tolerance_px)
    assert outline is not None
    region = proposed_region("polygon", outline, helper="grabcut")
    region.check_within([(130, 90)])
    assert len(outline) <= MAX_CORNERS


def test_an_outline_stays_within_its_tolerance_of_the_mask() -> None:
    rows, columns = np.mgrid[0:200, 0:300]
    mask = ((columns - 150) / 120) ** 2 + ((rows - 100) / 70) ** 2 <= 1
    exact, simple = outline_of(mask, tolerance_px=0), outline_of(mask, tolerance_px=2)
    assert exact is not None
    assert simple is not None
    assert len(simple) < len(exact) / 4
    assert Polygon(exact).exterior.hausdorff_distance(Polygon(simple).exterior) <= 2
    assert Polygon(exact).area == pytest.approx(mask.sum(), rel=0.02)


A, B, C = "a" * 64, "b" * 64, "c" * 64


def test_arrays_are_kept_by_picture_and_by_what_made_them(tmp_path: Path) -> None:
    kept = KeptArrays(tmp_path / "cache")
    kept.keep(A, B, {"features": np.arange(6, dtype=np.float32).reshape(2, 3)})
    again = KeptArrays(tmp_path / "cache").get(A, B)
    assert again is not None
    assert again["features"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert kept.get(A, C) is None
    assert kept.get(B, B) is None


def test_a_kept_file_that_is_damaged_counts_as_none(tmp_path: Path) -> None:
    kept = KeptArrays(tmp_path)
    kept.keep(A, B, {"features": np.zeros(9)})
    [path] = tmp_path.glob("*.safetensors")
    path.write_bytes(path.read_bytes()[:20])
    assert kept.get(A, B) is None


def test_kept_arrays_stay_below_their_bound_and_the_newest_stays(tmp_path: Path) -> None:
    kept = KeptArrays(tmp_path, most_bytes=2000)
    for image_id in (A, B, C):
        kept.keep(image_id, A, {"features": np.zeros(150)})
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2000
    assert kept.get(C, A) is not None


def test_the_rooms_bring_all_helpers_by_name() -> None:
    assert {"grabcut", "sam", "sam_transformers", "grounding_dino", "owlv2", "endpoint", "text_boxes"} <= set(
        catalogue("region_helpers")
    )


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        pytest.param(["grabcutt"], "did you mean 'grabcut'", id="misspelt"),
        pytest.param(["grabcut", {"name": "grabcut"}], "named twice", id="twice"),
        pytest.param(["sam"], "sam.weights", id="without weights"),
        pytest.param([{"name": "grabcut", "checkpoint": "x"}], "checkpoint", id="unknown setting"),
        pytest.param([5], "a helper is a name", id="a number"),
    ],
)
def test_helpers_of_a_recipe_that_cannot_be_are_refused(entries: list[Any], why: str) -> None:
    with pytest.raises(BenchwrightError, match=why):
        helpers_of(entries)


def test_weights_are_found_from_the_recipes_folder_and_read_again_as_they_were(tmp_path: Path) -> None:
    [helper] = helpers_of([{"name": "sam", "weights": "sam.pth"}], tmp_path)
    assert helper.settings.model_dump()["weights"] == str(tmp_path / "sam.pth")
    assert helpers_of([helper.to_json()]) == (helper,)
    assert "fetch them with" in (helper.settings.missing() or "")


def test_what_a_person_changed_follows_from_the_region_and_its_proposal() -> None:
    proposal = Proposal(helper="text_boxes", version="2", points=((0, 0), (10, 10)))
    kept = Region(shape="box", points=((0, 0), (10, 10)), proposal=proposal)
    moved = Region(shape="box", points=((0, 0), (10, 20)), proposal=proposal)
    assert change_of(kept) == {"helper": "text_boxes", "version": "2", "changed": False, "iou": 1.0, "moved_px": 0.0}
    assert change_of(moved) == {"helper": "text_boxes", "version": "2", "changed": True, "iou": 0.5, "moved_px": 10.0}
    assert change_of(Region(shape="box", points=((0, 0), (10, 10)))) is None


@pytest.mark.parametrize(
    ("now", "then", "kind"),
    [
        (((0, 0), (10, 10)), ((0, 0), (10, 10)), "unchanged"),
        (((0, 0), (10, 10)), ((0, 0), (10, 20)), "moved"),
        (((0, 0), (10, 10)), ((0, 0), (10, 21)), "redrawn"),
    ],
)
def test_a_box_that_overlaps_what_was_proposed_by_half_was_moved_and_else_redrawn(
    now: Any, then: Any, kind: str
) -> None:
    change = change_of(Region(shape="box", points=now, proposal=Proposal(helper="a.json", points=then)))
    assert change is not None
    assert kind_of_change(change) == kind


def test_points_that_are_as_many_were_moved_and_others_redrawn() -> None:
    proposal = Proposal(helper="a.json", points=((1, 1), (5, 5)))
    moved, redrawn = (
        change_of(Region(shape="points", points=points, proposal=proposal)) for points in (((9, 9), (5, 5)), ((9, 9),))
    )
    assert moved is not None
    assert redrawn is not None
    assert (kind_of_change(moved), kind_of_change(redrawn)) == ("moved", "redrawn")


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(((1, 1), (2, 2)), id="two corners"),
        pytest.param(((1e308, -1e308), (0, 0), (5, -1e308)), id="huge"),
        pytest.param(((0, 0), (1, 1), (0, 1), (1, 0)), id="crossing"),
        pytest.param((), id="none"),
    ],
)
def test_what_a_browser_says_was_proposed_never_stops_a_count(points: Any) -> None:
    region = Region(shape="polygon", points=((0, 0), (9, 0), (9, 9)), proposal=Proposal(helper="x", points=points))
    change = change_of(region)
    assert change is not None
    assert change["changed"] is True
    assert kind_of_change(change) in {"moved", "redrawn"}


def test_a_proposal_outside_the_picture_is_refused() -> None:
    proposal = {"helper": "x", "points": [[0, 0], [900, 9]]}
    document = {"shape": "box", "points": [[0, 0], [9, 9]], "proposal": proposal}
    with pytest.raises(RegionError, match=r"the proposal, \(900, 9\) lies outside the picture of 40 x 30"):
        read_region(document, [(40, 30)])
