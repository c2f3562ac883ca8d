"""BLINK's fourteen tasks that a folder of photographs can supply, and what the folder lacks for the others.

The survey reads file names, first rows and headers, finds the models on this machine, and tries depth maps and masks
only until it finds a usable one. It uses the recipe `blink` to estimate how many items each task will make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.models.local_weights import FOLDER, weights_on_this_machine
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusal_lists import RowCounts, RowLedger
from benchwright.source_files.refusals import RefusedRow
from benchwright.steps import ItemForecast
from benchwright.texts.normalization import counted

from ..readers.found import kinds_found, records_of_source
from ..readers.own_annotations import OwnPictures
from ..readers.reader import DatasetRecord
from ..readers.recognition import MEASURED, FoundSource, Recognised, recognised
from .lacking import lacking_truths

_MOST_ROWS = 2000
"""Largest number of rows read per source for the counts; for larger sources, the counts are lower bounds."""
MOST_BYTES = 64 << 20
"""Size, in bytes, above which the records of a single annotation file are not counted."""
_MOST_MAPS, _MOST_SHOWN = 20, 5
"""Largest number of maps to try until one is usable, and largest number of refusals to report."""


class Model(NamedTuple):
    """A model whose estimates replace a task's ground truth.

    Args:
        repository: Name of its repository on the hub.
        gives: The model's output for the task.
        package: Package that runs the model.
    """

    repository: str
    gives: str
    package: str


_DEPTH = Model("depth-anything/Depth-Anything-V2-Small-hf", "pairs of points by depth", "transformers")
_GENERATOR = Model("stabilityai/stable-diffusion-xl-base-1.0", "pictures of captions", "diffusers")
_FEATURES = Model("facebook/dinov2-small", "triplets by features", "transformers")
_MODELS = (_DEPTH, _GENERATOR, _FEATURES)


class _BlinkTask(NamedTuple):
    """The inputs of one of the fourteen tasks.

    Args:
        kinds: Kinds of ground truth, one of which is enough.
        of_pictures: Whether any photograph will do, without ground truth.
        model: Model that can replace ground truth, or is needed in addition.
        needs_model: Whether the model is needed in addition to the ground truth.
        otherwise: How to make the task without any of these.
    """

    kinds: tuple[str, ...] = ()
    of_pictures: bool = False
    model: Model | None = None
    needs_model: bool = False
    otherwise: str | None = None


_BLINK_TASKS: Mapping[str, _BlinkTask] = {
    "visual_correspondence": _BlinkTask(("homographies",), of_pictures=True),
    "relative_reflectance": _BlinkTask(("reflectance",)),
    "relative_depth": _BlinkTask(("depth",), model=_DEPTH),
    "spatial_relation": _BlinkTask(("claims",)),
    "multi_view_reasoning": _BlinkTask(("poses",)),
    "jigsaw": _BlinkTask(of_pictures=True),
    "object_localization": _BlinkTask(("boxes",)),
    "counting": _BlinkTask(("counts",)),
    "art_style": _BlinkTask(("styles",)),
    "visual_similarity": _BlinkTask(("similarity",), model=_FEATURES),
    "semantic_correspondence": _BlinkTask(("keypoints",)),
    "functional_correspondence": _BlinkTask(("functions",)),
    "forensic_detection": _BlinkTask(("captions",), model=_GENERATOR, needs_model=True),
    "iq_test": _BlinkTask(("puzzles",), otherwise="the step `pattern_puzzles` draws some"),
}
"""The tasks, roughly in the paper's order."""


class TaskSurvey(NamedTuple):
    """What a folder offers for one task.

    Args:
        task: Name of the step.
        by: Sources that supply the task, one line each; empty if there are none.
        records: Number of records for it; None if not counted, or if any picture is one.
        pictures: Number of pictures for it; None if not counted.
        lacks: The missing input and how to get it; None if nothing is missing.
        expected: Number of items that the recipe `blink` will make for it, for each entry of the task and each mode;
            empty if unknown.
    """

    task: str
    by: tuple[str, ...]
    records: int | None
    pictures: int | None
    lacks: str | None
    expected: tuple[ItemForecast, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the survey as JSON values."""
        return {
            **self._asdict(),
            "fed": self.lacks is None,
            "by": list(self.by),
            "expected": [items._asdict() for items in self.expected],
        }


class SourceSurvey(NamedTuple):
    """The content of one source in a folder.

    Args:
        name: Readable name.
        truths: Number of records by kind of truth; empty if nothing was counted.
        rows: Outcome of its rows, as far as known before pictures are opened; None if nothing was counted.
    """

    name: str
    truths: Mapping[str, int]
    rows: RowCounts | None

    def to_json(self) -> dict[str, Any]:
        """Return the survey as JSON values."""
        rows = None if self.rows is None else self.rows.document()
        return {"source": self.name, "truths": dict(self.truths), "rows": rows}


class FolderSurvey(NamedTuple):
    """The content of a folder.

    Args:
        folder: The folder.
        pictures: Number of pictures outside folders of source datasets (unless the whole folder is one) that no record
            read so far names.
        sources: Recognized sources, each with its counts, which are lower bounds.
        unused: Unused files; of maps and cameras, only the first ones.
        models: Folder of each model's weights on this machine; None if there is none.
        tasks: The fourteen tasks.
        not_expected: The reason why requested numbers of items are missing; None if none are missing.
    """

    folder: Path
    pictures: int
    sources: tuple[SourceSurvey, ...]
    unused: tuple[RefusedRow, ...]
    models: Mapping[str, Path | None]
    tasks: tuple[TaskSurvey, ...]
    not_expected: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the survey as `construct survey --json` prints it."""
        return {
            "folder": str(self.folder),
            "pictures": self.pictures,
            "sources": [source.to_json() for source in self.sources],
            "unused": [{"file": row.file, "reason": row.reason, "detail": row.detail} for row in self.unused],
            "models": {name: None if path is None else str(path) for name, path in self.models.items()},
            "tasks": [task.to_json() for task in self.tasks],
            "not_expected": self.not_expected,
        }


class _TruthCounts:
    """The number of one source's records and pictures by kind of truth, and of its rows by outcome."""

    def __init__(self) -> None:
        self.records: Counter[str] = Counter()
        self.pictures: dict[str, set[str]] = {}
        self.used, self.ledger = 0, RowLedger()

    def rows(self) -> RowCounts:
        return self.ledger.rows(self.used)

    def add(self, record: DatasetRecord) -> None:
        self.used += record.rows
        for kind in {truth.kind for truth in record.truths}:
            self.records[kind] += 1
            self.pictures.setdefault(kind, set()).update(picture.path for picture in record.pictures)


def survey_folder(folder: Path, *, expects_items: bool = True) -> FolderSurvey:
    """Return what a folder offers for the fourteen tasks.

    Args:
        folder: The folder.
        expects_items: Whether to estimate each task's number of items, which opens pictures; default True.

    Raises:
        DataError: The path is not a folder, the folder cannot be read, or it contains a damaged archive.
    """
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder; name the folder of your photographs")
    files = DatasetFiles(folder)
    here = recognised(files)
    own = OwnPictures.of(folder, here)
    counted = {source.name: _counted(source, own) for source in here.sources}
    kinds = kinds_found(files, here)
    theirs = [counts for source in here.sources if source.form == "dataset" and (counts := counted[source.name])]
    of_datasets = {path for counts in theirs for shown in counts.pictures.values() for path in shown}
    own_pictures = len(own.paths.keys() - of_datasets)  # a dataset may be the folder itself
    pictures = own_pictures + len(of_datasets)
    expected: Mapping[str, Sequence[ItemForecast]] = {}
    not_expected = None
    if expects_items:
        expected, not_expected = _expected(folder, here, counted)
    models = {model.repository: weights_on_this_machine(model.repository) for model in _MODELS}
    return FolderSurvey(
        folder,
        own_pictures,
        tuple(
            SourceSurvey(name, dict(sorted(counts.records.items())), counts.rows())
            if counts
            else SourceSurvey(name, {}, None)
            for name, counts in counted.items()
        ),
        (*here.unused, *(row for source in here.sources for row in _first_refusals(source, own))),
        models,
        tuple(
            _surveyed(name, task, kinds, counted, pictures, models)._replace(expected=tuple(expected.get(name, ())))
            for name, task in _BLINK_TASKS.items()
        ),
        not_expected,
    )


def _expected(
    folder: Path, here: Recognised, counted: Mapping[str, _TruthCounts | None]
) -> tuple[Mapping[str, Sequence[ItemForecast]], str | None]:
    """Return how many items of each task the recipe `blink` will make, and the reason if any of these numbers is
    missing.
    """
    from benchwright.pipeline.ingest import list_files
    from benchwright.pipeline.planning.fitting import fitted_to
    from benchwright.pipeline.planning.forecast import forecast
    from benchwright.recipe import load_recipe
    from benchwright.recipes import bundled_recipes

    if large := [source.name for source in here.sources if counted[source.name] is None and not source.maps]:
        return {}, f"{large[0]} is large; `benchwright run blink --images DIR --dry-run` reads it all"
    try:
        recipe = fitted_to(load_recipe(bundled_recipes()["blink"]), folder).recipe
        names = {entry: step.name for entry, step in recipe.steps}
        by_task: dict[str, list[ItemForecast]] = {}
        for entry, items in forecast(recipe, folder, list_files(folder)):
            by_task.setdefault(names[entry], []).append(items)
    except BenchwrightError as error:
        return {}, str(error)
    return by_task, None


def _counted(source: FoundSource, own: OwnPictures) -> _TruthCounts | None:
    """Return the counts of a source, or None if its files are too large to count or are pictures."""
    if source.maps:
        return None
    if source.reader is not None and source.files is not None and source.reader.is_told_by_names:
        sizes = ((own.root / path) for path in source.annotations)
        if any(not path.is_file() or path.stat().st_size > MOST_BYTES for path in sizes):
            return None
    counts = _TruthCounts()
    rows: Iterator[DatasetRecord | RefusedRow] = records_of_source(source, own)
    try:
        for row in islice(rows, _MOST_ROWS) if source.form == "dataset" else rows:
            if isinstance(row, DatasetRecord):
                counts.add(row)
            else:
                counts.ledger.add(row)
    except BenchwrightError:
        return counts  # `construct check` and the run name the file's faults
    return counts


def _first_refusals(source: FoundSource, own: OwnPictures) -> list[RefusedRow]:
    """Return the unusable parts found in a measured source before its first usable map."""
    if source.form not in MEASURED:
        return []
    refused: list[RefusedRow] = []
    for row in islice(records_of_source(source, own), _MOST_MAPS):
        if isinstance(row, RefusedRow):
            refused += [] if row.by_rule else [row]
        elif source.maps:
            break
    return refused[:_MOST_SHOWN]


def _surveyed(
    name: str,
    task: _BlinkTask,
    kinds: Mapping[str, tuple[FoundSource, ...]],
    counted: Mapping[str, _TruthCounts | None],
    pictures: int,
    models: Mapping[str, Path | None],
) -> TaskSurvey:
    sources = [source for kind in task.kinds for source in kinds.get(kind, ())]
    by = [source.name for source in sources]
    numbers = [counts for source in sources if (counts := counted[source.name]) is not None]
    records = sum(counts.records[kind] for counts in numbers for kind in task.kinds) if sources else None
    shown = {path for counts in numbers for kind in task.kinds for path in counts.pictures.get(kind, ())}
    count: int | None = len(shown) if sources else None
    if len(numbers) < len(sources):
        records, count = None, None
    no_model = None if task.model is None else _without(task.model, models)
    if task.of_pictures and pictures:
        by.append("any photograph")
        count = pictures
    elif task.model is not None and not task.needs_model and no_model is None and pictures:
        by.append(f"{task.model.gives} of {task.model.repository}")
        count = pictures
    lacks: str | None = None
    if not by:
        ways = [lacking_truths(task.kinds)] if task.kinds else []
        ways += ["it needs photographs"] if task.of_pictures else []
        ways += [no_model] if no_model is not None else []
        ways += [task.otherwise] if task.otherwise is not None else []
        lacks = "; or ".join(ways) if not task.needs_model else "; and ".join(ways)
    elif task.needs_model and no_model is not None:
        lacks = no_model
    return TaskSurvey(name, tuple(by) if lacks is None else (), records, count, lacks)


def _without(model: Model, models: Mapping[str, Path | None]) -> str | None:
    """Return which parts of a model are missing on this machine, and how to get them; None if the model is complete."""
    if models[model.repository] is None:
        return (
            f"put the weights of {model.repository} ({model.gives}) on this machine, into ${FOLDER} or the hub's cache"
        )
    if find_spec(model.package) is None:
        return f"install the package {model.package}, which runs {model.repository} ({model.gives})"
    return None


def survey_text(survey: FolderSurvey) -> str:
    """Format a survey as readable text."""
    lines = [f"{survey.folder}: {counted(survey.pictures, 'picture')} of your own"]
    for source in survey.sources:
        truths = ", ".join(f"{kind} {number:,}" for kind, number in source.truths.items())
        rows = "not counted" if source.rows is None else str(source.rows)
        lines.append(f"  {source.name}: {_joined((truths, rows))}")
    lines += [f"  not used: {row}" for row in survey.unused]
    for task in survey.tasks:
        lines.append(f"{'yes' if task.lacks is None else 'no ':3}  {task.task:26} {_line(task)}")
        for items in task.expected:
            lines.append(f"       items: {items}")
            lines += [f"       few: {items.advice}"] if items.is_set and items.advice is not None else []
    if survey.not_expected is not None:
        lines.append(f"items are not counted: {survey.not_expected}")
    fed = sum(task.lacks is None for task in survey.tasks)
    return "\n".join(
        [*lines, f"{fed} of {counted(len(survey.tasks), 'task')} can be built: `benchwright run blink --images DIR`"]
    )


def _line(task: TaskSurvey) -> str:
    if task.lacks is not None:
        return task.lacks
    numbers = ((task.records, "record"), (task.pictures, "picture"))
    counts = ", ".join(counted(number, what) for number, what in numbers if number is not None)
    return _joined((counts, *task.by))


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(part for part in parts if part)
