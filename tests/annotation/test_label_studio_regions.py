"""Regions in Label Studio's own controls.

- Boxes, points and polygons return to a hundredth of a pixel, masks to the pixel, with their labels.
- Labels that other programs, or users of its API, may have written are refused with a message.
"""

from __future__ import annotations

import random
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.fields.field_types import Option
from benchwright.annotation.forms.kind_forms.marking import MarkField, marking_form
from benchwright.annotation.forms.task_content import TaskContent
from benchwright.annotation.label_studio.brush_masks import read_brush, write_brush
from benchwright.annotation.label_studio.drawn_regions import drawn_result
from benchwright.annotation.label_studio.label_config import codes_by_words, control_of, label_config
from benchwright.annotation.label_studio.replies import read_reply
from benchwright.drawing import mask_of
from benchwright.errors import DataError
from benchwright.records import ItemImage
from benchwright.regions import Region, grid_of

SIZE_WH = (4031, 3023)
NAMED = (Option(code="dog", words="A dog"), Option(code="name_tag", words="A name tag"))
FIELDS = tuple(
    MarkField(name=f"{shape}_field", label=shape, shape=shape, options=NAMED if shape != "point" else (),
              free_label=shape == "point")
    for shape in ("box", "point", "polygon", "mask", "points")
)  # fmt: skip
FORM = CampaignForm(fields=marking_form(FIELDS).fields)
IMAGE = ItemImage(image_id="a" * 64, role="reference")
BY_SHAPE = {field.shape: field for field in FORM.typed.region_fields} if FORM.typed is not None else {}


def payload(size_wh: tuple[int, int] = SIZE_WH) -> dict[str, Any]:
    content = TaskContent(task="mark", question="What?", images=(IMAGE,), sizes_wh=(size_wh,))
    return content.model_dump(mode="json")


MARKED = {"from_name": "field_marked", "to_name": "question", "type": "choices", "value": {"choices": ["Marked"]}}


def results_of(*regions: Region, size_wh: tuple[int, int] = SIZE_WH) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [MARKED]
    for number, region in enumerate(regions):
        field = BY_SHAPE[region.shape]
        listed += drawn_result(field, control_of(field), codes_by_words(field), region, size_wh, number=number)
    return listed


def read(results: list[dict[str, Any]], size_wh: tuple[int, int] = SIZE_WH) -> dict[str, list[Region]]:
    fields = dict(read_reply(results, FORM, payload(size_wh)).fields or {})
    assert fields.pop("marked") == "marked"
    return {name: [Region.model_validate(region) for region in regions] for name, regions in fields.items()}


def disk(size_wh: tuple[int, int], middle: tuple[int, int], radius: int) -> Region:
    rows, columns = np.mgrid[: size_wh[1], : size_wh[0]]
    inside = (rows - middle[1]) ** 2 + (columns - middle[0]) ** 2 < radius**2
    return Region(shape="mask", mask=mask_of(inside), label="dog")


@pytest.mark.slow
def test_what_is_drawn_comes_back_to_a_hundredth_of_a_pixel_and_masks_to_the_pixel() -> None:
    rng = random.Random(5)
    places = [(rng.uniform(0, SIZE_WH[0] - 1), rng.uniform(0, SIZE_WH[1] - 1)) for _ in range(200)]
    boxes = [
        Region(shape="box", points=((x, y), (rng.uniform(x + 0.5, SIZE_WH[0]), SIZE_WH[1])), label="dog")
        for x, y in places
    ]
    points = [Region(shape="point", points=(place,), label=f"spot {n}") for n, place in enumerate(places)]
    polygon = Region(shape="polygon", points=((0, 0), (4031, 0.25), (2000.125, 3023)), label="name_tag")
    mask = disk(SIZE_WH, (1234, 900), 321)
    came = read(results_of(*boxes, *points, polygon, mask))
    assert came["mask_field"] == [mask]
    for field, sent in (("box_field", boxes), ("point_field", points), ("polygon_field", [polygon])):
        assert [region.label for region in came[field]] == [region.label for region in sent]
        for region, original in zip(came[field], sent, strict=True):
            assert np.abs(np.array(region.points) - np.array(original.points)).max() < 0.01


def test_a_form_has_the_controls_of_its_shapes_and_json_for_those_that_have_none() -> None:
    config = ET.fromstring(label_config(FORM))
    assert [label.get("value") for label in config.iter("Label")] == ["A dog", "A name tag"] * 3
    tags = {element.tag for element in config.iter()}
    assert {"RectangleLabels", "KeyPoint", "PolygonLabels", "BrushLabels"} <= tags
    areas = {area.get("name"): area for area in config.iter("TextArea")}
    assert areas["label_of_field_point_field"].get("perRegion") == "true"
    assert "JSON, a list of" in str(areas["field_points_field"].get("placeholder"))


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_brushes_are_written_and_read_alike(height: int, width: int, seed: int) -> None:
    grid = np.random.default_rng(seed).random((height, width)) < 0.5
    grid[0, 0] = True
    assert (read_brush(write_brush(mask_of(grid)), (width, height)) == grid).all()
    assert (grid_of(mask_of(grid)) == grid).all()


def test_a_brush_is_read_as_its_published_format_has_it() -> None:
    """By hand, after thi.ng's rle-pack: two pixels, of which the second is drawn, as one run and four single bytes."""
    bits = f"{8:032b}{7:05b}" + "".join(f"{width - 1:04b}" for width in (3, 4, 8, 16))
    bits += "1" + "00" + f"{3:03b}" + f"{0:08b}"  # four times 0
    bits += "0" + "00" + f"{3:03b}" + "".join(f"{byte:08b}" for byte in (255, 10, 20, 200))
    bits += "0" * (-len(bits) % 8)
    rle = [int(bits[start : start + 8], 2) for start in range(0, len(bits), 8)]
    assert read_brush(rle, (2, 1)).tolist() == [[False, True]]


def test_a_brush_on_a_picture_that_was_shown_smaller_is_scaled_to_its_source() -> None:
    small = disk((200, 100), (60, 50), 30)
    [result] = results_of(small, size_wh=(200, 100))[1:]
    [region] = read([MARKED, result], (400, 200))["mask_field"]
    assert region.mask is not None
    assert (grid_of(region.mask)[::2, ::2] == grid_of(small.mask)).all() if small.mask is not None else False


BOX = results_of(Region(shape="box", points=((10, 20), (110, 220)), label="dog"))[1]
SPOT = results_of(Region(shape="point", points=((10, 20),)))[1]
OUTLINE = results_of(Region(shape="polygon", points=((0, 0), (90, 0), (90, 90)), label="dog"))[1]
BRUSH = results_of(disk((403, 302), (50, 50), 4), size_wh=(403, 302))[1]


def changed(result: dict[str, Any], **value: Any) -> dict[str, Any]:
    return {**result, "value": {**result["value"], **value}}


HOSTILE: list[tuple[Any, str]] = [
    (changed(BOX, x=float("nan")), "x is not a number"),
    (changed(BOX, x="10"), "x is not a number"),
    (changed(BOX, rotation=30), "it is rotated"),
    ({**BOX, "image_rotation": 90}, "it is rotated"),
    ({**BOX, "item_index": 1}, "second picture"),
    (changed(BOX, rectanglelabels=["A cat"]), "not one of A dog, A name tag"),
    (changed(BOX, rectanglelabels=["A dog", "A name tag"]), "not one of A dog"),
    (changed(BOX, rectanglelabels={"a": 1}), "not one of A dog"),
    ({**BOX, "type": "ellipselabels"}, "is not a box"),
    ({**BOX, "value": None}, "is not a box"),
    (changed(OUTLINE, points=[[0, 0], [1]]), "not a list of x and y"),
    (changed(OUTLINE, points=[[0, 0], [float("inf"), 2], [3, 3]]), "x is not a number"),
    (changed(OUTLINE, points="0 0"), "not a list of x and y"),
    (changed(BRUSH, format="png"), "run lengths"),
    (changed(BRUSH, rle=[]), "no run lengths"),
    (changed(BRUSH, rle="AAAA"), "no run lengths"),
    (changed(BRUSH, rle=[1, 2, 300]), "0 to 255"),
    (changed(BRUSH, rle=[True] * 8), "0 to 255"),
    (changed(BRUSH, rle=BRUSH["value"]["rle"][:9]), "end too early"),
    (changed(BRUSH, rle=[255] * 64), "encodes"),
    ({**BRUSH, "original_width": 10**9}, "the size of its picture"),
    ({**BRUSH, "original_width": 100, "original_height": 100}, "does not fit a picture of 4031 x 3023"),
    ({**SPOT, "from_name": "label_of_field_point_field", "value": {"text": 7}}, "is not text"),
    ({**BOX, "from_name": "field_none"}, "does not belong to the form"),
]


@pytest.mark.parametrize(("result", "why"), HOSTILE)
def test_what_the_form_does_not_take_is_refused_in_words(result: dict[str, Any], why: str) -> None:
    with pytest.raises(DataError, match=why):
        read_reply([MARKED, result], FORM, payload())


def test_a_brush_that_covers_nothing_or_goes_on_is_refused() -> None:
    blank = write_brush(mask_of(np.eye(8, dtype=bool)))
    erased = changed({**BRUSH, "original_width": 8, "original_height": 8}, rle=blank[:8] + [0] * 60)
    with pytest.raises(DataError, match=r"covers nothing|end too early|continue after"):
        read_reply([MARKED, erased], FORM, payload((8, 8)))
    with pytest.raises(DataError, match="at most 20,000"):
        read_reply([SPOT] * 20_001, FORM, payload())
