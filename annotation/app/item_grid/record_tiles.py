"""Images and items as tiles: the tile of a record, and tiles as HTML on the app's own pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchwright.pages.drawing import ASSETS
from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped

from ...items.item_search import FoundRecord
from ..auth.known_pages import item_address
from ..routes.record_pictures import record_picture_url
from ..wording.curator_texts import ITEM_STATES, TEXTS, words_for
from .grid import GridTile

_ID_DIGITS = 12


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
    name = record.name or f"{record.task} {record.record_id[:_ID_DIGITS]}".strip()
    return GridTile(
        id=record.record_id,
        href=item_address(record.record_id),
        src=record_picture_url(record.record_id) if record.pictures else "",
        name=escaped(name),
        title=escaped(record.question or record.name) or TEXTS["no_question"],
        lines=[line for line in lines if line],
        state=record.state,
        state_words=ITEM_STATES.get(record.state, record.state),
        pictures=record.pictures,
    )


def tiles_html(tiles: Sequence[GridTile]) -> str:
    """Return tiles as HTML, each with a link to the page of its record; empty if there are none."""
    if not tiles:
        return ""
    style = (ASSETS / "formulas.css").read_text(encoding="utf-8")
    return f'<style>{style}</style><ul class="tiles">{"".join(map(_tile_html, tiles))}</ul>'


def _tile_html(tile: GridTile) -> str:
    picture = f'<img src="{escape(tile.src, quote=True)}" alt="" loading="lazy" decoding="async">' if tile.src else ""
    many = f'<span class="many">{tile.pictures}</span>' if tile.pictures > 1 else ""
    label = TEXTS["open_item"].format(name=tile.name)
    lines = "".join(f'<p class="line" dir="auto">{escape(escaped(line))}</p>' for line in tile.lines)
    return (
        f'<li class="tile"><a class="open" id="open-{escape(tile.id, quote=True)}"'
        f' href="{escape(tile.href, quote=True)}" aria-label="{escape(label, quote=True)}">'
        f'<span class="frame">{picture}{many}</span></a>'
        f'<div class="words"><span class="state {escape(tile.state, quote=True)}">{escape(tile.state_words)}</span>'
        f'<p class="title" dir="auto">{formulas_html(tile.title)}</p>{lines}</div></li>'
    )
