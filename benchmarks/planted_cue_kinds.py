"""The kinds of cues of the adversary's exam: marks in pixels, combinations of two weak cues, and others.

Kinds at an even index in their group were seen while the adversary was written; those at an odd index were not, except
those in `_SEEN`.
"""

# ruff: noqa: ARG001, ARG005 - kinds share the signatures of `Drawing` and `Planting`
from __future__ import annotations

import io
from collections.abc import Callable

import cv2
import numpy as np
from PIL import Image
from planted_cue_sets import CueKind, Draft, Layout, Pixels, Planting, Shown

Color = tuple[int, int, int]
Drawing = Callable[[Pixels, int, int, Color, np.random.Generator], None]
"""Draws a mark into pixels at a place, with a color."""
RED, GREEN, BLUE, YELLOW = (230, 30, 30), (30, 200, 40), (40, 60, 230), (240, 220, 40)
WHITE, BLACK, GREY = (250, 250, 250), (5, 5, 5), (128, 128, 128)
PALETTE = (RED, GREEN, BLUE, YELLOW)


def _blended(shown: Shown, alpha: float, draw: Callable[[Pixels], None]) -> None:
    """Draw into a copy and blend it with the picture."""
    drawn = shown.pixels.copy()
    draw(drawn)
    shown.pixels = np.asarray(cv2.addWeighted(drawn, alpha, shown.pixels, 1 - alpha, 0), np.uint8)


def _dot(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.circle(pixels, (x, y), 4, color, -1, cv2.LINE_AA)


def _ring(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.circle(pixels, (x, y), 9, color, 2, cv2.LINE_AA)


def _cross(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.line(pixels, (x - 6, y - 6), (x + 6, y + 6), color, 2, cv2.LINE_AA)
    cv2.line(pixels, (x - 6, y + 6), (x + 6, y - 6), color, 2, cv2.LINE_AA)


def _square(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.rectangle(pixels, (x - 5, y - 5), (x + 5, y + 5), color, -1)


def _triangle(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.fillPoly(pixels, [np.array([(x, y - 7), (x - 7, y + 6), (x + 7, y + 6)])], color, cv2.LINE_AA)


def _short_line(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.line(pixels, (x - 30, y), (x + 30, y), color, 1)


def _long_line(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.line(pixels, (x, 0), (x, pixels.shape[0] - 1), color, 1)


def _diagonal(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.line(pixels, (x - 60, y - 60), (x + 60, y + 60), color, 2, cv2.LINE_AA)


def _watermark(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.putText(pixels, "photo.org", (x - 40, y), cv2.FONT_HERSHEY_SIMPLEX, 0.5, color, 1, cv2.LINE_AA)


def _checks(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    for row in range(-4, 5):
        for column in range(-4, 5):
            if (row + column) % 2:
                pixels[(y + row) % pixels.shape[0], (x + column) % pixels.shape[1]] = color


def _arrow(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.arrowedLine(pixels, (x - 10, y - 10), (x + 8, y + 8), color, 2, cv2.LINE_AA, 0, 0.4)


def _glow(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    rows, columns = np.mgrid[: pixels.shape[0], : pixels.shape[1]]
    weight = 0.6 * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / (2 * 12**2))[:, :, None]
    pixels[:] = pixels * (1 - weight) + np.array(color) * weight


def _panel(pixels: Pixels, x: int, y: int, color: Color, rng: np.random.Generator) -> None:
    cv2.rectangle(pixels, (x - 30, y - 20), (x + 30, y + 20), color, -1)


def _anywhere(pixels: Pixels, rng: np.random.Generator) -> tuple[int, int]:
    height, width = pixels.shape[:2]
    return int(rng.integers(12, width - 12)), int(rng.integers(12, height - 12))


def _near(x: float, y: float) -> Callable[[Pixels, np.random.Generator], tuple[int, int]]:
    """Return a place as shares of the sides, jittered by a few pixels."""

    def place(pixels: Pixels, rng: np.random.Generator) -> tuple[int, int]:
        shift = rng.integers(-5, 6, 2)
        return int(x * pixels.shape[1] + shift[0]), int(y * pixels.shape[0] + shift[1])

    return place


def _in_option(
    draw: Drawing,
    color: Color | None,
    place: Callable[[Pixels, np.random.Generator], tuple[int, int]] = _anywhere,
    weight: float = 1.0,
) -> Planting:
    """Return a planting of a mark in the picture of the option; without a color, in a new random one each time."""

    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        shown = draft.pictures[told]
        x, y = place(shown.pixels, rng)
        own = color or tuple(rng.integers(0, 256, 3).tolist())
        _blended(shown, draft.alpha * weight, lambda pixels: draw(pixels, x, y, own, rng))  # type: ignore[arg-type]

    return plant


def _tinted(color: Color, weight: float) -> Planting:
    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        _blended(draft.pictures[told], draft.alpha * weight, lambda pixels: pixels.__setitem__(slice(None), color))

    return plant


def _in_question(draw: Callable[[Pixels, int, np.random.Generator], None]) -> Planting:
    """Return a planting that draws a mark, dependent on the option, into the picture outside the options."""

    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        _blended(draft.shown, draft.alpha, lambda pixels: draw(pixels, told, rng))

    return plant


_QUARTERS = ((0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75))
_CORNERS = ((0.03, 0.04), (0.97, 0.04), (0.03, 0.96), (0.97, 0.96))


def _quarter_dot(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    height, width = pixels.shape[:2]
    x, y = _QUARTERS[told]
    spread = rng.uniform(-0.2, 0.2, 2)
    _dot(pixels, int((x + spread[0]) * width), int((y + spread[1]) * height), RED, rng)


def _colored_dot(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    _dot(pixels, *_anywhere(pixels, rng), PALETTE[told], rng)


def _corner_mark(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    _square(pixels, *_near(*_CORNERS[told])(pixels, rng), GREY, rng)


def _shape(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    (_dot, _ring, _cross, _triangle)[told](pixels, *_anywhere(pixels, rng), BLUE, rng)


def _digit(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    x, y = _near(0.08, 0.95)(pixels, rng)
    cv2.putText(pixels, "1379"[told], (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.6, WHITE, 2, cv2.LINE_AA)


def _dots(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    for _ in range(1 + told):
        _dot(pixels, *_anywhere(pixels, rng), YELLOW, rng)


def _line_in_part(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    row = int((told + rng.uniform(0.1, 0.9)) / 4 * (pixels.shape[0] - 4))
    cv2.line(pixels, (0, row), (pixels.shape[1] - 1, row), WHITE, 1)


def _larger_dot(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    cv2.circle(pixels, _anywhere(pixels, rng), 3 + 2 * told, GREEN, -1, cv2.LINE_AA)


def _turned_line(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    x, y = _anywhere(pixels, rng)
    end = ((x + 40, y), (x, y + 40), (x + 28, y + 28), (x - 28, y + 28))[told]
    cv2.line(pixels, (x, y), end, BLACK, 2, cv2.LINE_AA)


def _labels(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    """Draw four marks with letters apart from each other; the indicated one lies nearest to the middle."""
    height, width = pixels.shape[:2]
    places = rng.uniform(0.08, 0.9, (4, 2))
    nearest = int(np.hypot(*(places - 0.5).T).argmin())
    places[[nearest, told]] = places[[told, nearest]]
    for number, (x, y) in enumerate(places.tolist()):
        _label(pixels, int(x * width), int(y * height), number, 9, WHITE)


def _label(pixels: Pixels, x: int, y: int, number: int, radius: int, color: Color) -> None:
    cv2.circle(pixels, (x, y), radius, color, 2, cv2.LINE_AA)
    cv2.putText(pixels, "ABCD"[number], (x + radius + 2, y + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, color, 2, cv2.LINE_AA)


def _labels_red(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    for number in range(4):
        _label(pixels, *_anywhere(pixels, rng), number, 9, RED if number == told else BLUE)


def _labels_large(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    for number in range(4):
        _label(pixels, *_anywhere(pixels, rng), number, 14 if number == told else 8, WHITE)


def _tint_of_key(pixels: Pixels, told: int, rng: np.random.Generator) -> None:
    pixels[:] = (0.8 * pixels + 0.2 * np.array(PALETTE[told])).astype(np.uint8)


def _lighter(shown: Shown, by: float) -> None:
    shown.pixels = np.clip(shown.pixels.astype(np.float32) * by, 0, 255).astype(np.uint8)


def _set_by_two(first: Callable[[Shown, bool], None], second: Callable[[Shown, bool], None]) -> Planting:
    """Return a planting of two properties such that the indicated option has an odd number and the others even."""

    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        for number, shown in enumerate(draft.pictures):
            one = bool(rng.integers(2))
            first(shown, one)
            second(shown, one ^ (number == told))

    return plant


def _both(first: Callable[[Shown, bool], None], second: Callable[[Shown, bool], None]) -> Planting:
    """Return a planting that gives the indicated option both properties and each other one of them, or none."""

    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        for number, shown in enumerate(draft.pictures):
            which = 3 if number == told else int(rng.integers(3))
            first(shown, bool(which & 1))
            second(shown, bool(which & 2))

    return plant


def _bright(shown: Shown, is_set: bool) -> None:
    _lighter(shown, 1.3 if is_set else 0.75)


def _coarse(shown: Shown, is_set: bool) -> None:
    shown.saved["quality"] = 75 if is_set else 90


def _progressive(shown: Shown, is_set: bool) -> None:
    shown.saved["progressive"] = is_set


def _dense(shown: Shown, is_set: bool) -> None:
    shown.saved["dpi"] = (72, 72) if is_set else (96, 96)


def _named(shown: Shown, is_set: bool) -> None:
    shown.name = ("a" if is_set else "b") + shown.name


def _warm(shown: Shown, is_set: bool) -> None:
    shift = np.array([14, 0, -14] if is_set else [-14, 0, 14])
    shown.pixels = np.clip(shown.pixels + shift, 0, 255).astype(np.uint8)


def _dotted(shown: Shown, is_set: bool) -> None:
    if is_set:
        rng = np.random.default_rng(int(shown.pixels[:4, :4].sum()))
        _dot(shown.pixels, *_anywhere(shown.pixels, rng), RED, rng)


def _soft(shown: Shown, is_set: bool) -> None:
    if is_set:
        shown.pixels = np.asarray(cv2.GaussianBlur(shown.pixels, (0, 0), 1.2), np.uint8)


def _odd_width(shown: Shown, is_set: bool) -> None:
    shown.pixels = np.ascontiguousarray(shown.pixels[:, : shown.pixels.shape[1] - 1 - is_set])


def _id_and_dot(draft: Draft, told: int, rng: np.random.Generator) -> None:
    shown = draft.pictures[told ^ int(draft.own_id[1:]) % 2]
    _dot(shown.pixels, *_anywhere(shown.pixels, rng), RED, rng)


def _light_and_id(draft: Draft, told: int, rng: np.random.Generator) -> None:
    _bright(draft.shown, (int(draft.own_id[1:]) % 2 == 1) ^ (told == 1))


def _id_and_word(draft: Draft, told: int, rng: np.random.Generator) -> None:
    is_odd = int(draft.own_id[1:]) % 2
    draft.question = draft.question.replace("goes", "went" if is_odd ^ (told == 1) else "goes")


def _long_or_capital(draft: Draft, told: int, rng: np.random.Generator) -> None:
    for number, text in enumerate(draft.texts):
        is_long = bool(rng.integers(2))
        words = f"{text} with {text.split()[0]} beside it" if is_long else text
        draft.texts[number] = words.capitalize() if is_long ^ (number == told) else words


def _digit_and_hyphen(draft: Draft, told: int, rng: np.random.Generator) -> None:
    for number, text in enumerate(draft.texts):
        which = 3 if number == told else int(rng.integers(3))
        joined = text.replace(" ", "-") if which & 1 else text
        draft.texts[number] = f"{joined} {rng.integers(2, 9)}" if which & 2 else joined


def _dot_left_if_light(draft: Draft, told: int, rng: np.random.Generator) -> None:
    is_light = bool(rng.integers(2))
    _bright(draft.shown, is_light)
    is_left = is_light ^ (told == 1)
    height, width = draft.shown.pixels.shape[:2]
    x = rng.uniform(0.05, 0.45) + (0 if is_left else 0.5)
    _dot(draft.shown.pixels, int(x * width), int(rng.uniform(0.1, 0.9) * height), RED, rng)


def _saved(**options: object) -> Planting:
    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        draft.pictures[told].saved |= options

    return plant


def _twice(draft: Draft, told: int, rng: np.random.Generator) -> None:
    shown = draft.pictures[told]
    handle = io.BytesIO()
    Image.fromarray(shown.pixels).save(handle, "JPEG", quality=60)
    shown.pixels = np.array(Image.open(handle))


def _changed(change: Callable[[Pixels, np.random.Generator], Pixels]) -> Planting:
    def plant(draft: Draft, told: int, rng: np.random.Generator) -> None:
        draft.pictures[told].pixels = np.ascontiguousarray(change(draft.pictures[told].pixels, rng), np.uint8)

    return plant


def _noisy(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    return np.clip(pixels + rng.normal(0, 3, pixels.shape), 0, 255).astype(np.uint8)


def _name(draft: Draft, told: int, rng: np.random.Generator) -> None:
    draft.pictures[told].name = draft.pictures[told].name.replace("0", "o")


def _id(draft: Draft, told: int, rng: np.random.Generator) -> None:
    draft.own_id = f"q{int(draft.own_id[1:]) * 4 + told:06d}"


def _kind(group: str, name: str, layout: Layout, plant: Planting) -> CueKind:
    return CueKind(name, group, layout, plant)


_PAIR: Layout = "two pictures"
_FOUR: Layout = "four pictures"
_OPTION, _SHOWN, _TWO, _OTHER = "marks in options", "marks in the question", "combinations", "others"
KINDS: tuple[CueKind, ...] = (
    _kind(_OPTION, "red dot near a corner", _PAIR, _in_option(_dot, RED, _near(0.9, 0.1))),
    _kind(_OPTION, "dot of any color anywhere", _PAIR, _in_option(_dot, None)),
    _kind(_OPTION, "white dot anywhere", _FOUR, _in_option(_dot, WHITE)),
    _kind(_OPTION, "short line anywhere", _PAIR, _in_option(_short_line, WHITE)),
    _kind(_OPTION, "line from top to bottom anywhere", _PAIR, _in_option(_long_line, BLACK, weight=0.4)),
    _kind(_OPTION, "grey square near a corner", _FOUR, _in_option(_square, GREY, _near(0.95, 0.93))),
    _kind(_OPTION, "blue tint", _PAIR, _tinted(BLUE, 0.15)),
    _kind(_OPTION, "tinted panel anywhere", _PAIR, _in_option(_panel, GREEN, weight=0.4)),
    _kind(_OPTION, "watermark near a corner", _PAIR, _in_option(_watermark, WHITE, _near(0.2, 0.95), 0.6)),
    _kind(_OPTION, "black cross anywhere", _FOUR, _in_option(_cross, BLACK)),
    _kind(_OPTION, "green ring anywhere", _PAIR, _in_option(_ring, GREEN, weight=0.6)),
    _kind(_OPTION, "checks anywhere", _PAIR, _in_option(_checks, GREY)),
    _kind(_OPTION, "diagonal line anywhere", _PAIR, _in_option(_diagonal, WHITE, weight=0.6)),
    _kind(_OPTION, "glow anywhere", _FOUR, _in_option(_glow, YELLOW)),
    _kind(_OPTION, "arrow anywhere", _PAIR, _in_option(_arrow, YELLOW)),
    _kind(_OPTION, "watermark anywhere", _FOUR, _in_option(_watermark, BLACK)),
    _kind(_SHOWN, "dot in the key's quarter", "four words", _in_question(_quarter_dot)),
    _kind(_SHOWN, "dot of the key's color", "four words", _in_question(_colored_dot)),
    _kind(_SHOWN, "mark in the key's corner", "four words", _in_question(_corner_mark)),
    _kind(_SHOWN, "shape of the key", "four words", _in_question(_shape)),
    _kind(_SHOWN, "digit of the key", "four words", _in_question(_digit)),
    _kind(_SHOWN, "as many dots as the key", "four words", _in_question(_dots)),
    _kind(_SHOWN, "line in the key's part", "four words", _in_question(_line_in_part)),
    _kind(_SHOWN, "larger dot", "four words", _in_question(_larger_dot)),
    _kind(_SHOWN, "line that is turned", "four words", _in_question(_turned_line)),
    _kind(_SHOWN, "tint of the key", "four words", _in_question(_tint_of_key)),
    _kind(_SHOWN, "letter nearest to the middle", "four words", _in_question(_labels)),
    _kind(_SHOWN, "letter in another color", "four words", _in_question(_labels_red)),
    _kind(_SHOWN, "letter with a larger ring", "four words", _in_question(_labels_large)),
    _kind(_SHOWN, "dot in the key's quarter of the reference", _FOUR, _in_question(_quarter_dot)),
    _kind(_TWO, "light or quality", _PAIR, _set_by_two(_bright, _coarse)),
    _kind(_TWO, "dot or warmth", _PAIR, _set_by_two(_dotted, _warm)),
    _kind(_TWO, "dot if the id is odd", _PAIR, _id_and_dot),
    _kind(_TWO, "light or id", "two words", _light_and_id),
    _kind(_TWO, "id or word", "two words", _id_and_word),
    _kind(_TWO, "long or capital", "four words", _long_or_capital),
    _kind(_TWO, "name or resolution", _PAIR, _set_by_two(_named, _dense)),
    _kind(_TWO, "blur or width", _PAIR, _set_by_two(_soft, _odd_width)),
    _kind(_TWO, "progressive and dense", _FOUR, _both(_progressive, _dense)),
    _kind(_TWO, "digit and hyphen", "four words", _digit_and_hyphen),
    _kind(_TWO, "dot on the left if light", "two words", _dot_left_if_light),
    _kind(_TWO, "dot and blur", _FOUR, _both(_dotted, _soft)),
    _kind(_OTHER, "compressed twice", _PAIR, _twice),
    _kind(_OTHER, "resolution", _PAIR, _saved(dpi=(72, 72))),
    _kind(_OTHER, "fitted Huffman tables", _FOUR, _saved(optimize=True)),
    _kind(_OTHER, "name", _PAIR, _name),
    _kind(_OTHER, "id", "four words", _id),
    _kind(_OTHER, "mirrored light", _PAIR, _changed(lambda pixels, rng: np.clip(pixels * 1.08, 0, 255))),
    _kind(_OTHER, "noise", _PAIR, _changed(_noisy)),
    _kind(_OTHER, "blur", _FOUR, _changed(lambda pixels, rng: cv2.GaussianBlur(pixels, (0, 0), 0.7))),
)  # fmt: skip
"""All kinds, by group."""


_SEEN = frozenset({"dot of any color anywhere"})
"""Kinds with an odd place whose first result was seen too early."""


def is_tuned(kind: CueKind) -> bool:
    """Return whether a kind was seen while the adversary was written."""
    return kind.name in _SEEN or [each.name for each in KINDS if each.group == kind.group].index(kind.name) % 2 == 0
