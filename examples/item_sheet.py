"""Draw a few items of each task of a release on pages, as annotators see them, with the right option marked.

    python examples/item_sheet.py RELEASE FOLDER [ITEMS PER TASK]
    python examples/item_sheet.py RELEASE FOLDER ITEMS --without-key

writes `FOLDER/<task>.jpg` for each task. Without the key, it writes pages `FOLDER/<task>-1.png`, ... of six numbered
items each, as models see them, and the keys to `FOLDER/keys.json`; by answering before opening the keys, readers can
find out how many items a person can answer.
"""

from __future__ import annotations

import io
import json
import sys
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchwright.drawing import draw_prompts
from benchwright.records import Item
from benchwright.release import Release

HIGH_PX, WIDE_PX, GAP_PX, LINE_PX, LETTER_PX = 300, 1240, 12, 22, 10
COLUMNS = 2
"""Number of columns on a sheet of items with one picture each."""
PAGE = 6
"""Number of items on a page without key."""
QUALITY, LEAST_QUALITY = 80, 45


def panel(item: Item, files: dict[str, bytes], wide_px: int, *, number: int | None = None) -> Image.Image:
    """Return one item: its pictures with their marks, the question, and the options, the right one with an arrow.

    Args:
        item: The item.
        files: Its pictures, by image id.
        wide_px: Width of the panel, in pixels.
        number: Number before the question of an item without a marked option.
    """
    pictures = []
    for shown in item.images:
        pixels = np.asarray(Image.open(io.BytesIO(files[shown.image_id])).convert("RGB"))
        picture = Image.fromarray(draw_prompts(pixels, shown.prompts))
        scale = min(HIGH_PX / picture.height, (wide_px / len(item.images) - GAP_PX) / picture.width)
        size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
        pictures.append(picture.resize(size, Image.Resampling.LANCZOS))
    names = {image.image_id: place for place, image in enumerate(item.images, start=1)}
    options = [
        f"{'>' if number is None and choice.key == item.answer else '  '} ({choice.key}) "
        + (choice.text or f"image {names[str(choice.image_id)]}")
        for choice in item.choices
    ]
    question = item.question if number is None else f"{number}. {item.question}"
    lines = [*textwrap.wrap(question, wide_px // LETTER_PX), *options]
    high = max(picture.height for picture in pictures)
    page = Image.new("RGB", (wide_px, high + 2 * GAP_PX + LINE_PX * len(lines)), "white")
    left = 0
    for picture in pictures:
        page.paste(picture, (left, 0))
        left += picture.width + GAP_PX
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=16)
    for row, line in enumerate(lines):
        pen.text((0, high + GAP_PX + row * LINE_PX), line, fill=(20, 20, 20), font=font)
    return page


def sheet(panels: Sequence[Image.Image]) -> Image.Image:
    """Return panels of one width in as many columns as fit."""
    columns = WIDE_PX // panels[0].width
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    highs = [max(one.height for one in row) + GAP_PX for row in rows]
    page = Image.new("RGB", (WIDE_PX, sum(highs)), "white")
    top = 0
    for row, high in zip(rows, highs, strict=True):
        for column, one in enumerate(row):
            page.paste(one, (column * one.width, top))
        top += high
    return page


def encoded(page: Image.Image, most_bytes: int | None) -> bytes:
    """Return a page as JPEG, at lower quality, then smaller, until it has at most that many bytes."""
    while True:
        for quality in range(QUALITY, LEAST_QUALITY - 1, -5):
            file = io.BytesIO()
            page.save(file, "JPEG", quality=quality, optimize=True)
            if most_bytes is None or file.tell() <= most_bytes:
                return file.getvalue()
        page = page.resize((page.width * 9 // 10, page.height * 9 // 10), Image.Resampling.LANCZOS)


def first_items(release: Path, per_task: int) -> dict[str, list[tuple[Item, dict[str, bytes]]]]:
    """Return the first items of each task of a release, each with its pictures."""
    drawn: dict[str, list[tuple[Item, dict[str, bytes]]]] = defaultdict(list)
    for released in Release.open(release).items():
        if len(drawn[released.item.task]) < per_task:
            files = {image.image_id: released.images[image.image_id] for image in released.item.images}
            drawn[released.item.task].append((released.item, files))
    return drawn


def _columns(shown: Sequence[tuple[Item, dict[str, bytes]]]) -> int:
    return COLUMNS if max(len(item.images) for item, _ in shown) == 1 else 1


def draw_without_key(release: Path, folder: Path, *, per_task: int = 30) -> None:
    """Write pages of items without their keys, and the keys: for each task, number of the item to letter.

    Args:
        release: Folder of the release.
        folder: Folder for pages and `keys.json`.
        per_task: Largest number of items per task.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = {}
    for task, shown in first_items(release, per_task).items():
        wide_px = WIDE_PX // _columns(shown)
        for start in range(0, len(shown), PAGE):
            panels = [
                panel(item, files, wide_px, number=number)
                for number, (item, files) in enumerate(shown[start : start + PAGE], start=start + 1)
            ]
            sheet(panels).save(folder / f"{task}-{start // PAGE + 1}.png")
        keys[task] = {number: item.answer for number, (item, _) in enumerate(shown, start=1)}
        print(f"{len(shown)} items of {task}")
    (folder / "keys.json").write_text(json.dumps(keys, indent=1), encoding="utf-8")


def draw_sheets(release: Path, folder: Path, *, per_task: int = 3, most_bytes: int | None = None) -> None:
    """Write a sheet for each task.

    Args:
        release: Folder of the release.
        folder: Folder for the sheets.
        per_task: Largest number of items on a sheet.
        most_bytes: Largest size of a sheet's file; None for any.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for task, shown in first_items(release, per_task).items():
        columns = _columns(shown)
        page = sheet([panel(item, files, WIDE_PX // columns) for item, files in shown])
        path = folder / f"{task}.jpg"
        path.write_bytes(encoded(page, most_bytes))
        print(f"{len(shown)} items in {path}")


if __name__ == "__main__":
    is_blind = sys.argv[4:] == ["--without-key"]
    if not is_blind and len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    draw = draw_without_key if is_blind else draw_sheets
    draw(Path(sys.argv[1]), Path(sys.argv[2]), per_task=int(sys.argv[3]) if len(sys.argv) > 3 else 3)
