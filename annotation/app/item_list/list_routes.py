"""Routes of the list of items: its hits while a curator searches, saved views, and acts on many items at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError
from benchwright.texts.hidden_characters import escaped

from ...items.item_search import Hits, ItemQuery, measures, options, search
from ...jobs.commands import LikenessJob
from ...store.accounts.saved_views import remove_view, save_view, views_of
from ..auth.known_pages import ITEMS
from ..base.cache import cached
from ..base.state import AppState, clock
from ..curator_acts.act_forms import ActForms, FormPage, SentForm
from ..curator_acts.act_requests import ActRequests, ChosenRecords
from ..own_pages.curator_requests import CuratorRequest, curators_only, form_routes, script_endpoint
from ..own_pages.live_form import effect_reply, live_part
from ..own_pages.once_shown import ChangeReport, ChangeReports
from ..own_pages.shell import own_page
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of
from .index_refresh import IndexRefresh, being_read
from .likeness_views import MOST_PICTURE_BYTES, PICTURE, compared_by, compared_picture, picture_field
from .list_form import ACTIVE, ListChoices, form_parts, list_form
from .list_query import SentList, list_address, query_in
from .list_results import COMPARED, FOUND, RESULTS, count_line, results_html
from .view_shelf import SAVE, save_form, view_shelf

_ASSETS = '<link rel="stylesheet" href="/own-pages/list.css"><script src="/own-pages/list.js" defer></script>'


def item_list_routes(state: AppState) -> list[Route]:
    """Return the routes of the list; the session middleware has identified the account."""
    page = _ListPage(state)
    return [
        *form_routes(state, ITEMS, page.show, {act: partial(page.change, act) for act in page.changes}),
        Route(f"{ITEMS}/effect", curators_only(state, page.effect)),
        Route(PICTURE, script_endpoint(compared_picture, MOST_PICTURE_BYTES, too_large="send_large"), methods=["PUT"]),
    ]


class _ListPage:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._requests = ActRequests(state)
        self._reports = ChangeReports()
        self._refresh = IndexRefresh(state.items)
        self.changes: dict[str, Callable[[CuratorRequest, SentList], SentForm | None]] = {
            **{name: partial(self._act, name) for name in self._requests.names},
            "save-view": self._save_view,
            "remove-view": self._remove_view,
            "vectors": self._make_vectors,
        }

    def show(self, asked: CuratorRequest) -> Response:
        """Show the list that the address names."""
        return self._page(asked, SentList(query_in(asked.query)))

    def effect(self, asked: CuratorRequest) -> Response:
        """Answer with the hits of the query in the form."""
        query = query_in(asked.query)
        try:
            choices = self._choices()
            if choices is None:  # the page itself waits
                return PlainTextResponse(TEXTS["reading"] + "\n", 409)
            parts = self._parts(asked, SentList(query), choices, self._hits(query), SentForm())
        except BenchwrightError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 409)
        return effect_reply(list_address(query), parts)

    def change(self, act: str, asked: CuratorRequest) -> Response:
        """Make a change, and show the list again; if the change is refused, show the reason and the curator's input."""
        sent = SentList.of(asked.fields)
        try:
            again = self.changes[act](asked, sent)
        except BenchwrightError as error:
            again = SentForm(act, problem=message_of(error), status=422)
        return RedirectResponse(list_address(sent.query), 303) if again is None else self._page(asked, sent, again)

    def _act(self, name: str, asked: CuratorRequest, sent: SentList) -> SentForm | None:
        return self._requests.answer(name, asked, ChosenRecords("", sent.ids(self._state.items)))

    def _page(self, asked: CuratorRequest, sent: SentList, again: SentForm | None = None) -> Response:
        title, query = TEXTS["items_title"], sent.query
        try:
            choices = self._choices()
            hits = self._hits(query) if choices is not None and choices.total else None
        except BenchwrightError as error:
            problem = TEXTS["index_failed"].format(why=message_of(error))
            return own_page(title, "", here=ITEMS, problem=problem, status=409)
        if choices is None:
            return being_read(title)
        if hits is None:
            return own_page(title, f"<p>{escape(TEXTS['nothing_made'])}</p>", here=ITEMS)
        planned = self._requests.show_plan(asked, "") if again is None else None
        if planned is not None and SentList.of(planned[0].fields).query == query:
            (asked, again), sent = planned, SentList.of(planned[0].fields)
        last = self._requests.show_last(asked, "") if again is None else None
        again = again or SentForm()
        page = FormPage(ITEMS, query.to_params(), carried=("list", "chosen", "every"), style="")
        forms = ActForms(asked, page, again)
        parts = self._parts(asked, sent, choices, hits, again)
        with self._state.store.reading() as connection:
            views = views_of(connection, asked.account.name)
        shelf = view_shelf(views, parts, asked, is_open=again.name == "save-view")
        body = (
            f'{_ASSETS}<div class="items">{forms.report(last)}{list_form(query, choices)}'
            f'<div class="beside-form">{shelf}{picture_field(self._state)}</div>{live_part(ACTIVE, parts)}'
            f"{live_part(FOUND, parts, is_read_out=True)}{live_part(COMPARED, parts)}"
            f"{live_part(RESULTS, parts)}{self._act_forms(forms, sent)}</div>"
        )
        notice = self._reports.show(asked.account.name, "", now=clock()).words
        return own_page(title, body, here=ITEMS, problem=again.problem_above, notice=notice, status=again.status)

    def _choices(self) -> ListChoices | None:
        """Update the index, and return the values by which the list can be filtered, or None if that takes long."""
        generation = self._refresh.generation()
        if generation is None:
            return None

        def read() -> ListChoices:
            return self._state.items.reading(lambda index: ListChoices(options(index), measures(index)))

        return cached((self._state.store.where, "items-choices", generation), read)

    def _hits(self, query: ItemQuery) -> Hits:
        return self._state.items.reading(lambda index: search(index, query))

    def _parts(
        self, asked: CuratorRequest, sent: SentList, choices: ListChoices, hits: Hits, again: SentForm
    ) -> dict[str, str]:
        """Return the parts of the page that follow from the query, by id."""
        query = sent.query
        problem = again.problem if again.name == "save-view" else ""
        return {
            **form_parts(query, choices),
            SAVE: save_form(query, asked, problem=problem),
            FOUND: count_line(query, hits, choices.total),
            COMPARED: compared_by(self._state, query, hits, asked),
            RESULTS: results_html(query, hits, selected=sent.chosen, is_every=sent.is_every),
        }

    def _act_forms(self, forms: ActForms, sent: SentList) -> str:
        """Return the forms for acts, which show once something is selected."""
        is_hidden = "" if sent.chosen or sent.is_every else " hidden"
        return (
            f'<section id="items-acts" class="card"{is_hidden}><h2 class="count"></h2>{forms.acts(TEXTS["act_on"])}'
            f"<hr>{forms.assignment(self._requests.people())}<hr>{forms.reopening()}</section>"
        )

    def _save_view(self, asked: CuratorRequest, sent: SentList) -> None:
        name, curator = asked.fields.get("view_name", ""), asked.account.name
        with self._state.store.writing() as connection:
            save_view(connection, curator, name, sent.query.to_params(), now=clock())
        words = VIEW_TEXTS["view_saved"].format(name=escaped(" ".join(name.split())))
        self._reports.put(curator, "", ChangeReport(words), now=clock())

    def _remove_view(self, asked: CuratorRequest, _sent: SentList) -> None:
        with self._state.store.writing() as connection:
            remove_view(connection, asked.account.name, asked.fields.get("view", ""))

    def _make_vectors(self, asked: CuratorRequest, _sent: SentList) -> None:
        self._state.jobs.start(LikenessJob(), by=asked.account.name)
