"""Section of the page of agreement on marked regions."""

from __future__ import annotations

import streamlit as st

from ...progress.mark_figures import MOST_PICTURES, MarkFigures
from ..charts.curator_charts import NamedValue, intervals_chart
from ..charts.showing import show_chart
from ..wording.curator_texts import TEXTS

_STATISTICS = ("mean_iou", "share_matched", "count_agreement", "count_alpha", "label_alpha")


def show_region_agreement(figures: MarkFigures) -> None:
    """Show the annotators' agreement on positions, with intervals."""
    agreement = figures.agreement
    st.subheader(TEXTS["regions"])
    st.caption(TEXTS["regions_why"].format(compared=agreement.compared, most=MOST_PICTURES))
    values = [
        NamedValue(TEXTS[f"regions_{name}"], agreement.figures[name], agreement.ci[name], "") for name in _STATISTICS
    ]
    show_chart(intervals_chart("regions", TEXTS["regions"], values))
    distance = agreement.figures["mean_distance"]
    if distance is not None:
        st.caption(TEXTS["regions_distance"].format(percent=100 * distance))
