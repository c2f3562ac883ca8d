"""Forms for trying a value: the page shows the effect during typing, without changing anything.

The page's script asks the server for the effect of each value and replaces parts of the page, so the field keeps its
focus. The address always names the tried values; without the script, the form leads to that address.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from starlette.responses import JSONResponse, Response

from ..wording.curator_texts import TEXTS
from ..wording.own_page_texts import TEXTS as OWN_TEXTS


def live_form(path: str, fields: str) -> str:
    """Return a form whose effect the page shows during typing.

    Args:
        path: Path of the page; the effect's address is `effect` below it.
        fields: Fields of the page's parameters, as HTML.
    """
    # Browsers fill in a form again after Back; this one names what the page shows.
    return (
        f'<form method="get" action="{path}" data-live="{path}/effect" autocomplete="off" novalidate>{fields}'
        f'<div class="buttons"><button class="quiet" type="submit" id="try">{escape(OWN_TEXTS["show"])}</button>'
        f'<span class="hint" role="status" data-reckoning="{escape(TEXTS["reckoning"], quote=True)}"'
        f' data-away="{escape(TEXTS["trial_away"], quote=True)}"></span></div></form>'
    )


def live_part(name: str, parts: Mapping[str, str], *, is_read_out: bool = False) -> str:
    """Return the container of a page part that depends on the form.

    Args:
        name: Id of the part, unique on the page.
        parts: Content of each part, as HTML.
        is_read_out: Whether screen readers read out the part when it changes; default False.
    """
    return f'<div id="{name}"{" role=status" if is_read_out else ""}>{parts[name]}</div>'


def effect_reply(address: str, parts: Mapping[str, str], *, invalid: Iterable[str] = ()) -> Response:
    """Return the answer to the script.

    Args:
        address: Address of the page with the tried values.
        parts: Content of each part, as HTML.
        invalid: Ids of the fields whose values are invalid.
    """
    reply = {"address": address, "parts": dict(parts), "invalid": list(invalid)}
    return JSONResponse(reply, headers={"Cache-Control": "no-store"})
