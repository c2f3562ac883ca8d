"""The setting that a curator tries, as a line of the recipe, with a link to the step's form, filled with its value."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from ..auth.known_pages import RECIPE
from ..wording.own_page_texts import TEXTS


def change_card(title: str, line: str, why: str, entry: str, **values: object) -> str:
    """Return a card with the line for the recipe, and a link to the step's form, prefilled with the tried values.

    Args:
        title: Title of the card.
        line: The setting as recipes spell it.
        why: A sentence on the change; empty for none.
        entry: Entry of the step in the recipe.
        **values: Values of the fields, by name; True or False for a switch.
    """
    spelled = {name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in values.items()}
    address = f"{RECIPE}/step?{urlencode({'entry': entry, **spelled})}"
    return (
        f'<section class="card use"><div><h2>{escape(title)}</h2><pre tabindex="0" dir="ltr">{escape(line)}</pre>'
        f"{f'<p>{escape(why)}</p>' if why else ''}</div>"
        f'<a class="button" id="change-there" href="{escape(address, quote=True)}">{escape(TEXTS["change_there"])}</a>'
        "</section>"
    )
