"""The style of plots, and the conversion of a figure to SVG for use inside a page.

A plot is drawn in colours that stand for names (`Look.ink`); in the SVG they become CSS variables, so that the page's
light and dark themes colour plots as they colour text. Letters stay letters: they can be read, searched and selected.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

INK, MUTED, GRID, BAND, PAPER, RIGHT, WRONG = (f"#0102{k:02x}" for k in range(7))
SERIES = tuple(f"#0103{k:02x}" for k in range(8))
"""The eight colours of Okabe and Ito, as the page's themes shade them; `MARKERS` tell them apart as well."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "*")
"""As many as is prime to the number of colours, so that 88 models differ."""

_VARIABLES = {
    INK: "--ink",
    MUTED: "--muted",
    GRID: "--grid",
    BAND: "--band",
    PAPER: "--paper",
    RIGHT: "--right",
    WRONG: "--wrong",
} | {color: f"--series-{k}" for k, color in enumerate(SERIES)}

_SETTINGS: Any = {
    "axes.edgecolor": GRID,
    "axes.facecolor": "none",
    "axes.grid": False,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlesize": 9,
    "figure.facecolor": "none",
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "grid.color": GRID,
    "hatch.linewidth": 0.8,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.labelcolor": INK,
    "path.simplify": False,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
}


class Plot(NamedTuple):
    """A plot for a page.

    Args:
        name: Name of the plot, unique on the page.
        title: Title of the plot, one line.
        caption: Description of the plot and its intervals.
        svg: Drawing, with all text from users escaped.
    """

    name: str
    title: str
    caption: str
    svg: str


@contextmanager
def drawing_look() -> Iterator[None]:
    """Apply our settings to matplotlib's defaults within this block, independent of this machine's settings."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        # The browser draws letters that matplotlib's font lacks, from a font that has them.
        warnings.filterwarnings("ignore", message=r".*Glyph .* missing from")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def svg_of(drawing: Drawing, *, name: str, title: str) -> str:
    """Return a figure as an `<svg>` element with its own ids and without page styles; equal figures give equal text."""
    import matplotlib as mpl

    handle = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        drawing.savefig(handle, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.06)
    text = handle.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>|<style\b.*?</style>|<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"<[^>]*>", lambda tag: _own(tag[0], name), text)
    opening = text.index(">")
    attributes = re.sub(r' (?:width|height|version|xmlns(?::\w+)?)="[^"]*"', "", text[len("<svg") : opening])
    return f'<svg{attributes} role="img" aria-label="{title}"{text[opening:]}'.rstrip()


def _own(tag: str, name: str) -> str:
    """Return a tag with ids of this plot and the page's colours; text between tags is not changed."""
    tag = re.sub(r'(?<= id=")(?=[^"]*")|(?<=href="#)|(?<=url\(#)', f"{name}-", tag)
    for color, variable in _VARIABLES.items():
        tag = tag.replace(color, f"var({variable})")
    return tag


def shortened(names: list[str], *, at_most: int) -> list[str]:
    """Return names short enough for a plot: printable, cut in the middle, and still different from each other."""
    from benchwright.text_normalization import printable

    short = [_cut(printable(name), at_most) for name in names]
    return [text if short.count(text) == 1 else f"{text} #{k}" for k, text in enumerate(short, start=1)]


def _cut(name: str, at_most: int) -> str:
    half = (at_most - 1) // 2
    return name if len(name) <= at_most else f"{name[:half]}…{name[-half:]}"
