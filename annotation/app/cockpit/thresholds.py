"""The curator's page of thresholds: records that another threshold of a filter would keep or drop, with pictures."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from benchwright.errors import BenchwrightError
from benchwright.funnel.charts import spread_chart

from ...items.item_index import step_of
from ...items.item_search import records_of
from ...items.threshold_trial import (
    FilterThreshold,
    MeasuredRecords,
    ThresholdTrial,
    VerdictChange,
    filter_thresholds,
    read_measured,
    run_stamp,
    setting_of,
    try_threshold,
)
from ...store.campaigns.overrides import OverrideStore
from ..base.cache import cached
from ..base.own_texts import chart_text
from ..base.state import AppState
from ..charts.showing import show_chart
from ..item_grid.grid import GridTile, show_grid
from ..item_pages.items import ITEM, record_tile, refreshed
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of
from .change_link import show_change_link

_MOST_CHANGED = 24
"""Maximum number of pictures of changed records; the page only counts the rest."""
_STEPS = 100
"""Number of steps of the field's arrows from the smallest to the largest measured value."""


def show_thresholds(state: AppState, *, items: st.Page, item: st.Page) -> None:
    """Let a curator select a filter's threshold, try another value, and see the changes."""
    st.caption(TEXTS["thresholds_why"])
    try:
        stamp = (state.store.where, "thresholds", run_stamp(state.workspace))
        thresholds = cached(stamp, lambda: filter_thresholds(state.workspace))
    except BenchwrightError as error:
        st.error(inert(message_of(error)))
        return
    if not thresholds:
        st.info(TEXTS["no_thresholds"])
        return
    left, right = st.columns([2, 3])
    with left:
        picked = _pick(thresholds)
        with st.spinner(TEXTS["reckoning"]):
            measured = cached((*stamp, picked.name), lambda: read_measured(state.workspace, picked))
        at = _number(measured)
    decided = [
        stored.override.record_id
        for stored in OverrideStore(state.store).in_force()
        if step_of(stored.override.stage) == step_of(picked.stage.id)
    ]
    try:
        value = setting_of(picked, at)
        trial = cached((*stamp, picked.name, at, tuple(decided)), lambda: try_threshold(measured, at, by_hand=decided))
    except BenchwrightError as error:
        left.error(inert(message_of(error)))
        return
    with left:
        _show_counts(picked, trial)
    if measured.spread is not None:
        is_on_scale = measured.spread.low <= at <= measured.spread.high
        moved = measured.spread._replace(threshold=picked.threshold._replace(at=at) if is_on_scale else None)
        with right:
            show_chart(spread_chart(moved, name="spread", translate=chart_text))
    _show_changes(state, picked, trial, items, item)
    with st.expander(TEXTS["threshold_recipe"]):
        st.code(f"- step: {picked.stage.entry}\n  {picked.threshold.setting}: {value:g}", language="yaml")
        st.caption(TEXTS["threshold_recipe_why"])
        show_change_link(picked.stage.entry, **{f"set-{picked.threshold.setting}": f"{value:g}"})


def _pick(thresholds: list[FilterThreshold]) -> FilterThreshold:
    by_name = {
        TEXTS["threshold_name"].format(
            step=threshold.stage.entry, setting=threshold.threshold.setting, at=threshold.threshold.at
        ): threshold
        for threshold in thresholds
    }
    return by_name[st.selectbox(TEXTS["threshold"], list(by_name))]


def _number(measured: MeasuredRecords) -> float:
    """Show the field for the threshold to try, and return its number."""
    threshold, spread = measured.filter_threshold.threshold, measured.spread
    width = 1.0 if spread is None else spread.high - spread.low
    is_whole = float(threshold.at).is_integer() and width > _STEPS
    step = max(1.0, round(width / _STEPS)) if is_whole else float(f"{width / _STEPS:.1g}")
    number = st.number_input(
        TEXTS["threshold_at"],
        value=threshold.at,
        step=step,
        format="%g",
        key=f"threshold-{measured.filter_threshold.name}",
    )
    return float(number)


def _show_counts(picked: FilterThreshold, trial: ThresholdTrial) -> None:
    st.markdown(TEXTS["threshold_now"].format(at=picked.threshold.at, counts=_counts(trial.before)))
    if trial.at != picked.threshold.at:
        st.markdown(TEXTS["threshold_then"].format(at=trial.at, counts=_counts(trial.after)))
    if trial.by_hand:
        st.caption(TEXTS["threshold_by_hand"].format(count=trial.by_hand))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(
        TEXTS["threshold_counts"].format(verdict=TEXTS[f"verdict_{verdict}"], count=count)
        for verdict, count in counts.items()
        if count or verdict != "ask"
    )


def _show_changes(
    state: AppState, picked: FilterThreshold, trial: ThresholdTrial, items: st.Page, item: st.Page
) -> None:
    if not trial.changes:
        st.caption(TEXTS["threshold_changes_none"])
        return
    shown = trial.changes[:_MOST_CHANGED]
    st.caption(TEXTS["threshold_changes"].format(count=len(trial.changes), shown=len(shown)))
    refreshed(state)
    by_id = {change.record_id: change for change in shown}
    records = state.items.reading(lambda connection: records_of(connection, list(by_id)))
    tiles: list[GridTile] = [
        record_tile(record, item.url_path, *_lines(picked, by_id[record.record_id])) for record in records
    ]
    event = show_grid(tiles, key=f"threshold-{picked.name}-{trial.at:g}", texts=TEXTS, can_select=False)
    if event.opened is not None:
        st.switch_page(item, query_params={ITEM: event.opened})
    values = [change.value for change in trial.changes]
    query = {"measure": picked.measure, "least": f"{min(values):g}", "most": f"{max(values):g}", "sort": "measure"}
    st.page_link(items, label=TEXTS["see_between"], query_params=query)


def _lines(picked: FilterThreshold, change: VerdictChange) -> list[str]:
    before, after = (TEXTS[f"verdict_{verdict}"] for verdict in (change.before, change.after))
    change_words = TEXTS["threshold_change"].format(before=before, after=after)
    return [f"{picked.threshold.value} {change.value:.4g}", change_words]
