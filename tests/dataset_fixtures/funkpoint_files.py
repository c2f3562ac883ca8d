"""FunKPoint: the quoted row, and others; pictures in three formats, one of them with two actions."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED = """\
p1_x,p1_y,p2_x,p2_y,p3_x,p3_y,p4_x,p4_y,p5_x,p5_y,difficulty,image_path,action,wnid,object_category
0.2546875,0.2916667,0.4109375,0.4729167,0.303125,0.39375,0.6296875,0.61875,0.85625,0.8708333,easy,images/n04284002/0006.jpg,Brush/Dust,n04284002,spoon
"""
THINGS = [("n03400231", "frying_pan", "jpg"), ("n04156140", "scrub brush", "png"), ("n03481172", "hammer", "JPEG")]
ACTIONS = ["Lift Something", "Mash/Pound", "Pull out a nail", "Pour"]


def labels(count: int = 41) -> list[dict[str, Any]]:
    """Return the quoted row and others."""
    header, first = (line.split(",") for line in QUOTED.splitlines())
    rows = [dict(zip(header, first, strict=True))]
    for number in range(1, count):
        wnid, category, end = THINGS[number // 2 % 3]
        row = {
            f"p{k}_{axis}": f"{((number + 3 * k + (axis == 'y')) % 11) / 11:.5f}" for k in range(1, 6) for axis in "xy"
        }
        row |= {"difficulty": ("easy", "medium", "hard")[number % 3], "image_path": f"images/{wnid}/{number // 2:04}.{end}",
                "action": ACTIONS[number % 4], "wnid": wnid, "object_category": category}  # fmt: skip
        rows.append(row)
    return rows


def write_funkpoint(root: Path, count: int = 41) -> list[dict[str, Any]]:
    """Write the table with its columns in another order than quoted, and all pictures; return the rows."""
    rows = labels(count)
    base = root / "FunKPoint"
    base.mkdir(parents=True)
    with (base / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(reversed(rows[0])))
        writer.writeheader()
        writer.writerows(rows)
    for number, row in enumerate(rows):
        end = row["image_path"].rpartition(".")[2].upper().replace("JPG", "JPEG")
        save(base / row["image_path"], 5000 + number, 80, 50, end)
    return rows
