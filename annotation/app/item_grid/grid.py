"""The grid of records as pictures, each with a box to select it and a link to its page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchwright.texts.formulas import formulas_of

from ..base.components import component
from ..base.page_formulas import FORMULA_SCRIPT, FORMULA_STYLE
from ..languages.language import for_browser

_TEXTS = ("select_item", "open_item", "select_page", "select_none", "selected_n")


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


def show_grid(
    tiles: Sequence[GridTile], *, key: str, texts: Mapping[str, str], can_select: bool = True
) -> tuple[str, ...]:
    """Show tiles, and return the ids of the selected records.

    Args:
        tiles: Tiles in display order.
        key: Key of the displayed list; a different key clears the selection.
        texts: Texts of the app, from which the grid takes those it needs.
        can_select: Whether tiles have boxes to select them; default True.
    """
    folder = Path(__file__).parent
    grid = component(
        "benchwright_item_grid", [FORMULA_SCRIPT, folder / "grid.js"], [FORMULA_STYLE, folder / "grid.css"]
    )
    result: Any = grid(
        key=f"grid-{key}",
        data={
            "tiles": [asdict(tile) for tile in tiles],
            "formulas": formulas_of(tile.title for tile in tiles),
            "texts": for_browser({name: texts[name] for name in _TEXTS}),
            "canSelect": can_select,
        },
        default={"selected": []},
        on_selected_change=_nothing,
    )
    return selected_in(result.get("selected"), {tile.id for tile in tiles})


def selected_in(selected: Any, shown: set[str]) -> tuple[str, ...]:
    """Return the selection that a browser sent, without records that are not on the grid."""
    ids = selected if isinstance(selected, list) else []
    return tuple(dict.fromkeys(id_ for id_ in ids if isinstance(id_, str) and id_ in shown))


def _nothing() -> None:
    """Do nothing, since having a callback makes the page run again and read the changes."""
