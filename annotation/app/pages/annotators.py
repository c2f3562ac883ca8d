"""The curator's page of annotators: right on gold, with the others or against them, likely errors, pace."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...agreement.annotator_quality import LEAST_SHARED, RaterQuality
from ...progress.label_fields import label_fields_of
from ...progress.overview import Overview
from ..base.cache import once
from ..base.curator_texts import TEXTS
from ..base.request import PageRequest
from ..charts.chart_style import STYLE
from ..charts.confusion import confusion_table
from ..charts.intervals import Dot, intervals_plot
from .review import inert


def show(visit: PageRequest) -> None:
    """Show what a campaign's decisions tell of each annotator."""
    overview = Overview(visit.site.store, visit.campaign)
    key = (visit.site.store.where, *overview.stamp(), "qualities")
    asked = label_fields_of(visit.campaign)[0]
    with st.spinner(TEXTS["reckoning"]):
        found = once(key, lambda: overview.qualities(overview.label_columns(asked)))
    if not found:
        st.info(TEXTS["nothing_said"])
        return
    st.html(STYLE)
    st.caption(TEXTS["annotators_why"])
    has_gold = any(one.on_gold[1] for one in found)
    st.dataframe([_row(one, has_gold=has_gold) for one in found], hide_index=True)
    st.subheader(TEXTS["with_others"])
    ranked = sorted(found, key=lambda one: (one.with_others[0] if one.with_others[0] is not None else 2, one.rater))
    st.html(intervals_plot(TEXTS["with_others_why"], [_dot(one) for one in ranked]))
    st.subheader(TEXTS["confusion"])
    names = [one.rater for one in ranked]
    picked = ranked[names.index(st.selectbox(TEXTS["name"], names))]
    if picked.estimated_accuracy is None:
        st.caption(TEXTS["no_confusion"].format(name=inert(picked.rater), n=picked.shared, least=LEAST_SHARED))
    else:
        why = TEXTS["confusion_why"].format(name=picked.rater, n=picked.shared)
        st.html(confusion_table(why, picked.confusion))


def _dot(one: RaterQuality) -> Dot:
    share, units = one.with_others
    haste = [TEXTS["fast"]] if one.is_suspiciously_fast else []
    return Dot(one.rater, share, None, ", ".join([f"{units} {TEXTS['units']}", *haste]))


def _row(one: RaterQuality, *, has_gold: bool) -> dict[str, Any]:
    return {
        TEXTS["name"]: one.rater,
        TEXTS["decisions"]: one.ratings,
        **({TEXTS["on_gold"]: _share(one.on_gold)} if has_gold else {}),
        TEXTS["with_others"]: _share(one.with_others),
        TEXTS["estimated"]: _estimate(one),
        TEXTS["alpha_without"]: _alpha(*one.alpha_without),
        TEXTS["median_s"]: _seconds(one),
        TEXTS["pace"]: _pace(one),
    }


def _share(found: tuple[float | None, int]) -> str:
    share, n = found
    return TEXTS["undefined"] if share is None else TEXTS["of"].format(share=share, n=n)


def _estimate(one: RaterQuality) -> str:
    if one.estimated_accuracy is None:
        return TEXTS["not_enough"].format(n=one.shared, least=LEAST_SHARED)
    return TEXTS["estimate"].format(share=one.estimated_accuracy, n=one.shared)


def _alpha(alpha: float | None, units: int) -> str:
    return TEXTS["undefined"] if alpha is None else TEXTS["alpha_of"].format(alpha=alpha, n=units)


def _seconds(one: RaterQuality) -> str | None:
    seconds = one.median_seconds
    return None if seconds is None else TEXTS["seconds_of"].format(seconds=seconds, n=one.timed)


def _pace(one: RaterQuality) -> str:
    if one.pace is None:
        return TEXTS["too_few"]
    return TEXTS["fast"] if one.is_suspiciously_fast else TEXTS["usual"]
