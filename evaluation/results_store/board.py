"""The board of a store: runs across releases and versions, in blocks of comparable runs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from ..leaderboard.board import Leaderboard, leaderboard_of
from ..results.score import PREDICTIONS_FILE
from .exporting import link_runs
from .store import StoredRun

FORMAT, VERSION = "benchwright/results-board", 1


class BoardBlock(NamedTuple):
    """Runs with the same release, split and reader, ranked together.

    Args:
        runs: The runs, by their titles on the board.
        reader: Name of the reader that finds the letters.
        board: Leaderboard of these runs.
    """

    runs: Mapping[str, StoredRun]
    reader: str
    board: Leaderboard

    @property
    def title(self) -> str:
        """Return the release, its id, the split and the reader, as text."""
        split = "all splits" if self.board.split is None else f"split {self.board.split}"
        return f"{self.board.release} ({self.board.release_id[:12]}), {split}, read by {self.reader}"


class BlocksApart(NamedTuple):
    """Two blocks whose figures are not comparable.

    Args:
        first: Index of the first block, from 0.
        second: Index of the second block.
        why: How the blocks differ, as text.
        shared: Number of items that were asked in both.
    """

    first: int
    second: int
    why: str
    shared: int


class StoreBoard(NamedTuple):
    """All blocks, and the reasons why the figures of any two blocks cannot be compared."""

    blocks: tuple[BoardBlock, ...]
    apart: tuple[BlocksApart, ...]

    def document(self) -> dict[str, Any]:
        """Return the board as JSON values."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "blocks": [
                {
                    "reader": block.reader,
                    "runs": {title: run.run for title, run in block.runs.items()},
                    "board": block.board.document(),
                }
                for block in self.blocks
            ],
            "apart": [pair._asdict() for pair in self.apart],
        }


def board_of(runs: Sequence[StoredRun]) -> StoreBoard:
    """Return the board of some runs, with a separate block for each reader and each version of a reader."""
    by_column: dict[tuple[str, str | None, str, str], list[StoredRun]] = {}
    for run in runs:
        by_column.setdefault(run.column, []).append(run)
    blocks = []
    for of_column in by_column.values():
        with tempfile.TemporaryDirectory() as folder:
            link_runs(of_column, Path(folder))
            board = leaderboard_of(Path(folder))
        by_id = {run.run: run for run in of_column}
        titled = {row.score.title: by_id[row.score.folder] for row in board.rows}
        blocks.append(BoardBlock(titled, of_column[0].score.reader, board))
    asked = [_items(block) for block in blocks]
    apart = [
        BlocksApart(a, b, _difference(blocks[a], blocks[b]), len(asked[a] & asked[b]))
        for a, b in combinations(range(len(blocks)), 2)
    ]
    return StoreBoard(tuple(blocks), tuple(apart))


def _items(block: BoardBlock) -> set[str]:
    """Return the ids of the items that any run in a block was asked."""
    tables = (pq.read_table(run.folder / PREDICTIONS_FILE, columns=["item_id"]) for run in block.runs.values())
    return {item for table in tables for item in table.column("item_id").unique().to_pylist()}


def _difference(first: BoardBlock, second: BoardBlock) -> str:
    if first.board.release_id != second.board.release_id:
        return "another release"
    if first.board.split != second.board.split:
        return "another split"
    return "another reader" if first.reader != second.reader else "another version of the reader"
