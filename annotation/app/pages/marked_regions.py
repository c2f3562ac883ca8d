"""Sections of curators' pages on marked regions: agreement, and each annotator's marks against the valid regions."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...forms.kinds import MARK
from ...progress.mark_figures import MOST_PICTURES, AnnotatorMarks, MarkedAgainst, MarkFigures, mark_figures
from ...progress.overview import Overview
from ..base.cache import cached
from ..base.request import PageRequest
from ..base.shown_pictures import ShownPictures
from ..charts.curator_charts import NamedValue, intervals_chart
from ..charts.showing import show_chart
from ..wording.curator_texts import TEXTS

_MOST_WORST = 30
"""Largest number of single pictures that the page lists."""
_STATISTICS = ("mean_iou", "share_matched", "count_agreement", "count_alpha", "label_alpha")


def figures_of(request: PageRequest, overview: Overview) -> MarkFigures | None:
    """Return the figures of the newest pictures, cached until a decision changes them; None for other campaigns."""
    if request.campaign.kind != MARK:
        return None
    key = (request.state.store.where, *overview.stamp(), "marked_regions")
    return cached(key, lambda: mark_figures(request.state.store, request.campaign, most=MOST_PICTURES))


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


def show_marks_by_annotator(figures: MarkFigures, pictures: ShownPictures) -> None:
    """Show each annotator's marks against the valid regions, and the pictures with the worst marks."""
    if not figures.marks:
        return
    st.subheader(TEXTS["marks_against"])
    st.caption(TEXTS["marks_against_why"].format(compared=figures.compared, of=figures.of))
    st.dataframe([_annotator_row(row) for row in figures.annotators()], hide_index=True)
    st.caption(TEXTS["marks_worst"])
    worst = [marked for marked in figures.marks if marked.quality < 1][:_MOST_WORST]
    st.dataframe([_picture_row(marked, pictures) for marked in worst], hide_index=True)


def _annotator_row(row: AnnotatorMarks) -> dict[str, Any]:
    return {
        TEXTS["name"]: row.annotator,
        TEXTS["marks_pictures"]: row.pictures,
        TEXTS["marks_quality"]: round(row.quality, 3),
        TEXTS["regions_mean_iou"]: None if row.mean_iou is None else round(row.mean_iou, 3),
        TEXTS["marks_missed"]: row.missed,
        TEXTS["marks_extra"]: row.extra,
        TEXTS["marks_mislabelled"]: row.mislabelled,
    }


def _picture_row(marked: MarkedAgainst, pictures: ShownPictures) -> dict[str, Any]:
    comparison = marked.comparison
    return {
        TEXTS["marks_picture"]: pictures.called(marked.item_id, digits=16),
        TEXTS["name"]: marked.annotator,
        TEXTS["marks_quality"]: round(marked.quality, 3),
        TEXTS["marks_missed"]: len(comparison.missed),
        TEXTS["marks_extra"]: len(comparison.extra),
        TEXTS["marks_mislabelled"]: len(comparison.mislabelled),
        TEXTS["marks_by_adjudicator"]: marked.is_adjudicated,
    }
