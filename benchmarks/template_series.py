"""Series of pictures that a program draws for a question: a clock, a dial, a board or a chart, each with different
content.

All twelve pictures of a series are labeled as different: a question about one has a different answer for any other. In
the kinds named in `PLACED` each picture also has its own ground, size and margins, as generators of questions vary
them, so that the difference in content is the smaller one. The kinds of `templates` were seen while the rules were
made; those of `templates_unseen` were drawn at the same time, and used once, after the rules were frozen.
"""

from __future__ import annotations

import math
import random

from card_series import FONTS, Color, Draw, Kind, Look
from PIL import Image, ImageDraw, ImageFont

OF_A_TEMPLATE = 12
_SHARPER = 2
"""Factor by which pictures are drawn larger, then reduced, so that edges are smooth as in a browser or a plot."""

_GOODS = ("plates", "ropes", "chairs", "lamps", "kites", "pens", "bowls", "tents", "drums", "boots")
_PEOPLE = ("Anna Lind", "Omar Haddad", "Li Wei", "Maria Rossi", "Jan Novak", "Ines Costa", "Tom Reed", "Aiko Mori")
_TOWNS = ("Lund", "Porto", "Graz", "Turku", "Split", "Cork", "Bergen", "Ghent", "Pisa", "Brno")


def _toward(look: Look, x: float, y: float, degrees: float, length: float) -> tuple[float, float]:
    """Return the place at a distance, as a share of the height, clockwise from twelve o'clock."""
    angle = math.radians(degrees)
    left, top = look.at(x, y)
    return left + math.sin(angle) * length * look.height, top - math.cos(angle) * length * look.height


def _hand(draw: Draw, look: Look, degrees: float, length: float, width: float, color: Color | None = None) -> None:
    ends = (look.at(0.5, 0.5), _toward(look, 0.5, 0.5, degrees, length))
    draw.line(ends, fill=color or look.ink, width=max(1, round(width * look.height)))


def _disc(draw: Draw, look: Look, x: float, y: float, radius: float, fill: Color | None, width: int = 0) -> None:
    (left, top), size = look.at(x, y), radius * look.height
    box = (left - size, top - size, left + size, top + size)
    draw.ellipse(box, fill=fill, outline=look.ink if width else None, width=width)


def _clocks(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    _disc(draw, look, 0.5, 0.5, 0.44, None, 6)
    for hour in range(1, 13):
        draw.text(_toward(look, 0.5, 0.5, hour * 30, 0.37), str(hour), look.ink, look.font(0.055), anchor="mm")
    hour, minute = (number * 5 + 1) % 12, rng.choice((0, 15, 30, 45))
    _hand(draw, look, hour * 30 + minute / 2, 0.22, 0.018)
    _hand(draw, look, minute * 6, 0.32, 0.009)


def _seven_segments(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    segments = {
        "a": (0, 0, 1, 0), "b": (1, 0, 1, 1), "c": (1, 1, 1, 2), "d": (0, 2, 1, 2), "e": (0, 1, 0, 2),
        "f": (0, 0, 0, 1), "g": (0, 1, 1, 1),
    }  # fmt: skip
    shown = ("abcdef", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg")
    draw.rounded_rectangle(look.box(0.05, 0.15, 0.95, 0.85), 30, fill=(40, 44, 40))
    for place in range(4):
        lit = shown[rng.randint(0, 9)]
        for name, (x0, y0, x1, y1) in segments.items():
            color = (120, 240, 120) if name in lit else (54, 62, 54)
            left, top = 0.13 + place * 0.2, 0.28
            ends = (*look.at(left + x0 * 0.12, top + y0 * 0.22), *look.at(left + x1 * 0.12, top + y1 * 0.22))
            draw.line(ends, fill=color, width=round(0.03 * look.height))


def _tables(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.rectangle(look.box(0.06, 0.12, 0.94, 0.26), fill=(224, 228, 240))
    goods = rng.sample(_GOODS, 4)
    rows = [("Item", "Price", "Stock"), *((name, str(rng.randint(10, 60)), str(rng.randint(1, 9))) for name in goods)]
    for line in range(6):
        draw.line((*look.at(0.06, 0.12 + line * 0.14), *look.at(0.94, 0.12 + line * 0.14)), fill=look.ink, width=2)
    for column in range(4):
        x = 0.06 + column * 0.88 / 3
        draw.line((*look.at(x, 0.12), *look.at(x, 0.82)), fill=look.ink, width=2)
    for line, row in enumerate(rows):
        for column, text in enumerate(row):
            place = look.at(0.09 + column * 0.88 / 3, 0.19 + line * 0.14)
            draw.text(place, text, look.ink, look.font(0.045), anchor="lm")


def _dice(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.5, 0.82), "One throw", look.ink, look.font(0.06), anchor="mm")
    spots = {1: "4", 2: "08", 3: "048", 4: "0268", 5: "02468", 6: "035268"}
    for n in range(3):
        left = 0.06 + n * 0.31
        draw.rounded_rectangle(
            look.box(left, 0.3, left + 0.26, 0.7), 26, fill=(255, 255, 255), outline=look.ink, width=5
        )
        for spot in spots[rng.randint(1, 6)]:
            x, y = left + 0.06 + int(spot) % 3 * 0.07, 0.39 + int(spot) // 3 * 0.11
            _disc(draw, look, x, y, 0.032, look.ink)


def _chess(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    shared = random.Random("a game")
    cells = shared.sample(range(64), 14)
    cells[rng.randrange(14)] = rng.choice([cell for cell in range(64) if cell not in cells])
    for cell in range(64):
        x, y = 0.06 + cell % 8 * 0.11, 0.06 + cell // 8 * 0.11
        if (cell + cell // 8) % 2:
            draw.rectangle(look.box(x, y, x + 0.11, y + 0.11), fill=look.accent)
    draw.rectangle(look.box(0.06, 0.06, 0.94, 0.94), outline=look.ink, width=3)
    font = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), round(0.09 * look.height))
    for n, cell in enumerate(cells):
        piece, place = "♔♕♖♗♘♙♙♚♛♜♝♞♟♟"[n], look.at(0.115 + cell % 8 * 0.11, 0.115 + cell // 8 * 0.11)
        draw.text(place, piece, look.ink, font, anchor="mm")


def _plots(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    for n in range(9):
        at = 0.1 + n * 0.1
        draw.line((*look.at(at, 0.1), *look.at(at, 0.9)), fill=(205, 205, 205), width=2)
        draw.line((*look.at(0.1, at), *look.at(0.9, at)), fill=(205, 205, 205), width=2)
        draw.text(look.at(at, 0.93), str(n - 4), look.ink, look.font(0.03), anchor="mm")
        draw.text(look.at(0.07, at), str(4 - n), look.ink, look.font(0.03), anchor="mm")
    draw.line((*look.at(0.5, 0.1), *look.at(0.5, 0.9)), fill=look.ink, width=4)
    draw.line((*look.at(0.1, 0.5), *look.at(0.9, 0.5)), fill=look.ink, width=4)
    slope, shift, wave = rng.choice((-2, -1, -0.5, 0.5, 1, 2)), rng.randint(-2, 2), number % 3
    curve = [
        (x, (slope * x + shift, slope * x * x / 3 + shift, 2 * math.sin(slope * x) + shift)[wave])
        for x in (n / 20 - 4 for n in range(161))
    ]
    inside = [look.at(0.5 + x * 0.1, 0.5 - y * 0.1) for x, y in curve if -4 <= y <= 4]
    draw.line(inside, fill=(190, 30, 30), width=6, joint="curve")


def _bars(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.5, 0.07), "Units sold by town", look.ink, look.font(0.05), anchor="mm")
    for n in range(6):
        y = 0.85 - n * 0.14
        draw.line((*look.at(0.12, y), *look.at(0.95, y)), fill=(210, 210, 210), width=2)
        draw.text(look.at(0.1, y), str(n * 10), look.ink, look.font(0.035), anchor="rm")
    for n, town in enumerate(_TOWNS[:5]):
        left = 0.16 + n * 0.16
        draw.rectangle(look.box(left, 0.85 - rng.randint(1, 25) * 0.028, left + 0.1, 0.85), fill=look.accent)
        draw.text(look.at(left + 0.05, 0.9), town, look.ink, look.font(0.035), anchor="mm")


def _forms(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    draw.text(look.at(0.5, 0.1), "Library card", look.ink, look.font(0.07), anchor="mm")
    values = (_PEOPLE[number % 8], f"{rng.randint(1, 28)}.{rng.randint(1, 12)}.1987", rng.choice(_TOWNS), "Adult")
    for n, (label, value) in enumerate(zip(("Name", "Born", "Branch", "Section"), values, strict=True)):
        y = 0.28 + n * 0.17
        draw.text(look.at(0.08, y), label, look.ink, look.font(0.045), anchor="lm")
        draw.rectangle(look.box(0.3, y - 0.055, 0.92, y + 0.055), outline=look.ink, width=3)
        draw.text(look.at(0.33, y), value, look.ink, look.font(0.05), anchor="lm")


def _gauges(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    left, top = look.at(0.5, 0.5)
    for width, radius in ((5, 0.42), (3, 0.34)):
        size = radius * look.height
        draw.arc((left - size, top - size, left + size, top + size), 135, 45, fill=look.ink, width=width)
    for n in range(11):
        turn = -135 + n * 27
        draw.line((_toward(look, 0.5, 0.5, turn, 0.34), _toward(look, 0.5, 0.5, turn, 0.42)), fill=look.ink, width=4)
        draw.text(_toward(look, 0.5, 0.5, turn, 0.28), str(n * 10), look.ink, look.font(0.04), anchor="mm")
    draw.text(look.at(0.5, 0.72), "km/h", look.ink, look.font(0.05), anchor="mm")
    _hand(draw, look, -135 + rng.randint(0, 100) * 2.7, 0.24, 0.014, (180, 30, 30))
    _disc(draw, look, 0.5, 0.5, 0.03, look.ink)


def _thermometers(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.rounded_rectangle(look.box(0.45, 0.06, 0.55, 0.84), 30, outline=look.ink, width=4)
    for n in range(9):
        y = 0.12 + n * 0.08
        draw.line((*look.at(0.57, y), *look.at(0.63, y)), fill=look.ink, width=3)
        draw.text(look.at(0.66, y), f"{40 - n * 10} °C", look.ink, look.font(0.035), anchor="lm")
    draw.rectangle(look.box(0.475, 0.12 + rng.randint(0, 64) / 100, 0.525, 0.86), fill=(200, 40, 40))
    _disc(draw, look, 0.5, 0.88, 0.07, (200, 40, 40), 4)


def _staves(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    for line in range(5):
        y = 0.35 + line * 0.06
        draw.line((*look.at(0.05, y), *look.at(0.95, y)), fill=look.ink, width=3)
    for x in (0.05, 0.5, 0.95):
        draw.line((*look.at(x, 0.35), *look.at(x, 0.59)), fill=look.ink, width=4)
    draw.text(look.at(0.1, 0.47), "4\n4", look.ink, look.font(0.1), anchor="mm")
    for n in range(8):
        x, y = look.at(0.18 + n * 0.1, 0.35 + rng.randint(0, 8) * 0.03)
        wide, high = 0.035 * look.height, 0.026 * look.height
        draw.ellipse((x - wide, y - high, x + wide, y + high), fill=look.ink)
        draw.line((x + wide, y, x + wide, y - 0.18 * look.height), fill=look.ink, width=4)


def _molecules(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    ring = [_toward(look, 0.5, 0.5, 60 * n, 0.18) for n in range(6)]
    draw.polygon(ring, outline=look.ink, width=5)
    for n in (0, 2, 4):
        inner = [_toward(look, 0.5, 0.5, 60 * (n + m), 0.15) for m in (0, 1)]
        draw.line(inner, fill=look.ink, width=4)
    groups = rng.sample(("OH", "NH2", "CH3", "Cl", "Br", "NO2", "F", "COOH"), 2)
    for turn, group in zip((0, (60, 120, 180)[number % 3]), groups, strict=True):
        draw.line((_toward(look, 0.5, 0.5, turn, 0.18), _toward(look, 0.5, 0.5, turn, 0.29)), fill=look.ink, width=5)
        draw.text(_toward(look, 0.5, 0.5, turn, 0.35), group, look.ink, look.font(0.06), anchor="mm")


def _triangles(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    corners = [look.at(0.15, 0.82), look.at(0.85, 0.82), look.at(0.62, 0.2)]
    draw.polygon(corners, outline=look.ink, width=5)
    for place, name in zip(((0.1, 0.87), (0.9, 0.87), (0.62, 0.14)), "ABC", strict=True):
        draw.text(look.at(*place), name, look.ink, look.font(0.06), anchor="mm")
    for place, value in (((0.26, 0.76), rng.randint(30, 60)), ((0.74, 0.76), rng.randint(61, 80))):
        draw.text(look.at(*place), f"{value}°", look.ink, look.font(0.05), anchor="mm")
    draw.text(look.at(0.5, 0.88), f"{rng.randint(3, 19)} cm", look.ink, look.font(0.05), anchor="mm")


def _number_lines(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.line((*look.at(0.04, 0.5), *look.at(0.96, 0.5)), fill=look.ink, width=5)
    for n in range(11):
        x = 0.08 + n * 0.084
        draw.line((*look.at(x, 0.46), *look.at(x, 0.54)), fill=look.ink, width=4)
        draw.text(look.at(x, 0.6), str(n - 5), look.ink, look.font(0.05), anchor="mm")
    for name, n in zip("PQ", rng.sample(range(22), 2), strict=True):
        x = 0.08 + n * 0.04
        _disc(draw, look, x, 0.5, 0.025, (20, 60, 190))
        draw.text(look.at(x, 0.4), name, (20, 60, 190), look.font(0.055), anchor="mm")


def _pies(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    cuts = sorted(rng.sample(range(20, 341, 10), 3))
    left, top = look.at(0.38, 0.52)
    size = 0.36 * look.height
    colors = ((70, 110, 180), (230, 140, 50), (80, 160, 90), (180, 60, 70))
    for color, start, end in zip(colors, (0, *cuts), (*cuts, 360), strict=True):
        draw.pieslice((left - size, top - size, left + size, top + size), start, end, fill=color, outline=(255,) * 3)
    for n, (color, name) in enumerate(zip(colors, _TOWNS, strict=False)):
        draw.rectangle(look.box(0.76, 0.3 + n * 0.1, 0.8, 0.35 + n * 0.1), fill=color)
        draw.text(look.at(0.83, 0.325 + n * 0.1), name, look.ink, look.font(0.045), anchor="lm")


def _grids(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    for n in range(9):
        at = 0.1 + n * 0.1
        draw.line((*look.at(at, 0.1), *look.at(at, 0.9)), fill=look.ink, width=2)
        draw.line((*look.at(0.1, at), *look.at(0.9, at)), fill=look.ink, width=2)
        if n < 8:
            draw.text(look.at(at + 0.05, 0.07), "ABCDEFGH"[n], look.ink, look.font(0.035), anchor="mm")
            draw.text(look.at(0.07, at + 0.05), str(n + 1), look.ink, look.font(0.035), anchor="mm")
    for cell, color in zip(rng.sample(range(64), 3), (look.accent, (200, 40, 40), (40, 140, 60)), strict=True):
        _disc(draw, look, 0.15 + cell % 8 * 0.1, 0.15 + cell // 8 * 0.1, 0.036, color)


def _circuits(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.rectangle(look.box(0.15, 0.25, 0.85, 0.75), outline=look.ink, width=5)
    draw.line((*look.at(0.5, 0.25), *look.at(0.5, 0.75)), fill=look.ink, width=5)
    for x, y, name in ((0.15, 0.5, "V"), (0.5, 0.5, "R1"), (0.85, 0.5, "R2"), (0.33, 0.25, "R3")):
        wide, high = (0.045, 0.11) if y == 0.5 else (0.09, 0.055)
        draw.rectangle(look.box(x - wide, y - high, x + wide, y + high), fill=look.ground, outline=look.ink, width=5)
        value = f"{rng.choice((2, 4, 6, 9, 12, 24))}" + (" V" if name == "V" else " Ω")
        draw.text(look.at(x, y), f"{name}\n{value}", look.ink, look.font(0.04), anchor="mm", align="center")


TEMPLATES: dict[str, dict[str, Kind]] = {
    "templates": {
        "template clocks": _clocks, "seven segments": _seven_segments, "tables": _tables, "dice": _dice,
        "one moved piece": _chess, "function plots": _plots, "bars by town": _bars, "library cards": _forms,
    },
    "templates_unseen": {
        "speedometers": _gauges, "thermometers": _thermometers, "staves": _staves, "molecules": _molecules,
        "triangles": _triangles, "number lines": _number_lines, "pies with legend": _pies, "grids": _grids,
        "circuits": _circuits,
    },
}  # fmt: skip
PLACED = frozenset(
    {"template clocks", "tables", "dice", "function plots", "speedometers", "staves", "triangles", "pies with legend"}
)
_SIZES = {"seven segments": (800, 480), "staves": (900, 480), "number lines": (900, 420), "library cards": (760, 520)}
_GROUNDS: tuple[Color, ...] = ((255, 255, 255), (247, 247, 247), (252, 248, 240), (240, 245, 250))
_FONT_NAMES = ("DejaVuSans.ttf", "DejaVuSerif.ttf", "DejaVuSans-Bold.ttf", "STIXGeneral.ttf")


def template_series(name: str, kind: str) -> list[Image.Image]:
    """Return the twelve pictures of a kind of a set; all show different content."""
    shared = random.Random(f"{name} {kind}")
    width, height = _SIZES.get(kind, (640, 640))
    ink: Color = (shared.randint(0, 50), shared.randint(0, 50), shared.randint(0, 50))
    accent: Color = (shared.randint(60, 180), shared.randint(90, 180), shared.randint(60, 180))
    look = Look(width * _SHARPER, height * _SHARPER, (255, 255, 255), ink, accent, shared.choice(_FONT_NAMES))
    contents: set[bytes] = set()
    pictures: list[Image.Image] = []
    for number in range(OF_A_TEMPLATE):
        attempts = (f"{name} {kind} {number} {attempt}" for attempt in range(100))
        seed = next(seed for seed in attempts if _drawn(kind, look, number, seed).tobytes() not in contents)
        contents.add(_drawn(kind, look, number, seed).tobytes())
        own = random.Random(f"{name} {kind} place {number}")
        ground = own.choice(_GROUNDS) if kind in PLACED else look.ground
        drawn = _drawn(kind, look._replace(ground=ground), number, seed)
        picture = drawn.resize((width, height), Image.Resampling.LANCZOS)
        pictures.append(_placed(picture, ground, own) if kind in PLACED else picture)
    return pictures


def _drawn(kind: str, look: Look, number: int, seed: str) -> Image.Image:
    picture = Image.new("RGB", (look.width, look.height), look.ground)
    draw = next(kinds[kind] for kinds in TEMPLATES.values() if kind in kinds)
    draw(ImageDraw.Draw(picture), look, number, random.Random(seed))
    return picture


def _placed(picture: Image.Image, ground: Color, own: random.Random) -> Image.Image:
    """Return a picture with its own size and margins."""
    share = own.choice((0.7, 0.85, 1.0))
    inner = picture.resize((round(picture.width * share), round(picture.height * share)), Image.Resampling.LANCZOS)
    across, down = own.choice(((1.0, 1.0), (1.35, 1.0), (1.0, 1.25)))
    out = Image.new("RGB", (round(inner.width * across), round(inner.height * down)), ground)
    out.paste(inner, ((out.width - inner.width) // 2, (out.height - inner.height) // 2))
    return out
