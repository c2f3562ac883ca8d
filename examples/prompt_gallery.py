"""Draw the pictures of docs/visual-prompts.md: `python examples/prompt_gallery.py docs/images`.

The photographs are those of `benchwright demo` (extra `demo`). Pictures are reduced to 256 colors to stay small, some
for the background and some for the marks, so that the marks keep their colors.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchwright.drawing import draw, mask_of
from benchwright.images.decode import decode_rgb
from benchwright.records import MaskRuns, PromptKind, PromptStyle, VisualPrompt

Pixels = NDArray[np.uint8]
Point = tuple[float, float]

RED, YELLOW, GREEN, BLUE, PURPLE, WHITE = "#ff0000", "#ffd400", "#39d353", "#00b4ff", "#b060ff", "#ffffff"
_GROUND_COLOURS, _MARK_COLOURS = 160, 96


class Picture(NamedTuple):
    """A picture before and after drawing."""

    ground: Pixels
    drawn: Pixels

    def few_colours(self) -> Image.Image:
        """Return the drawn picture with a palette."""
        marks = self.drawn[(self.ground != self.drawn).any(axis=-1)][None]
        colours = [
            *_palette(self.ground, _GROUND_COLOURS),
            *_palette(np.ascontiguousarray(marks), _MARK_COLOURS),
        ]
        palette = Image.new("P", (1, 1))
        palette.putpalette([level for colour in colours for level in colour])
        return Image.fromarray(self.drawn).quantize(palette=palette, dither=Image.Dither.NONE)


def _palette(pixels: Pixels, most: int) -> list[list[int]]:
    few = np.asarray(Image.fromarray(pixels).quantize(most, kmeans=2).convert("RGB"))
    return np.unique(few.reshape(-1, 3), axis=0).tolist()


def mark(
    kind: PromptKind, *points: Point, label: str | None = None, mask: MaskRuns | None = None, **style: Any
) -> VisualPrompt:
    """Return a prompt with sizes for a picture 400 pixels high."""
    settings = PromptStyle(**{"reference_height_px": 400.0, **style})
    return VisualPrompt(kind=kind, image_id="0" * 64, points=points, label=label, style=settings, mask=mask)


def photograph(name: str, *, width: int, height: int, left: int = 0, top: int = 0, scale: float = 1.0) -> Pixels:
    """Return a part of a photograph that ships with scikit-image."""
    spec = find_spec("skimage")
    assert spec is not None
    assert spec.submodule_search_locations
    whole = Image.fromarray(decode_rgb(Path(spec.submodule_search_locations[0]) / "data" / name))
    box = (left, top, left + width / scale, top + height / scale)
    return np.asarray(whole.resize((width, height), Image.Resampling.LANCZOS, box=box))


def spoon() -> MaskRuns:
    """Return a mask of the spoon's bowl in the photograph of a cup, 90 x 100 cells."""
    y, x = np.mgrid[:90, :100] + 0.5
    turned, across = (x - 50) * 0.82 + (y - 45) * 0.57, (y - 45) * 0.82 - (x - 50) * 0.57
    return mask_of((turned / 41) ** 2 + (across / 35) ** 2 < 1)


def kinds() -> Picture:
    """Return every kind of mark on one photograph."""
    ground = photograph("coffee.png", width=600, height=400)
    marks = [
        mark("ring", (205.5, 58.5), label="ring"),
        mark("dot", (60.5, 60.5), label="dot", color=YELLOW),
        mark("box", (196, 228), (262, 312), label="box", color=BLUE),
        mark("polygon", (398, 70), (424, 72), (416, 108), (404, 122), (396, 100), label="polygon", color=GREEN),
        mark("mask", (317, 243), (417, 333), label="mask", color=PURPLE, mask=spoon()),
        mark("arrow", (90, 300), (140, 240), label="arrow"),
        mark("letter", (500.5, 180.5), label="A"),
        mark("letter", (548.5, 180.5), label="REF", color="#204080"),
        mark("number", (500.5, 230.5), label="1"),
        mark("number", (548.5, 230.5), label="128", color=YELLOW),
    ]
    return Picture(ground, draw(ground, marks).pixels)


def sizes() -> Picture:
    """Return sizes from small to large, and colors, on plain ground."""
    ground = np.full((330, 640, 3), (236, 238, 240), np.uint8)
    marks = []
    x = 40.0
    for number, radius in enumerate((4, 6, 10, 16, 26), start=1):
        style: dict[str, Any] = {"radius_px": radius, "line_px": max(1.5, 0.3 * radius), "reference_height_px": 330.0}
        x += 2.2 * radius
        marks += [
            mark("ring", (x, 50), **style),
            mark("dot", (x, 120), **{**style, "color": "#0a58ca"}),
            mark("letter", (x, 190), label="ABCDE"[number - 1], **{**style, "color": "#157347"}),
            mark("number", (x, 260), label=str(number), **{**style, "color": "#6f2da8"}),
        ]
        x += 2.2 * radius + 14
    for number, color in enumerate(
        (RED, "#ff8c00", YELLOW, GREEN, "#0f766e", BLUE, "#1d4ed8", PURPLE, "#111111", WHITE)
    ):
        row, column = divmod(number, 2)
        place = (450.5 + 90 * column, 44.5 + 60 * row)
        marks.append(mark("ring", place, label="XYZ"[number % 3], color=color, reference_height_px=330.0, radius_px=12))
    return Picture(ground, draw(ground, marks).pixels)


def busy(height: int, width: int) -> Pixels:
    """Return a ground without any quiet place: checks of strong colors."""
    y, x = np.mgrid[:height, :width] // 9
    colours = np.array([(220, 40, 30), (30, 60, 200), (245, 230, 60), (20, 20, 20), (250, 250, 250), (40, 160, 80)])
    return colours[(x * 7 + y * 3 + x * y) % len(colours)].astype(np.uint8)


def grounds() -> Picture:
    """Return the same marks on dark, bright and busy ground: the halo separates them from it."""
    tall, wide = 300, 213
    parts = [np.full((tall, wide, 3), 14, np.uint8), np.full((tall, wide, 3), 250, np.uint8), busy(tall, wide)]
    marks = [
        mark("ring", (45.5, 40.5), label="A", reference_height_px=300.0),
        mark("dot", (135.5, 40.5), label="B", color=YELLOW, reference_height_px=300.0),
        mark("box", (30, 110), (90, 160), label="box", color=WHITE, reference_height_px=300.0),
        mark("arrow", (130, 160), (180, 100), color="#111111", reference_height_px=300.0),
        mark("polygon", (30, 210), (85, 205), (100, 260), (45, 270), color=GREEN, reference_height_px=300.0),
        mark("letter", (150.5, 215.5), label="C", reference_height_px=300.0),
        mark("number", (150.5, 260.5), label="42", color=BLUE, reference_height_px=300.0),
    ]
    return Picture(np.hstack(parts), np.hstack([draw(part, marks).pixels for part in parts]))


def labels() -> Picture:
    """Return the places of labels: crowds, corners, and marks inside a marked box."""
    ground = photograph("chelsea.png", width=600, height=400, scale=1.3334)
    marks = [
        mark("box", (120, 70), (470, 385), label="cat", color=BLUE),
        mark("ring", (231.5, 147.5), label="left eye", color=YELLOW),
        mark("ring", (414.5, 177.5), label="right eye", color=YELLOW),
        mark("arrow", (200, 350), (312, 328), label="nose", color=GREEN),
        mark("ring", (3, 4), label="corner"),
        mark("ring", (599, 399), label="corner"),
        mark("dot", (560.5, 90.5), label="1"),
        mark("dot", (582.5, 90.5), label="2"),
        mark("dot", (560.5, 112.5), label="3"),
        mark("dot", (582.5, 112.5), label="4"),
    ]
    return Picture(ground, draw(ground, marks).pixels)


PICTURES: dict[str, Callable[[], Picture]] = {
    "prompts-kinds.png": kinds,
    "prompts-sizes.png": sizes,
    "prompts-grounds.png": grounds,
    "prompts-labels.png": labels,
}


def main(arguments: Sequence[str]) -> None:
    """Write all pictures to a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in PICTURES.items():
        picture().few_colours().save(folder / name, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
