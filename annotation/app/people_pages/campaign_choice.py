"""The menu of campaigns on the app's own pages, and the page for an unknown campaign."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from starlette.responses import Response

from ..own_pages.html_fields import FieldWords, choice_field
from ..own_pages.shell import own_page
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS, title_of


def campaign_menu(path: str, names: Sequence[str], wanted: str) -> str:
    """Return a form that leads to the page of another campaign; empty if there is only one."""
    if len(names) < 2:
        return ""
    titles = {name: title_of(name) for name in names}
    field = choice_field("campaign", wanted, FieldWords(TEXTS["campaign"]), titles)
    button = f'<div class="buttons"><button class="quiet" type="submit">{escape(OWN_TEXTS["show"])}</button></div>'
    return f'<form method="get" action="{path}" class="menu">{field}{button}</form>'


def no_such_campaign(path: str, title: str, names: Sequence[str], wanted: str) -> Response:
    """Return the page for an unknown campaign, with the menu of existing ones."""
    none = TEXTS["no_campaigns"].replace("`", "")
    problem = TEXTS["no_such_campaign"].format(campaign=wanted[:100]) if wanted else none
    return own_page(title, campaign_menu(path, names, ""), here=path, problem=problem, status=404)
