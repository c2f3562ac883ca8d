"""The form of the list of items: search, order, filters and columns, and the active filters with links without each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple, get_args

from benchwright.texts.hidden_characters import escaped

from ...items.item_search import BY_MEASURES, COLUMNS, ItemQuery, MeasureRange, Sort
from ..auth.known_pages import ITEMS
from ..own_pages.html_fields import FieldWords, choice_field, hidden, shown_when, text_field
from ..own_pages.live_form import live_form, live_part
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from .item_table import head_of
from .list_query import column_box, list_address

SORT, LIKE, RANGE, ACTIVE = "items-sort", "items-like", "items-range", "items-on"
"""Ids of the parts that follow from the form and do not depend on the hits."""
_LONGEST_WORDS = 200
_LABELS = {
    "stream": "of_stream", "state": "of_state", "campaign": "of_campaign", "reason": "of_reason",
    "annotator": "of_annotator", "task": "of_kind", "step": "of_step",
}  # fmt: skip


class ListChoices(NamedTuple):
    """The values by which the list can be filtered.

    Attributes:
        values: Values of each property with the number of records that have them.
        ranges: Measures of records, with their ranges.
    """

    values: Mapping[str, Sequence[tuple[str, int]]]
    ranges: Mapping[str, MeasureRange]

    @property
    def total(self) -> int:
        """Return the number of all records."""
        return sum(count for _, count in self.values["stream"])


def list_form(query: ItemQuery, choices: ListChoices) -> str:
    """Return the form, whose hits follow each change.

    Args:
        query: The query that the form shows.
        choices: The values to choose from.
    """
    parts = form_parts(query, choices)
    words = _search_field("words", query.words, FieldWords(TEXTS["search"]), TEXTS["search_hint"])
    by_meaning = FieldWords(VIEW_TEXTS["by_meaning"])
    meaning = _search_field("meaning", query.meaning, by_meaning, VIEW_TEXTS["by_meaning_hint"])
    filters = "".join(_choice(name, getattr(query, name), choices.values[name]) for name in _LABELS)
    return live_form(
        ITEMS,
        f'<div class="search">{words}{meaning}{live_part(SORT, parts)}</div>'
        f'<details id="items-filters"><summary>{escape(TEXTS["filters"])}</summary>'
        f'<div class="filters">{filters}{_measure(query, choices.ranges, parts)}</div>{_columns(query)}</details>'
        f"{live_part(LIKE, parts)}",
    )


def form_parts(query: ItemQuery, choices: ListChoices) -> dict[str, str]:
    """Return the parts of the page that follow from the query alone, by id."""
    picked = choices.ranges.get(query.measure)
    return {
        SORT: _sort(query),
        LIKE: hidden("like", query.like) + hidden("alike", query.alike) if query.like else "",
        RANGE: f'<p class="hint">{escape(TEXTS["range_of"].format(**picked._asdict()))}</p>' if picked else "",
        ACTIVE: _active(query),
    }


def _search_field(name: str, value: str, words: FieldWords, hint: str) -> str:
    more = f'maxlength="{_LONGEST_WORDS}" dir="auto" placeholder="{escape(hint, quote=True)}"'
    return text_field(name, value, words, more=more)


def _sort(query: ItemQuery) -> str:
    """Return the field for the order; the most similar records always come first."""
    if query.is_by_likeness:
        shown = text_field("likeness", TEXTS["sort_likeness"], FieldWords(TEXTS["sort"]), more="disabled")
        return hidden("sort", query.sort) + shown
    sorts: list[Sort] = [
        sort for sort in get_args(Sort) if sort != "likeness" and (query.measure or sort not in BY_MEASURES)
    ]
    words: dict[str, str] = {sort: TEXTS[f"sort_{sort}"] for sort in sorts}
    return choice_field("sort", query.sort, FieldWords(TEXTS["sort"]), words)


def _choice(name: str, value: str, listed: Sequence[tuple[str, int]]) -> str:
    """Return the field for a property: its values with their counts, and any."""
    counts = dict(listed)
    if value:
        counts.setdefault(value, 0)
    options = {
        code: TEXTS["option_count"].format(words=_value_words(name, code), count=count)
        for code, count in counts.items()
    }
    return choice_field(name, value, FieldWords(TEXTS[_LABELS[name]]), {"": TEXTS["any"], **options})


def _value_words(name: str, code: str) -> str:
    """Return the words for a value of a property: codes become words, names stay unchanged."""
    if name in {"state", "stream"}:
        return ITEM_STATES.get(code, code)
    return words_for(code) if name in {"reason", "task"} else escaped(code)


def _measure(query: ItemQuery, ranges: Mapping[str, MeasureRange], parts: Mapping[str, str]) -> str:
    """Return the field for a measure, and the fields for its bounds, which show once a measure is chosen."""
    names = list(dict.fromkeys([*ranges, *filter(None, [query.measure])]))
    if not names:
        return ""
    options = {"": TEXTS["any"], **{name: escaped(name) for name in names}}
    bounds = "".join(
        text_field(name, _spelled(getattr(query, name)), FieldWords(TEXTS[name]), kind="number", more='step="any"')
        for name in ("least", "most")
    )
    shown = f'<div class="bounds">{bounds}</div>{live_part(RANGE, parts)}'
    return choice_field("measure", query.measure, FieldWords(TEXTS["measure"]), options) + shown_when(
        "measure", names, shown, is_hidden=not query.measure
    )


def _spelled(bound: float | None) -> str:
    return "" if bound is None else f"{bound:g}" if float(f"{bound:g}") == bound else repr(bound)


def _columns(query: ItemQuery) -> str:
    boxes = "".join(
        f'<label class="check"><input type="checkbox" id="{column_box(column)}" name="{column_box(column)}" value="yes"'
        f"{' checked' if column in query.columns else ''}><span>{escape(head_of(column))}</span></label>"
        for column in COLUMNS
    )
    hint = f'<p class="hint">{escape(VIEW_TEXTS["columns_why"])}</p>'
    return f'<fieldset class="line"><legend>{escape(VIEW_TEXTS["columns"])}</legend>{boxes}</fieldset>{hint}'


def _active(query: ItemQuery) -> str:
    """Return links to the list without each active filter, and to the list without any."""
    if query.is_empty:
        return ""
    links = [
        _without(name, replace(query, page=1, **changed), words) for name, (words, changed) in _removals(query).items()
    ]
    every = f'<li><a class="button quiet" id="show-all" href="{ITEMS}">{escape(TEXTS["show_all"])}</a></li>'
    return f'<ul class="chips">{"".join(links)}{every}</ul>'


def _removals(query: ItemQuery) -> dict[str, tuple[str, dict[str, Any]]]:
    """Return for each active filter its words, and the fields of the query without it."""

    def words(label: str, value: str) -> str:
        return TEXTS["take_off"].format(label=label, value=value)

    removals: dict[str, tuple[str, dict[str, Any]]] = {
        name: (words(TEXTS[_LABELS[name]], _value_words(name, value)), {name: ""})
        for name in _LABELS
        if (value := getattr(query, name))
    }
    if query.words:
        removals["words"] = (words(TEXTS["search"], escaped(query.words)), {"words": ""})
    if query.measure:
        bounds: dict[str, Any] = {"least": None, "most": None, "sort": "activity"}
        removals["measure"] = (words(TEXTS["measure"], escaped(query.measure)), {"measure": "", **bounds})
    if query.meaning:
        removals["like"] = (words(VIEW_TEXTS["by_meaning"], escaped(query.meaning)), {"meaning": ""})
    elif query.like:
        is_question = query.alike == "question"
        what = VIEW_TEXTS["like_question_is"] if is_question else TEXTS["like_is"]
        removals["like"] = (what, {"like": "", "alike": "pictures"})
    return removals


def _without(name: str, query: ItemQuery, words: str) -> str:
    address, mark = escape(list_address(query), quote=True), '<span aria-hidden="true">×</span>'
    return f'<li><a class="button quiet" id="off-{name}" href="{address}"><bdi>{escape(words)}</bdi>{mark}</a></li>'
