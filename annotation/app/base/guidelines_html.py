"""Guidelines as HTML, in the same form next to the task and in the curator's preview.

markdown-it-py (MIT) translates Markdown without HTML: tags in a text are shown as text, and links with a scheme that
could run a script stay text. Formulas between `$` and the like are recognized before Markdown sees their characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from benchwright.texts.formulas import text_parts

from ...store.campaigns.guidelines import GuidelinesVersion

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline

_PICTURE = re.compile(r"\]\(picture:(\d{1,3})\)")


def guidelines_html(version: GuidelinesVersion, drawn: Callable[[str], str]) -> str:
    """Return the text of guidelines as HTML.

    Args:
        version: The text, and the stored version that has its pictures.
        drawn: Function that returns a formula, with its delimiters, as HTML.
    """
    text = _PICTURE.sub(rf"](/guidelines/{version.id}/\1)", version.text)
    return str(_parser().render(text, {"drawn": drawn, "formulas": {}}))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _take_formula)
    parser.add_render_rule("formula", _formula)
    parser.add_render_rule("link_open", _link)
    return parser


def _take_formula(state: StateInline, silent: bool) -> bool:
    """Convert a formula at the current position to a token; this is a rule for markdown-it."""
    formulas = state.env["formulas"]
    if state.src not in formulas:
        formulas[state.src] = _formulas_in(state.src)
    source = formulas[state.src].get(state.pos)
    if source is None or state.pos + len(source) > state.posMax:
        return False
    if not silent:
        state.push("formula", "", 0).content = source
    state.pos += len(source)
    return True


def _formulas_in(text: str) -> dict[int, str]:
    """Return the formulas in a text, including their delimiters, by starting position."""
    found, at = {}, 0
    for part in text_parts(text):
        if isinstance(part, str):
            at += len(part)
        else:
            found[at] = part.source
            at += len(part.source)
    return found


def _formula(_renderer: Any, tokens: Any, place: int, _options: Any, env: Any) -> str:
    return str(env["drawn"](tokens[place].content))


def _link(renderer: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    """Return the opening tag of a link that opens next to the task instead of replacing it."""
    tokens[place].attrSet("target", "_blank")
    tokens[place].attrSet("rel", "noopener noreferrer")
    return str(renderer.renderToken(tokens, place, options, env))
