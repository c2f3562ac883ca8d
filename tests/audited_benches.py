"""Benchmarks to audit: a clean one, and faults of each kind to plant in it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

WIDE, HIGH = 208, 160
COLUMNS = ("id", "question", "A", "B", "C", "D", "answer", "image", "split", "group")
_ADJECTIVES = ("red", "small", "old", "round", "green", "heavy", "wooden", "empty", "white", "broken", "narrow", "soft")
_NOUNS = (
    "chair", "river", "house", "bottle", "garden", "window", "bridge", "basket", "candle", "ladder", "mirror", "pillow",
    "tower", "wagon", "kettle", "statue", "fence", "blanket", "hammer", "lantern", "bucket", "curtain", "drawer", "shelf",
)  # fmt: skip
_PLACES = ("beside", "behind", "above", "below", "before", "near")

Row = dict[str, str]


def picture(seed: int) -> Image.Image:
    """Return a picture unlike that of any other seed: soft color under a few shapes."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(40, 216, (5, 6, 3), dtype=np.uint8)
    image = Image.fromarray(coarse).resize((WIDE, HIGH), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(image)
    for _ in range(9):
        x, y = int(rng.integers(0, WIDE - 60)), int(rng.integers(0, HIGH - 50))
        corners = [(x + int(rng.integers(0, 70)), y + int(rng.integers(0, 60))) for _ in range(int(rng.integers(3, 7)))]
        draw.polygon(corners, fill=tuple(int(level) for level in rng.integers(0, 256, 3)), outline="black")
    return image


def clean_rows(count: int, seed: int = 7) -> list[Row]:
    """Return rows of questions without cues: keys, lengths and words are drawn alike for all options."""
    rng = np.random.default_rng(seed)
    phrases = [f"{adjective} {noun}" for adjective in _ADJECTIVES for noun in _NOUNS]
    letters = [letter for number in range(count) for letter in "ABCD"[number % 4]]
    rng.shuffle(letters)
    rows = []
    for number, letter in enumerate(letters):
        asked, *options = (str(phrase) for phrase in rng.choice(phrases, 5, replace=False))
        rows.append(
            {
                "id": f"q{number}",
                "question": f"Which thing stands {rng.choice(_PLACES)} the {asked}?",
                **dict(zip("ABCD", (f"the {option}" for option in options), strict=True)),
                "answer": letter,
                "image": f"images/{number}.jpg",
                "split": "train" if number % 3 else "test",
                "group": f"g{number}",
            }
        )
    return rows


def write_pictures(folder: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write the picture of each row."""
    for number, row in enumerate(rows):
        path = folder / row["image"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            picture(number).save(path, quality=92)


def write_rows(file: Path, rows: Iterable[Mapping[str, str]]) -> Path:
    """Write questions as CSV and return the file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return file


def plant_faults(folder: Path, rows: list[Row]) -> list[Row]:
    """Plant a fault of each kind of single items into a bench with written pictures; return its rows.

    The first twenty-one rows change, the others stay.
    """
    images = folder / "images"
    changed = [dict(row) for row in rows]
    # A copy across splits, stored smaller and stronger compressed; a file twice in one split.
    changed[0] |= {"split": "test"}
    changed[1] |= {"split": "train", "image": "images/copied.jpg"}
    Image.open(images / "0.jpg").resize((WIDE * 3 // 4, HIGH * 3 // 4)).save(images / "copied.jpg", quality=75)
    changed[2] |= {"split": "test"}
    changed[3] |= {"split": "test", "image": "images/again.jpg"}
    (images / "again.jpg").write_bytes((images / "2.jpg").read_bytes())
    # The same question again with another order of options, and one with another key.
    changed[5] = changed[4] | {"id": "q5", "A": changed[4]["B"], "B": changed[4]["A"]}
    changed[5]["answer"] = {"A": "B", "B": "A"}.get(changed[4]["answer"], changed[4]["answer"])
    changed[7] = changed[6] | {"id": "q7", "answer": "A" if changed[6]["answer"] != "A" else "B"}
    # Options and words.
    changed[8]["C"] = changed[8]["A"]
    changed[8]["answer"] = "A"
    right = changed[9][changed[9]["answer"]]
    changed[9]["question"] = f"Which thing stands near the chair, if {right} stands there?"
    changed[10]["question"] = "Which thing standz near the chair?"
    # Pictures.
    Image.new("RGB", (WIDE, HIGH), "white").save(images / "11.jpg")
    data = (images / "12.jpg").read_bytes()
    (images / "12.jpg").write_bytes(data[: len(data) // 2])  # only decoding shows that it is broken
    changed[13]["image"] = "images/nowhere.jpg"
    exif = Image.Exif()
    exif.get_ifd(0x8825).update({1: "N", 2: (51.0, 30.0, 0.0), 3: "W", 4: (0.0, 7.0, 0.0)})
    Image.open(images / "14.jpg").save(images / "14.jpg", quality=92, exif=exif)
    # A group in two splits, a missing key, a repeated id, a row without a question.
    changed[15] |= {"group": "g16", "split": "train"}
    changed[16] |= {"split": "test"}
    changed[17]["answer"] = ""
    changed[19]["id"] = "q18"
    # An option lost by a program.
    changed[20]["A" if changed[20]["answer"] != "A" else "B"] = "nan"
    changed.append({"id": "empty", "question": "", "image": "images/20.jpg", "answer": "A", "A": "one", "B": "two"})
    return changed
