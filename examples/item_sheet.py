"""Draw a few items of each task of a release on pages, as people see them, with the right option marked.

    python examples/item_sheet.py RELEASE FOLDER [ITEMS PER TASK]

writes `FOLDER/<task>.jpg` for each task.
"""

from __future__ import annotations

import io
import sys
import textwrap
from collections import defaultdict
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from benchwright.drawing import draw_prompts
from benchwright.records import Item
from benchwright.release import Release

HIGH_PX, WIDE_PX, GAP_PX, LINE_PX, LETTERS_A_LINE = 300, 1240, 12, 22, 130
QUALITY = 80


def panel(item: Item, files: dict[str, bytes]) -> Image.Image:
    """Return one item: its pictures with their marks, the question, the options, the right one with an arrow."""
    pictures = []
    for shown in item.images:
        pixels = np.asarray(Image.open(io.BytesIO(files[shown.image_id])).convert("RGB"))
        picture = Image.fromarray(draw_prompts(pixels, shown.prompts))
        scale = min(HIGH_PX / picture.height, (WIDE_PX / len(item.images) - GAP_PX) / picture.width)
        size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
        pictures.append(picture.resize(size, Image.Resampling.LANCZOS))
    names = {image.image_id: number for number, image in enumerate(item.images, start=1)}
    options = [
        f"{'>' if choice.key == item.answer else '  '} ({choice.key}) "
        + (choice.text or f"image {names[str(choice.image_id)]}")
        for choice in item.choices
    ]
    lines = [*textwrap.wrap(item.question, LETTERS_A_LINE), *options]
    high = max(picture.height for picture in pictures)
    page = Image.new("RGB", (WIDE_PX, high + 2 * GAP_PX + LINE_PX * len(lines)), "white")
    left = 0
    for picture in pictures:
        page.paste(picture, (left, 0))
        left += picture.width + GAP_PX
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=16)
    for number, line in enumerate(lines):
        pen.text((0, high + GAP_PX + number * LINE_PX), line, fill=(20, 20, 20), font=font)
    return page


def main(release: str, folder: str, per_task: int = 3) -> None:
    """Write the sheets."""
    panels: dict[str, list[Image.Image]] = defaultdict(list)
    for released in Release.open(Path(release)).items():
        if len(panels[released.item.task]) < per_task:
            files = {image.image_id: released.images[image.image_id] for image in released.item.images}
            panels[released.item.task].append(panel(released.item, files))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for task, shown in panels.items():
        page = Image.new("RGB", (WIDE_PX, sum(one.height + GAP_PX for one in shown)), "white")
        top = 0
        for one in shown:
            page.paste(one, (0, top))
            top += one.height + GAP_PX
        path = Path(folder) / f"{task}.jpg"
        page.save(path, quality=QUALITY, optimize=True)
        print(f"{len(shown)} items in {path}")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    main(sys.argv[1], sys.argv[2], *(int(number) for number in sys.argv[3:]))
