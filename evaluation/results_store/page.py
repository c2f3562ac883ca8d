"""The page of a store's board: comparable cells, and a ranking for each block."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchwright.pages import page_pieces
from benchwright.workspace.atomic import replacing

from ..leaderboard.board import BoardRow
from ..leaderboard.page import TEMPLATES, board_filters
from ..results.score import ENDINGS
from ..results.summary import endings_taken
from .board import StoreBoard

_GENERATOR = "benchwright results board"


def write_store_board(board: StoreBoard, path: Path) -> None:
    """Write the page of a store's board; equal boards give identical bytes.

    Raises:
        StorageError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as draft, draft.open("w", encoding="utf-8", errors="backslashreplace") as handle:
        handle.writelines(_pieces(board))


def _pieces(board: StoreBoard) -> Iterator[str]:
    values = {
        "blocks": board.blocks,
        "apart": board.apart,
        "systems": _systems(board),
        "runs": sum(len(block.runs) for block in board.blocks),
        "endings": [
            {name: ENDINGS[name] for name in endings_taken([row.score for row in block.board.rows])}
            for block in board.blocks
        ],
    }
    return page_pieces(
        TEMPLATES, "store.html", values, generator=_GENERATOR, style="leaderboard.css", filters=board_filters()
    )


def _systems(board: StoreBoard) -> list[tuple[str, list[list[BoardRow]]]]:
    """Return each system with its rows in each block, ordered by descending number of blocks, then as in its first
    block.

    Repeated runs of a system in one block are several rows in one cell.
    """
    cells: dict[str, list[list[BoardRow]]] = {}
    for number, block in enumerate(board.blocks):
        for row in block.board.rows:
            title = block.runs[row.score.title].title
            cells.setdefault(title, [[] for _ in board.blocks])[number].append(row)
    return sorted(cells.items(), key=lambda entry: -sum(map(bool, entry[1])))
