"""Pictures for practice: drawn still lifes, symbols, a page and a wall, the same on every machine.

Each picture has a name and is drawn by NumPy and Pillow at the first request, without downloads.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from benchwright.canonical import digest

_WIDTH, _HEIGHT = 1200, 900
_TABLE_Y = 470
"""Row at which the table begins."""
_FINE = 2
"""Factor by which symbols are drawn larger and then scaled down, for smooth edges."""
_INK, _PAPER = (38, 42, 54), (240, 234, 220)
RED, _BLUE, _GREEN, _YELLOW = (198, 52, 48), (52, 92, 190), (58, 148, 84), (226, 178, 52)
_CUP, _GREY = (214, 208, 196), (128, 128, 132)

_Color = tuple[int, int, int]
_Pixels = NDArray[np.float64]


class _Ball(NamedTuple):
    """A ball, given by its center and radius in pixels and its color."""

    x: int
    y: int
    radius: int
    color: _Color


class _Cup(NamedTuple):
    """A cup, given by the center of its foot and its height in pixels."""

    x: int
    y: int
    height: int


_Things = Sequence[_Ball | _Cup]


def picture_id(name: str) -> str:
    """Return the id of a practice picture in items, which has 64 hexadecimal digits like that of any image."""
    return digest(["benchwright practice picture", name])


def scene_of(image_id: str) -> str | None:
    """Return the name of the practice picture with this id, or None for other images."""
    return _NAMES.get(image_id)


class BallPlace(NamedTuple):
    """A ball in a picture: its color (`red`, `blue`, `green`, `yellow`), its center and its radius in pixels."""

    color: str
    x: int
    y: int
    radius: int


def balls_in(name: str) -> list[BallPlace]:
    """Return the balls of a still life, whose positions are fixed by its drawing.

    Raises:
        KeyError: No picture of this name has known balls.
    """
    balls = (thing for thing in _THINGS[name] if isinstance(thing, _Ball))
    return [BallPlace(_COLOR_NAMES[ball.color], ball.x, ball.y, ball.radius) for ball in balls]


@cache
def draw_scene(name: str) -> bytes:
    """Return a practice picture as JPEG.

    Raises:
        KeyError: No picture has this name.
    """
    buffer = io.BytesIO()
    _SCENES[name]().save(buffer, "JPEG", quality=92, subsampling=0)
    return buffer.getvalue()


_OTHER_SIZES = {"small": (600, 450), "cropped": (1100, 750)}


def scene_size(name: str) -> tuple[int, int]:
    """Return the width and height of a practice picture in pixels, which are known before it is drawn."""
    return _OTHER_SIZES.get(name, (_WIDTH, _HEIGHT))


def _room() -> _Pixels:
    """Return an image of an empty room: a wall above a wooden table, with light from the left and a little grain."""
    rows, columns = np.mgrid[0:_HEIGHT, 0:_WIDTH].astype(float)
    light = 1.08 - 0.30 * columns / _WIDTH
    wall = np.array([176, 186, 192]) * (light - 0.10 * rows / _HEIGHT)[..., None]
    grain = 6 * np.sin(rows / 9 + 1.6 * np.sin(columns / 160)) + 3 * np.sin(rows / 3.1 + columns / 420)
    depth = 0.86 + 0.22 * (rows - _TABLE_Y) / (_HEIGHT - _TABLE_Y)
    table = np.array([158, 116, 78]) * (light * depth)[..., None] + grain[..., None]
    pixels = np.where(rows[..., None] < _TABLE_Y, wall, table)
    room: _Pixels = pixels + np.random.default_rng(7).normal(0, 3.0, (_HEIGHT, _WIDTH, 1))
    return room


class _PictureWindow(NamedTuple):
    """The part of a picture around an object, and the row and column of each of its pixels."""

    pixels: _Pixels
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]


def _around(pixels: _Pixels, x: float, y: float, reach: float) -> _PictureWindow:
    top, bottom = max(0, int(y - reach)), min(_HEIGHT, int(y + reach))
    left, right = max(0, int(x - reach)), min(_WIDTH, int(x + reach))
    rows, columns = np.mgrid[top:bottom, left:right].astype(float)
    return _PictureWindow(pixels[top:bottom, left:right], rows, columns)


def _shade(pixels: _Pixels, x: float, y: float, width: float) -> None:
    """Darken the table below an object."""
    near = _around(pixels, x, y, width * 3)
    across = (near.columns - x - width * 0.25) / (width * 1.15)
    distance = across**2 + ((near.rows - y) / (width * 0.32)) ** 2
    near.pixels[:] *= (1 - 0.5 * np.exp(-2.2 * distance))[..., None]


def _paint_ball(pixels: _Pixels, ball: _Ball) -> None:
    near = _around(pixels, ball.x, ball.y, ball.radius + 2)
    x, y = (near.columns - ball.x) / ball.radius, (near.rows - ball.y) / ball.radius
    inside = np.clip((1 - np.hypot(x, y)) * ball.radius, 0, 1)[..., None]
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, 1))
    facing = np.clip(-0.5 * x - 0.6 * y + 0.62 * z, 0, 1)
    shine = 150 * np.clip(-0.42 * x - 0.5 * y + 0.76 * z, 0, 1) ** 40
    surface = np.array(ball.color) * (0.34 + 0.8 * facing)[..., None] + shine[..., None]
    near.pixels[:] = near.pixels * (1 - inside) + surface * inside


def _paint_cup(pixels: _Pixels, cup: _Cup) -> None:
    near = _around(pixels, cup.x, cup.y - cup.height * 0.5, cup.height * 1.1)
    half, top = cup.height * 0.42, cup.y - cup.height
    across, down = (near.columns - cup.x) / half, near.rows - top
    handle = np.hypot((across - 1) / 0.62, (down - cup.height * 0.45) / (cup.height * 0.3))
    lower = cup.height + half * 0.22 * np.sqrt(np.clip(1 - across**2, 0, 1))
    body = (np.abs(across) < 1) & (down > 0) & (down < lower)
    shade = 1.05 - 0.45 * np.clip((across + 1) / 2, 0, 1) ** 1.6
    opening = np.hypot(across, down / (half * 0.24))
    for area, brightness in (
        (np.abs(handle - 0.85) < 0.15, np.full_like(shade, 0.72)),
        (body, shade),
        (opening < 1, np.full_like(shade, 1.06)),
        (opening < 0.88, 0.42 + 0.1 * (across + 1)),
    ):
        near.pixels[:] = np.where(area[..., None], np.array(_CUP) * brightness[..., None], near.pixels)


def _still_life(things: _Things) -> Image.Image:
    """Return an image of objects on a table, drawn from back to front."""
    pixels = _room()
    for thing in sorted(things, key=lambda thing: thing.y + (thing.radius if isinstance(thing, _Ball) else 0)):
        if isinstance(thing, _Ball):
            _shade(pixels, thing.x, thing.y + thing.radius * 0.92, thing.radius)
            _paint_ball(pixels, thing)
        else:
            _shade(pixels, thing.x, thing.y, thing.height * 0.45)
            _paint_cup(pixels, thing)
    smooth = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    return smooth.filter(ImageFilter.GaussianBlur(0.8))


def _on_paper(draw_on: Callable[[ImageDraw.ImageDraw], None]) -> Image.Image:
    """Return an image of a symbol in ink on paper, drawn in units of the picture and scaled down to its size."""
    large = Image.new("RGB", (_WIDTH * _FINE, _HEIGHT * _FINE), _PAPER)
    draw_on(ImageDraw.Draw(large))
    return large.resize((_WIDTH, _HEIGHT), Image.Resampling.LANCZOS)


def _at(*numbers: float) -> list[float]:
    return [number * _FINE for number in numbers]


def _balance(pen: ImageDraw.ImageDraw) -> None:
    """Draw a pair of scales: coins pull their pan down, and a heart rises."""
    pen.polygon(_at(520, 800, 680, 800, 615, 700, 585, 700), fill=_INK)
    pen.line(_at(600, 720, 600, 210), fill=_INK, width=14 * _FINE)
    pen.line(_at(300, 150, 900, 310), fill=_INK, width=14 * _FINE)
    pen.ellipse(_at(578, 206, 622, 250), fill=_INK)
    for x, y in ((300, 150), (900, 310)):
        pen.line(_at(x, y, x - 110, y + 220), fill=_INK, width=4 * _FINE)
        pen.line(_at(x, y, x + 110, y + 220), fill=_INK, width=4 * _FINE)
        pen.pieslice(_at(x - 140, y + 150, x + 140, y + 290), 0, 180, fill=_INK)
    pen.ellipse(_at(240, 238, 304, 302), fill=RED)
    pen.ellipse(_at(296, 238, 360, 302), fill=RED)
    pen.polygon(_at(245, 286, 355, 286, 300, 358), fill=RED)
    for x, y in ((850, 500), (910, 500), (950, 500), (870, 472), (925, 472), (895, 444)):
        pen.ellipse(_at(x - 38, y - 18, x + 38, y + 18), fill=_YELLOW, outline=_INK, width=4 * _FINE)


def _cage(pen: ImageDraw.ImageDraw) -> None:
    """Draw an open cage without its bird; one bar has the bird's shape."""
    pen.arc(_at(320, 130, 720, 560), 180, 360, fill=_INK, width=10 * _FINE)
    for x in range(320, 721, 50):
        if x not in {520, 570}:
            top = 345 - 215 * (1 - ((x - 520) / 200) ** 2) ** 0.5
            pen.line(_at(x, top, x, 760), fill=_INK, width=7 * _FINE)
    pen.line(_at(300, 760, 740, 760), fill=_INK, width=16 * _FINE)
    pen.line(_at(720, 420, 860, 360, 860, 650, 720, 720), fill=_INK, width=8 * _FINE)
    for part in (0.33, 0.66):
        pen.line(_at(720 + 140 * part, 420 - 60 * part, 720 + 140 * part, 720 - 70 * part), fill=_INK, width=6 * _FINE)
    pen.ellipse(_at(905, 150, 985, 200), fill=_BLUE)
    pen.polygon(_at(930, 165, 870, 80, 975, 160), fill=_BLUE)
    pen.polygon(_at(950, 165, 1040, 70, 985, 175), fill=_BLUE)
    pen.polygon(_at(985, 165, 1012, 172, 984, 184), fill=_YELLOW)
    pen.line(_at(430, 640, 610, 640), fill=_GREY, width=8 * _FINE)


def _lamps(pen: ImageDraw.ImageDraw) -> None:
    """Draw six lamps in a row, one of them lit."""
    for place in range(6):
        x, is_lit = 150 + 180 * place, place == 3
        pen.line(_at(x, 0, x, 300), fill=_INK, width=6 * _FINE)
        pen.rectangle(_at(x - 26, 300, x + 26, 350), fill=_INK)
        if is_lit:
            for angle in range(0, 360, 30):
                way = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
                start, end = way * 105 + (x, 425), way * 150 + (x, 425)
                pen.line(_at(*start, *end), fill=_YELLOW, width=10 * _FINE)
        pen.ellipse(
            _at(x - 75, 345, x + 75, 505), fill=_YELLOW if is_lit else (205, 200, 190), outline=_INK, width=7 * _FINE
        )


def _bricks(pen: ImageDraw.ImageDraw) -> None:
    """Draw a plain wall of bricks."""
    random = np.random.default_rng(3)
    for row in range(13):
        for column in range(-1, 9):
            left, top = column * 150 + (75 if row % 2 else 0), row * 72
            tone = int(random.integers(-14, 14))
            pen.rectangle(_at(left + 5, top + 5, left + 145, top + 67), fill=(168 + tone, 88 + tone, 66 + tone))


def _page(pen: ImageDraw.ImageDraw) -> None:
    """Draw a page of a form: printed lines and boxes, with nothing but text to see."""
    random = np.random.default_rng(5)
    pen.rectangle(_at(180, 40, 1020, 860), fill=(252, 251, 247), outline=_GREY, width=3 * _FINE)
    for row in range(24):
        x, y = 230.0, 90 + row * 31
        while x < 900:
            word = float(random.integers(24, 96))
            pen.rectangle(_at(x, y, min(x + word, 960), y + (16 if row else 22)), fill=_INK)
            x += word + 12
        if row % 6 == 5:
            pen.rectangle(_at(900, y - 6, 960, y + 20), fill=_PAPER, outline=_INK, width=3 * _FINE)


_CUP_LEFT_OF: _Things = (
    _Ball(180, 640, 62, RED), _Ball(330, 720, 70, _BLUE), _Ball(470, 610, 56, RED), _Cup(690, 740, 230),
    _Ball(900, 690, 66, RED), _Ball(1060, 620, 58, _BLUE),
)  # fmt: skip
_TWO_CUPS: _Things = (
    _Cup(320, 760, 240), _Cup(860, 640, 190), _Ball(560, 700, 64, _GREEN), _Ball(690, 770, 70, _YELLOW),
    _Ball(1060, 740, 60, RED), _Ball(120, 620, 50, _BLUE),
)  # fmt: skip
_EQUALLY_LARGE: _Things = (_Ball(260, 650, 110, RED), _Ball(600, 700, 72, _GREEN), _Ball(930, 650, 110, _BLUE))
_ONE_YELLOW: _Things = (_Ball(330, 680, 80, _YELLOW), _Cup(700, 730, 220), _Ball(980, 690, 66, RED))
_HALF_HIDDEN: _Things = (
    _Ball(612, 606, 44, _GREEN), _Cup(720, 720, 240), _Ball(190, 640, 60, RED), _Ball(350, 730, 70, _YELLOW),
    _Ball(500, 650, 54, _BLUE), _Ball(930, 760, 74, RED), _Ball(1080, 640, 54, _YELLOW),
)  # fmt: skip
_NEAREST: _Things = (
    _Cup(600, 740, 230), _Ball(760, 700, 60, _GREEN), _Ball(220, 660, 72, RED), _Ball(1040, 680, 68, _BLUE),
    _Ball(400, 600, 50, _YELLOW),
)  # fmt: skip
_MOST_BLUE: _Things = (
    _Ball(170, 640, 56, _BLUE), _Ball(320, 740, 66, RED), _Ball(480, 620, 52, _BLUE), _Ball(640, 720, 66, _GREEN),
    _Ball(800, 620, 52, _BLUE), _Ball(950, 740, 66, RED), _Ball(1090, 640, 54, _BLUE),
)  # fmt: skip
_THREE_BALLS: _Things = (_Ball(300, 680, 84, RED), _Ball(600, 720, 92, _YELLOW), _Ball(900, 680, 84, _BLUE))
_MOVED: _Things = (_Ball(300, 680, 84, RED), _Ball(640, 760, 96, _YELLOW), _Ball(960, 640, 78, _BLUE))
_OTHER_SIDE: _Things = (
    _Cup(880, 760, 270),
    _Cup(330, 620, 170),
    _Ball(610, 660, 60, _GREEN),
    _Ball(500, 790, 74, _YELLOW),
)


def _still_life_of(things: _Things) -> Callable[[], Image.Image]:
    return lambda: _still_life(things)


def _symbol(draw_on: Callable[[ImageDraw.ImageDraw], None]) -> Callable[[], Image.Image]:
    return lambda: _on_paper(draw_on)


def _blurred() -> Image.Image:
    return _still_life(_NEAREST).filter(ImageFilter.GaussianBlur(26)).point(lambda value: value * 0.45)


def _small() -> Image.Image:
    return _still_life(_CUP_LEFT_OF).resize(_OTHER_SIZES["small"], Image.Resampling.LANCZOS)


def _cropped() -> Image.Image:
    return _still_life(_MOST_BLUE).crop((70, 120, 1170, 870)).point(lambda value: min(255, value * 1.12))


def _mirrored() -> Image.Image:
    return _still_life(_NEAREST).transpose(Image.Transpose.FLIP_LEFT_RIGHT)


_SCENES: dict[str, Callable[[], Image.Image]] = {
    "left of the cup": _still_life_of(_CUP_LEFT_OF),
    "two cups": _still_life_of(_TWO_CUPS),
    "equally large": _still_life_of(_EQUALLY_LARGE),
    "one yellow": _still_life_of(_ONE_YELLOW),
    "half hidden": _still_life_of(_HALF_HIDDEN),
    "nearest": _still_life_of(_NEAREST),
    "most blue": _still_life_of(_MOST_BLUE),
    "three balls": _still_life_of(_THREE_BALLS),
    "moved": _still_life_of(_MOVED),
    "other side": _still_life_of(_OTHER_SIDE),
    "blurred": _blurred,
    "small": _small,
    "cropped": _cropped,
    "mirrored": _mirrored,
    "balance": _symbol(_balance),
    "cage": _symbol(_cage),
    "lamps": _symbol(_lamps),
    "bricks": _symbol(_bricks),
    "page": _symbol(_page),
}
_THINGS: dict[str, _Things] = {
    "left of the cup": _CUP_LEFT_OF,
    "equally large": _EQUALLY_LARGE,
    "one yellow": _ONE_YELLOW,
    "three balls": _THREE_BALLS,
}
_COLOR_NAMES = {RED: "red", _BLUE: "blue", _GREEN: "green", _YELLOW: "yellow"}
_NAMES = {picture_id(name): name for name in _SCENES}
SCENES = tuple(_SCENES)
"""Names of the practice pictures."""
