"""The curator's page of annotators: accuracy on gold, agreement with the others, likely errors, and pace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ...agreement.annotator_quality import LEAST_SHARED, RaterQuality, RightOf
from ...agreement.care import Care
from ...progress.label_fields import label_fields_of
from ...progress.overview import Overview
from ..base.cache import cached
from ..base.request import PageRequest
from ..base.tables import show_rows
from ..charts.curator_charts import NamedValue, confusion_chart, intervals_chart
from ..charts.showing import show_chart
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from .marked_regions import figures_of, show_marks_by_annotator
from .messages import show_messages_link
from .qualification import show_qualification
from .set_asides import share_in_words, show_doubts, show_set_asides


def show_annotators(request: PageRequest, *, items: st.Page) -> None:
    """Show the quality of each annotator from a campaign's decisions, and link to the items that each decided."""
    overview = Overview(request.state.store, request.campaign)
    key = (request.state.store.where, *overview.stamp(), "qualities")
    field = label_fields_of(request.campaign)[0]
    with st.spinner(TEXTS["reckoning"]):
        qualities = cached(key, lambda: overview.qualities(overview.label_columns(field)))
    if request.campaign.is_simulated:
        st.info(TEXTS["simulated_figures"])
    show_qualification(request)
    _show_acts(request, overview, qualities)
    if not qualities:
        st.info(TEXTS["nothing_said"])
        return
    st.caption(TEXTS["annotators_why"])
    show_doubts(qualities)
    has_gold = any(quality.on_gold[1] for quality in qualities)
    checks = overview.attention()
    is_timed = any(quality.too_fast[1] for quality in qualities)
    rows = [_row(quality, has_gold=has_gold, is_timed=is_timed) for quality in qualities]
    if not request.campaign.is_simulated:
        careful = {care.rater: care for care in cached((*key, "care"), overview.cares)}
        for row, quality in zip(rows, qualities, strict=True):
            row[TEXTS["care"]] = _care(careful.get(quality.rater))
    if checks:
        for row, quality in zip(rows, qualities, strict=True):
            check = checks.get(quality.rater, RightOf(0, 0))
            row[TEXTS["attention"]] = share_in_words(*check.shared)
    show_rows(rows, label=TEXTS["annotators"])
    if not request.campaign.is_simulated:
        st.caption(TEXTS["care_why"])
    if checks:
        st.caption(TEXTS["attention_why"])
    if is_timed:
        st.caption(TEXTS["too_fast_why"])
    if (figures := figures_of(request, overview)) is not None:
        show_marks_by_annotator(figures, request.state.pictures)
    st.subheader(TEXTS["with_others"])
    ranked = sorted(qualities, key=_rank)
    show_chart(intervals_chart("with-others", TEXTS["with_others_why"], [_value(quality) for quality in ranked]))
    st.subheader(TEXTS["confusion"])
    names = [quality.rater for quality in ranked]
    picked = ranked[names.index(st.selectbox(TEXTS["name"], names))]
    query = {"campaign": request.campaign.name, "annotator": picked.rater}
    st.page_link(items, label=TEXTS["see_items"], query_params=query)
    if picked.estimated_accuracy is None:
        st.caption(TEXTS["no_confusion"].format(name=inert(picked.rater), n=picked.shared, least=LEAST_SHARED))
    else:
        why = TEXTS["confusion_why"].format(name=picked.rater, n=picked.shared)
        show_chart(confusion_chart("confusion", why, picked.confusion))


def _show_acts(request: PageRequest, overview: Overview, qualities: Sequence[RaterQuality]) -> None:
    """Let a curator set votes aside, and link to messages."""
    show_set_asides(request, overview, [quality.rater for quality in qualities])
    if not request.campaign.is_simulated:
        show_messages_link(request.campaign.name)


def _rank(quality: RaterQuality) -> tuple[float, str]:
    """Return a sort key by agreement with the others: lowest first, annotators without a value last."""
    share = quality.with_others[0]
    return (share if share is not None else 2, quality.rater)


def _value(quality: RaterQuality) -> NamedValue:
    share, units = quality.with_others
    haste = [TEXTS["fast"]] if quality.is_suspiciously_fast else []
    return NamedValue(quality.rater, share, None, ", ".join([f"{units} {TEXTS['units']}", *haste]))


def _row(quality: RaterQuality, *, has_gold: bool, is_timed: bool) -> dict[str, Any]:
    return {
        TEXTS["name"]: quality.rater,
        TEXTS["decisions"]: quality.ratings,
        **({TEXTS["on_gold"]: share_in_words(*quality.on_gold)} if has_gold else {}),
        TEXTS["with_others"]: share_in_words(*quality.with_others),
        TEXTS["estimated"]: _estimate(quality),
        TEXTS["alpha_without"]: _alpha(*quality.alpha_without),
        TEXTS["median_s"]: _seconds(quality),
        TEXTS["pace"]: _pace(quality),
        **({TEXTS["too_fast"]: share_in_words(*quality.too_fast)} if is_timed else {}),
    }


def _estimate(quality: RaterQuality) -> str:
    if quality.estimated_accuracy is None:
        return TEXTS["not_enough"].format(n=quality.shared, least=LEAST_SHARED)
    figures = {"share": quality.estimated_accuracy, "n": quality.shared}
    if quality.constant_accuracy is None:
        return TEXTS["estimate"].format(**figures)
    return TEXTS["estimate_beside"].format(**figures, constant=quality.constant_accuracy)


def _care(care: Care | None) -> str:
    """Return the interval of a care estimate, its evidence, and the types of tasks; a dash if unknown."""
    if care is None or not care.evidence:
        return TEXTS["undefined"]
    evidence = [f"{TEXTS[f'care_{each.source}']} {each.right}/{each.of}" for each in care.evidence]
    by_task = [f"{name} {part.low:.0%}–{part.high:.0%}" for name, part in care.by_group.items()]
    parts = [", ".join(evidence), *([", ".join(by_task)] if len(by_task) > 1 else [])]
    return f"{care.low:.0%}–{care.high:.0%} ({'; '.join(parts)})"


def _alpha(alpha: float | None, units: int) -> str:
    return TEXTS["undefined"] if alpha is None else TEXTS["alpha_of"].format(alpha=alpha, n=units)


def _seconds(quality: RaterQuality) -> str | None:
    seconds = quality.median_seconds
    return None if seconds is None else TEXTS["seconds_of"].format(seconds=seconds, n=quality.timed)


def _pace(quality: RaterQuality) -> str:
    if quality.is_suspiciously_fast is None:
        return TEXTS["too_few"]
    return TEXTS["fast"] if quality.is_suspiciously_fast else TEXTS["usual"]
