"""Route of the agreement page: statistics with intervals, by part of the tasks, and without each annotator."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from starlette.responses import Response
from starlette.routing import Route

from ...agreement.coefficients import LEAST_COMPARED, STATISTICS
from ...progress.field_agreement import FieldAgreement, field_agreement
from ...progress.label_fields import LabelField, label_fields_of
from ...progress.overview import Overview
from ...store.database.records import Campaign
from ..auth.known_pages import AGREEMENT
from ..base.cache import cached
from ..base.mark_cache import mark_figures_of
from ..base.own_texts import CODES_IN_WORDS, form_text
from ..base.state import AppState
from ..own_pages.curator_requests import CuratorRequest, form_routes
from ..own_pages.html_fields import FieldWords, check_field, choice_field, hidden, shown_when
from ..own_pages.shell import own_page
from ..people_pages.campaign_choice import campaign_menu, menu_form, no_such_campaign, wanted_campaign
from ..wording.curator_texts import TEXTS
from ..wording.texts import TEXTS as APP_TEXTS
from ..wording.texts import words_of_code
from .agreement_views import criteria_section, region_section, split_section, whole_figures, without_section

_USUAL = "krippendorff_alpha"


class _Compared(NamedTuple):
    """The comparison that the page's address specifies.

    Attributes:
        field: The compared part of the decisions.
        statistic: Statistic of the charts.
        is_ordinal: Whether the curator states that the field's options have an order.
    """

    field: LabelField
    statistic: str
    is_ordinal: bool


def agreement_routes(state: AppState) -> list[Route]:
    """Return the route for the page; the session middleware has already identified the account."""
    return form_routes(state, AGREEMENT, _AgreementPage(state).show, {})


class _AgreementPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest) -> Response:
        """Show the agreement among a campaign's annotators."""
        names = self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(AGREEMENT, APP_TEXTS["agreement"], names, wanted)
        campaign = self._state.store.campaign(wanted)
        fields = {field.labels.name: field for field in label_fields_of(campaign)}
        body = campaign_menu(AGREEMENT, names, wanted)
        if campaign.is_simulated:
            body += f"<p>{escape(TEXTS['simulated_figures'])}</p>"
        if fields:
            compared = _compared(fields, asked.query)
            body += _menu(wanted, fields, compared) + self._sections(campaign, compared)
        else:
            body += f"<p>{escape(TEXTS['nothing_said'])}</p>"
        return own_page(APP_TEXTS["agreement"], body, here=AGREEMENT, campaign=wanted)

    def _sections(self, campaign: Campaign, compared: _Compared) -> str:
        overview, field, statistic = Overview(self._state.store, campaign), compared.field, compared.statistic
        stamp = (self._state.store.where, *overview.stamp())
        key = (*stamp, "agreement", field.labels.name, field.metric)
        agreement: FieldAgreement = cached(key, lambda: field_agreement(overview, field))
        if not agreement.by["all"]:
            return f"<p>{escape(TEXTS['nothing_said'])}</p>"
        [(_, whole)] = agreement.by["all"]
        closed_early = cached((*stamp, "closed_early"), overview.closed_early)
        figures = mark_figures_of(self._state, campaign, overview)
        told = [TEXTS["agreement_why"].format(least=LEAST_COMPARED)]
        told += [TEXTS["closed_early"].format(tasks=closed_early)] if closed_early else []
        return "".join([
            *(f"<p>{escape(words)}</p>" for words in told),
            whole_figures(whole),
            "" if figures is None else region_section(figures),
            criteria_section(cached((*stamp, "criteria"), overview.criteria), statistic),
            *(split_section(split, groups, statistic) for split, groups in agreement.by.items() if len(groups) > 1),
            without_section(agreement.without, whole, statistic),
            f"<p>{escape(TEXTS['why_undefined'])}</p>",
        ])  # fmt: skip


def _compared(fields: dict[str, LabelField], query: dict[str, str]) -> _Compared:
    """Return the comparison that an address specifies, with defaults for missing and unknown values."""
    field = fields.get(query.get("what", ""), next(iter(fields.values())))
    statistic = query.get("statistic", "")
    is_ordinal = query.get("in_order") == "yes" and _may_have_order(field)
    if is_ordinal:
        field = field._replace(metric="ordinal")
    return _Compared(field, statistic if statistic in STATISTICS else _USUAL, is_ordinal)


def _may_have_order(field: LabelField) -> bool:
    return field.labels.source == "field" and bool(field.labels.categories)


def _menu(campaign: str, fields: dict[str, LabelField], compared: _Compared) -> str:
    """Return the menus for the compared field and for the statistic in the charts."""
    named = {name: _field_words(field) for name, field in fields.items()}
    statistics = {name: TEXTS[f"statistic_{name}"] for name in STATISTICS}
    menus = choice_field("what", compared.field.labels.name, FieldWords(TEXTS["what"]), named)
    menus += choice_field("statistic", compared.statistic, FieldWords(TEXTS["shown"]), statistics)
    if ordered := [name for name, field in fields.items() if _may_have_order(field)]:
        box = check_field("in_order", "yes" if compared.is_ordinal else "no", FieldWords(TEXTS["in_order"]))
        menus += shown_when("what", ordered, box)
    return menu_form(AGREEMENT, hidden("campaign", campaign) + menus, button="show-compared")


def _field_words(field: LabelField) -> str:
    """Return the name of a compared field: a form's label in the chosen language, or a code's name."""
    return words_of_code(field.words) if field.words in CODES_IN_WORDS else form_text(field.words)
