"""Series of pictures as they occur in practice: one layout, with a different small picture, number, name or value on
each.

Each kind is one series of six pictures, all labeled as different: a question about one cannot be asked about another.
Colors, fonts and sizes of a series come from its own generator. The kinds, fonts and marks of `series`, `series_last`
and `series_unseen` have nothing in common; in `series_unseen` only a small part differs. It was drawn after the rules
were frozen.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
from PIL import Image, ImageDraw, ImageFont

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
Color = tuple[int, int, int]
Draw = ImageDraw.ImageDraw
OF_A_SERIES = 6


class Look(NamedTuple):
    """The properties that all pictures of a series share."""

    width: int
    height: int
    ground: Color
    ink: Color
    accent: Color
    font_name: str

    def font(self, share: float) -> Any:
        """Return the font at a height given as a share of the picture's."""
        return ImageFont.truetype(str(FONTS / self.font_name), max(9, round(self.height * share)))

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return a place in pixels from shares of width and height."""
        return x * self.width, y * self.height

    def box(self, left: float, top: float, right: float, bottom: float) -> tuple[float, float, float, float]:
        """Return a rectangle in pixels from shares of width and height."""
        return (*self.at(left, top), *self.at(right, bottom))


Kind = Callable[[Draw, Look, int, random.Random], None]
"""Draws picture `number` of a series, with a random generator for that picture alone."""


def _regular(points: int, *, turn: float = -90.0, inner: float = 1.0) -> list[tuple[float, float]]:
    angles = [math.radians(turn + 360 * n / points) for n in range(points)]
    return [
        ((inner if n % 2 else 1.0) * math.cos(angle) / 2 + 0.5, (inner if n % 2 else 1.0) * math.sin(angle) / 2 + 0.5)
        for n, angle in enumerate(angles)
    ]


SHAPES: dict[str, list[list[tuple[float, float]]]] = {
    "star": [_regular(10, inner=0.45)],
    "house": [[(0.5, 0), (1, 0.45), (0, 0.45)], [(0.15, 0.5), (0.85, 0.5), (0.85, 1), (0.15, 1)]],
    "boat": [[(0, 0.7), (1, 0.7), (0.8, 1), (0.2, 1)], [(0.48, 0), (0.48, 0.65), (0.95, 0.6)]],
    "fish": [[(0, 0.5), (0.35, 0.2), (0.75, 0.5), (0.35, 0.8)], [(0.7, 0.5), (1, 0.2), (1, 0.8)]],
    "tree": [[(0.5, 0), (0.9, 0.7), (0.1, 0.7)], [(0.42, 0.7), (0.58, 0.7), (0.58, 1), (0.42, 1)]],
    "arrow": [[(0, 0.35), (0.6, 0.35), (0.6, 0.1), (1, 0.5), (0.6, 0.9), (0.6, 0.65), (0, 0.65)]],
    "bolt": [[(0.6, 0), (0.15, 0.6), (0.45, 0.6), (0.35, 1), (0.85, 0.38), (0.5, 0.38)]],
    "bottle": [[(0.4, 0), (0.6, 0), (0.6, 0.3), (0.75, 0.45), (0.75, 1), (0.25, 1), (0.25, 0.45), (0.4, 0.3)]],
    "mountain": [[(0, 1), (0.4, 0.1), (0.6, 0.6), (0.72, 0.4), (1, 1)]],
    "lamp": [[(0.3, 0), (0.7, 0), (0.95, 0.5), (0.05, 0.5)], [(0.45, 0.5), (0.55, 0.5), (0.7, 1), (0.3, 1)]],
    "hexagon": [_regular(6)],
    "crown": [[(0, 0.2), (0.25, 0.6), (0.5, 0), (0.75, 0.6), (1, 0.2), (0.9, 1), (0.1, 1)]],
}
_FIRST, _LAST = tuple(SHAPES)[:6], tuple(SHAPES)[6:]


def _mark(draw: Draw, name: str, box: tuple[float, float, float, float], color: Color) -> None:
    left, top, right, bottom = box
    for polygon in SHAPES[name]:
        draw.polygon([(left + x * (right - left), top + y * (bottom - top)) for x, y in polygon], fill=color)


def _playing_cards(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    suit, pips = ("\u2660", 5 + number) if number < 5 else ("\u2665", 7)
    draw.rounded_rectangle(look.box(0.05, 0.04, 0.95, 0.96), 30, outline=look.ink, width=4, fill=(252, 252, 250))
    color = (20, 20, 20) if suit == "\u2660" else (190, 20, 30)
    font = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), round(look.height * 0.08))
    for x, y in ((0.13, 0.1), (0.87, 0.9)):
        draw.text(look.at(x, y), f"{pips}\n{suit}", color, font, anchor="mm", align="center")
    for n in range(pips):
        draw.text(look.at(0.35 if n % 2 else 0.65, 0.22 + 0.14 * (n // 2)), suit, color, font, anchor="mm")


def _flash_cards(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.rounded_rectangle(look.box(0.04, 0.04, 0.96, 0.96), 40, outline=look.accent, width=14)
    _mark(draw, _FIRST[number], look.box(0.32, 0.2, 0.68, 0.6), look.accent)
    draw.text(look.at(0.5, 0.78), ("star", "house", "boat", "fish", "tree", "arrow")[number], look.ink,
              look.font(0.1), anchor="mm")  # fmt: skip


def _bingo(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.rectangle(look.box(0.06, 0.05, 0.94, 0.2), fill=look.accent)
    for column, letter in enumerate("BINGO"):
        draw.text(look.at(0.148 + 0.176 * column, 0.125), letter, look.ground, look.font(0.1), anchor="mm")
        for row, value in enumerate(rng.sample(range(15 * column + 1, 15 * column + 16), 5)):
            left, top = 0.06 + 0.176 * column, 0.22 + 0.148 * row
            draw.rectangle(look.box(left, top, left + 0.176, top + 0.148), outline=look.ink, width=3)
            text = "FREE" if (row, column) == (2, 2) else str(value)
            font = look.font(0.04 if text == "FREE" else 0.07)
            draw.text(look.at(left + 0.088, top + 0.074), text, look.ink, font, anchor="mm")


def _memory(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    for n in range(14):
        for place in ((n / 13, 0.03), (n / 13, 0.97), (0.03, n / 13), (0.97, n / 13)):
            x, y = look.at(*place)
            draw.ellipse((x - 18, y - 18, x + 18, y + 18), outline=look.accent, width=5)
    draw.ellipse(look.box(0.2, 0.2, 0.8, 0.8), outline=look.ink, width=5)
    _mark(draw, _FIRST[number], look.box(0.37, 0.37, 0.63, 0.63), look.ink)


def _bars(draw: Draw, look: Look, box: tuple[float, float, float, float], rng: random.Random) -> None:
    left, top, right, bottom = box
    for n in range(7):
        y = bottom - (bottom - top) * n / 6
        draw.line((*look.at(left, y), *look.at(right, y)), fill=(205, 205, 205), width=2)
        draw.text(look.at(left - 0.012, y), str(n * 10), look.ink, look.font(0.026), anchor="rm")
    for n, name in enumerate(("North", "East", "South", "West", "Isles")):
        width = (right - left) / 5
        start = left + width * (n + 0.2)
        high = bottom - (bottom - top) * rng.uniform(0.1, 0.98)
        draw.rectangle(look.box(start, high, start + width * 0.6, bottom), fill=look.accent)
        draw.text(look.at(start + width * 0.3, bottom + 0.03), name, look.ink, look.font(0.028), anchor="mm")


def _slides(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    draw.rectangle(look.box(0, 0, 1, 0.15), fill=look.accent)
    draw.text(look.at(0.05, 0.075), "Results of the regions", look.ground, look.font(0.07), anchor="lm")
    for n, line in enumerate(("All figures in thousands", "Collected once a month", "Preliminary")):
        draw.text(look.at(0.05, 0.28 + n * 0.09), f"\u2022 {line}", look.ink, look.font(0.038), anchor="lm")
    _bars(draw, look, (0.55, 0.25, 0.95, 0.8), rng)
    draw.text(look.at(0.95, 0.95), str(number + 3), look.ink, look.font(0.03), anchor="rm")


def _bar_charts(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.5, 0.06), "Visitors by region", look.ink, look.font(0.05), anchor="mm")
    _bars(draw, look, (0.12, 0.15, 0.95, 0.86), rng)


def _line_charts(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.5, 0.06), "Temperature", look.ink, look.font(0.05), anchor="mm")
    draw.line([look.at(0.1, 0.12), look.at(0.1, 0.88), look.at(0.95, 0.88)], fill=look.ink, width=3)
    for n in range(12):
        x, _ = look.at(0.12 + n * 0.07, 0)
        draw.line((x, look.height * 0.88, x, look.height * 0.9), fill=look.ink, width=2)
        draw.text((x, look.height * 0.93), "JFMAMJJASOND"[n], look.ink, look.font(0.03), anchor="mm")
    for color in (look.accent, look.ink):
        points, y = [], rng.uniform(0.3, 0.7)
        for n in range(12):
            y = min(0.85, max(0.15, y + rng.uniform(-0.12, 0.12)))
            points.append(look.at(0.12 + n * 0.07, y))
        draw.line(points, fill=color, width=5)


def _figure(draw: Draw, look: Look, x: float, y: float) -> None:
    cx, cy = look.at(x, y)
    r = look.height * 0.07
    draw.ellipse((cx - r, cy - r, cx + r, cy + r), outline=look.ink, width=5, fill=(250, 220, 190))
    for dx in (-0.35, 0.35):
        draw.ellipse((cx + dx * r - 4, cy - 8, cx + dx * r + 4, cy), fill=look.ink)
    draw.line((cx, cy + r, cx, cy + 3.2 * r), fill=look.ink, width=6)
    draw.line((cx - r, cy + 2.4 * r, cx, cy + 1.5 * r, cx + r, cy + 2.4 * r), fill=look.ink, width=6)
    draw.line((cx - r, cy + 4.6 * r, cx, cy + 3.2 * r, cx + r, cy + 4.6 * r), fill=look.ink, width=6)


_SPEECH = (
    ("Did you feed it?", "I thought you did."), ("It works now.", "What changed?"), ("We are early.", "It is Sunday."),
    ("Who ate the cake?", "Which cake?"), ("I read the manual.", "Nobody does that."), ("Nice hat.", "It is a lamp."),
)  # fmt: skip


def _comics(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    for n, speech in enumerate(_SPEECH[number]):
        left = 0.03 + n * 0.48
        draw.rectangle(look.box(left, 0.04, left + 0.46, 0.96), outline=look.ink, width=5)
        draw.rectangle(look.box(left + 0.02, 0.82, left + 0.44, 0.86), fill=look.accent)
        _figure(draw, look, left + 0.13, 0.5)
        _figure(draw, look, left + 0.33, 0.5)
        draw.rounded_rectangle(look.box(left + 0.04, 0.1, left + 0.42, 0.3), 30, outline=look.ink, width=4,
                               fill=(255, 255, 255))  # fmt: skip
        draw.text(look.at(left + 0.23, 0.2), speech, (0, 0, 0), look.font(0.042), anchor="mm")


_PEOPLE = (
    ("Amara Okafor", "14 May 1988"), ("Jan de Boer", "2 Aug 1975"), ("Lucia Ferri", "30 Nov 1991"),
    ("Tom Whitfield", "9 Jan 1969"), ("Ines Cardoso", "21 Mar 2000"), ("Per Lindqvist", "17 Sep 1983"),
)  # fmt: skip


def _forms(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    name, born = _PEOPLE[number]
    draw.rectangle(look.box(0, 0, 1, 0.16), fill=look.accent)
    draw.text(look.at(0.04, 0.08), "LIBRARY CARD", look.ground, look.font(0.08), anchor="lm")
    draw.rectangle(look.box(0.05, 0.24, 0.32, 0.78), fill=(200, 205, 210), outline=look.ink, width=3)
    draw.ellipse(look.box(0.13, 0.32, 0.24, 0.5), fill=(120, 125, 130))
    draw.pieslice(look.box(0.07, 0.54, 0.3, 1.0), 180, 360, fill=(120, 125, 130))
    values = (name, born, f"{rng.randint(10**6, 10**7 - 1)}", f"12/{rng.randint(27, 33)}")
    for n, (label, value) in enumerate(zip(("Name", "Born", "Number", "Valid"), values, strict=True)):
        draw.text(look.at(0.38, 0.27 + n * 0.16), label, look.accent, look.font(0.038), anchor="lm")
        draw.text(look.at(0.38, 0.33 + n * 0.16), value, look.ink, look.font(0.06), anchor="lm")


def _calendars(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    month, first, days = (("January", 3, 31), ("February", 6, 28), ("March", 6, 31), ("April", 2, 30), ("May", 4, 31),
                          ("June", 0, 30))[number]  # fmt: skip
    draw.text(look.at(0.5, 0.1), month, look.accent, look.font(0.09), anchor="mm")
    for n, day in enumerate(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")):
        draw.text(look.at(0.11 + n * 0.13, 0.22), day, look.ink, look.font(0.035), anchor="mm")
    for cell in range(42):
        x, y = 0.045 + cell % 7 * 0.13, 0.27 + cell // 7 * 0.115
        draw.rectangle(look.box(x, y, x + 0.13, y + 0.115), outline=look.ink, width=2)
        if 0 <= cell - first < days:
            draw.text(look.at(x + 0.065, y + 0.057), str(cell - first + 1), look.ink, look.font(0.045), anchor="mm")


def _tickets(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.rectangle(look.box(0.03, 0.06, 0.97, 0.94), outline=look.accent, width=10)
    draw.text(look.at(0.08, 0.25), "TOWN HALL CONCERT", look.ink, look.font(0.12), anchor="lm")
    draw.text(look.at(0.08, 0.45), "Saturday 8 pm, doors open at 7", look.ink, look.font(0.07), anchor="lm")
    draw.text(look.at(0.08, 0.7), f"ROW {rng.choice('ABCDEFGHJK')}  SEAT {rng.randint(1, 40)}", look.accent,
              look.font(0.12), anchor="lm")  # fmt: skip
    x = 0.78
    while x < 0.93:
        wide = rng.choice((0.003, 0.006, 0.009))
        draw.rectangle(look.box(x, 0.2, x + wide, 0.7), fill=look.ink)
        x += wide + rng.choice((0.004, 0.007))
    draw.text(look.at(0.85, 0.8), f"{rng.randint(10**6, 10**7 - 1)}", look.ink, look.font(0.06), anchor="mm")


def _trading_cards(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    draw.rounded_rectangle(look.box(0.03, 0.02, 0.97, 0.98), 30, outline=look.accent, width=22)
    draw.text(look.at(0.1, 0.09), _PEOPLE[number][0], look.ink, look.font(0.05), anchor="lm")
    draw.rectangle(look.box(0.1, 0.15, 0.9, 0.6), fill=(175, 205, 230), outline=look.ink, width=4)
    draw.ellipse(look.box(0.35, 0.22, 0.65, 0.55), fill=(235, 200, 165), outline=look.ink, width=4)
    hair = tuple(rng.randint(20, 200) for _ in range(3))
    draw.pieslice(look.box(0.33, 0.19, 0.67, 0.5), 180, 180 + rng.randint(110, 180), fill=hair)
    for x in (0.43, 0.57):
        draw.ellipse(look.box(x - 0.02, 0.36, x + 0.02, 0.39), fill=look.ink)
    draw.arc(look.box(0.43, 0.4, 0.57, 0.5), rng.choice((0, 200)), rng.choice((180, 340)), fill=look.ink, width=5)
    for n, label in enumerate(("Speed", "Strength", "Wit", "Luck")):
        draw.text(look.at(0.12, 0.67 + n * 0.07), label, look.ink, look.font(0.038), anchor="lm")
        draw.text(look.at(0.88, 0.67 + n * 0.07), str(rng.randint(1, 99)), look.ink, look.font(0.038), anchor="rm")


def _chess(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    font = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), round(look.height * 0.09))
    for cell in range(64):
        x, y = 0.06 + cell % 8 * 0.11, 0.06 + cell // 8 * 0.11
        draw.rectangle(look.box(x, y, x + 0.11, y + 0.11), fill=look.accent if (cell + cell // 8) % 2 else look.ground)
    for piece, cell in zip("\u2654\u265a\u2656\u265c\u2659\u2659\u265f\u265f\u265f\u2657", rng.sample(range(64), 10),
                           strict=True):  # fmt: skip
        draw.text(look.at(0.115 + cell % 8 * 0.11, 0.115 + cell // 8 * 0.11), piece, (0, 0, 0), font, anchor="mm")


def _signs(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.polygon([look.at(0.5, 0.06), look.at(0.95, 0.9), look.at(0.05, 0.9)], fill=(200, 30, 30))
    draw.polygon([look.at(0.5, 0.2), look.at(0.84, 0.83), look.at(0.16, 0.83)], fill=(252, 252, 252))
    _mark(draw, _LAST[number], look.box(0.39, 0.48, 0.61, 0.76), (15, 15, 15))


def _clocks(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    side = min(look.width, look.height) * 0.44
    cx, cy = look.at(0.5, 0.5)
    draw.ellipse((cx - side, cy - side, cx + side, cy + side), outline=look.ink, width=10)
    for hour in range(1, 13):
        angle = math.radians(hour * 30 - 90)
        place = cx + 0.82 * side * math.cos(angle), cy + 0.82 * side * math.sin(angle)
        draw.text(place, str(hour), look.ink, look.font(0.07), anchor="mm")
    minutes = rng.randrange(0, 720, 5)
    for turn, long, wide in ((minutes / 2, 0.45, 14), (minutes * 6, 0.68, 8)):
        angle = math.radians(turn - 90)
        draw.line((cx, cy, cx + long * side * math.cos(angle), cy + long * side * math.sin(angle)), look.accent, wide)


def _sudokus(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    for n in range(10):
        place, wide = 0.05 + n * 0.1, 6 if n % 3 == 0 else 2
        draw.line((*look.at(place, 0.05), *look.at(place, 0.95)), fill=look.ink, width=wide)
        draw.line((*look.at(0.05, place), *look.at(0.95, place)), fill=look.ink, width=wide)
    for cell in rng.sample(range(81), 26):
        place = look.at(0.1 + cell % 9 * 0.1, 0.1 + cell // 9 * 0.1)
        draw.text(place, str(rng.randint(1, 9)), look.ink, look.font(0.065), anchor="mm")


def _scores(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    for staff in range(4):
        for line in range(5):
            y = 0.12 + staff * 0.22 + line * 0.02
            draw.line((*look.at(0.06, y), *look.at(0.94, y)), fill=look.ink, width=2)
        for n in range(10):
            x, y = look.at(0.14 + n * 0.08, 0.11 + staff * 0.22 + rng.randint(0, 9) * 0.01)
            draw.ellipse((x - 10, y - 7, x + 10, y + 7), fill=look.ink)
            draw.line((x + 9, y, x + 9, y - 48), fill=look.ink, width=3)


_CHATS = (
    ("are you home", "not yet", "bring milk"), ("we won!!", "no way", "three to two"), ("train is late", "again?",
     "one hour"), ("happy birthday", "thank you", "see you at six"), ("lost my keys", "look in the car", "found them"),
    ("is it raining", "pouring here", "stay inside"),
)  # fmt: skip


def _chats(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.rectangle(look.box(0, 0, 1, 0.1), fill=look.accent)
    draw.ellipse(look.box(0.04, 0.02, 0.14, 0.08), fill=look.ground)
    draw.text(look.at(0.2, 0.05), "Family", look.ground, look.font(0.035), anchor="lm")
    for n, line in enumerate(_CHATS[number]):
        left = 0.05 if n % 2 else 0.35
        draw.rounded_rectangle(look.box(left, 0.16 + n * 0.13, left + 0.6, 0.26 + n * 0.13), 24, fill=(205, 230, 205))
        draw.text(look.at(left + 0.04, 0.21 + n * 0.13), line, (10, 10, 10), look.font(0.03), anchor="lm")
    draw.rounded_rectangle(look.box(0.04, 0.92, 0.96, 0.98), 24, outline=look.ink, width=3)


def _maps(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    shape = random.Random(11)  # all maps of the series show one country
    corners = [[(x / 4 + shape.uniform(-0.06, 0.06), y / 4 + shape.uniform(-0.06, 0.06)) for x in range(5)]
               for y in range(5)]  # fmt: skip
    for cell in range(16):
        x, y = cell % 4, cell // 4
        region = [corners[y][x], corners[y][x + 1], corners[y + 1][x + 1], corners[y + 1][x]]
        fill = look.accent if cell == (number * 5 + 2) % 16 else (225, 222, 205)
        draw.polygon([look.at(0.1 + 0.8 * a, 0.1 + 0.8 * b) for a, b in region], fill=fill, outline=look.ink, width=3)
    del rng


def _gauges(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.arc(look.box(0.1, 0.15, 0.9, 1.15), 180, 360, fill=look.ink, width=16)
    for n in range(11):
        angle = math.radians(180 + 18 * n)
        place = look.at(0.5 + 0.32 * math.cos(angle), 0.65 + 0.4 * math.sin(angle))
        draw.text(place, str(n * 10), look.ink, look.font(0.05), anchor="mm")
    angle = math.radians(190 + 28 * number)
    draw.line((*look.at(0.5, 0.65), *look.at(0.5 + 0.25 * math.cos(angle), 0.65 + 0.3 * math.sin(angle))),
              fill=look.accent, width=12)  # fmt: skip
    draw.text(look.at(0.5, 0.82), "PRESSURE kPa", look.ink, look.font(0.07), anchor="mm")


_GOODS = ("Bread", "Apples", "Coffee", "Cheese", "Soap", "Rice", "Tea", "Onions", "Batteries", "Eggs", "Paper", "Oil")


def _receipts(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    draw.text(look.at(0.5, 0.06), "CORNER MARKET", look.ink, look.font(0.045), anchor="mm")
    draw.text(look.at(0.5, 0.11), "12 Mill Lane, open till ten", look.ink, look.font(0.025), anchor="mm")
    for n, good in enumerate(rng.sample(_GOODS, 9)):
        draw.text(look.at(0.1, 0.2 + n * 0.07), good, look.ink, look.font(0.032), anchor="lm")
        draw.text(look.at(0.9, 0.2 + n * 0.07), f"{rng.uniform(0.5, 20):.2f}", look.ink, look.font(0.032), anchor="rm")
    draw.text(look.at(0.1, 0.88), f"No. {1041 + number}", look.ink, look.font(0.032), anchor="lm")
    draw.text(look.at(0.9, 0.88), f"TOTAL {rng.uniform(20, 99):.2f}", look.accent, look.font(0.04), anchor="rm")


def _pies(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.5, 0.07), "How people travel", look.ink, look.font(0.06), anchor="mm")
    shares = [rng.uniform(0.4, 2) for _ in range(4)]
    start, colors = -90.0, (look.accent, (230, 190, 60), (90, 150, 110), (150, 150, 160))
    for n, (share, color) in enumerate(zip(shares, colors, strict=True)):
        end = start + 360 * share / sum(shares)
        draw.pieslice(look.box(0.2, 0.15, 0.8, 0.78), start, end, fill=color, outline=look.ground, width=4)
        start = end
        draw.rectangle(look.box(0.08 + n * 0.23, 0.88, 0.11 + n * 0.23, 0.92), fill=color)
        draw.text(look.at(0.125 + n * 0.23, 0.9), ("car", "train", "bus", "foot")[n], look.ink, look.font(0.035),
                  anchor="lm")  # fmt: skip


def _dominoes(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    places = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
    draw.rounded_rectangle(look.box(0.1, 0.05, 0.9, 0.95), 40, outline=look.ink, width=8)
    draw.line((*look.at(0.15, 0.5), *look.at(0.85, 0.5)), fill=look.ink, width=6)
    for top, pips in ((0.12, 1 + number), (0.57, 1 + (number * 2 + 1) % 6)):
        for place in places[pips]:
            x, y = look.at(0.25 + place % 3 * 0.25, top + place // 3 * 0.15)
            r = min(look.width, look.height) * 0.05
            draw.ellipse((x - r, y - r, x + r, y + r), fill=look.accent)


def _worksheets(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    draw.text(look.at(0.06, 0.08), "Find the missing side.", look.ink, look.font(0.05), anchor="lm")
    draw.polygon([look.at(0.2, 0.8), look.at(0.8, 0.8), look.at(0.2, 0.3)], outline=look.ink, width=6)
    draw.rectangle(look.box(0.2, 0.75, 0.25, 0.8), outline=look.ink, width=3)
    for place, text in (((0.12, 0.55), rng.randint(3, 99)), ((0.5, 0.87), rng.randint(3, 99)), ((0.56, 0.48), "x")):
        draw.text(look.at(*place), str(text), look.accent, look.font(0.07), anchor="mm")


def _timetables(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    draw.rectangle(look.box(0, 0, 1, 0.13), fill=look.accent)
    draw.text(look.at(0.04, 0.065), "Bus 14, weekdays", look.ground, look.font(0.055), anchor="lm")
    shared = random.Random(5)  # only one stop's minutes are another picture's
    for row, stop in enumerate(("Harbour", "Old Market", "Hospital", "University", "Stadium", "Terminus")):
        y = 0.21 + row * 0.13
        draw.line((*look.at(0.03, y + 0.06), *look.at(0.97, y + 0.06)), fill=look.ink, width=1)
        draw.text(look.at(0.04, y), stop, look.ink, look.font(0.042), anchor="lm")
        minutes = [shared.randint(0, 59) for _ in range(6)]
        if row == number:
            minutes = [rng.randint(0, 59) for _ in range(6)]
        for column, minute in enumerate(minutes):
            draw.text(look.at(0.43 + column * 0.1, y), f"{6 + 2 * column}:{minute:02}", look.ink, look.font(0.036),
                      anchor="mm")  # fmt: skip


def _speed_limits(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.rectangle(look.box(0.46, 0.6, 0.54, 1), fill=(120, 120, 125))
    draw.ellipse(look.box(0.14, 0.06, 0.86, 0.7), fill=(200, 25, 35))
    draw.ellipse(look.box(0.23, 0.14, 0.77, 0.62), fill=(250, 250, 250))
    draw.text(look.at(0.5, 0.38), str((30, 50, 60, 70, 80, 100)[number]), (15, 15, 15), look.font(0.2), anchor="mm")


def _floor_plans(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.rectangle(look.box(0.06, 0.08, 0.94, 0.92), outline=look.ink, width=9)
    walls = ((0.06, 0.5, 0.94, 0.5), (0.4, 0.08, 0.4, 0.5), (0.68, 0.5, 0.68, 0.92))
    for wall in walls:
        draw.line((*look.at(*wall[:2]), *look.at(*wall[2:])), fill=look.ink, width=7)
    for name, place in (("Kitchen", (0.23, 0.22)), ("Living room", (0.67, 0.22)), ("Bedroom", (0.36, 0.72)),
                        ("Bath", (0.81, 0.72))):  # fmt: skip
        draw.text(look.at(*place), name, look.accent, look.font(0.045), anchor="mm")
    draw.rectangle(look.box(0.09, 0.12, 0.16, 0.3), outline=look.ink, width=3)
    draw.rectangle(look.box(0.12, 0.78, 0.28, 0.89), outline=look.ink, width=3)
    x = (0.1, 0.22, 0.45, 0.56, 0.74, 0.84)[number]  # one door is at another place of the wall between the rows
    left, top = look.at(x, 0.5)
    wide = 0.08 * look.width
    draw.line((left, top, left + wide, top), fill=look.ground, width=11)
    draw.arc((left - wide, top - wide, left + wide, top + wide), 0, 90, fill=look.ink, width=3)
    draw.line((left, top, left, top + wide), fill=look.ink, width=3)


def _moved_notes(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    for staff in range(2):
        for line in range(5):
            y = 0.25 + staff * 0.42 + line * 0.035
            draw.line((*look.at(0.04, y), *look.at(0.96, y)), fill=look.ink, width=2)
        for n in range(8):
            step = (4, 2, 5, 3, 6, 1, 4, 2)[n] + (2 if staff * 8 + n == number * 2 + 1 else 0)
            x, y = look.at(0.12 + n * 0.11, 0.25 + staff * 0.42 + step * 0.0175)
            r = 0.0175 * look.height
            draw.ellipse((x - 1.3 * r, y - r, x + 1.3 * r, y + r), fill=look.ink)
            draw.line((x + 1.2 * r, y, x + 1.2 * r, y - 6 * r), fill=look.ink, width=3)


def _go_positions(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del rng
    draw.rectangle(look.box(0, 0, 1, 1), fill=(222, 184, 120))
    for n in range(13):
        place = 0.08 + n * 0.07
        draw.line((*look.at(place, 0.08), *look.at(place, 0.92)), fill=(40, 30, 20), width=2)
        draw.line((*look.at(0.08, place), *look.at(0.92, place)), fill=(40, 30, 20), width=2)
    stones = random.Random(8).sample(range(169), 24)
    r = 0.032 * look.width
    for n, cell in enumerate(stones[: 18 + number]):  # each picture is one move further
        x, y = look.at(0.08 + cell % 13 * 0.07, 0.08 + cell // 13 * 0.07)
        color = (250, 250, 248) if n % 2 else (15, 15, 15)
        draw.ellipse((x - r, y - r, x + r, y + r), fill=color, outline=(15, 15, 15))


def _weather_maps(draw: Draw, look: Look, number: int, rng: random.Random) -> None:
    del number
    shape = random.Random(23)
    turns = [math.radians(18 * n) for n in range(20)]
    coast = [
        (0.5 + shape.uniform(0.32, 0.45) * math.cos(turn), 0.52 + shape.uniform(0.3, 0.43) * math.sin(turn))
        for turn in turns
    ]
    draw.rectangle(look.box(0, 0, 1, 1), fill=(170, 205, 230))
    draw.polygon([look.at(*place) for place in coast], fill=(190, 215, 160), outline=look.ink, width=3)
    for town, (x, y) in (("Aber", (0.35, 0.35)), ("Brill", (0.62, 0.3)), ("Corm", (0.3, 0.6)), ("Dunn", (0.66, 0.6)),
                         ("Esk", (0.48, 0.78))):  # fmt: skip
        draw.text(look.at(x, y + 0.06), town, look.ink, look.font(0.034), anchor="mm")
        draw.text(look.at(x, y), f"{rng.randint(-5, 28)} C", look.ink, look.font(0.055), anchor="mm")


KINDS: dict[str, dict[str, Kind]] = {
    "series": {
        "playing cards": _playing_cards, "flash cards": _flash_cards, "bingo": _bingo, "memory": _memory,
        "slides": _slides, "bar charts": _bar_charts, "line charts": _line_charts, "comics": _comics, "forms": _forms,
        "calendars": _calendars, "tickets": _tickets, "trading cards": _trading_cards,
    },
    "series_last": {
        "chess": _chess, "signs": _signs, "clocks": _clocks, "sudokus": _sudokus, "scores": _scores, "chats": _chats,
        "maps": _maps, "gauges": _gauges, "receipts": _receipts, "pies": _pies, "dominoes": _dominoes,
        "worksheets": _worksheets,
    },
    "series_unseen": {
        "timetables": _timetables, "speed limits": _speed_limits, "floor plans": _floor_plans,
        "moved notes": _moved_notes, "go positions": _go_positions, "weather maps": _weather_maps,
    },
}  # fmt: skip
_SIZES: dict[str, tuple[int, int]] = {
    "playing cards": (600, 840), "memory": (700, 700), "bingo": (700, 820), "slides": (1280, 720),
    "comics": (1200, 640), "forms": (860, 540), "calendars": (820, 900), "tickets": (1100, 420),
    "trading cards": (640, 900), "chess": (720, 720), "signs": (640, 600), "sudokus": (720, 720), "chats": (540, 960),
    "receipts": (520, 900), "dominoes": (420, 800), "scores": (900, 1100),
    "timetables": (960, 620), "speed limits": (500, 760), "floor plans": (1000, 700), "moved notes": (1100, 500),
    "go positions": (680, 680), "weather maps": (720, 860),
}  # fmt: skip
_FONTS = {
    "series": ("DejaVuSans.ttf", "STIXGeneral.ttf", "cmss10.ttf", "DejaVuSans-Bold.ttf"),
    "series_last": ("DejaVuSerif.ttf", "cmb10.ttf", "DejaVuSansMono.ttf", "STIXGeneralBol.ttf"),
    "series_unseen": ("cmr10.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSans-Oblique.ttf", "STIXGeneralItalic.ttf"),
}


def card_series(name: str, kind: str) -> list[Image.Image]:
    """Return the six pictures of a kind of a set."""
    shared = random.Random(f"{name} {kind}")
    ground: Color = (shared.randint(215, 255), shared.randint(215, 255), shared.randint(215, 255))
    ink: Color = (shared.randint(0, 60), shared.randint(0, 60), shared.randint(0, 60))
    accent: Color = (shared.randint(30, 180), shared.randint(30, 180), shared.randint(30, 180))
    look = Look(*_SIZES.get(kind, (800, 640)), ground, ink, accent, shared.choice(_FONTS[name]))
    pictures = []
    for number in range(OF_A_SERIES):
        picture = Image.new("RGB", (look.width, look.height), ground)
        KINDS[name][kind](ImageDraw.Draw(picture), look, number, random.Random(f"{name} {kind} {number}"))
        pictures.append(picture)
    return pictures
