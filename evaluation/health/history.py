"""Trends over time: the best score so far, models before and after their training cutoff, and other versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import DataError
from benchwright.records import ImageRecord
from benchwright.statistics.clustered_mean import clustered_mean
from benchwright.texts.normalization import counted

from .model_facts import ModelDates, day_of
from .signs import ModelSign, Sign, adjusted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

    from .runs import HealthRuns
    from .scopes import Scope

_LEAST_OF_EACH = 10
"""Smallest number of a task's items on each side of a training cutoff for the task to be used."""


class DatedSystem(NamedTuple):
    """A system on the timeline.

    Args:
        date: Date of the system, as stated by the user.
        system: Name of the system.
        accuracy: Accuracy of the system.
        reached: Proportion of the reachable score above chance that it achieves; None if unknown.
        is_best: Whether no earlier system is equally accurate.
    """

    date: date
    system: str
    accuracy: float
    reached: float | None
    is_best: bool

    def document(self) -> dict[str, Any]:
        """Return the system as JSON values."""
        return {**self._asdict(), "date": self.date.isoformat()}


class OtherVersion(NamedTuple):
    """The results of another release.

    Args:
        release: Name and version.
        release_id: Id of the release.
        runs: Number of runs.
        best: Highest accuracy of any run; None if there is none.
    """

    release: str
    release_id: str
    runs: int
    best: float | None


def dated_systems(runs: HealthRuns, dates: Mapping[str, ModelDates], whole: Scope) -> tuple[DatedSystem, ...]:
    """Return the systems that have a date, the earliest first."""
    dated = []
    for row in runs.systems:
        day, value = dates_of(runs, row, dates).day, runs.sheet.scores[row].metrics["accuracy"].value
        if day is not None and value is not None:
            dated.append((day, runs.sheet.scores[row].title, value))
    best, systems = -1.0, []
    for day, title, value in sorted(dated):
        systems.append(DatedSystem(day, title, value, whole.share_of_reachable(value), value > best))
        best = max(best, value)
    return tuple(systems)


def dates_of(runs: HealthRuns, row: int, dates: Mapping[str, ModelDates]) -> ModelDates:
    """Return the dates of a run, looked up by its title or the name of its model."""
    nothing = ModelDates(None, None)
    return dates.get(runs.sheet.scores[row].title) or dates.get(runs.name(row)) or nothing


def other_versions(runs: HealthRuns) -> tuple[OtherVersion, ...]:
    """Return the other releases that have runs among the results, by name."""
    by_release: dict[tuple[str, str], list[float | None]] = {}
    for run in runs.elsewhere:
        accuracy = run.score.metrics.get("accuracy")
        value = None if accuracy is None else accuracy.value
        by_release.setdefault((run.score.release, run.score.release_id), []).append(value)
    return tuple(
        OtherVersion(*release, len(values), max((value for value in values if value is not None), default=None))
        for release, values in sorted(by_release.items())
    )


def older_items(runs: HealthRuns, release: Release, dates: Mapping[str, ModelDates]) -> Sign:
    """Return whether models do better on items that are older than their training cutoff, task by task."""
    import numpy as np

    days = _days_of_items(runs, release)
    if not any(day is not None for day in days):
        return Sign("older_items", False, "needs pictures whose sources state a date (`facts`, or a source dataset)")
    if not any(each.cutoff is not None for each in dates.values()):
        return Sign(
            "older_items", False, "needs the ends of training data: --models FILE with the columns model and cutoff"
        )
    known = np.array([day is not None for day in days])
    ordinal = np.array([0 if day is None else day.toordinal() for day in days])
    signs = []
    for row in runs.systems:
        cutoff = dates_of(runs, row, dates).cutoff
        if cutoff is not None and (sign := _older(runs, row, known, ordinal < cutoff.toordinal())) is not None:
            signs.append(sign)
    models = adjusted(signs)
    found = sum(sign.is_found for sign in models)
    words = f"{found} of {counted(len(models), 'model')} better on items older than the end of their training data"
    if not models:
        words = (
            f"no model has {_LEAST_OF_EACH} dated items of one task both before and after the end of its training data"
        )
    return Sign("older_items", bool(models), words, None, models)


def _older(runs: HealthRuns, row: int, known: NDArray[np.bool_], is_old: NDArray[np.bool_]) -> ModelSign | None:
    """Return the difference between older and newer items, within tasks that contain both.

    Each item's value is 1 or 0 for right or wrong, minus the mean of its side, weighted by its task's number of items.
    The result is the mean of the tasks' differences, weighted by the number of items.
    """
    import numpy as np

    sheet = runs.sheet
    tasks = np.array(sheet.items.column("task").to_pylist())
    asked = sheet.asked[row] & known
    values, groups = [], []
    for task in np.unique(tasks[asked]).tolist():
        sides = [asked & (tasks == task) & side for side in (is_old, ~is_old)]
        old, new = (int(side.sum()) for side in sides)
        if min(old, new) < _LEAST_OF_EACH:
            continue
        for side, sign, n in ((sides[0], 1, old), (sides[1], -1, new)):
            values.append(sign * sheet.right[row, side] * ((old + new) / n))
            groups.append(sheet.group[side])
    if not values:
        return None
    # The mean of these values over all items is the weighted mean of the tasks' differences. Their spread is measured
    # around the mean of each side, which adds nothing to it.
    joined = np.concatenate(values)
    difference = float(joined.mean())
    centred = np.concatenate([each - each.mean() for each in values]) + difference
    mean = clustered_mean(centred, np.concatenate(groups))
    if mean is None or mean.interval is None:
        return None
    return ModelSign(runs.sheet.scores[row].title, mean.value, mean.interval, 0.0, mean.n, mean.p_above)


def _days_of_items(runs: HealthRuns, release: Release) -> list[date | None]:
    """Return the date of each item's source picture, as stated by the source, or None if that is not a date."""
    days: dict[str, date] = {}
    for entry in release.provenance():
        if isinstance(entry, ImageRecord) and entry.source is not None and entry.source.date:
            try:
                day = day_of(entry.source.date[:10], "")
            except DataError:
                continue
            if day is not None:
                days[entry.image_id] = day
    by_item = {}
    if days:
        for released in release.items(runs.sheet.scores[0].split, pictures_of=()):
            by_item[released.item.item_id] = days.get(released.item.root_image_id)
    return [by_item.get(item_id) for item_id in runs.sheet.items.column("item_id").to_pylist()]
