"""The list of items as a table with the curator's columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from html import escape

from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped

from ...items.item_search import COLUMNS, FoundRecord, Hits, ItemQuery
from ..auth.known_pages import item_address
from ..base.tables import thumbnail_html
from ..languages.language import chosen_language
from ..routes.record_pictures import record_picture_url
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from ..wording.texts import TEXTS as APP_TEXTS
from .likeness_views import likeness_words
from .record_tiles import name_of, selection_box

_HEADS = {
    "state": "of_state", "reason": "of_reason", "campaign": "of_campaign", "task": "of_kind", "decisions": "decisions",
}  # fmt: skip
_ID_DIGITS = 12


def head_of(column: str) -> str:
    """Return the displayed head of a column."""
    return TEXTS[_HEADS[column]] if column in _HEADS else VIEW_TEXTS[f"column_{column}"]


def table_of(hits: Hits, query: ItemQuery, *, selected: Collection[str]) -> str:
    """Return records as rows of HTML: box and picture, question with a link to its page, and the chosen columns.

    Args:
        hits: Records in display order, with their basis of comparison.
        query: Query with the columns, and with the measure of the records' values, if any.
        selected: Ids of the selected records.
    """
    columns = [column for column in COLUMNS if column in query.columns]
    heads = ["", APP_TEXTS["question"], *map(head_of, columns)]
    if hits.by is not None or query.measure:
        heads.append(query.measure if hits.by is None else VIEW_TEXTS["likeness"])
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    rows = []
    for record in hits.records:
        title = formulas_html(escaped(record.question or record.name) or TEXTS["no_question"])
        address = escape(item_address(record.record_id), quote=True)
        link = f'<a id="open-{escape(record.record_id, quote=True)}" href="{address}">{title}</a>'
        box = selection_box(record.record_id, name_of(record), is_selected=record.record_id in selected)
        picture = thumbnail_html(record_picture_url(record.record_id)) if record.pictures else ""
        cells = [escape(escaped(_CELLS[column](record))) for column in columns]
        if hits.by is not None:
            cells.append(escape(likeness_words(record, hits.by)))
        elif query.measure:
            cells.append("" if record.value is None else chosen_language().number(record.value, ".4g"))
        rows.append(
            f'<tr><td><div class="pick-row">{box}{picture}</div></td><td dir="auto">{link}</td>'
            f"{''.join(f'<td><bdi>{cell}</bdi></td>' for cell in cells)}</tr>"
        )
    return (
        f'<div class="bw-wide" role="region" tabindex="0" aria-label="{escape(TEXTS["items_title"], quote=True)}">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _reasons(record: FoundRecord) -> str:
    return ", ".join(words_for(code) for code in record.reason.split(", ")) if record.reason else ""


def _share(share: float) -> str:
    return chosen_language().number(share, ".0%") if share else ""


_CELLS: Mapping[str, Callable[[FoundRecord], str]] = {
    "state": lambda record: ITEM_STATES.get(record.state, record.state),
    "reason": _reasons,
    "campaign": lambda record: record.campaign,
    "task": lambda record: words_for(record.task) if record.task else "",
    "decisions": lambda record: str(record.decisions) if record.decisions else "",
    "divided": lambda record: _share(record.divided),
    "doubt": lambda record: _share(record.doubt),
    "pictures": lambda record: str(record.pictures),
    "id": lambda record: record.record_id[:_ID_DIGITS],
}
