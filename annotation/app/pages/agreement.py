"""The curator's page of agreement: statistics with intervals, by part of the tasks, and without each annotator."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from ...agreement.coefficients import LEAST_COMPARED, STATISTICS, Agreement, without_each
from ...progress.label_fields import LabelField, label_fields_of
from ...progress.overview import SHOWN_SPLITS, CriterionVotes, Overview, Split
from ..base.cache import cached
from ..base.mark_cache import mark_figures_of
from ..base.own_texts import CODES_IN_WORDS, form_text
from ..base.request import PageRequest
from ..charts.curator_charts import NamedValue, intervals_chart, narrow_scale, parts_chart
from ..charts.showing import show_chart
from ..wording.curator_texts import TEXTS
from ..wording.texts import words_of_code
from .marked_regions import show_region_agreement

_MOST_ROWS = 60
"""Maximum number of rows in a chart, which shows the parts with the most tasks."""


class FieldAgreement(NamedTuple):
    """Agreement on one field, by split and part, and without each annotator."""

    by: dict[Split, list[tuple[str, Agreement]]]
    without: dict[str, Agreement]


def _statistic_words(name: str) -> str:
    """Return the displayed name of a statistic."""
    return TEXTS[f"statistic_{name}"]


def show_agreement(request: PageRequest) -> None:
    """Show the agreement of a campaign's annotators."""
    overview = Overview(request.state.store, request.campaign)
    field, statistic = _pick(overview)
    key = (request.state.store.where, *overview.stamp(), "agreement", field.labels.name, field.metric)
    with st.spinner(TEXTS["reckoning"]):
        agreement = cached(key, lambda: field_agreement(overview, field))
    if request.campaign.is_simulated:
        st.info(TEXTS["simulated_figures"])
    if not agreement.by["all"]:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["agreement_why"].format(least=LEAST_COMPARED))
    if closed_early := cached((*key[:-2], "closed_early"), overview.closed_early):
        st.caption(TEXTS["closed_early"].format(tasks=closed_early))
    [(_, whole)] = agreement.by["all"]
    values = [_value(_statistic_words(name), whole, name) for name in STATISTICS]
    show_chart(intervals_chart("all", f"{TEXTS['all']}: {_size(whole)}", values))
    if (figures := mark_figures_of(request.state, request.campaign, overview)) is not None:
        show_region_agreement(figures)
    _show_criteria(cached((*key[:-2], "criteria"), overview.criteria), statistic)
    for split, groups in agreement.by.items():
        if len(groups) > 1:
            st.subheader(TEXTS[split])
            show_chart(
                intervals_chart(f"by-{split}", _statistic_words(statistic), _values(_named(groups, split), statistic))
            )
    if len(agreement.without) > 2:
        _show_without(agreement.without, whole, statistic)
    st.caption(TEXTS["why_undefined"])


def _show_criteria(criteria: list[CriterionVotes], statistic: str) -> None:
    """Show the reviewers' votes on each criterion, or nothing if the campaign has no criteria."""
    if not criteria:
        return
    st.subheader(TEXTS["votes"])
    st.caption(TEXTS["votes_why"])
    rows = [(form_text(votes.words), {"yes": votes.yes, "no": votes.votes - votes.yes}) for votes in criteria]
    show_chart(parts_chart("votes", TEXTS["criteria"], rows))
    values = [
        _value(form_text(votes.words), votes.agreement, statistic, beside=_compared(votes.agreement))
        for votes in criteria
    ]
    show_chart(intervals_chart("criteria", _statistic_words(statistic), values))


def _named(groups: list[tuple[str, Agreement]], split: Split) -> list[tuple[str, Agreement]]:
    if split == "guidelines":
        return [
            (TEXTS["guidelines_versions_of"].format(versions=name), agreement) for name, agreement in groups if name
        ]
    if split != "round":
        return groups
    return [(TEXTS["nth_round"].format(round=name), agreement) for name, agreement in groups]


def _show_without(without: dict[str, Agreement], whole: Agreement, statistic: str) -> None:
    """Show the agreement of the others without each annotator; the dashed line marks the agreement of all.

    The scale is narrowed to make small differences visible.
    """
    st.subheader(TEXTS["without"])
    st.caption(TEXTS["without_why"])
    middle: float | None = getattr(whole, statistic)
    values: dict[str, float | None] = {name: getattr(rest, statistic) for name, rest in without.items()}
    ranked = sorted(values.items(), key=lambda entry: (2.0 if entry[1] is None else -entry[1], entry[0]))[:_MOST_ROWS]
    rows = [NamedValue(name, value, None, _beside(_change(value, middle), without[name])) for name, value in ranked]
    scale = narrow_scale(list(values.values()), middle)
    mark = -2.0 if middle is None else middle
    show_chart(intervals_chart("without", _statistic_words(statistic), rows, scale=scale, mark=mark))


def _beside(change: str, rest: Agreement) -> str:
    return ", ".join(filter(None, [change, _compared(rest)]))


def _change(value: float | None, middle: float | None) -> str:
    return "" if value is None or middle is None else f"{value - middle:+.3f}"


def field_agreement(overview: Overview, field: LabelField) -> FieldAgreement:
    """Compute all figures of the page for one field, reading its decisions once."""
    labels = overview.label_columns(field)
    by = {
        split: [(group.name, group.agreement) for group in overview.agreement_by(split, labels, metric=field.metric)]
        for split in SHOWN_SPLITS
    }
    return FieldAgreement(by, without_each(labels.ratings, metric=field.metric))


def _pick(overview: Overview) -> tuple[LabelField, str]:
    """Show the menus, and return the field to compare and the statistic for the charts."""
    field_place, statistic_place, order_place = st.columns([2, 2, 2], vertical_alignment="bottom")
    by_words = {_field_words(field): field for field in label_fields_of(overview.campaign)}
    field = by_words[field_place.selectbox(TEXTS["what"], list(by_words))]
    statistic = statistic_place.selectbox(
        TEXTS["shown"],
        list(STATISTICS),
        index=list(STATISTICS).index("krippendorff_alpha"),
        format_func=_statistic_words,
    )
    has_order = field.labels.source == "field" and bool(field.labels.categories)
    if has_order and order_place.toggle(TEXTS["in_order"]):
        field = field._replace(metric="ordinal")
    return field, statistic


def _field_words(field: LabelField) -> str:
    """Return the name of a compared field: a form's label in the chosen language, or a code's name."""
    return words_of_code(field.words) if field.words in CODES_IN_WORDS else form_text(field.words)


def _values(groups: list[tuple[str, Agreement]], statistic: str) -> list[NamedValue]:
    kept = groups
    if len(groups) > _MOST_ROWS:
        largest = {name for name, _ in sorted(groups, key=lambda group: -group[1].compared)[:_MOST_ROWS]}
        kept = [group for group in groups if group[0] in largest]
    return [
        _value(name or TEXTS["none"], agreement, statistic, beside=_compared(agreement)) for name, agreement in kept
    ]


def _value(name: str, agreement: Agreement, statistic: str, *, beside: str = "") -> NamedValue:
    return NamedValue(name, getattr(agreement, statistic), agreement.ci.get(statistic), beside)


def _size(agreement: Agreement) -> str:
    return f"{_compared(agreement)}, {agreement.raters} {TEXTS['raters']}"


def _compared(agreement: Agreement) -> str:
    return TEXTS["compared"].format(compared=agreement.compared, units=agreement.units)
