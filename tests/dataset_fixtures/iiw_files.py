"""IIW: the page's photograph, and others like it, of unequal sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED: dict[str, Any] = {
    "photo": 1, "image_filename": "1.png", "aspect_ratio": 1.3333, "flickr_user": None, "flickr_id": None,
    "license": {"name": "CC BY 2.0", "url": "https://creativecommons.org/licenses/by/2.0/", "cc": True},
    "light_stack": None, "attribution_name": "A. Person", "attribution_url": "https://example.org/1",
    "intrinsic_points": [
        {"id": 10, "x": 0.25, "y": 0.5, "sRGB": "404040", "min_separation": 0.07, "opaque": True, "opaque_score": 1.2,
         "opaque_method": "C", "opaque_responses": []},
        {"id": 11, "x": 0.75, "y": 0.5, "sRGB": "C0C0C0", "min_separation": 0.07, "opaque": True, "opaque_score": 1.1,
         "opaque_method": "C", "opaque_responses": []},
    ],
    "intrinsic_comparisons": [
        {"id": 5, "point1": 10, "point2": 11, "min_separation": 0.07, "darker": "1", "darker_score": 0.9,
         "darker_method": "C", "darker_responses": []},
    ],
}  # fmt: skip


def photo(number: int) -> dict[str, Any]:
    """Return a photograph's document: five points, six comparisons of which the last three do not count."""
    points = [
        {**QUOTED["intrinsic_points"][0], "id": 100 + place, "x": 0.1 + 0.2 * place, "y": 0.9 - 0.15 * place}
        for place in range(5)
    ]
    points[4]["opaque"] = False
    compared = [("1", 0.5), ("2", 1.5), ("E", 2.5), (None, 1.0), ("1", 0.0)]
    comparisons = [
        {**QUOTED["intrinsic_comparisons"][0], "id": place, "point1": 100 + place % 3, "point2": 103, "darker": darker,
         "darker_score": score + number / 100 if score else score}
        for place, (darker, score) in enumerate(compared)
    ]  # fmt: skip
    comparisons.append({**comparisons[0], "id": 9, "point2": 104})
    return {
        **QUOTED, "photo": number, "image_filename": f"{number}.png", "flickr_id": str(9000 + number),
        "aspect_ratio": round((40 + number) / 60, 4),
        "intrinsic_points": points, "intrinsic_comparisons": comparisons,
    }  # fmt: skip


def write_iiw(root: Path, count: int = 40) -> list[dict[str, Any]]:
    """Write photographs 1 to `count`, and what third parties add; return the documents."""
    data = root / "data"
    data.mkdir(parents=True)
    photos = [QUOTED, *(photo(number) for number in range(2, count + 1))]
    for document in photos:
        number = document["photo"]
        (data / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
        save(data / f"{number}.png", number, 80 if number == 1 else 40 + number, 60)
    save(data / "1-dist_x.png", 999, 41, 60)
    (data / "1-dist_x.json").write_text("{}", encoding="utf-8")
    return photos
