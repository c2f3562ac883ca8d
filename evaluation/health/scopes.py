"""Ceiling and discrimination of the whole benchmark and of each task among the current systems."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.diagnostics.keys.item_analysis import discrimination
from benchwright.diagnostics.keys.power import TaskPower, power_by_task
from benchwright.statistics import share_right
from benchwright.texts.normalization import counted

from ..analysis.comparison import Comparison, comparisons_of
from ..analysis.label_issues import letter_matrix_of
from ..metrics.base import task_numbers
from ..results.human_baseline import human_figures
from ..results.score import Figure, figures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from benchwright.release import Release

    from ..analysis.reply_matrix import ReplyMatrix
    from .runs import HealthRuns

State = Literal["saturated", "at_chance", "keys_doubted", "not_separating", "too_few", "telling", "not_looked_at"]
STATES: Mapping[State, str] = {
    "saturated": "saturated",
    "at_chance": "at chance for all",
    "keys_doubted": "all keys in doubt",
    "not_separating": "does not separate",
    "too_few": "too few items to judge",
    "telling": "tells systems apart",
    "not_looked_at": "not looked at",
}
LEAST_SYSTEMS = 3
"""Smallest number of systems needed for conclusions about uninformative tasks and items."""
_SATURATED, _SURELY = 0.95, 0.85
"""Thresholds for a saturated task: the mean proportion of the reachable score above chance that the better half of the
systems achieves, and the proportion at the lower end of its interval.
"""
_WITH_THE_GRAIN = 0.2
"""Smallest item-rest correlation at which an item is considered to separate systems in the right direction: R. L. Ebel,
Essentials of Educational Measurement, Prentice-Hall 1972, p. 399.
"""


class Scope(NamedTuple):
    """The results of the current systems on the whole benchmark or on one task.

    Args:
        task: Name of the task; empty for all items.
        items: Number of items.
        state: State that indicates what the task still distinguishes; for all items, `telling` or `not_looked_at`.
        best: Name of the best system; None if there are no systems.
        accuracy: Accuracy of the best system.
        better_half: Mean accuracy of the better half of the systems.
        chance: Accuracy of a uniform draw, 0 to 1.
        wrong_keys: Expected number of wrong keys among the suspected keys; None if keys could not be judged.
        people: Accuracy of people who did not see the key, excluding simulated ones; None if there are none.
        all_right: Number of items that every system asked answers correctly.
        all_wrong: Number of items that every system asked answers incorrectly.
        telling: Number of the other items, which distinguish at least two systems.
        with_grain: Number of items with an item-rest correlation of 0.2 or more; None if there are fewer than five
            systems.
        against_grain: Number of items with a correlation below 0.
        pairs: Number of pairs of systems.
        told_apart: Number of pairs that differ significantly.
        worth: Number of independent items of medium difficulty that give the same information; None if there are fewer
            than two systems.
        least_difference: Difference between two systems that is found with 80 % power; None if there is no such
            difference.
        why: Sentence that explains the state, with figures.
    """

    task: str
    items: int
    state: State
    best: str | None
    accuracy: Figure | None
    better_half: Figure | None
    chance: float
    wrong_keys: float | None
    people: Figure | None
    all_right: int
    all_wrong: int
    telling: int
    with_grain: int | None
    against_grain: int | None
    pairs: int
    told_apart: int
    worth: float | None
    least_difference: float | None
    why: str = ""

    @property
    def reachable(self) -> float | None:
        """Return the score of a system that gives the true answer to every item, or None if keys were not judged."""
        return None if self.wrong_keys is None or not self.items else 1 - self.wrong_keys / self.items

    @property
    def reached(self) -> float | None:
        """Return the proportion of the reachable score above chance that the best system achieves."""
        return None if self.accuracy is None else self.share_of_reachable(self.accuracy.value)

    def share_of_reachable(self, value: float | None) -> float | None:
        """Return (value - chance) / (reachable - chance), 0 to 1; None if undefined."""
        if value is None or self.reachable is None or self.reachable <= self.chance:
            return None
        return max(0.0, min(1.0, (value - self.chance) / (self.reachable - self.chance)))

    def document(self) -> dict[str, Any]:
        """Return the scope as JSON values."""
        document = self._asdict()
        for name in ("accuracy", "better_half", "people"):
            figure = document[name]
            document[name] = None if figure is None else figure.model_dump(mode="json")
        return {**document, "reachable": self.reachable, "reached": self.reached}


class _Measured(NamedTuple):
    """The data from which all scopes are computed: arrays over items, and figures by task."""

    sheet: ReplyMatrix
    task: NDArray[np.int64]
    chance: NDArray[np.float64]
    wrong: NDArray[np.float64]
    correlation: NDArray[np.float64]
    judged: bool
    better: list[int]
    people: Mapping[str, Figure]


def scopes_of(runs: HealthRuns, release: Release) -> list[Scope]:
    """Return the scope of all items, followed by one for each task."""
    import numpy as np

    sheet = runs.sheet.of_models(runs.systems)
    matrix = letter_matrix_of(sheet)
    names, task = task_numbers(sheet.items.column("task"))
    keyed = matrix.key >= 0
    wrong = _wrong_keys(runs, names, task)
    asked = sheet.asked.sum(axis=1)
    share = np.divide(sheet.right.sum(axis=1), asked, out=np.zeros(len(asked)), where=asked > 0)
    whole = [row for row in range(len(asked)) if asked[row] == asked.max(initial=0)]
    better = sorted(whole, key=lambda row: (-share[row], sheet.scores[row].title))[: max(2, ceil(len(whole) / 2))]
    measured = _Measured(
        sheet,
        task,
        np.where(keyed, 1 / np.maximum(matrix.options, 1), 0.0),
        wrong,
        discrimination(sheet.right, sheet.asked, task),
        runs.are_keys_judged,
        better,
        _people(release, sheet.scores[0].split) if sheet.scores else {},
    )
    power = {each.task: each for each in power_by_task(matrix)} if sheet.scores else {}
    comparisons = {c.name: c for c in comparisons_of(sheet)} if len(sheet.scores) >= 2 else {}
    every = next(iter(comparisons.values()), None)
    spread = float(np.ptp(share[whole])) if len(whole) > 1 else 0.0
    doubts = {names[each.task]: each.doubt for each in runs.issues.tasks if runs.are_keys_judged}
    tasks = []
    for number, name in enumerate(names):
        bare = _scope(name, task == number, measured, power.get(name) or power.get(""), comparisons.get(name, every))
        tasks.append(_with_state(bare, doubts.get(name), spread, power.get(name) or power.get("")))
    silent = np.isin(task, [k for k, scope in enumerate(tasks) if scope.state == "at_chance"])
    whole_scope = _scope("", np.ones(len(task), dtype=bool), measured, power.get(""), every, silent)
    state: State = "telling" if len(sheet.scores) >= LEAST_SYSTEMS else "not_looked_at"
    return [whole_scope._replace(state=state), *tasks]


def _people(release: Release, split: str | None) -> Mapping[str, Figure]:
    human = human_figures(release, split)
    real = [] if human is None else [c for _, c in sorted(human.campaigns.items()) if not c.simulated]
    return real[0].metrics if real else {}


def _wrong_keys(runs: HealthRuns, names: tuple[str, ...], task: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability that each item's key is wrong, for suspected items and for tasks whose keys are in doubt
    as a whole.
    """
    import numpy as np

    place = {item_id: k for k, item_id in enumerate(runs.issues.matrix.item_ids)}
    wrong = np.zeros(len(task))
    for issue in runs.issues.found:
        wrong[place[issue.item_id]] = issue.probability
    for doubted in runs.issues.tasks:
        if doubted.share is not None:
            some = task == names.index(runs.issues.matrix.tasks[doubted.task])
            wrong[some] = np.maximum(wrong[some], doubted.share.value)
    return wrong


def _scope(
    name: str,
    held: NDArray[np.bool_],
    measured: _Measured,
    power: TaskPower | None,
    comparison: Comparison | None,
    silent: NDArray[np.bool_] | None = None,
) -> Scope:
    import numpy as np

    sheet = measured.sheet
    right, asked = sheet.right[:, held], sheet.asked[:, held]
    models, rights = asked.sum(axis=0), right.sum(axis=0)
    many = models >= 2
    known = measured.correlation[held][~np.isnan(measured.correlation[held])]
    enough = len(sheet.scores) >= 5 and len(known) > 0
    best = _best(sheet, held)
    figure = None
    if measured.better and asked[measured.better].all():
        estimate = share_right(
            right[measured.better].sum(axis=0), _numbered(sheet.group[held]), parts=len(measured.better)
        )
        figure = figures({"": estimate})[""]
    worth = None
    if power is not None and many.any():
        shares = rights[many] / models[many]
        information = 4 * shares * (1 - shares) * models[many] / (models[many] - 1)
        counted_in = np.ones(len(information), dtype=bool) if silent is None else ~silent[held][many]
        worth = float(information[counted_in].sum()) / power.design_effect
    return Scope(
        name,
        int(held.sum()),
        "not_looked_at",
        None if best is None else best[0],
        None if best is None else best[1],
        figure,
        float(measured.chance[held].mean()) if held.any() else 0.0,
        float(measured.wrong[held].sum()) if measured.judged else None,
        measured.people.get(f"accuracy/{name}" if name else "accuracy"),
        int((many & (rights == models)).sum()),
        int((many & (rights == 0)).sum()),
        int((many & (rights > 0) & (rights < models)).sum()),
        int((known >= _WITH_THE_GRAIN).sum()) if enough else None,
        int((known < 0).sum()) if enough else None,
        0 if comparison is None else len(comparison.pairs),
        0 if comparison is None else comparison.pairs_told_apart,
        worth,
        None if power is None or power.is_assumed else power.least_difference,
    )


def _best(sheet: ReplyMatrix, held: NDArray[np.bool_]) -> tuple[str, Figure] | None:
    """Return the most accurate of the systems that were asked the largest number of the given items."""
    asked = (sheet.asked & held).sum(axis=1)
    if not asked.any():
        return None
    rows = [row for row in range(len(asked)) if asked[row] == asked.max()]
    row = min(rows, key=lambda k: (-int((sheet.right[k] & held).sum()), sheet.scores[k].title))
    some = held & sheet.asked[row]
    estimate = share_right(sheet.right[row, some], _numbered(sheet.group[some]))
    return sheet.scores[row].title, figures({"": estimate})[""]


def _numbered(group: NDArray[Any]) -> NDArray[np.int64]:
    import numpy as np

    return np.unique(group, return_inverse=True)[1].astype(np.int64)


def _with_state(scope: Scope, doubt: str | None, spread: float, power: TaskPower | None) -> Scope:
    """Return a task together with its state and the reason for that state."""
    state, why = _state(scope, doubt, spread, power)
    return scope._replace(state=state, why=why, worth=0.0 if state == "at_chance" else scope.worth)


def _state(scope: Scope, doubt: str | None, spread: float, power: TaskPower | None) -> tuple[State, str]:
    if doubt is not None:
        in_words = "no system beats chance here, though systems beat it elsewhere"
        in_doubt = "systems agree with one another but not with its keys"
        return ("at_chance", in_words) if doubt == "at_chance" else ("keys_doubted", in_doubt)
    if power is None or power.pairs == 0 or scope.pairs < LEAST_SYSTEMS:
        return "not_looked_at", f"fewer than {LEAST_SYSTEMS} systems answered enough of it"
    half = scope.better_half
    reached = None if half is None else scope.share_of_reachable(half.value)
    surely = None if half is None or half.ci is None else scope.share_of_reachable(half.ci[0])
    is_full = reached is not None and reached >= _SATURATED
    words = f"the better half of the systems achieves {reached or 0:.0%} of the reachable score above chance"
    if is_full and surely is not None and surely >= _SURELY:
        return "saturated", words
    if scope.told_apart or is_full:
        told = f"{scope.told_apart} of {counted(scope.pairs, 'pair')} told apart"
        return ("telling", told) if scope.told_apart else ("too_few", f"it may be saturated: {words}")
    return _why_not_separated(scope, spread)


def _why_not_separated(scope: Scope, spread: float) -> tuple[State, str]:
    """Return whether a task on which no two systems differ has too few items or does not separate systems."""
    least, apart = scope.least_difference, f"the systems differ by {spread:.2f} over all tasks"
    if least is None or least > spread:
        finds = "" if least is None else f", and it can show differences from {least:.2f}"
        return "too_few", f"no pair is told apart; {apart}{finds}"
    return "not_separating", f"no pair is told apart, though it can show differences from {least:.2f} and {apart}"
