"""The battery's report page: a table of tasks by kind of cue, the solvers for each task, and items that a cheating
solver answers correctly.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from benchwright.diagnostics.adversary.learning import power_in_words, told
from benchwright.diagnostics.shortcuts.battery import FOREST, SolverResult, TaskResult
from benchwright.diagnostics.shortcuts.forest import LEAST_ITEMS
from benchwright.diagnostics.shortcuts.item_source import LeftOutItem
from benchwright.diagnostics.shortcuts.model_solvers import Sees
from benchwright.diagnostics.shortcuts.report import ShortcutReport
from benchwright.drawing import PromptError
from benchwright.drawing.previews import preview
from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images.decode import encode_png
from benchwright.machine.storage_faults import naming
from benchwright.pages import Chart, ChartRow, Dot, page_pieces, rows_chart, share_scale
from benchwright.pages.charts import LegendEntry
from benchwright.pages.rows import ReferenceLine
from benchwright.records import Item
from benchwright.source_files.item_files import SourceItem
from benchwright.steps import CueFamily
from benchwright.texts.normalization import printable
from benchwright.workspace.atomic import replacing, write_bytes, write_json

PAGE, _REPORT, ITEMS = "report.html", "report.json", "items.jsonl"
_MOST_EXAMPLES = 60
_MOST_SOLVERS = 12
"""Number of solvers shown in a task's chart in addition to those whose cue the task carries."""
_SHOWN_TO_MODEL: Mapping[Sees, str] = {
    "text": "question and options",
    "options": "the options alone",
    "captions": "question, options and captions of the pictures",
}
_SIDE_PX = 360
_MAP_CELL_PX, _MAP_CONTRAST = 10, 16
"""Pixels per cell of a map, and gray levels per standard deviation."""
_TEMPLATES = Path(__file__).parent / "templates"


class _TableCell(NamedTuple):
    """A cell of the table: the solver of one family whose accuracy on a task is farthest from chance.

    Args:
        result: The solver; None if the family has none.
        is_task: Whether the task requires the family.
    """

    result: SolverResult | None
    is_task: bool


class _PictureInExample(NamedTuple):
    """A picture of an example; if it cannot be shown, `uri` is None and `problem` gives the reason."""

    uri: str | None
    width: int
    height: int
    problem: str


class _ShownExample(NamedTuple):
    """An item that a cheating solver answers correctly.

    Args:
        item: The item.
        item_id: Its id, or the id of its question in a file.
        pictures: Its pictures, with their marks.
        options: Key and words of each option.
        right: Key of the right option.
        solvers: The solvers whose cue helps with the item.
        bias: Its bias score; None if its task has no forest.
    """

    item: Item
    item_id: str
    pictures: Sequence[_PictureInExample]
    options: Sequence[tuple[str, str]]
    right: str | None
    solvers: Sequence[SolverResult]
    bias: float | None


def write_page(report: ShortcutReport, folder: Path) -> Path:
    """Write the page, the report as JSON and the scores of all items to a folder, and return the page's path.

    Equal reports yield identical files.

    Args:
        report: The report.
        folder: Folder for the three files; created if missing. Replaces files of an earlier report.

    Raises:
        BenchwrightError: The folder is a file, or cannot be written.
    """
    if folder.exists() and not folder.is_dir():
        raise BenchwrightError(f"{folder} is a file; give a folder for the report with --out")
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / _REPORT, report.document())
    lines = [json.dumps(entry, ensure_ascii=False) + "\n" for entry in _item_scores(report)]
    write_bytes(folder / ITEMS, "".join(lines).encode())
    target = folder / PAGE
    with replacing(target) as draft, draft.open("w", encoding="utf-8", errors="replace") as handle:
        handle.writelines(_pieces(report))
    return target


def _item_scores(report: ShortcutReport) -> Iterator[dict[str, Any]]:
    """Yield, for each item, its id, its task, its bias score, the solvers that a cue helps with it, and whether pruning
    removes it, sorted by task.

    An item read from a file has the id of its question in that file.
    """
    flagged, pruned = report.flagged(), report.pruned()
    for task in report.tasks:
        for item, bias in zip(task.table.items, task.bias.tolist(), strict=True):
            yield {
                "item_id": report.own_ids.get(item.item_id, item.item_id),
                "task": item.task,
                "bias": None if task.forest is None else round(bias, 6),
                "solvers": [result.solver for result in flagged.get(item.item_id, ())],
                "pruned": item.item_id in pruned,
            }


def _pieces(report: ShortcutReport) -> Iterator[str]:
    families = [family for family in get_args(CueFamily) if any(_of(task, family) for task in report.tasks)]
    carried = [task for task in report.results if task.carried]
    values = {
        "name": report.source.path.resolve().name,
        "facts": [
            ("items", f"{report.items:,}"),
            ("tasks", f"{len(report.tasks):,}"),
            ("tests", f"{sum(len(task.solvers) for task in report.tasks):,}"),
            ("tasks that carry a cue", f"{len(carried):,}"),
            ("items that a cue helps with", f"{len(report.flagged()):,}"),
        ],
        "left_out_count": len(report.left_out),
        "words_alone": report.words_alone,
        "pruning": report.pruning,
        "refusals": report.refusals,
        "edited": report.edited,
        "edited_chart": _edited_chart(report),
        "model": report.model,
        "shown_to_model": _SHOWN_TO_MODEL,
        "least_items": LEAST_ITEMS,
        "bounds": report.bounds,
        "families": families,
        "rows": [(task, [_cell(task, family) for family in (*families, None)]) for task in report.results],
        "tasks": [(task, _chart(task), _falls(task)) for task in report.results if task.solvers],
        "maps": {task.table.task: _map_uri(task) for task in report.results},
        "told": told,
        "power_in_words": power_in_words,
        "left_out": left_out_by_reason(report.left_out),
        "examples": _examples(report),
    }
    return page_pieces(
        _TEMPLATES,
        "shortcuts.html",
        values,
        generator="benchwright filter shortcuts",
        style="shortcuts.css",
        finalize=_printable,
    )


def _edited_chart(report: ShortcutReport) -> Chart | None:
    return None if report.edited is None or not report.edited.result.solvers else _chart(report.edited.result)


def left_out_by_reason(left_out: Iterable[LeftOutItem]) -> list[tuple[str, list[LeftOutItem]]]:
    """Return the items that were left out, grouped by reason and sorted."""
    by_reason: dict[str, list[LeftOutItem]] = {}
    for item in left_out:
        by_reason.setdefault(item.reason, []).append(item)
    return sorted(by_reason.items())


def _printable(value: Any) -> Any:
    """Return a text with its control characters escaped; return markup and other values unchanged."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _of(task: TaskResult, family: CueFamily | None) -> list[SolverResult]:
    return [result for result in task.solvers if result.family == family]


def _cell(task: TaskResult, family: CueFamily | None) -> _TableCell:
    """Return the solver to show: the one farthest from chance among those whose cue the task carries, otherwise among
    all.
    """
    results = _of(task, family)
    chosen = next((result for result in results if result.carries), results[0] if results else None)
    return _TableCell(chosen, family in task.task_cues)


def _chart(task: TaskResult) -> Chart:
    shown = [*task.carried, *[result for result in task.solvers if not result.carries][:_MOST_SOLVERS]]
    rows = [
        ChartRow(
            result.solver.replace("_", " "),
            dots=(Dot(result.accuracy.value, result.accuracy.interval, series=1 if result.carries else 0),),
            lines=(ReferenceLine("chance", result.accuracy.chance),),
            note=f"{result.accuracy.value:.3f}, p {result.p_holm:.2g}{', may be the task' * result.may_be_task}",
        )
        for result in shown
    ]
    legend = (LegendEntry("passes", 0), LegendEntry("the items carry its cue", 1), LegendEntry("chance", "chance"))
    caption = (
        f"Accuracy of solvers that do not do the task, with its 95 % interval; {len(shown)} of {len(task.solvers)}. "
        "p is adjusted over all solvers and tasks (Holm)."
    )
    name = f"task-{task.table.task}"
    return rows_chart(name, task.table.task, rows, share_scale(1.0), caption=caption, legend=legend)


def _map_uri(task: TaskResult) -> str | None:
    """Return, as a picture, the map of the regions that reveal the key: gray where they reveal nothing, lighter where
    the right option is lighter. Return None if there is no map, or if the task carries no cue of a solver that uses the
    map.
    """
    if task.told_map is None or not any(result.carries and result.family == "pixels" for result in task.solvers):
        return None
    levels = np.clip(128 + _MAP_CONTRAST * task.told_map, 0, 255).astype(np.uint8)
    large = np.repeat(np.repeat(levels, _MAP_CELL_PX, axis=0), _MAP_CELL_PX, axis=1)
    return f"data:image/png;base64,{base64.b64encode(encode_png(large)).decode('ascii')}"


def _falls(task: TaskResult) -> list[tuple[str, float]]:
    weights: Mapping[str, float] = task.forest.weights if task.forest is not None else {}
    return [(title, fall) for title, fall in weights.items() if fall > 0][:_MOST_SOLVERS]


def _examples(report: ShortcutReport) -> Iterator[_ShownExample]:
    """Yield the items with the highest bias score of each task that carries a cue, in the order of the source."""
    flagged = report.flagged()
    carried = [task for task in report.results if task.carried]
    bias: dict[str, float | None] = {}
    for task in carried:
        scored = [
            (-score if task.forest is not None else 0.0, item.item_id)
            for item, score in zip(task.table.items, task.bias.tolist(), strict=True)
            if item.item_id in flagged
        ]
        for negative, item_id in sorted(scored)[: max(1, _MOST_EXAMPLES // len(carried))]:
            bias[item_id] = -negative if task.forest is not None else None
    if not bias:
        return
    for source_item in report.source.items():
        if (item_id := source_item.item.item_id) in bias:
            yield _example(source_item, flagged[item_id], bias[item_id])


def _example(source_item: SourceItem, solvers: Sequence[SolverResult], bias: float | None) -> _ShownExample:
    item = source_item.item
    numbers = {image.image_id: number for number, image in enumerate(item.images, start=1)}
    options = [
        (choice.key, choice.text if choice.text is not None else f"picture {numbers[str(choice.image_id)]}")
        for choice in item.choices
    ]
    pictures = []
    for image in item.images:
        if image.image_id not in source_item.files:
            pictures.append(_PictureInExample(None, 0, 0, "The picture is missing."))
            continue
        try:
            drawn = preview(source_item.files[image.image_id], max_side_px=_SIDE_PX, prompts=image.prompts)
        except (UnreadableImage, PromptError) as error:
            pictures.append(_PictureInExample(None, 0, 0, str(error)))
        else:
            uri = f"data:{drawn.media_type};base64,{base64.b64encode(drawn.data).decode('ascii')}"
            pictures.append(_PictureInExample(uri, drawn.width, drawn.height, ""))
    ordered = sorted(solvers, key=lambda result: (result.solver == FOREST, result.p_holm, result.solver))
    return _ShownExample(
        item, source_item.own_id or item.item_id[:12], pictures, options, item.answer or item.refusal, ordered[:4], bias
    )
