"""Style and building blocks of the curator's plots: tables with bars in their cells.

Screen readers read them, and people copy them, as tables. Texts take the page's own color, light or dark. A bar is
identified by its pattern and by words, never by color alone; colors have a contrast of at least 3 to 1 on white and on
the dark theme's background.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

STYLE = """<style>
.bw-plot { width: 100%; border-collapse: collapse; font-size: .9rem; margin: .1rem 0 .6rem; table-layout: fixed; }
.bw-plot caption { text-align: left; padding-bottom: .3rem; }
.bw-plot th, .bw-plot td { padding: .18rem .5rem .18rem 0; border: 0; vertical-align: middle; overflow-wrap: anywhere; }
.bw-plot th { font-weight: 400; text-align: left; width: 24%; }
.bw-plot thead th { font-weight: 600; }
.bw-plot td.bw-n { width: 24%; text-align: left; font-variant-numeric: tabular-nums; }
.bw-bar { display: flex; height: 1.15rem; }
.bw-bar > span { display: block; height: 100%; box-sizing: border-box; min-width: 2px; }
.bw-key { display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; list-style: none; padding: 0 !important;
  margin: 0 0 .4rem; }
.bw-key li { display: flex; align-items: center; gap: .4rem; margin: 0; font-size: .875rem; }
.bw-key span { display: inline-block; width: 1.3rem; height: .95rem; box-sizing: border-box; }
.bw-0 { background: #3b82c4; }
.bw-1 { background: repeating-linear-gradient(45deg, #c77700 0 3px, transparent 3px 7px); border: 1.5px solid #c77700; }
.bw-2 { background: radial-gradient(#8b6fc9 35%, transparent 40%) 0 0 / 6px 6px; border: 1.5px solid #8b6fc9; }
.bw-3 { background: repeating-linear-gradient(90deg, #c2508c 0 2px, transparent 2px 5px); border: 1.5px solid #c2508c; }
.bw-4 { background: repeating-linear-gradient(-45deg, currentColor 0 1px, transparent 1px 6px);
  border: 1.5px solid currentColor; opacity: .75; }
.bw-5 { background: transparent; border: 1.5px dashed currentColor; opacity: .75; }
.bw-6 { background: repeating-linear-gradient(0deg, #2f9e6e 0 2px, transparent 2px 5px); border: 1.5px solid #2f9e6e; }
.bw-7 { background: repeating-conic-gradient(#9a7b3c 0 25%, transparent 0 50%) 0 0 / 8px 8px;
  border: 1.5px solid #9a7b3c; }
.bw-range { position: relative; height: 1.15rem; border-left: 1px solid currentColor;
  border-right: 1px dotted currentColor; }
.bw-range > i { position: absolute; top: 50%; height: 3px; margin-top: -1.5px; background: #3b82c4; }
.bw-range > b { position: absolute; top: 50%; width: 11px; height: 11px; margin: -5.5px 0 0 -5.5px; border-radius: 50%;
  background: #3b82c4; }
.bw-range > u { position: absolute; top: 0; bottom: 0; border-left: 1px dashed currentColor; opacity: .6; }
.bw-days { display: flex; align-items: flex-end; gap: 2px; height: 6.5rem; border-bottom: 1px solid currentColor; }
.bw-days span { flex: 1 1 0; min-width: 2px; max-width: 3.5rem; background: #3b82c4; }
.bw-ends { display: flex; justify-content: space-between; font-size: .8rem; margin-bottom: .5rem; }
.bw-heat th + th { text-align: center; }
.bw-heat td { text-align: center; border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
.bw-thumb { display: flex; gap: .9rem; flex-wrap: wrap; list-style: none;
  padding: 0 !important; margin: .2rem 0 .9rem; }
.bw-thumb li { width: 11rem; margin: 0; font-size: .8rem; overflow-wrap: anywhere; }
.bw-thumb img { width: 11rem; height: 8rem; object-fit: contain; display: block;
  background: color-mix(in srgb, currentColor 8%, transparent); }
</style>"""

PATTERNS = 8
"""Number of bar patterns, from `bw-0` on."""


def plot(caption: str, rows: Iterable[str], *, head: str = "", css_class: str = "bw-plot") -> str:
    """Return a table of rows with a caption."""
    return (
        f'<table class="{css_class}"><caption>{escape(caption)}</caption>{head}<tbody>{"".join(rows)}</tbody></table>'
    )


def row(name: str, picture: str, number: str) -> str:
    """Return a row of a plot: its name, the bar, which screen readers skip, and the number in words."""
    return (
        f'<tr><th scope="row">{escape(name)}</th><td aria-hidden="true">{picture}</td>'
        f'<td class="bw-n">{escape(number)}</td></tr>'
    )


def key(entries: Iterable[tuple[int, str]]) -> str:
    """Return a legend: each pattern with its words."""
    items = "".join(
        f'<li><span class="bw-{pattern}" aria-hidden="true"></span>{escape(words)}</li>' for pattern, words in entries
    )
    return f'<ul class="bw-key">{items}</ul>'
