"""Draw the pairs of a release on one page: `python examples/pairs/contact_sheet.py RELEASE docs/images/pairs.jpg`."""

from __future__ import annotations

import io
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from benchwright.release import Release

COLUMNS, HIGH_PX, WIDE_PX, GAP_PX, CAPTION_PX = 3, 150, 210, 6, 20
QUALITY = 82


class Shown(NamedTuple):
    """A pair: its title and both files."""

    name: str
    natural: bytes
    manipulated: bytes


def pairs_of(release: Path) -> list[Shown]:
    """Return the pairs of a release by category and name, without pairs of which no item shows a picture."""
    names: dict[str, str] = {}
    sides: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
    for one in Release.open(release).items():
        told = one.item.evidence
        if "idea" in told:
            names[told["pair"]] = f"{told['idea']}  {told['editor']}"
            sides[told["pair"]] |= {image.role: one.images[image.image_id] for image in one.item.images}
    whole = [(names[pair], pair) for pair, files in sides.items() if files.keys() == {"natural", "manipulated"}]
    return [Shown(name, **sides[pair]) for name, pair in sorted(whole)]


def sheet(pairs: Sequence[Shown]) -> Image.Image:
    """Return all pairs on one page."""
    wide, high = 2 * WIDE_PX + 3 * GAP_PX, HIGH_PX + CAPTION_PX + GAP_PX
    rows = -(-len(pairs) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * wide, rows * high + GAP_PX), "white")
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=13)
    for number, pair in enumerate(pairs):
        left, top = (number % COLUMNS) * wide + GAP_PX, (number // COLUMNS) * high + GAP_PX
        for place, data in enumerate((pair.natural, pair.manipulated)):
            picture = Image.open(io.BytesIO(data)).convert("RGB")
            picture.thumbnail((WIDE_PX, HIGH_PX), Image.Resampling.LANCZOS)
            corner = left + place * (WIDE_PX + GAP_PX) + (WIDE_PX - picture.width) // 2
            page.paste(picture, (corner, top + (HIGH_PX - picture.height) // 2))
        pen.text((left + WIDE_PX, top + HIGH_PX + 2), pair.name, fill=(30, 30, 30), font=font, anchor="ma")
    return page


def main(release: str, out: str) -> None:
    """Write the sheet."""
    pairs = pairs_of(Path(release))
    if not pairs:
        raise SystemExit(f"{release} holds no pairs of the step pair_items")
    sheet(pairs).save(out, quality=QUALITY, optimize=True)
    print(f"{len(pairs)} pairs in {out}, {Path(out).stat().st_size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
