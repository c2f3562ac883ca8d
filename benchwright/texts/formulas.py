"""Formulas in questions, options and explanations: TeX between `$`, `$$`, `\\(..\\)` or `\\[..\\]`, shown as MathML.

`latex2mathml` (MIT, 320 kB, no dependencies) does the translation. Browsers draw and read out MathML offline, without a
script. Only elements and attributes of MathML Core that do not affect formatting pass; a formula that does not
translate in full appears as written. No text ever becomes markup, and no text is lost.

Amounts of money remain text. As in Pandoc, a `$` opens a formula only before a character other than a space. It closes
one only after such a character and not before a digit. Two dollar signs with plain words between them make no formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MathNode: TypeAlias = "str | tuple[str, Mapping[str, str], tuple[MathNode, ...]]"
"""A text, or an element of MathML: name, attributes, children."""

_DELIMITED = re.compile(
    r"""
    \$\$(?P<double>[^$]{1,2000}?)\$\$
  | \\\[(?P<bracket>.{1,2000}?)\\\]
  | \\\((?P<paren>.{1,2000}?)\\\)
  | (?<![\\$\w])\$(?P<dollar>(?!\s)(?:\\.|[^$\\\n]){1,2000}?(?<!\s))\$(?![\w$])
    """,
    re.VERBOSE | re.DOTALL,
)
_MAY_HOLD_ONE = re.compile(r"\$[^$]|\\[(\[]")
_OF_TEX = re.compile(r"[\\^_{}]")
_WORD = re.compile(r"(?:^|\s)(?![A-Z]{2,4}(?=$|[\s.,;:!?]))[^\W\d_]{2,}(?=$|[\s.,;:!?])")
"""Two or more letters between spaces, except names of points such as `ABC`."""
_ALIGNED = re.compile(r"\\(begin|end)\{(?:aligned|split)\}")
_MOST_FORMULAS, _DEEPEST = 200, 40
_CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3, "munderover": 3}
"""Number of children without which browsers do not draw an element."""
_ELEMENTS = frozenset({
    *_CHILDREN, "math", "mrow", "mi", "mn", "mo", "mtext", "msqrt", "mtable", "mtr", "mtd", "mspace", "mstyle",
    "mpadded", "mphantom", "menclose",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "mathvariant", "stretchy", "fence", "form", "separator", "accent", "linethickness", "displaystyle", "scriptlevel",
    "columnalign", "width", "height", "depth", "lspace", "rspace", "minsize", "maxsize", "movablelimits", "largeop",
    "notation",
})  # fmt: skip
_VALUE = re.compile(r"[-+.\w% ]{1,24}")


class Formula(NamedTuple):
    """A formula within a text.

    Attributes:
        source: The formula as written, with its delimiters.
        tree: Its MathML.
        is_display: Whether it is displayed on its own line.
    """

    source: str
    tree: MathNode
    is_display: bool


def text_parts(text: str) -> list[str | Formula]:
    """Return a text as runs of plain text and formulas; joined with the formulas' sources, the runs give the text."""
    if _MAY_HOLD_ONE.search(text) is None:
        return [text]
    parts: list[str | Formula] = []
    at = 0
    for match in _DELIMITED.finditer(text):
        inner = match[match.lastgroup or 0]
        if len(parts) >= 2 * _MOST_FORMULAS or (match.lastgroup == "dollar" and not _is_mathematical(inner)):
            continue
        tree = _translated(inner, is_display := match.lastgroup in {"double", "bracket"})
        if tree is None:
            continue
        parts += [text[at : match.start()], Formula(match[0], tree, is_display)]
        at = match.end()
    return [part for part in (*parts, text[at:]) if part != ""] or [text]


def has_formulas(text: str) -> bool:
    """Return whether a text contains a formula that can be translated in full."""
    return any(isinstance(part, Formula) for part in text_parts(text))


def formulas_html(text: str) -> str:
    """Return a text as HTML for `formulas.css`: formulas as MathML, everything else escaped."""
    return "".join(
        escape(part)
        if isinstance(part, str)
        else f'<span class="formula{" displayed" if part.is_display else ""}">{_html_of(part.tree)}'
        f'<span class="tex" aria-hidden="true">{escape(part.source)}</span></span>'
        for part in text_parts(text)
    )


def formulas_of(texts: Iterable[str | None]) -> dict[str, list[Any]]:
    """Return the parts of each text that contains formulas, keyed by the text, as JSON values for `formulas.js`."""
    found = {text: text_parts(text) for text in texts if text}
    return {
        text: [part if isinstance(part, str) else part._asdict() for part in parts]
        for text, parts in found.items()
        if any(isinstance(part, Formula) for part in parts)
    }


def _is_mathematical(inner: str) -> bool:
    """Return whether the text between two dollar signs may be a formula rather than words between two amounts."""
    return _OF_TEX.search(inner) is not None or _WORD.search(inner) is None


@lru_cache(maxsize=4096)
def _translated(source: str, is_display: bool) -> MathNode | None:
    """Return a formula's MathML; None if it cannot be translated in full."""
    if _depth_of(source) > _DEEPEST or not source.strip():
        return None
    from latex2mathml.converter import convert_to_element

    try:
        written = _ALIGNED.sub(r"\\\1{align*}", source.strip())
        element = convert_to_element(written, display="block" if is_display else "inline")
        tree = _kept(element)
    except Exception:  # noqa: BLE001 - on any failure the source is shown
        return None
    return ("math", {"display": "block" if is_display else "inline"}, tree[2]) if isinstance(tree, tuple) else None


def _depth_of(source: str) -> int:
    deepest = depth = 0
    for character in source:
        depth += (character == "{") - (character == "}")
        deepest = max(deepest, depth)
    return deepest


def _kept(element: Element) -> MathNode:
    """Return an element reduced to its permitted parts.

    Raises:
        ValueError: A part of it cannot be shown.
    """
    name = element.tag.rpartition("}")[2]
    text = unescape(element.text or "")
    children = tuple(_kept(child) for child in element)
    if name not in _ELEMENTS or len(children) != _CHILDREN.get(name, len(children)):
        raise ValueError(name)
    if text.strip() in {"&", "\\"} or re.match(r"\\\w", text) or (name == "mspace" and "linebreak" in element.attrib):
        raise ValueError(text)
    if name == "menclose" and element.get("notation") != "box":
        raise ValueError(name)
    attributes = {key: value for key, value in element.attrib.items() if key in _ATTRIBUTES and _VALUE.fullmatch(value)}
    return name, attributes, (text, *children) if text else children


def _html_of(node: MathNode) -> str:
    if isinstance(node, str):
        return escape(node)
    name, attributes, children = node
    named = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{named}>{''.join(map(_html_of, children))}</{name}>"
