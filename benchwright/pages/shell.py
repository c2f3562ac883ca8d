"""The shell of pages: HTML from a room's template in a common frame and style, as a file that loads no other file."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from benchwright.pages.charts import Chart
from benchwright.pages.drawing import ASSETS
from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped
from benchwright.texts.normalization import counted, printable

_TEMPLATES = Path(__file__).parent / "templates"


def page_pieces(
    folder: Path,
    template: str,
    values: Mapping[str, Any],
    *,
    generator: str,
    style: str,
    script: str | None = None,
    has_formulas: bool = False,
    filters: Mapping[str, Callable[..., Any]] | None = None,
    finalize: Callable[[Any], Any] | None = None,
) -> Iterator[str]:
    """Yield the HTML of a page piece by piece, so that memory never holds a whole page.

    Args:
        folder: Folder with the page's template, style and script.
        template: File of the template, which extends `shell.html`; every value in it is escaped.
        values: Values for the template; an iterator among them is read while the page is written.
        generator: Name of the command that makes such pages.
        style: File with the page's own style, after the style of all pages.
        script: File with the only script that the page may run; None for no script.
        has_formulas: Whether the script displays texts through `withFormulas`, which is then included before it;
            default False.
        filters: Further filters for the template, by name.
        finalize: Function applied to every value before escaping; if None, one that spells out invisible characters.
    """
    environment = _environment(folder, finalize)
    environment.filters.update(filters or {})
    code = None if script is None else (folder / script).read_text(encoding="utf-8")
    if code is not None and has_formulas:
        code = (ASSETS / "formulas.js").read_text(encoding="utf-8") + code
    context = {
        **values,
        "generator": generator,
        "policy": _policy(code),
        "style": Markup(page_style() + (folder / style).read_text(encoding="utf-8")),  # noqa: S704 - ours
        "script": None if code is None else Markup(code),  # noqa: S704 - ours
    }
    return environment.get_template(template).generate(context)


def figure_html(chart: Chart, *, numbers: str = "Numbers", save: str = "Save as SVG") -> str:
    """Return a chart as HTML, with its numbers and a link that saves the chart as SVG; the page needs `chart_style`.

    Args:
        chart: The chart.
        numbers: Name of the table of its numbers.
        save: Text of the link.
    """
    figure: Callable[..., str] = _figures().figure
    return str(figure(chart, numbers=numbers, save=save))


def chart_style() -> str:
    """Return the CSS of charts, with the colors of both themes."""
    return "".join((ASSETS / name).read_text(encoding="utf-8") for name in ("colors.css", "charts.css"))


def page_style() -> str:
    """Return the CSS of all pages, including charts."""
    return chart_style() + "".join((ASSETS / name).read_text(encoding="utf-8") for name in ("page.css", "formulas.css"))


def _environment(folder: Path, finalize: Callable[[Any], Any] | None = None) -> Environment:
    environment = Environment(
        loader=FileSystemLoader([folder, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=finalize or _seen,
    )
    environment.filters["drawn"] = Markup  # Chart.markup, whose texts ElementTree has escaped
    environment.filters["plain"] = printable
    environment.filters["counted"] = counted
    environment.filters["data_uri"] = _data_uri
    environment.filters["with_code"] = _with_code
    environment.filters["formulas"] = _with_formulas
    return environment


def _seen(value: Any) -> Any:
    """Return a text with invisible characters spelled out; markup and other values are returned unchanged."""
    return escaped(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _figures() -> Any:
    return _environment(_TEMPLATES).get_template("figure.html").module


def _with_code(text: str) -> Markup:
    """Return an escaped text in which text between backticks is marked up as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(escaped(text)))))  # noqa: S704 - it is escaped


def _with_formulas(text: str) -> Markup:
    """Return an escaped text in which formulas are MathML."""
    return Markup(formulas_html(escaped(text)))  # noqa: S704 - it is escaped


def _data_uri(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")


def _policy(script: str | None) -> str:
    """Return a content security policy under which a page can fetch nothing and run only the given script."""
    runs = ""
    if script is not None:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        runs = f"script-src 'sha256-{digest}'; "
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; {runs}base-uri 'none'; form-action 'none'"
