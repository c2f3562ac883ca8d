"""Regions in Label Studio's own controls, read and written: rectangles, key points, polygons and brushes.

Label Studio has coordinates in percent of the upright picture, which it shows unchanged or smaller; Benchwright has
them in pixels of the source. Ordered points and correspondences have no control and are entered as JSON in a text box.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from benchwright.drawing import mask_of
from benchwright.errors import DataError
from benchwright.regions import Region, SizeWH

from ..forms.fields.field_types import RegionField
from ..forms.fields.form import Form
from .brush_masks import read_brush, write_brush

_IMAGES = "images"
"""Name of the config object that shows a task's pictures."""
_TAGS = {"box": "Rectangle", "point": "KeyPoint", "polygon": "Polygon", "mask": "Brush"}
_KINDS = {f"{tag}{labels}".lower(): shape for shape, tag in _TAGS.items() for labels in ("", "Labels")}
_LABEL_OF = "label_of_"
_MOST_DRAWN = 20_000
"""Maximum number of results in one annotation of a campaign whose form accepts regions."""


def is_drawn(field: RegionField) -> bool:
    """Return whether Label Studio has a control for a field's shape."""
    return field.shape in _TAGS


def add_drawing(view: ET.Element, field: RegionField, control: str, words: Mapping[str, str]) -> None:
    """Add the control for a field, with a text area for each region if annotators write their own labels.

    Args:
        view: Element that receives the control.
        field: The field.
        control: Name of the control.
        words: Code of each label by its text.
    """
    name, most = {"name": control, "toName": _IMAGES}, {"maxUsages": str(field.max_count)}
    tag = _TAGS[field.shape]
    if not words:
        ET.SubElement(view, tag, name)
    else:
        labels = ET.SubElement(view, f"{tag}Labels", name, choice="single")
        for text in words:
            ET.SubElement(labels, "Label", {"value": text, **most})
    if field.free_label and not words:
        hint = "What is it?"
        ET.SubElement(
            view,
            "TextArea",
            {"name": f"{_LABEL_OF}{control}", "toName": _IMAGES, "perRegion": "true", "placeholder": hint},
            maxSubmissions="1",
            rows="1",
        )


def take_drawn(
    result: Sequence[Any], form: Form, controls: Mapping[str, str], words: Mapping[str, Mapping[str, str]],
    sizes_wh: Sequence[SizeWH],
) -> tuple[list[Any], dict[str, list[dict[str, Any]]]]:  # fmt: skip
    """Return a result without its drawn regions, and the regions as JSON values by field.

    Args:
        result: Label Studio's list of results.
        form: The typed form.
        controls: Name of each field's control.
        words: Code of each label by its text, by field.
        sizes_wh: Size of each picture of the task in pixels.

    Raises:
        DataError: The form does not accept a drawn region; the message names it.
    """
    fields = {controls[field.name]: field for field in form.region_fields if is_drawn(field)}
    if len(result) > _MOST_DRAWN:
        raise DataError(f"it has {len(result):,} results; at most {_MOST_DRAWN:,} are allowed")
    own_labels = _own_labels(result, fields)
    rest: list[Any] = []
    drawn: dict[str, list[dict[str, Any]]] = {}
    for part in result:
        control = part.get("from_name") if isinstance(part, Mapping) else None
        if isinstance(control, str) and control.startswith(_LABEL_OF) and control.removeprefix(_LABEL_OF) in fields:
            continue
        if not isinstance(control, str) or control not in fields:
            rest.append(part)
            continue
        field = fields[control]
        number = len(drawn.get(field.name, ())) + 1
        try:
            document = _document(part, field, words.get(field.name, {}), sizes_wh)
        except DataError as error:
            raise DataError(f"field {field.name!r}: region {number}: {error}") from None
        if (label := own_labels.get(str(part.get("id")))) is not None:
            document["label"] = label
        drawn.setdefault(field.name, []).append(document)
    return rest, drawn


def _own_labels(result: Sequence[Any], controls: Mapping[str, RegionField]) -> dict[str, str]:
    """Return the labels that annotators wrote themselves, by region id."""
    labels: dict[str, str] = {}
    for part in result:
        control = part.get("from_name") if isinstance(part, Mapping) else None
        if not isinstance(control, str) or control.removeprefix(_LABEL_OF) not in controls:
            continue
        if control.startswith(_LABEL_OF):
            value = part.get("value")
            texts = value.get("text") if isinstance(value, Mapping) else None
            texts = [texts] if isinstance(texts, str) else texts
            if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
                raise DataError("the label of a region is not text")
            labels[str(part.get("id"))] = " ".join(texts)
    return labels


def _document(
    part: Mapping[str, Any], field: RegionField, words: Mapping[str, str], sizes_wh: Sequence[SizeWH]
) -> dict[str, Any]:
    shape, value = _KINDS.get(str(part.get("type"))), part.get("value")
    if shape != field.shape or not isinstance(value, Mapping):
        raise DataError(f"{str(part.get('type'))[:40]!r} is not a {field.shape}")
    if part.get("image_rotation") not in {None, 0} or value.get("rotation", 0) not in {None, 0}:
        raise DataError("it is rotated, but regions cannot be; turn the picture back, and draw the region upright")
    if part.get("item_index") not in {None, 0}:
        raise DataError("it is on the second picture, but regions belong on the first")
    width, height = sizes_wh[0]
    document: dict[str, Any] = {"shape": shape}
    if (label := _label(part, value, words)) is not None:
        document["label"] = label
    if shape == "mask":
        return {**document, "mask": _mask(part, value, sizes_wh[0])}
    if shape == "box":
        x, y, across, down = (_number(value, name) for name in ("x", "y", "width", "height"))
        percent = [(x, y), (x + across, y + down)]
    elif shape == "point":
        percent = [(_number(value, "x"), _number(value, "y"))]
    else:
        percent = _pairs(value.get("points"))
    # A drawing that ends on the picture's edge may lie beyond it by a rounding error of Label Studio.
    return {
        **document,
        "points": [[_edge(x / 100 * width, width), _edge(y / 100 * height, height)] for x, y in percent],
    }


def _edge(place: float, most: int) -> float:
    """Return a coordinate, moved onto the picture if it is outside by less than a hundredth of a pixel."""
    if -0.01 < place < 0:
        return 0.0
    return float(most) if most < place < most + 0.01 else place


def _number(value: Mapping[str, Any], name: str) -> float:
    number = value.get(name)
    if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
        raise DataError(f"{name} is not a number")
    return float(number)


def _pairs(points: Any) -> list[tuple[float, float]]:
    if not isinstance(points, list) or not all(isinstance(point, list) and len(point) == 2 for point in points):
        raise DataError("its points are not a list of x and y")
    return [(_number({"x": x}, "x"), _number({"y": y}, "y")) for x, y in points]


def _label(part: Mapping[str, Any], value: Mapping[str, Any], words: Mapping[str, str]) -> str | None:
    """Return the code of a region's label, or None if its control has no labels."""
    if not words:
        return None
    chosen = value.get(str(part["type"]))
    if not isinstance(chosen, list) or len(chosen) != 1 or chosen[0] not in words:
        raise DataError(f"label {ascii(chosen)[:60]} is not one of {', '.join(words)}")
    return words[chosen[0]]


def _mask(part: Mapping[str, Any], value: Mapping[str, Any], size_wh: SizeWH) -> dict[str, Any]:
    shown = part.get("original_width"), part.get("original_height")
    if value.get("format") != "rle" or not all(type(side) is int and 0 < side <= 65_535 for side in shown):
        raise DataError("a brush has run lengths (`rle`) and the size of its picture")
    width, height = size_wh
    shown_width, shown_height = (int(side or 0) for side in shown)
    if abs(shown_width * height - shown_height * width) > max(width, height) or shown_width > width:
        raise DataError(
            f"a brush on {shown_width} x {shown_height} pixels does not fit a picture of {width} x {height}"
        )
    grid = read_brush(value.get("rle"), (shown_width, shown_height))
    if (shown_width, shown_height) != size_wh:  # shown smaller: each shown pixel covers several
        rows, columns = (np.arange(height) * shown_height) // height, (np.arange(width) * shown_width) // width
        grid = grid[rows][:, columns]
    if not grid.any():
        raise DataError("the brush covers nothing")
    return mask_of(grid).model_dump(mode="json")


def drawn_result(
    field: RegionField, control: str, words: Mapping[str, str], region: Region, size_wh: SizeWH, *, number: int
) -> list[dict[str, Any]]:
    """Return the Label Studio results for a region: the region, and the label if annotators write their own.

    Args:
        field: The field, with its own control.
        control: Name of its control.
        words: Code of each label by its text.
        region: The region.
        size_wh: Size of the picture in pixels.
        number: Number of the region in the annotation, which makes its id.
    """
    kind = (f"{_TAGS[field.shape]}Labels" if words else _TAGS[field.shape]).lower()
    width, height = size_wh
    percent = [(100 * x / width, 100 * y / height) for x, y in region.points]
    value: dict[str, Any]
    if region.mask is not None:
        value = {"format": "rle", "rle": write_brush(region.mask)}
    elif field.shape == "box":
        (x0, y0), (x1, y1) = percent
        value = {"x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0, "rotation": 0}
    elif field.shape == "point":
        value = {"x": percent[0][0], "y": percent[0][1], "width": 0.3}
    else:
        value = {"points": [list(point) for point in percent], "closed": True}
    if words:
        value[kind] = [next(text for text, code in words.items() if code == region.label)]
    common = {
        "id": f"{control}-{number}",
        "to_name": _IMAGES,
        "original_width": width,
        "original_height": height,
        "image_rotation": 0,
        "item_index": 0,
    }
    results = [{**common, "from_name": control, "type": kind, "value": value}]
    if not words and region.label:
        text = {"text": [region.label]}
        results.append({**common, "from_name": f"{_LABEL_OF}{control}", "type": "textarea", "value": text})
    return results
