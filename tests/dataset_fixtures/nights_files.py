"""NIGHTS: the quoted triplet, and others, some with too few votes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from dataset_fixtures.pictures import save

QUOTED = """\
id,left_vote,right_vote,votes,ref_path,left_path,right_path,prompt,split,is_imagenet
0,1,0,7,ref/000/000.png,distort/000/000_0.png,distort/000/000_1.png,An image of a cat,test,True
"""


def triplets(count: int = 40) -> list[dict[str, Any]]:
    """Return the quoted row and others as mappings from column to text."""
    header, first = (line.split(",") for line in QUOTED.splitlines())
    rows = [dict(zip(header, first, strict=True))]
    for number in range(1, count):
        name = f"{number // 10 % 100:03}/{number:03}"
        rows.append(
            {"id": str(number), "left_vote": str(number % 2), "right_vote": str(1 - number % 2),
             "votes": str(5 + number % 4), "ref_path": f"ref/{name}.png", "left_path": f"distort/{name}_0.png",
             "right_path": f"distort/{name}_1.png", "prompt": 'A "red", big cat', "split": ("train", "val")[number % 2],
             "is_imagenet": "False"}
        )  # fmt: skip
    return rows


def write_nights(root: Path, count: int = 40, *, without: str = "") -> list[dict[str, Any]]:
    """Write the table, without one column where asked, and all pictures; return the rows."""
    rows = triplets(count)
    (root / "nights").mkdir(parents=True)
    with (root / "nights" / "data.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [name for name in rows[0] if name != without], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    for number, row in enumerate(rows):
        for place, name in enumerate(("ref_path", "left_path", "right_path")):
            save(root / "nights" / row[name], 3000 + 3 * number + place, 32, 24)
    return rows
