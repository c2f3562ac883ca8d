"""The curator's page of agreement: statistics with intervals, for parts of the tasks, and without each annotator."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ...agreement.coefficients import LEAST_COMPARED, STATISTICS, Agreement, without_each
from ...progress.label_fields import LabelField, aspects_of
from ...progress.overview import SPLITS, CriterionVotes, Overview, Split
from ..base.cache import cached
from ..base.curator_texts import TEXTS
from ..base.request import PageRequest
from ..charts.bars import parts_plot
from ..charts.chart_style import STYLE
from ..charts.intervals import Dot, intervals_plot, narrow_scale

NAMES = {
    "percent": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}
MOST_ROWS = 60
"""Most rows of one plot; the parts with the most tasks are kept."""


class FieldAgreement(NamedTuple):
    """Agreement on one field, by split and part, and without each annotator."""

    by: dict[Split, list[tuple[str, Agreement]]]
    without: dict[str, Agreement]


def show_agreement(request: PageRequest) -> None:
    """Show how far the annotators of a campaign agree."""
    overview = Overview(request.state.store, request.campaign)
    field, statistic = _pick(overview)
    key = (request.state.store.where, *overview.stamp(), "agreement", field.aspect.name, field.metric)
    with st.spinner(TEXTS["reckoning"]):
        agreement = cached(key, lambda: field_agreement(overview, field))
    st.html(STYLE)
    if not agreement.by["all"]:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["agreement_why"].format(least=LEAST_COMPARED))
    if closed_early := cached((*key[:-2], "closed_early"), overview.closed_early):
        st.caption(TEXTS["closed_early"].format(tasks=closed_early))
    [(_, whole)] = agreement.by["all"]
    st.html(intervals_plot(f"{TEXTS['all']}: {_size(whole)}", [_dot(NAMES[name], whole, name) for name in STATISTICS]))
    _show_criteria(cached((*key[:-2], "criteria"), overview.criteria), statistic)
    for split, groups in agreement.by.items():
        if len(groups) > 1:
            st.subheader(TEXTS[split])
            st.html(intervals_plot(NAMES[statistic], _dots(_named(groups, split), statistic)))
    if len(agreement.without) > 2:
        _show_without(agreement.without, whole, statistic)
    st.caption(TEXTS["why_undefined"])


def _show_criteria(criteria: list[CriterionVotes], statistic: str) -> None:
    """Show how reviewers vote on each criterion; nothing where the campaign has no criteria."""
    if not criteria:
        return
    st.subheader(TEXTS["votes"])
    st.caption(TEXTS["votes_why"])
    rows = [(votes.words, {"yes": votes.yes, "no": votes.votes - votes.yes}) for votes in criteria]
    st.html(parts_plot(TEXTS["criteria"], rows))
    dots = [_dot(votes.words, votes.found, statistic, beside=_compared(votes.found)) for votes in criteria]
    st.html(intervals_plot(NAMES[statistic], dots))


def _named(groups: list[tuple[str, Agreement]], split: Split) -> list[tuple[str, Agreement]]:
    if split != "round":
        return groups
    return [(TEXTS["nth_round"].format(round=name), agreement) for name, agreement in groups]


def _show_without(without: dict[str, Agreement], whole: Agreement, statistic: str) -> None:
    """Show how far the others agree without each annotator; the dashed line marks the agreement of all.

    The scale is narrowed so that small differences can be seen.
    """
    st.subheader(TEXTS["without"])
    st.caption(TEXTS["without_why"])
    middle: float | None = getattr(whole, statistic)
    values: dict[str, float | None] = {name: getattr(rest, statistic) for name, rest in without.items()}
    ranked = sorted(values.items(), key=lambda entry: (2.0 if entry[1] is None else -entry[1], entry[0]))[:MOST_ROWS]
    dots = [Dot(name, value, None, _beside(_change(value, middle), without[name])) for name, value in ranked]
    scale = narrow_scale(list(values.values()), middle)
    st.html(intervals_plot(NAMES[statistic], dots, scale=scale, mark=-2.0 if middle is None else middle))


def _beside(change: str, rest: Agreement) -> str:
    return ", ".join(filter(None, [change, _compared(rest)]))


def _change(value: float | None, middle: float | None) -> str:
    return "" if value is None or middle is None else f"{value - middle:+.3f}"


def field_agreement(overview: Overview, field: LabelField) -> FieldAgreement:
    """Compute all that the page shows of one field, reading its decisions once."""
    labels = overview.said(field)
    by = {
        split: [(group.name, group.found) for group in overview.agreement_by(split, labels, metric=field.metric)]
        for split in SPLITS
    }
    return FieldAgreement(by, without_each(labels.ratings, metric=field.metric))


def _pick(overview: Overview) -> tuple[LabelField, str]:
    """Show the menus; return the field to compare and the statistic that the plots show."""
    field_place, statistic_place, order_place = st.columns([2, 2, 2], vertical_alignment="bottom")
    by_words = {field.words: field for field in aspects_of(overview.campaign)}
    field = by_words[field_place.selectbox(TEXTS["what"], list(by_words))]
    statistic = statistic_place.selectbox(
        TEXTS["shown"],
        list(STATISTICS),
        index=list(STATISTICS).index("krippendorff_alpha"),
        format_func=NAMES.__getitem__,
    )
    has_order = field.aspect.source == "field" and bool(field.aspect.categories)
    if has_order and order_place.toggle(TEXTS["in_order"]):
        field = field._replace(metric="ordinal")
    return field, statistic


def _dots(groups: list[tuple[str, Agreement]], statistic: str) -> list[Dot]:
    kept = groups
    if len(groups) > MOST_ROWS:
        largest = {name for name, _ in sorted(groups, key=lambda group: -group[1].compared)[:MOST_ROWS]}
        kept = [group for group in groups if group[0] in largest]
    return [_dot(name or TEXTS["none"], agreement, statistic, beside=_compared(agreement)) for name, agreement in kept]


def _dot(name: str, agreement: Agreement, statistic: str, *, beside: str = "") -> Dot:
    return Dot(name, getattr(agreement, statistic), agreement.ci.get(statistic), beside)


def _size(agreement: Agreement) -> str:
    return f"{_compared(agreement)}, {agreement.raters} {TEXTS['raters']}"


def _compared(agreement: Agreement) -> str:
    return TEXTS["compared"].format(compared=agreement.compared, units=agreement.units)
