"""Contact sheets: pages of many small pictures, each with its outlines and a caption below."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from benchwright.errors import BenchwrightError
from benchwright.workspace.atomic import write_bytes

COLUMNS, ROWS = 6, 5
PER_PAGE = COLUMNS * ROWS
_TILE_PX, _CAPTION_PX, _GAP_PX = 340, 22, 8
_DRAWN_AT = 2
"""Factor by which outlines are drawn larger and then scaled down, which smooths them."""

Color = tuple[int, int, int]
RED: Color = (230, 30, 40)
GREY: Color = (120, 120, 130)
_PAPER: Color = (255, 255, 255)
_FRAME: Color = (205, 205, 210)
_INK: Color = (25, 25, 30)

T = TypeVar("T")


@dataclass(frozen=True)
class SheetOutline:
    """A closed line through corner points, in pixels of the picture."""

    corners: tuple[tuple[float, float], ...]
    color: Color
    width_px: float = 1.5
    """Width of the line on the page, in pixels."""


@dataclass(frozen=True)
class Tile:
    """One picture of the sheet.

    Args:
        pixels: Shape (height, width, 3), RGB, of any size.
        outlines: Outlines in drawing order.
        caption: Caption of one line; if it is too long, its middle is cut out.
    """

    pixels: NDArray[np.uint8]
    outlines: tuple[SheetOutline, ...]
    caption: str


def write_sheets(out: Path, tiles: Iterable[Tile], *, count: int) -> list[Path]:
    """Write tiles as PNG pages of `PER_PAGE` tiles each. Tiles are processed one at a time, so that not all of them
    need to fit in memory.

    Args:
        out: File of the first page; further pages are `<name>-2.png` and so on.
        tiles: Tiles, `count` of them.
        count: Number of tiles.

    Returns:
        The paths of the pages; if there are no tiles, the path of one empty page.

    Raises:
        BenchwrightError: As for `page_paths`.
    """
    pages = page_paths(out, count=count)
    for path, page in zip(pages, _paged(iter(tiles)), strict=False):
        handle = io.BytesIO()
        _page(page).save(handle, "PNG")
        write_bytes(path, handle.getvalue())
    return pages


def page_paths(out: Path, *, count: int) -> list[Path]:
    """Return the paths of the pages for `count` tiles.

    Raises:
        BenchwrightError: A page exists, its folder does not, or its name does not end in `.png`.
    """
    if out.suffix.lower() != ".png":
        raise BenchwrightError(f"{out}: a contact sheet is a PNG; give it a name that ends in .png")
    if not out.parent.is_dir():
        raise BenchwrightError(f"{out}: the folder {out.parent} does not exist; make it first")
    names = [out, *(out.with_name(f"{out.stem}-{page}{out.suffix}") for page in range(2, -(-count // PER_PAGE) + 1))]
    for path in names:
        if path.exists():
            raise BenchwrightError(f"{path} already exists; move it away or give another name")
    return names


def _paged(tiles: Iterator[T]) -> Iterator[Iterator[T]]:
    """Yield the tiles of each page; if there are no tiles, yield an empty first page. Consume each page before
    requesting the next one.
    """
    yield islice(tiles, PER_PAGE)
    for first in tiles:
        yield _led_by(first, islice(tiles, PER_PAGE - 1))


def _led_by(first: T, rest: Iterator[T]) -> Iterator[T]:
    yield first
    yield from rest


def _page(tiles: Iterator[Tile]) -> Image.Image:
    drawn = [_tile(tile) for tile in tiles]
    columns = min(COLUMNS, max(1, len(drawn)))
    rows = max(1, -(-len(drawn) // columns))
    wide, high = _TILE_PX + _GAP_PX, _TILE_PX + _CAPTION_PX + _GAP_PX
    page = Image.new("RGB", (columns * wide + _GAP_PX, rows * high + _GAP_PX), _PAPER)
    for place, tile in enumerate(drawn):
        row, column = divmod(place, columns)
        page.paste(tile, (_GAP_PX + column * wide, _GAP_PX + row * high))
    return page


def _tile(tile: Tile) -> Image.Image:
    height, width = tile.pixels.shape[:2]
    scale = _TILE_PX / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    large = (size[0] * _DRAWN_AT, size[1] * _DRAWN_AT)
    picture = Image.fromarray(tile.pixels).resize(large, Image.Resampling.LANCZOS, reducing_gap=3.0)
    pen = ImageDraw.Draw(picture)
    for outline in tile.outlines:
        corners = [(x / width * large[0], y / height * large[1]) for x, y in outline.corners]
        _draw(pen, corners, _PAPER, round((outline.width_px + 1.0) * _DRAWN_AT))
        _draw(pen, corners, outline.color, round(outline.width_px * _DRAWN_AT))
    whole = Image.new("RGB", (_TILE_PX, _TILE_PX + _CAPTION_PX), _PAPER)
    corner = ((_TILE_PX - size[0]) // 2, (_TILE_PX - size[1]) // 2)
    whole.paste(picture.resize(size, Image.Resampling.BOX), corner)
    pen = ImageDraw.Draw(whole)
    pen.rectangle((*corner, corner[0] + size[0] - 1, corner[1] + size[1] - 1), outline=_FRAME)
    font = ImageFont.load_default(size=13)
    text = _fitting(tile.caption, font, _TILE_PX)
    pen.text((_TILE_PX / 2, _TILE_PX + _CAPTION_PX / 2), text, fill=_INK, font=font, anchor="mm")
    return whole


def _draw(pen: ImageDraw.ImageDraw, corners: Sequence[tuple[float, float]], color: Color, width: int) -> None:
    if len(corners) > 1:
        pen.line([*corners, *corners[:2]], fill=color, width=width, joint="curve")


def _fitting(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> str:
    if font.getlength(text) <= width:
        return text
    for kept in range(len(text) - 1, 0, -1):
        shorter = f"{text[: kept - kept // 2]}...{text[len(text) - kept // 2 :]}"
        if font.getlength(shorter) <= width:
            return shorter
    return "..."
