"""A canvas for charts: shapes and texts as SVG elements, in the theme's colors.

Elements are built with ElementTree, which escapes every text and attribute. A color is written as the CSS variable of
its name (`assets/colors.css`), so that the page around a chart sets its light or dark colors. `standalone` writes the
light colors themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element, SubElement, tostring

from benchwright.texts.normalization import printable

ASSETS = Path(__file__).parent / "assets"
_FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
FONT_PX = 13.0
_SERIES = 8
"""Number of colors for series; `_MARKERS` also distinguish series."""
_MARKERS = ("circle", "square", "triangle", "diamond", "down", "plus", "cross", "left", "pentagon", "right", "star")
"""Markers of series; their number and the number of colors are coprime, so that 88 series differ."""

Pattern = Literal["solid", "falling", "rising", "upright", "level", "dots", "checks", "outline"]
Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]

_SHAPES = {
    "square": "-1,-1 1,-1 1,1 -1,1",
    "triangle": "0,-1.2 1.15,0.9 -1.15,0.9",
    "diamond": "0,-1.35 1.35,0 0,1.35 -1.35,0",
    "down": "0,1.2 1.15,-0.9 -1.15,-0.9",
    "plus": "-0.42,-1.25 0.42,-1.25 0.42,-0.42 1.25,-0.42 1.25,0.42 0.42,0.42 "
    "0.42,1.25 -0.42,1.25 -0.42,0.42 -1.25,0.42 -1.25,-0.42 -0.42,-0.42",
    "cross": "0,-0.48 0.67,-1.14 1.14,-0.67 0.48,0 1.14,0.67 0.67,1.14 "
    "0,0.48 -0.67,1.14 -1.14,0.67 -0.48,0 -1.14,-0.67 -0.67,-1.14",
    "left": "-1.2,0 0.9,-1.15 0.9,1.15",
    "pentagon": "0,-1.2 1.15,-0.35 0.7,1 -0.7,1 -1.15,-0.35",
    "right": "1.2,0 -0.9,-1.15 -0.9,1.15",
    "star": "0,-1.5 0.4,-0.5 1.45,-0.45 0.6,0.2 0.9,1.2 0,0.6 -0.9,1.2 -0.6,0.2 -1.45,-0.45 -0.4,-0.5",
}
"""Corners of each marker relative to its center, in units of the marker's size."""
_STROKES: dict[str, str] = {
    "falling": "M-2,6 L2,10 M-2,-2 L10,10 M6,-2 L10,2",
    "rising": "M-2,2 L2,-2 M-2,10 L10,-2 M6,10 L10,6",
    "upright": "M4,0 V8",
    "level": "M0,4 H8",
}


class Look(NamedTuple):
    """Fill of a shape: the name of a color, and a pattern, so that no distinction depends on color alone."""

    color: str
    pattern: Pattern = "solid"


class Canvas:
    """An SVG drawing that grows as shapes are added; distances are in pixels.

    Args:
        name: Name of the chart, unique on its page; ids within the drawing begin with it.
        width: Width of the drawing.
    """

    def __init__(self, name: str, width: float) -> None:
        self.name, self.width = name, width
        self._defs = Element("defs")
        self._shapes = Element("g")
        self._patterns: dict[Look, str] = {}

    def rect(
        self, x: float, y: float, width: float, height: float, look: Look, *, words: str = "", opacity: float = 1
    ) -> None:
        """Add a rectangle; `words` are its tooltip."""
        attributes = {"x": _px(x), "y": _px(y), "width": _px(width), "height": _px(height), "fill": self._fill(look)}
        if opacity != 1:
            attributes["fill-opacity"] = f"{opacity:.2f}"
        shape = SubElement(self._shapes, "rect", attributes)
        if words:
            SubElement(shape, "title").text = printable(words)

    def line(self, start: Point, end: Point, color: str, *, width: float = 1, dash: str = "") -> None:
        """Add a straight line."""
        places = zip(("x1", "y1", "x2", "y2"), (*start, *end), strict=True)
        attributes = {name: _px(place) for name, place in places}
        SubElement(self._shapes, "line", attributes | _stroke(color, width, dash))

    def path(self, points: Sequence[Point], color: str, *, width: float = 2) -> None:
        """Add a line through several points."""
        SubElement(self._shapes, "polyline", {"points": _points(points), "fill": "none"} | _stroke(color, width, ""))

    def polygon(self, points: Sequence[Point], color: str) -> None:
        """Add a filled shape."""
        SubElement(self._shapes, "polygon", {"points": _points(points), "fill": f"var(--{color})"})

    def marker(self, at: Point, series: int, *, size: float = 4.2) -> None:
        """Add the marker of a series at a point."""
        look = {"fill": f"var(--{series_color(series)})", "stroke": "var(--paper)", "stroke-width": "0.8"}
        shape = _MARKERS[series % len(_MARKERS)]
        if shape == "circle":
            SubElement(self._shapes, "circle", {"cx": _px(at[0]), "cy": _px(at[1]), "r": _px(size * 1.08)} | look)
        else:
            corners = [corner.split(",") for corner in _SHAPES[shape].split()]
            points = [(at[0] + size * float(x), at[1] + size * float(y)) for x, y in corners]
            SubElement(self._shapes, "polygon", {"points": _points(points)} | look)

    def text(
        self,
        at: Point,
        words: str,
        *,
        anchor: Anchor = "start",
        color: str = "ink",
        size: float = FONT_PX,
        is_bold: bool = False,
        has_plate: bool = False,
        turned: float = 0,
    ) -> None:
        """Add a line of text, vertically centered on `at`, with control characters as escapes.

        Args:
            at: Position of the start, middle or end of the text.
            words: The text.
            anchor: Part of the text that lies at `at`.
            color: Name of a color.
            size: Size of the font.
            is_bold: Whether the text is bold.
            has_plate: Whether to draw a plate in the paper's color below it, for readability on shapes.
            turned: Clockwise rotation around `at`, in degrees.
        """
        words = printable(words)
        if has_plate:
            width = text_width(words, size) + 7
            left = at[0] - width * {"start": 0, "middle": 0.5, "end": 1}[anchor]
            self.rect(left, at[1] - size * 0.65, width, size * 1.3, Look("paper"))
        attributes = {
            "x": _px(at[0]),
            "y": _px(at[1]),
            "dy": "0.35em",
            "fill": f"var(--{color})",
            "text-anchor": anchor,
        }
        if size != FONT_PX:
            attributes["font-size"] = _px(size)
        if is_bold:
            attributes["font-weight"] = "600"
        if turned:
            attributes["transform"] = f"rotate({turned:g} {_px(at[0])} {_px(at[1])})"
        SubElement(self._shapes, "text", attributes).text = words

    def drawn(self, height: float, title: str) -> Element:
        """Return the drawing as an `<svg>` element of the given height, whose title is announced by screen readers."""
        svg = Element(
            "svg",
            {
                "viewBox": f"0 0 {_px(self.width)} {_px(height)}",
                "role": "img",
                "aria-label": printable(title),
                "font-family": _FONT,
                "font-size": _px(FONT_PX),
            },
        )
        if len(self._defs):
            svg.append(self._defs)
        svg.append(self._shapes)
        return svg

    def _fill(self, look: Look) -> str:
        """Return the fill of a shape: a color, or a pattern that is defined once per drawing."""
        if look.pattern == "solid":
            return f"var(--{look.color})"
        if look not in self._patterns:
            name = self._patterns[look] = f"{self.name}-{look.pattern}-{look.color}"
            tile = {"id": name, "width": "8", "height": "8", "patternUnits": "userSpaceOnUse"}
            pattern = SubElement(self._defs, "pattern", tile)
            color = f"var(--{look.color})"
            ground = "var(--paper)" if look.pattern == "outline" else color
            SubElement(pattern, "rect", {"width": "8", "height": "8", "fill": ground})
            ink = color if look.pattern == "outline" else "var(--paper)"
            if strokes := _STROKES.get(look.pattern):
                SubElement(pattern, "path", {"d": strokes, "stroke": ink, "stroke-width": "1.8"})
            elif look.pattern == "dots":
                for at in ("2", "6"):
                    SubElement(pattern, "circle", {"cx": at, "cy": at, "r": "1.4", "fill": ink})
            elif look.pattern == "checks":
                for at in ("0", "4"):
                    SubElement(pattern, "rect", {"x": at, "y": at, "width": "4", "height": "4", "fill": ink})
            else:
                SubElement(pattern, "path", {"d": "M0,1 H5 M0,5 H3 M6,5 H8", "stroke": ink, "stroke-width": "1.2"})
        return f"url(#{self._patterns[look]})"


def standalone(svg: Element) -> str:
    """Return a drawing as a separate document: light colors, a background, and a size in pixels."""
    copy = deepcopy(svg)
    _, _, width, height = copy.attrib["viewBox"].split()
    copy.attrib.update(xmlns="http://www.w3.org/2000/svg", width=width, height=height)
    copy.insert(0, Element("rect", {"width": "100%", "height": "100%", "fill": "var(--paper)"}))
    for element in copy.iter():
        for name, value in element.attrib.items():
            if value.startswith("var(--"):
                element.attrib[name] = _light_colors()[value[6:-1]]
    return tostring(copy, encoding="unicode") + "\n"


@cache
def _light_colors() -> dict[str, str]:
    """Return the colors of the light theme by name."""
    return dict(re.findall(r"--([\w-]+): light-dark\((#\w+),", (ASSETS / "colors.css").read_text(encoding="utf-8")))


def series_color(series: int) -> str:
    """Return the name of a series' color."""
    return f"series-{series % _SERIES}"


def text_width(text: str, size: float = FONT_PX) -> float:
    """Return the approximate width of a text in pixels; because fonts differ, the estimate is generous."""
    return size * sum(1.0 if east_asian_width(letter) in "WF" else 0.6 for letter in printable(text))


def shortened(names: Sequence[str], *, at_most: int) -> list[str]:
    """Return names shortened to fit a chart: printable, cut in the middle, and still distinct."""
    short = [cut(printable(name), at_most=at_most) for name in names]
    return [text if short.count(text) == 1 else f"{text} #{k}" for k, text in enumerate(short, start=1)]


def cut(text: str, *, at_most: int) -> str:
    """Return a text of at most `at_most` characters, cut in the middle if it is longer."""
    half = (at_most - 1) // 2
    return text if len(text) <= at_most else f"{text[:half]}…{text[-half:]}"


def _stroke(color: str, width: float, dash: str) -> dict[str, str]:
    attributes = {"stroke": f"var(--{color})", "stroke-width": f"{width:g}"}
    return attributes | ({"stroke-dasharray": dash} if dash else {})


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_px(x)},{_px(y)}" for x, y in points)


def _px(length: float) -> str:
    return f"{length:.2f}".rstrip("0").rstrip(".") if length else "0"
