"""The images and items affected by a tried setting, as tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from benchwright.errors import BenchwrightError

from ...items.item_search import records_of
from ..base.state import AppState
from ..item_list.record_tiles import record_tile, tiles_html
from ..wording.curator_texts import TEXTS
from ..wording.texts import message_of

MOST_CHANGED = 24
"""Maximum number of pictures of changed records; pages only count the rest."""


def changed_tiles(state: AppState, changes: Mapping[str, Sequence[str]]) -> str:
    """Return tiles of changed records as HTML, or the reason why the list of records cannot be read.

    Args:
        state: State of the app.
        changes: Lines on the change, by id of the record; ids that are in no run and no campaign get no tile.
    """
    try:
        state.items.refresh()
        records = state.items.reading(lambda connection: records_of(connection, list(changes)))
    except BenchwrightError as error:
        return f'<p class="problem">{escape(TEXTS["index_failed"].format(why=message_of(error)))}</p>'
    return tiles_html([record_tile(record, *changes[record.record_id]) for record in records])
