"""The data of a report, stored next to its page for further analysis: `report.json`, `scores.csv` and `items.csv`."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import harmless
from benchwright.release.format import documents
from benchwright.workspace.atomic import replacing

from ..results.summary import reading_document
from .content.cards import outcome
from .plots.labels import labels_of

if TYPE_CHECKING:
    from benchwright.records import Item
    from benchwright.release import Release
    from benchwright.review_files.findings import Findings

    from ..analysis.comparison import Comparison
    from ..analysis.same_items import Sample
    from ..results.score import Score
    from .content.label_sums import LabelSums
    from .content.pairs import PairLine
    from .content.reference_points import ReferencePoints
    from .content.replies import ReportedReply
    from .content.score_table import PeopleShare, ScoreTable

FORMAT: Literal["benchwright/report"] = "benchwright/report"
VERSION = 1
_REPORT, _SCORES, ITEMS = "report.json", "scores.csv", "items.csv"
_ALL_FILES = (_REPORT, _SCORES, ITEMS)

_SCORE_COLUMNS = ("model", "protocol", "reader", "metric", "value", "ci_low", "ci_high", "n", "method")
_ITEM_COLUMNS = (
    "item_id",
    "split",
    "task",
    "level",
    "category",
    "key",
    "options",
    "models_asked",
    "models_right",
    "difficulty",
    "discrimination",
    "people_asked",
    "people_right",
)
"""Columns that precede the two columns of each model, `letter MODEL` and `outcome MODEL`."""


def folder_of(page: Path) -> Path:
    """Return the folder for the data of a page, which is next to the page and named after the page."""
    return page.with_name(f"{page.stem}-data")


def prepare(folder: Path) -> None:
    """Create the folder, or accept one that contains only a report's data.

    Raises:
        BenchwrightError: The folder contains something else, or it cannot be created.
    """
    try:
        folder.mkdir(exist_ok=True)
        for name in _ALL_FILES:
            for draft in folder.glob(f".{name}.*.tmp"):  # of a report that was interrupted while being written
                draft.unlink(missing_ok=True)
        strange = sorted(path.name for path in folder.iterdir() if path.name not in _ALL_FILES or not path.is_file())
    except OSError as error:
        raise BenchwrightError(f"{folder} cannot be a folder for data: {error.strerror or error}") from error
    if folder.is_symlink() or strange:
        stranger = strange[0] if strange else "a link"
        raise BenchwrightError(
            f"{folder} contains {stranger!r}, which is not a report's data; give another folder with --data"
        )


class ItemTable:
    """Writer of `items.csv`, which is written row by row, and either completely or not at all; use it as a context
    manager.
    """

    def __init__(self, folder: Path, models: Sequence[str]) -> None:
        self._path = folder / ITEMS
        self._models = models
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        draft = self._stack.enter_context(replacing(self._path))
        handle = self._stack.enter_context(draft.open("w", encoding="utf-8", errors="backslashreplace", newline=""))
        self._writer = csv.writer(handle, lineterminator="\n")
        named = [f"{column} {model}" for model in self._models for column in ("letter", "outcome")]
        self._writer.writerow([*_ITEM_COLUMNS, *named])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def add(
        self,
        item: Item,
        split: str,
        replies: Sequence[ReportedReply | None],
        people: PeopleShare | None,
        *,
        difficulty: float,
        discrimination: float,
    ) -> None:
        """Add an item; undefined figures are NaN."""
        given_replies = [reply for reply in replies if reply is not None]
        cells: list[Any] = [
            item.item_id,
            split,
            item.task,
            item.level,
            item.category,
            item.answer or item.refusal,
            len(item.choices),
            len(given_replies),
            sum(reply.right for reply in given_replies),
            difficulty,
            discrimination,
            None if people is None else people.asked,
            None if people is None else people.right,
        ]
        for reply in replies:
            cells += [None, "not asked"] if reply is None else [reply.letter, outcome(reply)]
        self._writer.writerow([_cell(cell) for cell in cells])


def write_scores(folder: Path, scores: Sequence[Score]) -> None:
    """Write `scores.csv`, with one row for each figure of each score."""
    with (
        replacing(folder / _SCORES) as draft,
        draft.open("w", encoding="utf-8", errors="backslashreplace", newline="") as handle,
    ):
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(_SCORE_COLUMNS)
        for score in scores:
            for name, figure in sorted(score.metrics.items()):
                low, high = figure.ci or (None, None)
                row = (
                    score.model,
                    score.protocol,
                    score.reader,
                    name,
                    figure.value,
                    low,
                    high,
                    figure.n,
                    figure.method,
                )
                writer.writerow([_cell(cell) for cell in row])


def write_report_data(
    folder: Path,
    release: Release,
    board: ScoreTable,
    comparison: Comparison,
    pairs: Sequence[PairLine],
    points: Sequence[ReferencePoints],
    sums: LabelSums,
    samples: Mapping[str, Sample],
    findings: Findings | None,
) -> None:
    """Write `report.json`: everything that the page shows except the items.

    Raises:
        DataError: A value cannot be written as JSON.
    """
    score = board.lines[0].score
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "release": {
            "name": release.name,
            "version": release.version,
            "release_id": release.release_id,
            "content_id": release.content_id,
            "split": score.split,
        },
        "models": [
            {
                **line.score.document(),
                **reading_document(line.score),
                "title": line.model,
                "rank": line.rank,
                "groups": line.groups,
            }
            for line in board.lines
        ],
        "ranking": [ranked.model for ranked in comparison.ranking],
        "why_no_ranks": comparison.why_no_ranks,
        "chance": _named(board, board.chance),
        "people": {name: _named(board, figures) for name, figures in board.below},
        "reference_points": [task_points.document() for task_points in points],
        "on_the_items_of_people": {name: sample.document() for name, sample in samples.items()},
        "pairs": [line.document() for line in pairs],
        "labels": {
            label: {value: label_sums.document() for value, label_sums in sums.of(label).items() if value in values}
            for label, values in labels_of(board).items()
        },
        "error_analysis": None if findings is None else findings.model_dump(mode="json"),
        "files": {"scores": _SCORES, "items": ITEMS},
    }
    data = documents.spell(json.loads(_ascii(document)), title=_REPORT)
    with replacing(folder / _REPORT) as draft:
        draft.write_bytes(data)


def _ascii(document: Mapping[str, Any]) -> str:
    """Return ASCII JSON, which can represent any name, even one with an unpaired surrogate."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode("utf-8")


def _named(board: ScoreTable, figures: Sequence[Any]) -> dict[str, Any]:
    columns = zip(board.columns, figures, strict=True)
    return {name: figure.model_dump(mode="json") for name, figure in columns if figure is not None}


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, float):
        return format(value, ".6g")
    # A negative number is not a formula; a text that begins like one is.
    return harmless(value) if isinstance(value, str) else str(value)
