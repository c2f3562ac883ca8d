"""The hits of the list of items: their number, one page of them as tiles or rows, and links to the other pages."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from html import escape

from ...items.item_search import MOST_SELECTED, FoundRecord, Hits, ItemQuery
from ..own_pages.written_text import text_style
from ..wording.curator_texts import TEXTS
from .item_table import table_of
from .likeness_views import likeness_words
from .list_query import list_address, query_line
from .record_tiles import record_tile, tiles_html

FOUND, COMPARED, RESULTS = "items-found", "items-compared", "items-results"
"""Ids of the parts that follow from the hits."""


def count_line(query: ItemQuery, hits: Hits, total: int) -> str:
    """Return the number of hits, or of all records if the query has no condition."""
    name, count = ("found_all", total) if query.is_empty else ("found", hits.total)
    return f"<strong>{escape(TEXTS[name].format(total=count))}</strong>"


def results_html(query: ItemQuery, hits: Hits, *, selected: Collection[str] = (), is_every: bool = False) -> str:
    """Return a page of hits with the links to the others.

    Args:
        query: The query.
        hits: A page of its hits.
        selected: Ids of the selected records; default none.
        is_every: Whether all hits are selected, on every page; default False.
    """
    if not hits.records:
        return f'<div data-list="{_attribute(query_line(query))}"><p>{escape(TEXTS["found_none"])}</p></div>'
    if query.columns:
        shown = text_style() + table_of(hits, query, selected=selected)
    else:
        tiles = [record_tile(record, _value_line(record, query, hits)) for record in hits.records]
        shown = tiles_html(tiles, selected=selected)
    bar = _selection_bar(hits, is_every=is_every)
    picked = (
        f'<div class="picked" hidden><span class="count" role="status"></span>'
        f'<a class="button" href="#items-acts" id="to-acts">{escape(TEXTS["act_on"])}</a></div>'
    )
    return f'<div data-list="{_attribute(query_line(query))}">{bar}{shown}{picked}{_pager(query, hits)}</div>'


def _selection_bar(hits: Hits, *, is_every: bool) -> str:
    """Return the button that selects the page, and the box that selects all hits."""
    most = min(hits.total, MOST_SELECTED)
    counts = [TEXTS["selected_n"].format(count=count) for count in range(len(hits.records) + 1)]
    words = {"counts": counts, "every": TEXTS["selected_n"].format(count=most)}
    toggle = {name: _attribute(TEXTS[f"select_{name}"]) for name in ("page", "none")}
    every = ""
    if hits.pages > 1:
        name = "select_found" if hits.total <= MOST_SELECTED else "select_first"
        label = escape(TEXTS[name].format(total=hits.total, most=MOST_SELECTED))
        every = (
            f'<label class="check"><input type="checkbox" id="select-every" autocomplete="off"'
            f"{' checked' if is_every else ''}><span>{label}</span></label>"
        )
    button = (
        f'<button class="quiet" type="button" id="select-page" data-page="{toggle["page"]}"'
        f' data-none="{toggle["none"]}">{toggle["page"]}</button>'
    )
    return f'<div class="selection" data-words="{_attribute(json.dumps(words))}">{button}{every}</div>'


def _value_line(record: FoundRecord, query: ItemQuery, hits: Hits) -> str:
    if hits.by is not None:
        return likeness_words(record, hits.by)
    return "" if record.value is None else f"{query.measure} {record.value:.4g}"


def _pager(query: ItemQuery, hits: Hits) -> str:
    if hits.pages == 1:
        return ""

    def link(to: int, words: str) -> str:
        if not 1 <= to <= hits.pages:
            return ""
        address = _attribute(list_address(replace(query, page=to)))
        return f'<a class="button quiet" id="{words}-page" href="{address}">{escape(TEXTS[words])}</a>'

    at = escape(TEXTS["page_of"].format(page=hits.page, pages=hits.pages))
    previous, following = link(hits.page - 1, "previous"), link(hits.page + 1, "next")
    links = f"{previous}<span>{at}</span>{following}"
    return f'<div class="buttons pager" role="navigation" aria-label="{_attribute(at)}">{links}</div>'


def _attribute(text: str) -> str:
    return escape(text, quote=True)
