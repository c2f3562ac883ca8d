"""The campaign of a request to one of the app's own pages, the menu of campaigns, and the page for unknown ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from starlette.responses import Response

from ...store.accounts.accounts import Account
from ..own_pages.curator_requests import AccountRequest
from ..own_pages.html_fields import FieldWords, choice_field, hidden
from ..own_pages.shell import own_page
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS, title_of


def wanted_campaign(asked: AccountRequest, names: Sequence[str]) -> str:
    """Return the campaign in a form or address; otherwise the first of `names`, or an empty text if there are none."""
    return asked.fields.get("campaign") or asked.query.get("campaign") or (names[0] if names else "")


def campaign_menu(path: str, names: Sequence[str], wanted: str) -> str:
    """Return a form that leads to the page for another campaign; empty if there is only one campaign."""
    return menu_form(path, campaign_field(names, wanted), button="show-campaign") if len(names) > 1 else ""


def campaign_field(names: Sequence[str], wanted: str) -> str:
    """Return the field for choosing a campaign; hidden if there is only one campaign."""
    if len(names) < 2:
        return hidden("campaign", wanted)
    titles = {name: title_of(name) for name in names}
    return choice_field("campaign", wanted, FieldWords(TEXTS["campaign"]), titles)


def menu_form(path: str, fields: str, *, button: str) -> str:
    """Return a form that leads to an address.

    Args:
        path: Path of the address, optionally with a fragment, such as `/flags` or `/annotators#errors`.
        fields: Fields of the address's parameters, as HTML.
        button: Id of the button.
    """
    # Browsers fill in a form again after Back; a menu names what the page shows.
    return (
        f'<form method="get" action="{path}" class="menu" autocomplete="off">{fields}<div class="buttons">'
        f'<button class="quiet" type="submit" id="{button}">{escape(OWN_TEXTS["show"])}</button></div></form>'
    )


def no_such_campaign(
    path: str, title: str, names: Sequence[str], wanted: str, *, worker: Account | None = None
) -> Response:
    """Return the page for an unknown campaign, with the menu of existing ones; for `worker`, see `own_page`."""
    none = TEXTS["no_campaigns"].replace("`", "")
    problem = TEXTS["no_such_campaign"].format(campaign=wanted[:100]) if wanted else none
    return own_page(title, campaign_menu(path, names, ""), here=path, problem=problem, status=404, worker=worker)
