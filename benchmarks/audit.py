"""The audit: the cost of 10,000 items with pictures, for a first run and after a change to one item.

    .venv/bin/python benchmarks/audit.py --items 10000

Writes questions as CSV with a separate JPEG picture of 640 x 480 pixels for each item (`--size 320x240` sets another
size), in two splits and four tasks; one picture in a hundred is a smaller copy of another. The command then audits them
three times in separate processes: with an empty store, after the words of one question changed, and after one picture
was replaced.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from measuring import benchwright, cost_of, show
from PIL import Image, ImageDraw

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from audited_benches import clean_rows

TASKS = ("counting", "reading", "places", "colors")


def main() -> None:
    """Measure and print one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--size", default="640x480", help="width and height of the pictures in pixels")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        started = time.perf_counter()
        rows = write_questions(folder, options.items, (width, height))
        print(f"written in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        first, found = _audited(folder)
        rows[7]["question"] = "Which thing stands before the yellow umbrella?"
        _write_rows(folder, rows)
        words, _ = _audited(folder)
        _picture(options.items + 1, (width, height)).save(folder / rows[8]["image"], quality=90)
        picture, _ = _audited(folder)
        copies = {tuple(each["items"]) for each in found["findings"] if "duplicate" in each["kind"]}
        planted = {(f"q{n - 1}", f"q{n}") for n in range(1, options.items) if n % 100 == 99}
        show(
            {
                "items": found["items"],
                "images": found["images"],
                "copies_planted": len(planted),
                "copies_found": len(planted & copies),
                "copies_wrong": len(copies - planted),
                "first": first,
                "after_one_question": words,
                "after_one_picture": picture,
            }
        )


def _audited(folder: Path) -> tuple[dict[str, object], dict[str, object]]:
    out = folder / "out.json"
    cost = cost_of([*benchwright("audit", folder / "q.csv", "--out", folder / "audit", "--json")], output=out)
    return cost.to_json(), json.loads(out.read_text(encoding="utf-8"))


def write_questions(folder: Path, count: int, size: tuple[int, int] = (640, 480)) -> list[dict[str, str]]:
    """Write questions as `q.csv` with their pictures of a width and height below `images`, and return the rows."""
    (folder / "images").mkdir()
    rows = clean_rows(count)
    for number, row in enumerate(rows):
        row["task"] = TASKS[number % len(TASKS)]
        row["group"] = ""
        if number % 100 == 99:
            with Image.open(folder / rows[number - 1]["image"]) as image:
                image.resize((size[0] * 3 // 4, size[1] * 3 // 4)).save(folder / row["image"], quality=70)
        else:
            _picture(number, size).save(folder / row["image"], quality=90)
    _write_rows(folder, rows)
    return rows


def _write_rows(folder: Path, rows: list[dict[str, str]]) -> None:
    with (folder / "q.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _picture(seed: int, size: tuple[int, int]) -> Image.Image:
    """Return a distinct picture with about as much detail as a photograph."""
    rng = np.random.default_rng(seed)
    image = Image.fromarray(rng.integers(40, 216, (6, 8, 3), dtype=np.uint8)).resize(size, Image.Resampling.BICUBIC)
    texture = Image.fromarray(rng.integers(90, 166, (120, 160, 3), dtype=np.uint8)).resize(
        size, Image.Resampling.BICUBIC
    )
    image = Image.blend(image, texture, 0.3)
    draw = ImageDraw.Draw(image)
    for _ in range(25):
        x, y = int(rng.integers(0, max(1, size[0] - 150))), int(rng.integers(0, max(1, size[1] - 120)))
        corners = [
            (x + int(rng.integers(0, 170)), y + int(rng.integers(0, 130))) for _ in range(int(rng.integers(3, 8)))
        ]
        draw.polygon(corners, fill=tuple(int(level) for level in rng.integers(0, 256, 3)))
    return image


if __name__ == "__main__":
    main()
