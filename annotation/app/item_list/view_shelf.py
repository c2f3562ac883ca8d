"""The saved views of the list of items: links to them, buttons to remove them, and a form to name the current one."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from benchwright.texts.hidden_characters import escaped

from ...items.item_search import ItemQuery
from ...store.accounts.saved_views import LONGEST_NAME
from ..auth.known_pages import ITEMS
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, hidden, text_field
from ..own_pages.live_form import live_part
from ..wording.conversation_texts import TEXTS
from .list_query import list_address, query_in, query_line

SAVE = "items-save"
"""Id of the part with the form that saves the current view."""


def view_shelf(
    views: Mapping[str, Mapping[str, str]], parts: Mapping[str, str], asked: CuratorRequest, *, is_open: bool
) -> str:
    """Return a curator's saved views and the form that saves the current one.

    Args:
        views: Parameters of each view, by name.
        parts: Parts of the page, of which `SAVE` is one.
        asked: The curator's request.
        is_open: Whether the shelf is open at first.
    """
    rows = "".join(_row(number, name, views[name], asked) for number, name in enumerate(views))
    return (
        f'<details id="items-views"{" open" if is_open else ""}><summary>{escape(TEXTS["saved_views"])}</summary>'
        f'<ul class="views">{rows}</ul>{live_part(SAVE, parts)}</details>'
    )


def save_form(query: ItemQuery, asked: CuratorRequest, *, problem: str = "") -> str:
    """Return the form that saves the current view, or a hint for the default one.

    Args:
        query: Query of the list.
        asked: The curator's request.
        problem: Problem of the name that the curator gave; empty for none.
    """
    if query.is_default:
        return f'<p class="hint">{escape(TEXTS["no_views"])}</p>'
    more = f'maxlength="{LONGEST_NAME}" dir="auto"'
    name = text_field(
        "view_name", asked.fields.get("view_name", ""), FieldWords(TEXTS["view_name"], problem=problem), more=more
    )
    return (
        f'<form method="post" action="{ITEMS}/save-view">{hidden(TOKEN, asked.token)}'
        f'{hidden("list", query_line(query))}{name}<div class="buttons">'
        f'<button class="quiet" type="submit" id="save-view">{escape(TEXTS["save_view"])}</button></div></form>'
    )


def _row(number: int, name: str, parameters: Mapping[str, str], asked: CuratorRequest) -> str:
    address = escape(list_address(query_in(parameters)), quote=True)
    label = escape(TEXTS["remove_view"].format(name=escaped(name)), quote=True)
    return (
        f'<li><a class="button quiet" href="{address}"><bdi>{escape(escaped(name))}</bdi></a>'
        f'<form method="post" action="{ITEMS}/remove-view" data-row>{hidden(TOKEN, asked.token)}'
        f'{hidden("list", "")}{hidden("view", name)}<button class="quiet" type="submit" id="remove-view-{number}"'
        f' aria-label="{label}"><span aria-hidden="true">×</span></button></form></li>'
    )
