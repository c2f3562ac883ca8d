"""The curator's page of agreement: statistics with intervals, by parts of the tasks, and without each annotator."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ...agreement.coefficients import LEAST_COMPARED, STATISTICS, Agreement, without_each
from ...progress.label_fields import LabelField, label_fields_of
from ...progress.overview import SPLITS, CriterionVotes, Overview, Split
from ..base.cache import once
from ..base.curator_texts import TEXTS
from ..base.request import PageRequest
from ..charts.bars import parts_plot
from ..charts.chart_style import STYLE
from ..charts.intervals import Dot, intervals_plot, near

NAMES = {
    "percent": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}
MOST_ROWS = 60
"""Of one plot; those with the most tasks."""


class FieldAgreement(NamedTuple):
    """Agreement on one aspect, by split and part, and without each annotator."""

    by: dict[Split, list[tuple[str, Agreement]]]
    without: dict[str, Agreement]


def show(visit: PageRequest) -> None:
    """Show how far annotators of a campaign agree."""
    overview = Overview(visit.site.store, visit.campaign)
    asked, shown = _picked(overview)
    key = (visit.site.store.where, *overview.stamp(), "agreement", asked.labels.name, asked.metric)
    with st.spinner(TEXTS["reckoning"]):
        found = once(key, lambda: find(overview, asked))
    st.html(STYLE)
    if not found.by["all"]:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["agreement_why"].format(least=LEAST_COMPARED))
    if closed_early := once((*key[:-2], "closed_early"), overview.closed_early):
        st.caption(TEXTS["closed_early"].format(tasks=closed_early))
    [(_, whole)] = found.by["all"]
    st.html(intervals_plot(f"{TEXTS['all']}: {_size(whole)}", [_dot(NAMES[one], whole, one) for one in STATISTICS]))
    _show_criteria(once((*key[:-2], "criteria"), overview.criteria), shown)
    for split, groups in found.by.items():
        if len(groups) > 1:
            st.subheader(TEXTS[split])
            st.html(intervals_plot(NAMES[shown], _dots(_named(groups, split), shown)))
    if len(found.without) > 2:
        _show_without(found.without, whole, shown)
    st.caption(TEXTS["why_undefined"])


def _show_criteria(criteria: list[CriterionVotes], shown: str) -> None:
    """Show how reviewers vote on each criterion; nothing where they do not."""
    if not criteria:
        return
    st.subheader(TEXTS["votes"])
    st.caption(TEXTS["votes_why"])
    st.html(
        parts_plot(TEXTS["criteria"], [(one.words, {"yes": one.yes, "no": one.votes - one.yes}) for one in criteria])
    )
    dots = [_dot(one.words, one.agreement, shown, beside=_compared(one.agreement)) for one in criteria]
    st.html(intervals_plot(NAMES[shown], dots))


def _named(groups: list[tuple[str, Agreement]], split: Split) -> list[tuple[str, Agreement]]:
    if split != "round":
        return groups
    return [(TEXTS["nth_round"].format(round=name), found) for name, found in groups]


def _show_without(without: dict[str, Agreement], whole: Agreement, shown: str) -> None:
    """Show how far the others agree, on a scale on which that differs; the dashed line is where all are."""
    st.subheader(TEXTS["without"])
    st.caption(TEXTS["without_why"])
    middle: float | None = getattr(whole, shown)
    values: dict[str, float | None] = {name: getattr(one, shown) for name, one in without.items()}
    ranked = sorted(values.items(), key=lambda one: (2.0 if one[1] is None else -one[1], one[0]))[:MOST_ROWS]
    dots = [Dot(name, value, None, _beside(_change(value, middle), without[name])) for name, value in ranked]
    scale = near(list(values.values()), middle)
    st.html(intervals_plot(NAMES[shown], dots, scale=scale, mark=-2.0 if middle is None else middle))


def _beside(change: str, others: Agreement) -> str:
    return ", ".join(filter(None, [change, _compared(others)]))


def _change(value: float | None, middle: float | None) -> str:
    return "" if value is None or middle is None else f"{value - middle:+.3f}"


def find(overview: Overview, asked: LabelField) -> FieldAgreement:
    """Reckon all that the page shows of one aspect, from one reading of it."""
    said = overview.label_columns(asked)
    by = {
        split: [(group.name, group.agreement) for group in overview.agreement_by(split, said, metric=asked.metric)]
        for split in SPLITS
    }
    return FieldAgreement(by, without_each(said.ratings, metric=asked.metric))


def _picked(overview: Overview) -> tuple[LabelField, str]:
    """Return what is compared, and which statistic the plots show."""
    known = label_fields_of(overview.campaign)
    what, which, order = st.columns([2, 2, 2], vertical_alignment="bottom")
    names = {one.words: one for one in known}
    asked = names[what.selectbox(TEXTS["what"], list(names))]
    shown = which.selectbox(
        TEXTS["shown"],
        list(STATISTICS),
        index=list(STATISTICS).index("krippendorff_alpha"),
        format_func=NAMES.__getitem__,
    )
    has_order = asked.labels.source == "field" and bool(asked.labels.categories)
    if has_order and order.toggle(TEXTS["in_order"]):
        asked = asked._replace(metric="ordinal")
    return asked, shown


def _dots(groups: list[tuple[str, Agreement]], shown: str) -> list[Dot]:
    kept = groups
    if len(groups) > MOST_ROWS:
        largest = {name for name, _ in sorted(groups, key=lambda group: -group[1].compared)[:MOST_ROWS]}
        kept = [group for group in groups if group[0] in largest]
    return [_dot(name or TEXTS["none"], found, shown, beside=_compared(found)) for name, found in kept]


def _dot(name: str, found: Agreement, statistic: str, *, beside: str = "") -> Dot:
    return Dot(name, getattr(found, statistic), found.ci.get(statistic), beside)


def _size(found: Agreement) -> str:
    return f"{_compared(found)}, {found.raters} {TEXTS['raters']}"


def _compared(found: Agreement) -> str:
    return TEXTS["compared"].format(compared=found.compared, units=found.units)
