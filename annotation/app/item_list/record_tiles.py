"""Images and items as tiles: the tile of a record, and tiles as HTML, with or without boxes to select them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from html import escape

from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped

from ...items.item_search import FoundRecord
from ..auth.known_pages import item_address
from ..own_pages.written_text import text_style
from ..routes.record_pictures import record_picture_url
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for

_ID_DIGITS = 12


@dataclass(frozen=True)
class GridTile:
    """One tile.

    Attributes:
        id: Id of the record.
        href: Path of its page.
        src: Path of its picture; empty if it has none.
        name: Displayed name, such as a file or the first digits of an id.
        title: Question, or name of an image.
        lines: Additional lines, such as reason and campaign.
        state: Code of its state, for the mark's color.
        state_words: Words for its state.
        pictures: Number of its pictures.
    """

    id: str
    href: str
    src: str
    name: str
    title: str
    lines: Sequence[str]
    state: str
    state_words: str
    pictures: int


def name_of(record: FoundRecord) -> str:
    """Return the displayed name of a record: its file, or its task and the first digits of its id."""
    return escaped(record.name or f"{record.task} {record.record_id[:_ID_DIGITS]}".strip())


def record_tile(record: FoundRecord, *more: str) -> GridTile:
    """Return the tile of a record.

    Args:
        record: The record.
        more: Additional lines.
    """
    lines = [", ".join(words_for(code) for code in record.reason.split(", ")) if record.reason else "", record.campaign]
    if record.decisions:
        lines.append(TEXTS["decisions_n"].format(count=record.decisions))
    lines += more
    return GridTile(
        id=record.record_id,
        href=item_address(record.record_id),
        src=record_picture_url(record.record_id) if record.pictures else "",
        name=name_of(record),
        title=escaped(record.question or record.name) or TEXTS["no_question"],
        lines=[line for line in lines if line],
        state=record.state,
        state_words=ITEM_STATES.get(record.state, record.state),
        pictures=record.pictures,
    )


def tiles_html(tiles: Sequence[GridTile], *, selected: Collection[str] | None = None) -> str:
    """Return tiles as HTML, each with a link to the page of its record; empty if there are none.

    Args:
        tiles: Tiles in display order.
        selected: Ids of the selected records on a page that can select them; default None, for tiles without boxes.
    """
    if not tiles:
        return ""
    return f'{text_style()}<ul class="tiles">{"".join(_tile_html(tile, selected) for tile in tiles)}</ul>'


def selection_box(record_id: str, name: str, *, is_selected: bool) -> str:
    """Return the box that selects a record, in a label as large as a finger."""
    label = escape(TEXTS["select_item"].format(name=name), quote=True)
    return (
        f'<label class="choose"><input type="checkbox" data-selects="{escape(record_id, quote=True)}"'
        f' aria-label="{label}" autocomplete="off"{" checked" if is_selected else ""}></label>'
    )


def _tile_html(tile: GridTile, selected: Collection[str] | None) -> str:
    picture = f'<img src="{escape(tile.src, quote=True)}" alt="" loading="lazy" decoding="async">' if tile.src else ""
    many = f'<span class="many">{tile.pictures}</span>' if tile.pictures > 1 else ""
    label = TEXTS["open_item"].format(name=tile.name)
    lines = "".join(f'<p class="line"><bdi>{escape(escaped(line))}</bdi></p>' for line in tile.lines)
    box = "" if selected is None else selection_box(tile.id, tile.name, is_selected=tile.id in selected)
    return (
        f'<li class="tile"><a class="open" id="open-{escape(tile.id, quote=True)}"'
        f' href="{escape(tile.href, quote=True)}" aria-label="{escape(label, quote=True)}">'
        f'<span class="frame">{picture}{many}</span></a>{box}'
        f'<div class="words"><span class="state {escape(tile.state, quote=True)}">{escape(tile.state_words)}</span>'
        f'<p class="title" dir="auto">{formulas_html(tile.title)}</p>{lines}</div></li>'
    )
