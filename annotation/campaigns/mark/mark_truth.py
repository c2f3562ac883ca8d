"""The regions that simulated annotators of `mark` regard as true, taken from a value of an earlier step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...forms.kind_forms.marking import MarkField


def true_regions(value: str | None, fields: Sequence[MarkField]) -> dict[str, list[dict[str, Any]]]:
    """Return regions by field, from a picture's value: the JSON of another `mark`, or the subjects of `facts`.

    Subjects are boxes labeled with their names; they are assigned to every field of boxes.

    Args:
        value: The value; None if the picture has none, so that there is nothing to mark.
        fields: Fields of the campaign.
    """
    document = None if value is None else json.loads(value)
    if isinstance(document, Mapping):
        regions: dict[str, list[dict[str, Any]]] = {}
        for region in document.get("regions", ()):
            marked = {name: part for name, part in region.items() if name not in {"field", "by", "spread"}}
            regions.setdefault(str(region["field"]), []).append(marked)
        return regions
    boxes = [_box(subject) for subject in document or ()]
    return {field.name: boxes for field in fields if field.shape == "box"}


def _box(subject: Mapping[str, Any]) -> dict[str, Any]:
    x0, y0, x1, y1 = subject["box"]
    return {"shape": "box", "points": [[x0, y0], [x1, y1]], "label": subject["name"]}
