"""Forecasts, before a run, of a task's number of items, based on the task's own choice of records or on a sample of
pictures.

If the number depends only on records and sizes of pictures, the task's selection runs, so that the forecast equals the
number in a run in which no earlier step drops a picture. If it depends on pixels, the task makes the items of a few
random pictures.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchwright.errors import BenchwrightError
from benchwright.images.formats.walking import Limits
from benchwright.source_files.portable_pixmap import SUFFIXES, png_of_pixmap
from benchwright.statistics.score_interval import score_interval
from benchwright.steps import ForecastContext, GatherContext, GatherStep, ItemForecast, Step

from ..datasets.dataset import Dataset, RehearsedRecords
from ..ground_truth.values import DATASET, VALUES
from ..item_parts.options.modes import Mode
from .truth_plans import main_reason

if TYPE_CHECKING:
    from benchwright.workspace.run_results import StepReport

MODES: tuple[Mode, Mode] = ("hardened", "paper")
_PHOTOGRAPHS, _RECORDS = 24, 6
"""Size of the sample of photographs or records from which items are made to estimate their yield."""
_NOT_OF_IT = {"nothing_stated", "other_source"}
"""Reasons for leaving out pictures that are outside the examined set."""


def forecast_of_truths(asked: Step, ctx: ForecastContext) -> list[ItemForecast]:
    """Return how many items a task will make from a dataset's records, in each mode of the task.

    Args:
        asked: The task as in the recipe.
        ctx: Context of the forecast.
    """
    entry: str = getattr(asked, "dataset", None) or DATASET
    giver = ctx.before.get(entry)
    if getattr(asked, "marked_by", None) is not None or not isinstance(giver, Dataset):
        return []
    known = giver.rehearsed(ctx.seed)
    expected = []
    for mode in MODES if has_modes(asked) else (None,):
        in_mode = asked if mode is None else asked.model_copy(update={"mode": mode})
        others: tuple[str, ...] = getattr(asked, "apart_from", ())
        task = in_mode.placed({entry: VALUES, **{f"{other}.selection": {} for other in others}})
        chosen = _by_selection(task, known, ctx.seed)
        chosen = chosen._replace(mode=mode, is_set=mode in (None, getattr(asked, "mode", None)))
        expected.append(
            _of_pairs(in_mode, giver, chosen, ctx.seed) if getattr(task, "items_need_pixels", False) else chosen
        )
    return expected


def has_modes(step: Step) -> bool:
    """Return whether a task has a hardened form in addition to the paper's."""
    mode = type(step).model_fields.get("mode")
    return mode is not None and mode.default == MODES[0]


def _by_selection(task: Step, known: RehearsedRecords, seed: int) -> ItemForecast:
    """Return the number of records that a task chooses, and the reasons why the remaining records are not chosen."""
    import pyarrow as pa

    selection = task.parts()[0]
    assert isinstance(selection, GatherStep), "a task of ground truth chooses among all records first"
    count = len(known.sizes_wh)
    columns: dict[str, Any] = {
        "image_id": pa.array(list(known.sizes_wh), pa.string()),
        "width": pa.array([width for width, _ in known.sizes_wh.values()], pa.int64()),
        "height": pa.array([height for _, height in known.sizes_wh.values()], pa.int64()),
    }
    truths = [column for column in selection.columns if column not in columns]
    for column in truths:
        columns[column] = pa.array(known.values.get(column.rpartition(".")[2], [None] * count), pa.string())
    gathered = selection.gather(pa.table(columns), GatherContext(seed, task.name))
    items, left_out, dropped = 0, Counter[str](), Counter[str]()
    for chosen, reasons in zip(gathered.values["chosen"], gathered.values["left_out"], strict=True):
        of_picture = Counter(json.loads(reasons) if reasons is not None else {})
        left_out += of_picture
        if chosen is not None:
            items += len(json.loads(chosen)) * getattr(task, "items_of_each", 1)
        elif of_picture:
            dropped[main_reason(of_picture)] += 1
    texts = (text for column in truths for text in columns[column].to_pylist() if text is not None)
    stated = [entry["image_ids"] for text in texts for entry in json.loads(text)]
    shown = {image_id for image_ids in stated for image_id in image_ids}
    pictures = len(shown) if all(len(image_ids) == 1 for image_ids in stated) else None
    # A run counts pictures without an item, not statements about them, and so does the advice.
    advice = task.advice(items, dropped)
    return ItemForecast(
        None, True, items, items, items, len(stated), len(stated), dict(left_out), advice, pictures=pictures
    )


def _of_pairs(asked: Step, giver: Dataset, chosen: ItemForecast, seed: int) -> ItemForecast:
    """Return an estimate, from a few records, of how many of a selection's chosen pairs yield an item."""
    task = {"step": asked.name, **_settings(asked), "dataset": DATASET, "mode": chosen.mode}
    if chosen.items == 0 or (report := _sample_run([giver.sample(_RECORDS), task], seed)) is None:
        return chosen
    return _scaled(report, chosen, chosen.items, chosen.left_out) or chosen


def forecast_of_photographs(step: Step, ctx: ForecastContext, dataset: str | None = None) -> list[ItemForecast]:
    """Return how many items a task will make from photographs, in each mode, estimated from a sample.

    Args:
        step: The task.
        ctx: Context of the forecast.
        dataset: Entry to use only its pictures; default None, for all pictures of the run.
    """
    brought = {
        path
        for entry, before in ctx.before.items()
        if isinstance(before, Dataset) and dataset in (None, entry)
        for path in before.rehearsed(ctx.seed).files
    }
    population = sorted(brought if dataset is not None else brought | set(ctx.photographs))
    rank = {path: blake2b(f"{ctx.seed}:{path}".encode(), digest_size=8).digest() for path in population}
    there = [path for path in sorted(population, key=rank.__getitem__) if path.is_file()]
    with TemporaryDirectory() as name:
        shown = _copied(there[:_PHOTOGRAPHS], Path(name))
        if not shown:
            return []
        expected = []
        for mode in MODES:
            settings = {"step": step.name, **_settings(step), "mode": mode}
            if (report := _sample_run([settings], ctx.seed, images=Path(name))) is None:
                return []
            whole = ItemForecast(mode, mode == getattr(step, "mode", mode), 0, 0, 0, shown, len(population))
            if (scaled := _scaled(report, whole, len(population), {})) is not None:
                expected.append(scaled)
    return expected


def _copied(files: Sequence[Path], folder: Path) -> int:
    """Copy pictures into a folder, pixmaps as PNG, and return their number."""
    count = 0
    for number, file in enumerate(files):
        try:
            if file.suffix.lower() in SUFFIXES:
                (folder / f"{number}.png").write_bytes(png_of_pixmap(file.read_bytes(), limits=Limits()))
            else:
                shutil.copyfile(file, folder / f"{number}{file.suffix}")
            count += 1
        except (BenchwrightError, OSError):
            continue
    return count


def _settings(step: Step) -> dict[str, Any]:
    """Return the settings that a recipe states, except those that have a meaning only within that recipe."""
    left = {"dataset", "mode", "items", "apart_from", "marked_by"}
    return {name: value for name, value in step.model_dump(mode="json", exclude_unset=True).items() if name not in left}


def _sample_run(steps: Sequence[Mapping[str, Any]], seed: int, *, images: Path | None = None) -> StepReport | None:
    """Run the steps in a temporary workspace and return the output of the last one; None if they cannot be run."""
    from benchwright.pipeline import run_recipe
    from benchwright.recipe import Recipe

    with TemporaryDirectory() as name:
        try:
            recipe = Recipe("forecast", [dict(entry) for entry in steps], seed=seed, folder=Path(name), shards=1)
            return run_recipe(recipe, workspace=Path(name) / "workspace", images=images, workers=1).steps[-1]
        except BenchwrightError:
            return None


def _scaled(report: StepReport, whole: ItemForecast, of: int, left_out: Mapping[str, int]) -> ItemForecast | None:
    """Return the estimate for the whole set from a sample; None if no part of the sample was tried.

    Args:
        report: Outcome of the sample.
        whole: Outcome of the whole set, as far as it is known.
        of: Number of pictures or pairs of the whole.
        left_out: Reasons why others were left out without being tried.
    """
    dropped = {reason: number for reason, number in report.dropped.items() if reason not in _NOT_OF_IT}
    tried = report.kept + sum(dropped.values())
    if tried == 0:
        return None
    each = report.made / report.kept if report.kept else 1.0
    reasons = Counter(left_out) + Counter(dropped)
    if tried >= of:
        made = report.made
        return whole._replace(items=made, least=made, most=made, looked_at=whole.of, left_out=dict(reasons))
    low, high = score_interval(report.kept, tried)
    least, items, most = (round(part * of * each) for part in (low, report.kept / tried, high))
    return whole._replace(items=items, least=least, most=most, looked_at=tried, left_out=dict(reasons))
