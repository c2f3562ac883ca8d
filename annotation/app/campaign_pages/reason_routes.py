"""Route of the reasons page: the frequency of each reason, and tasks as examples."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.routing import Route

from benchwright.texts.hidden_characters import escaped

from ...progress.overview import Overview
from ...store.counts.campaign_counts import DecisionExample, ReasonCount
from ..auth.known_pages import REASONS, item_address
from ..base.cache import cached
from ..base.state import AppState
from ..charts.curator_charts import counts_chart
from ..charts.own_page_charts import figures_html
from ..own_pages.curator_requests import CuratorRequest, form_routes
from ..own_pages.html_fields import FieldWords, choice_field, hidden
from ..own_pages.shell import own_page
from ..own_pages.written_text import text_html, text_style
from ..people_pages.campaign_choice import campaign_menu, menu_form, no_such_campaign, wanted_campaign
from ..routes.tasks import picture_url
from ..wording.curator_texts import TEXTS, words_for
from ..wording.texts import TEXTS as APP_TEXTS

_EXAMPLES = 6
_NOTE_LENGTH = 200
"""Number of characters of a note to show."""


def reason_routes(state: AppState) -> list[Route]:
    """Return the route for the page; the session middleware has already identified the account."""
    return form_routes(state, REASONS, _ReasonsPage(state).show, {})


class _ReasonsPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest) -> Response:
        """Show how often annotators gave each reason in a campaign, with examples for one reason."""
        names = self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(REASONS, APP_TEXTS["reasons"], names, wanted)
        counts = self._counts(wanted)
        body = campaign_menu(REASONS, names, wanted)
        if counts:
            chart = counts_chart("reasons", TEXTS["reasons"], [(_name(count), count.times) for count in counts])
            body += f"<p>{escape(TEXTS['reasons_why'])}</p>{figures_html([chart])}"
            body += self._examples(wanted, counts, asked.query.get("of", ""))
        else:
            body += f"<p>{escape(TEXTS['no_reasons'])}</p>"
        return own_page(APP_TEXTS["reasons"], text_style() + body, here=REASONS, campaign=wanted)

    def _counts(self, campaign: str) -> Sequence[ReasonCount]:
        store = self._state.store
        overview = Overview(store, store.campaign(campaign))
        return cached((store.where, *overview.stamp(), "reasons"), lambda: overview.reasons(examples=_EXAMPLES))

    def _examples(self, campaign: str, counts: Sequence[ReasonCount], of: str) -> str:
        """Return the menu of reasons, the examples for one of them, and the link to all items with that reason."""
        by_code = {_code(count): count for count in counts}
        picked = by_code.get(of, counts[0])
        reasons = {code: f"{_name(count)} ({count.times})" for code, count in by_code.items()}
        field = choice_field("of", _code(picked), FieldWords(TEXTS["reasons"]), reasons)
        menu = menu_form(REASONS, hidden("campaign", campaign) + field, button="show-examples")
        listed = "".join(map(self._example, picked.examples))
        query = urlencode({"campaign": campaign, "reason": picked.reason})
        items = escape(f"/items?{query}", quote=True)
        return (
            f'<h2>{escape(TEXTS["examples"])}</h2>{menu}<ul class="bw-thumb">{listed}</ul>'
            f'<div class="buttons"><a class="button quiet" href="{items}">{escape(TEXTS["see_items"])}</a></div>'
        )

    def _example(self, example: DecisionExample) -> str:
        short = escaped(self._state.pictures.called(example.item_id, digits=8))
        alt, item = (escape(TEXTS[name].format(item=short), quote=True) for name in ("picture", "item"))
        page = escape(item_address(example.item_id), quote=True)
        picture = escape(picture_url(example.task_id, 0), quote=True)
        note = text_html(example.note[:_NOTE_LENGTH]) if example.note else ""
        return (
            f'<li><a href="{page}"><img src="{picture}" alt="{alt}" loading="lazy"><span>{item}</span></a>{note}</li>'
        )


def _name(count: ReasonCount) -> str:
    return f"{words_for(count.reason)} · {words_for(count.decision)}"


def _code(count: ReasonCount) -> str:
    return f"{count.decision} {count.reason}"
