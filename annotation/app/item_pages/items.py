"""The curator's page of all items and images as pictures: search, filters, pages, and actions on many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from benchwright.errors import BenchwrightError

from ...items.item_search import (
    BY_MEASURES,
    COLUMNS,
    FoundRecord,
    Hits,
    ItemQuery,
    MeasureRange,
    Sort,
    measures,
    options,
    search,
)
from ...store.accounts.accounts import Account
from ..base.cache import cached
from ..base.page_formulas import show_page_formulas
from ..base.state import AppState
from ..item_grid.grid import show_grid
from ..item_grid.record_tiles import record_tile
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from ..wording.directed_text import inert
from ..wording.texts import message_of
from .item_acts import show_acts
from .item_table import head_of, show_table
from .likeness_views import likeness_words, picture_to_look_for, show_compared, without_likeness
from .view_shelf import show_views

_COLUMNS = ("stream", "state", "campaign", "reason", "annotator", "task", "step")
_LABELS = {
    "stream": "of_stream", "state": "of_state", "campaign": "of_campaign", "reason": "of_reason",
    "annotator": "of_annotator", "task": "of_kind", "step": "of_step",
}  # fmt: skip


def show_items(state: AppState, account: Account) -> None:
    """Show the list that the URL requests.

    Args:
        state: State of the app.
        account: Account of the curator.
    """
    query = ItemQuery.from_params(st.query_params.to_dict())
    with st.spinner(TEXTS["reading"]):
        generation = refreshed(state)
    facets = cached((state.store.where, "items-options", generation), lambda: state.items.reading(options))
    total = sum(count for _, count in facets["stream"])
    if not total:
        st.info(TEXTS["nothing_made"])
        return
    asked = _filters(state, account, query, facets, generation)
    if asked != query:
        _go(replace(asked, page=1))
    hits = state.items.reading(lambda connection: search(connection, query))
    _show_count(query, hits, total)
    show_compared(state, account, query, hits)
    if not hits.records:
        st.info(TEXTS["found_none"])
        return
    selected: Sequence[str] = ()
    if query.columns:
        show_page_formulas()
        show_table(hits, query)
    else:
        tiles = [record_tile(record, _value_line(record, query, hits)) for record in hits.records]
        selected = show_grid(tiles, key=f"{hash((tuple(query.to_params().items()), generation))}", texts=TEXTS)
    _show_pager(query, hits)
    show_acts(state, account, selected=selected, query=query, total=hits.total)


def refreshed(state: AppState) -> str:
    """Update the index, and return the name of its current state."""
    try:
        return state.items.refresh().generation
    except BenchwrightError as error:
        st.error(TEXTS["index_failed"].format(why=inert(message_of(error))))
        st.stop()


def _go(query: ItemQuery) -> None:
    st.query_params.from_dict(query.to_params())
    st.rerun()


def _filters(
    state: AppState, account: Account, query: ItemQuery, facets: dict[str, list[tuple[str, int]]], generation: str
) -> ItemQuery:
    """Show the search and filters of the list, and return the query that a curator requests."""
    left, middle, right, shelf = st.columns([3.2, 3.2, 2, 1.4], vertical_alignment="bottom")
    with shelf:
        opened = show_views(state, account, query)
    if opened is not None:
        return opened
    words = left.text_input(
        TEXTS["search"], value=query.words, placeholder=TEXTS["search_hint"], max_chars=200, key=f"words-{query.words}"
    )
    meaning = middle.text_input(
        VIEW_TEXTS["by_meaning"],
        value=query.meaning,
        placeholder=VIEW_TEXTS["by_meaning_hint"],
        max_chars=200,
        key=f"meaning-{query.meaning}",
    )
    sort = _sort(right, query)
    with st.expander(TEXTS["filters"], key="items-filters"):
        columns = st.columns(4)
        values: dict[str, Any] = {}
        for place, name in enumerate(_COLUMNS):
            values[name] = _choice(columns[place % 4], name, getattr(query, name), facets[name])
        ranges = cached((state.store.where, "items-measures", generation), lambda: state.items.reading(measures))
        values |= _measure(columns[3], query, ranges)
        like = picture_to_look_for(state, query)
        shown = st.multiselect(
            VIEW_TEXTS["columns"],
            COLUMNS,
            default=list(query.columns),
            format_func=head_of,
            help=VIEW_TEXTS["columns_why"],
            key=f"columns-{','.join(query.columns)}",
        )
    chosen = tuple(column for column in COLUMNS if column in shown)
    if like != query.like:  # the curator uploaded a picture
        meaning, values["alike"] = "", "pictures"
    elif meaning.strip():
        like, values["alike"] = "", "pictures"
    values |= {"like": like, "meaning": meaning.strip()}
    asked = replace(query, words=words.strip(), sort=sort, columns=chosen, **values)
    return asked if asked != query else _without(query)


def _without(query: ItemQuery) -> ItemQuery:
    """Show the active filters, each with a button that removes it, and return the remaining query."""
    if query.is_empty:
        return query
    default = ItemQuery()
    with st.container(horizontal=True, key="items-on"):
        for name in _COLUMNS:
            if value := getattr(query, name):
                words = TEXTS["take_off"].format(label=TEXTS[_LABELS[name]], value=inert(_value_words(name, value)))
                if st.button(words, key=f"off-{name}", icon=":material/close:"):
                    emptied: dict[str, Any] = {name: ""}
                    return replace(query, **emptied)
        if query.measure:
            words = TEXTS["take_off"].format(label=TEXTS["measure"], value=inert(query.measure))
            if st.button(words, key="off-measure", icon=":material/close:"):
                return replace(query, measure="", least=None, most=None, sort=default.sort)
        if (off := without_likeness(query)) is not None:
            return off
        if st.button(TEXTS["show_all"], type="tertiary"):
            return default
    return query


def _sort(place: Any, query: ItemQuery) -> Sort:
    if query.is_by_likeness:
        place.text_input(TEXTS["sort"], value=TEXTS["sort_likeness"], disabled=True)
        return query.sort
    sorts = [sort for sort in get_args(Sort) if sort != "likeness" and (query.measure or sort not in BY_MEASURES)]
    picked: Sort = place.selectbox(
        TEXTS["sort"],
        sorts,
        index=sorts.index(query.sort) if query.sort in sorts else 0,
        format_func=lambda sort: TEXTS[f"sort_{sort}"],
        key=f"sort-{query.sort}-{query.measure}",
    )
    return picked


def _choice(place: Any, name: str, value: str, listed: Sequence[tuple[str, int]]) -> str:
    """Show a property's values with their counts, and return the selected value, which is empty for any."""
    counts = dict(listed)
    if value and value not in counts:
        counts[value] = 0
    codes = ["", *counts]

    def words(code: str) -> str:
        if not code:
            return TEXTS["any"]
        return TEXTS["option_count"].format(words=_value_words(name, code), count=counts[code])

    label, key = TEXTS[_LABELS[name]], f"filter-{name}-{value}"
    picked: str = place.selectbox(label, codes, index=codes.index(value), format_func=words, key=key)
    return picked


def _value_words(name: str, code: str) -> str:
    """Return the words for a value of a property: codes become words, names stay unchanged."""
    if name in {"state", "stream"}:
        return ITEM_STATES.get(code, code)
    return words_for(code) if name in {"reason", "task"} else code


def _measure(place: Any, query: ItemQuery, ranges: dict[str, MeasureRange]) -> dict[str, Any]:
    """Show the measures and the bounds of the selected one, and return that measure and its bounds."""
    if not ranges and not query.measure:
        return {}
    names = ["", *ranges, *([query.measure] if query.measure and query.measure not in ranges else [])]
    picked = place.selectbox(
        TEXTS["measure"],
        names,
        index=names.index(query.measure),
        format_func=lambda name: name or TEXTS["any"],
        key=f"measure-{query.measure}",
    )
    if picked != query.measure or not picked:
        return {"measure": picked, "least": None, "most": None}
    least_place, most_place = place.columns(2)
    suffix = f"{picked}-{query.least}-{query.most}"
    bounds = {
        "least": least_place.number_input(TEXTS["least"], value=query.least, format="%g", key=f"least-{suffix}"),
        "most": most_place.number_input(TEXTS["most"], value=query.most, format="%g", key=f"most-{suffix}"),
    }
    if picked in ranges:
        place.caption(TEXTS["range_of"].format(**ranges[picked]._asdict()))
    return {"measure": picked, **{name: None if bound is None else float(bound) for name, bound in bounds.items()}}


def _show_count(query: ItemQuery, hits: Hits, total: int) -> None:
    name = "found_all" if query.is_empty else "found"
    st.markdown(f"**{TEXTS[name].format(total=total if query.is_empty else hits.total)}**")


def _value_line(record: FoundRecord, query: ItemQuery, hits: Hits) -> str:
    if hits.by is not None:
        return likeness_words(record, hits.by)
    return "" if record.value is None else f"{query.measure} {record.value:.4g}"


def _show_pager(query: ItemQuery, hits: Hits) -> None:
    if hits.pages == 1:
        return
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    if left.button(TEXTS["previous"], disabled=hits.page == 1, width="stretch"):
        _go(replace(query, page=hits.page - 1))
    words = TEXTS["page_of"].format(page=hits.page, pages=hits.pages)
    middle.container(key="items-pager").markdown(words, text_alignment="center")
    if right.button(TEXTS["next"], disabled=hits.page == hits.pages, width="stretch"):
        _go(replace(query, page=hits.page + 1))
