"""The output of a study: a page with plots and tables, the plots as files, and the figures as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError
from benchwright.pages import (
    SHARES,
    Chart,
    ChartRow,
    Dot,
    LegendEntry,
    NumberTable,
    Panel,
    ReferenceLine,
    Scale,
    page_pieces,
    panels_chart,
    shortened,
    spelled,
)
from benchwright.statistics.proportions import METHODS
from benchwright.workspace.atomic import replacing, write_json

from .outcome import FORMAT, ConditionEffect, StudyOutcome

if TYPE_CHECKING:
    from benchwright.release import Release

    from .cost import StudyCost

_GENERATOR = "benchwright evaluate study"
_PAGE_FILE, _DATA_FILE = "index.html", "study.json"
_TEMPLATES = Path(__file__).parent / "templates"
_PANELS_A_ROW = 2


class WrittenStudy(NamedTuple):
    """The files written for a study."""

    page: Path
    data: Path
    plots: tuple[Path, ...]


def folder_of(results: Path, study: str) -> Path:
    """Return the folder for the files of a study, located in a folder of results."""
    return results / f"study-{study}"


def check_folder(folder: Path, release: Release) -> None:
    """Refuse a folder that contains anything other than the same study of the same release.

    Raises:
        BenchwrightError: The folder contains something else.
    """
    import json

    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        document = json.loads((folder / _DATA_FILE).read_text(encoding="utf-8"))
        is_ours = document["format"] == FORMAT and document["release_id"] == release.release_id
    except (OSError, ValueError, KeyError, TypeError):
        is_ours = False
    if not is_ours:
        raise BenchwrightError(f"{folder} exists and contains no study of this release; give another folder with --out")


def write_study(outcome: StudyOutcome, release: Release, folder: Path, cost: StudyCost) -> WrittenStudy:
    """Write the page, the plots and the figures of a study; equal figures give identical bytes.

    Raises:
        BenchwrightError: The folder contains something else, or cannot be written.
    """
    from .outcome import ALPHA, LEVEL

    check_folder(folder, release)
    charts = (_accuracy_chart(outcome), _difference_chart(outcome))
    score = outcome.scores[0].score
    values = {
        "outcome": outcome,
        "release": score.release,
        "release_id": score.release_id,
        "canary": release.manifest.canary,
        "split": score.split or "all splits",
        "tables": list(_tables(outcome)),
        "charts": charts,
        "cost": cost.describe() if cost.requests else None,
        "unfit": [f"{entry.score.title}: {entry.score.why_unfit()}" for entry in outcome.scores if entry.score.unfit],
        "alpha": ALPHA,
        "level": LEVEL,
    }
    filters: dict[str, Callable[..., Any]] = {
        "two": lambda value: f"{value:.2f}",
        "signed": lambda value: f"{value:+.2f}".replace("-", "\u2212"),
        "method": lambda method: METHODS.get(method, "as the metric states it"),
    }
    written = WrittenStudy(
        folder / _PAGE_FILE, folder / _DATA_FILE, tuple(folder / f"{chart.name}.svg" for chart in charts)
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The figures come first: they identify the folder's study.
        write_json(written.data, {**outcome.document(), "planned": cost.document()})
        for path, chart in zip(written.plots, charts, strict=True):
            with replacing(path) as draft:
                draft.write_text(chart.file, encoding="utf-8")
        pieces = page_pieces(_TEMPLATES, "study.html", values, generator=_GENERATOR, style="study.css", filters=filters)
        with (
            replacing(written.page) as draft,
            draft.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as page,
        ):
            page.writelines(pieces)
    except OSError as error:
        raise BenchwrightError(f"{folder} cannot be written: {error.strerror or error}") from error
    return written


def _accuracy_chart(outcome: StudyOutcome) -> Chart:
    """Return the chart of accuracy under each condition, with a panel for each task, as in BLINK's figure 7."""

    def row(task: str, number: int) -> ChartRow:
        changes = _changes(outcome, task, number)
        dots = [Dot(c.accuracy.value, c.accuracy.ci, series) for series, c in changes]
        chances = {c.chance.value for _, c in changes if c.chance is not None and c.chance.value is not None}
        lines = [ReferenceLine("chance", chance) for chance in sorted(chances)[:1]]
        return ChartRow(outcome.study.conditions[number].name, dots=dots, lines=lines)

    caption = (
        "Share of asked items answered right, with 95 % intervals; the dashed line shows an even draw. These "
        "intervals do not show whether two conditions differ, since both have the same items: the other plot does."
    )
    return _chart(
        outcome, "accuracy", "Accuracy by condition", row, SHARES, caption,
        numbers=lambda change: spelled(change.accuracy.value, change.accuracy.ci),
        legend=[LegendEntry("chance", "chance")],
    )  # fmt: skip


def _difference_chart(outcome: StudyOutcome) -> Chart:
    """Return the chart of each condition's difference from the baseline on the same items, one panel per task."""

    def row(task: str, number: int) -> ChartRow:
        dots = [
            Dot(change.pair.difference, (change.pair.interval.low, change.pair.interval.high), series)
            for series, change in _changes(outcome, task, number)
            if change.pair is not None
        ]
        return ChartRow(outcome.study.conditions[number].name, dots=dots, lines=[ReferenceLine("mark", 0.0)])

    baseline = outcome.study.baseline.name
    caption = (
        f"Accuracy under each condition minus that under the baseline ({baseline}) on the same items, with 95 % "
        "intervals of the paired difference; items that share a source image count as one draw."
    )
    return _chart(
        outcome, "difference", f"Difference from: {baseline}", row, _difference_scale(outcome), caption,
        numbers=_spelled_difference, with_baseline=False,
    )  # fmt: skip


def _chart(
    outcome: StudyOutcome,
    name: str,
    title: str,
    row: Callable[[str, int], ChartRow],
    scale: Scale,
    caption: str,
    *,
    numbers: Callable[[ConditionEffect], str],
    with_baseline: bool = True,
    legend: list[LegendEntry] | None = None,
) -> Chart:
    """Return a chart with a panel for each task and a row for each condition, with or without the baseline."""
    study = outcome.study
    shown = [k for k in range(len(study.conditions)) if with_baseline or k != study.baseline_number]
    panels = [Panel(task.replace("_", " "), [row(task, number) for number in shown]) for task in outcome.tasks]
    models = shortened(list(outcome.models), at_most=36)
    head = ("", *(f"{task}: {model}" for task in outcome.tasks for model in models))
    cells = [
        [
            condition.name,
            *(
                "–" if (change := outcome.change(model, task, condition)) is None else numbers(change)
                for task in outcome.tasks
                for model in outcome.models
            ),
        ]
        for condition in (study.conditions[number] for number in shown)
    ]
    return panels_chart(
        name,
        title,
        panels,
        scale,
        per_row=min(_PANELS_A_ROW, len(panels)),
        caption=caption,
        legend=[*(LegendEntry(model, series) for series, model in enumerate(models)), *(legend or [])],
        numbers=NumberTable(head, cells),
    )


def _changes(outcome: StudyOutcome, task: str, number: int) -> list[tuple[int, ConditionEffect]]:
    """Return the effects to be shown in a row, each with the index of its model."""
    condition = outcome.study.conditions[number]
    changes = [(series, outcome.change(model, task, condition)) for series, model in enumerate(outcome.models)]
    return [(series, change) for series, change in changes if change is not None]


def _difference_scale(outcome: StudyOutcome) -> Scale:
    """Return a scale around 0, in steps of a tenth, that contains all intervals."""
    ends = [abs(end) for change in outcome.changes if change.pair is not None for end in change.pair.interval]
    tenths = min(10, max(2, ceil(10 * max(ends, default=0.2))))
    step = max(1, ceil(tenths / 4))
    ticks = [(k / 10, f"{10 * k:+d} %".replace("-", "\u2212") if k else "0") for k in range(-tenths, tenths + 1)]
    return Scale(-tenths / 10, tenths / 10, [tick for tick in ticks[1:-1] if round(tick[0] * 10) % step == 0])


def _spelled_difference(change: ConditionEffect) -> str:
    if change.pair is None:
        return "–"
    low, high = change.pair.interval
    return f"{change.pair.difference:+.2f} [{low:+.2f}, {high:+.2f}]"


def _tables(outcome: StudyOutcome) -> Iterator[dict[str, Any]]:
    """Yield a table for each model and task."""
    for model in outcome.models:
        for task in outcome.tasks:
            changes = (outcome.change(model, task, condition) for condition in outcome.study.conditions)
            rows = [change for change in changes if change is not None]
            if rows:
                yield {"model": model, "task": task.replace("_", " "), "rows": rows}
