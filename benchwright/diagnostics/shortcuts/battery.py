"""The battery: every solver on every task, and which solvers are significantly above or below chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.canonical import digest
from benchwright.record_map import RecordMap, map_here, unless_lost
from benchwright.statistics import holm
from benchwright.steps import CueFamily

from ..adversary.item_evidence import ItemEvidence
from ..adversary.learning import MOST_ITEMS, NO_POWER, Power, ProbeResult, learned, power_of
from ..adversary.probes import KeyedItems
from .answer_letters import Balance, Placing, balance
from .cue_table import CueTable, Floats, table_of
from .declared import task_cues_of, task_region_of
from .forest import Forest, forest_of
from .item_cues import ItemCues, with_detail_of_pictures
from .model_solvers import ReplyCount, SolverReply, model_picks, reply_counts
from .picks import LEAST_DECIDED, Accuracy, Bounds, Picks, Sides, accuracy_of, best_options
from .rules import SolverPicks, rule_picks
from .shown_content import may_be_task

FOREST = "forest"
WHOLE = "(all tasks)"
"""Name that denotes the items of all tasks together; no task has this name."""


class SolverResult(NamedTuple):
    """The result of one solver on the items of a task.

    Args:
        task: The task.
        solver: Name of the solver.
        family: Family of its cue; None for the forest, which sees all cues.
        accuracy: Proportion of items that it answers correctly, 0-1.
        p_holm: The p-value, Holm-adjusted over all solvers and tasks.
        sides: Whether accuracy below chance is also considered a cue.
        carries: Whether the items carry the solver's cue: its accuracy is further from chance than the bounds allow,
            and significantly so.
        answers: Whether the cue answers items instead of only marking an option as wrong: accuracy is above chance, or
            there are two options.
        helped: Items of the task with which the cue helps: those that the solver answers correctly or, below chance,
            incorrectly.
        tells: For a learning probe, the most revealing measures, with their deviations in standard deviations under
            uniform keys, positive if the right option has a larger value; otherwise empty.
        may_be_task: Whether the cue is carried and may be the task itself: the content of a picture reveals which text
            is right (`shown_content.may_be_task`).
    """

    task: str
    solver: str
    family: CueFamily | None
    accuracy: Accuracy
    p_holm: float
    sides: Sides
    carries: bool
    answers: bool
    helped: NDArray[np.bool_]
    tells: tuple[tuple[str, float], ...] = ()
    may_be_task: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "solver": self.solver,
            "family": self.family,
            "items": self.accuracy.items,
            "accuracy": round(self.accuracy.value, 4),
            "ci": [round(end, 4) for end in self.accuracy.interval],
            "chance": round(self.accuracy.chance, 4),
            "p": float(f"{self.accuracy.p:.3g}"),
            "p_holm": float(f"{self.p_holm:.3g}"),
            "sides": self.sides,
            "carries": self.carries,
            "may_be_task": self.may_be_task,
            **({"tells": [{"measure": name, "deviations": value} for name, value in self.tells]} if self.tells else {}),
        }


class TaskResult(NamedTuple):
    """The results of all solvers on the items of a task.

    Args:
        table: The items with their cues.
        task_cues: Families of cues that are the task itself and therefore excluded; sorted.
        letters: Evenness of the letters of right options.
        solvers: Results of all solvers, farthest from chance first.
        forest: The forest's result; None if none could be grown.
        replies: A model's replies for each form in which an item was shown to it; empty if no model was queried.
        power: The smallest cue that the adversary could have found; None if it did not learn.
        told_map: Where pictures reveal the key, as right minus wrong options in deviations, shape (cells, cells, 3);
            None if the options are not pictures.
    """

    table: CueTable
    task_cues: tuple[CueFamily, ...]
    letters: Balance
    solvers: tuple[SolverResult, ...]
    forest: Forest | None
    replies: tuple[ReplyCount, ...] = ()
    power: Power | None = None
    told_map: Floats | None = None

    @property
    def carried(self) -> tuple[SolverResult, ...]:
        """Return the solvers whose cue is present in the items."""
        return tuple(result for result in self.solvers if result.carries)

    @property
    def learned_cues(self) -> tuple[SolverResult, ...]:
        """Return the probes of the adversary whose cue is present in the items."""
        return tuple(result for result in self.carried if result.tells)

    @property
    def bias(self) -> Floats:
        """Return the bias score of each item; all are NaN if there is no forest."""
        return np.full(len(self.table.items), np.nan) if self.forest is None else self.forest.bias(self.table)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        bias = self.bias
        return {
            "task": self.table.task,
            "items": len(self.table.items),
            "chance": round(float((1 / self.table.options).mean()), 4),
            "task_cues": list(self.task_cues),
            "letters": self.letters.to_json(),
            "mean_bias": None if self.forest is None else round(float(bias.mean()), 4),
            "cues": [] if self.forest is None else [
                {"cue": title, "fall": fall} for title, fall in self.forest.weights.items() if fall > 0
            ],
            "solvers": [result.to_json() for result in self.solvers],
            "replies": [count._asdict() for count in self.replies],
            **(NO_POWER if self.power is None else self.power.to_json()),
        }  # fmt: skip


class _Tried(NamedTuple):
    """A solver's result before p-values are adjusted; `weight` is its share of the significance level."""

    task: int
    picks: SolverPicks | None
    chosen: Picks
    accuracy: Accuracy
    probe: ProbeResult | None = None
    weight: float = 1.0


class BatteryResults(NamedTuple):
    """Results of a battery, in which all tests form one family.

    Args:
        tasks: Results of the tasks, sorted by task.
        whole: Results on the items of all tasks together; None for a single task. A solver carries a cue there only if
            the tasks in which it carries one do not explain it.
    """

    tasks: tuple[TaskResult, ...]
    whole: TaskResult | None

    @property
    def all(self) -> tuple[TaskResult, ...]:
        """Return the results of the tasks and of the whole set."""
        return self.tasks if self.whole is None else (*self.tasks, self.whole)


def run_battery(
    items: Sequence[ItemCues],
    group_keys: Mapping[str, Sequence[str]],
    *,
    seed: int,
    bounds: Bounds,
    task_cues: Mapping[str, Sequence[CueFamily]],
    replies: Mapping[str, Sequence[SolverReply]] | None = None,
    evidence: Mapping[str, ItemEvidence] | None = None,
    rows: Mapping[str, int] | None = None,
    record_map: RecordMap = map_here,
) -> BatteryResults:
    """Return the results of all solvers on each task and, if there are several, on the whole set.

    The adversary has few probes, each of which tests many measures; there are many other solvers. Each kind gets half
    of the significance level, in one family of tests (`benchwright.statistics.holm`).

    Args:
        items: The items of all tasks, in any order.
        group_keys: Group keys of each item, by item id.
        seed: Seed of the forests.
        bounds: Conditions under which items carry a cue.
        task_cues: Families of cues that a task asks about, by task, replacing the declarations of its step.
        replies: A model's replies to items without their pictures, by item id; None if no model was queried.
        evidence: The adversary's evidence of items, by item id; if empty, there is no adversary.
        rows: Index of each item in its source, by item id, if indices may reveal keys.
        record_map: Function that maps the growing of forests over tasks; by default, they grow in this process.

    Raises:
        StepError: The forests of a task could not be grown.
        PrerequisiteError: scikit-learn is not installed.
    """
    replies = replies or {}
    tables: list[CueTable] = []
    without: list[frozenset[CueFamily]] = []
    tasks = sorted({item.task for item in items})
    items = [
        item for task in tasks for item in with_detail_of_pictures([each for each in items if each.task == task])
    ]  # fmt: skip
    for task in tasks:
        left_out = frozenset(task_cues[task]) if task in task_cues else task_cues_of(task)
        of_task = sorted((item for item in items if item.task == task), key=lambda item: item.item_id)
        tables.append(table_of(of_task, [group_keys[item.item_id] for item in of_task], without=left_out))
        without.append(left_out)
    if len(tables) > 1:
        left_out = frozenset[CueFamily]().union(*without)
        together = sorted((item._replace(task=WHOLE) for item in items), key=lambda item: item.item_id)
        tables.append(table_of(together, [group_keys[item.item_id] for item in together], without=left_out))
        without.append(left_out)
    tried = [
        entry
        for number, (table, left_out) in enumerate(zip(tables, without, strict=True))
        for entry in _tried(
            number, table, chain(rule_picks(table, without=left_out), model_picks(table, replies, without=left_out))
        )
    ]
    forests: list[Forest | None] = []
    probes: list[Sequence[ProbeResult]] = []
    evidence, rows = {} if evidence is None else evidence, rows or {}
    to_learn = [
        _ToLearn(
            table, left_out, evidence, asked, tuple(rows.get(item.item_id) for item in table.items)
        )
        for table, left_out, asked in zip(tables, without, _asked(tables, evidence), strict=True)
    ]  # fmt: skip
    grown = record_map(partial(_learned, seed=seed, bounds=bounds), to_learn, what="forests", together=1)
    for number, (table, made) in enumerate(zip(tables, grown, strict=True)):
        forest, accuracy, found = unless_lost(made, f"the forests of task {table.task!r} could not be grown")
        forests.append(forest)
        probes.append(found)
        if forest is not None and accuracy is not None and accuracy.items >= LEAST_DECIDED:
            tried.append(_Tried(number, None, forest.picks, accuracy))
    of_probes = [
        entry for number, found in enumerate(probes) for probe in found for entry in _probed(number, probe, tables)
    ]
    weight = max(1.0, len(tried) / max(1, len(of_probes)))
    tried += [entry._replace(weight=weight) for entry in of_probes]
    adjusted = holm([entry.accuracy.p for entry in tried], [entry.weight for entry in tried])
    level = bounds.min_p * weight / max(1.0, sum(entry.weight for entry in tried))
    results: list[list[SolverResult]] = [[] for _ in tables]
    for entry, p_holm in zip(tried, adjusted, strict=True):
        results[entry.task].append(_result(entry, p_holm, tables[entry.task], bounds))
    if tables[-1].task == WHOLE:
        results[-1] = _unexplained(results, [entry for entry in tried if entry.task == len(tables) - 1], tables, bounds)
    results = [
        _marked(of_task, table, found, level)
        for of_task, table, found in zip(results, tables, probes, strict=True)
    ]  # fmt: skip
    judged = tuple(
        _task_result(table, left_out, solvers, forest, seed=seed)._replace(
            replies=reply_counts(table, replies),
            power=power_of(found, _keyed(table), level=level),
            told_map=next((probe.map for probe in found if probe.map is not None), None),
        )
        for table, left_out, solvers, forest, found in zip(tables, without, results, forests, probes, strict=True)
    )
    return BatteryResults(judged[:-1], judged[-1]) if tables[-1].task == WHOLE else BatteryResults(judged, None)


def _marked(
    results: Sequence[SolverResult], table: CueTable, probes: Sequence[ProbeResult], level: float
) -> list[SolverResult]:
    """Return the results of a task, with those marked whose cue may be the task itself."""
    carried = {result.solver: result.family for result in results if result.carries}
    marked = may_be_task(carried, table, probes, level=level)
    return [result._replace(may_be_task=result.carries and result.solver in marked) for result in results]


def _unexplained(
    results: Sequence[Sequence[SolverResult]], tried: Sequence[_Tried], tables: Sequence[CueTable], bounds: Bounds
) -> list[SolverResult]:
    """Return the results on the whole set; a solver carries a cue there only if it still does without the tasks on
    which it carries one.
    """
    table, found = tables[-1], []
    task_of = {item.item_id: number for number, each in enumerate(tables[:-1]) for item in each.items}
    number_of = np.array([task_of[item.item_id] for item in table.items])
    for result, entry in zip(results[-1], tried, strict=True):
        carrying = [
            number for number, of_task in enumerate(results[:-1])
            if any(each.solver == result.solver and each.carries for each in of_task)
        ]  # fmt: skip
        if result.carries and carrying:
            rest = entry.chosen.decided & ~np.isin(number_of, carrying)
            left = accuracy_of(entry.chosen._replace(decided=rest), table, sides=result.sides)
            is_left = left is not None and left.items >= LEAST_DECIDED and bounds.is_passed(left, left.p)
            found.append(result._replace(carries=is_left, helped=result.helped & rest))
        else:
            found.append(result)
    return found


class _ToLearn(NamedTuple):
    """The items of a task, the excluded families, the evidence, and the items from which the adversary is to learn."""

    table: CueTable
    without: frozenset[CueFamily]
    evidence: Mapping[str, ItemEvidence]
    asked: frozenset[str]
    rows: tuple[int | None, ...]


def _learned(
    task: _ToLearn, *, seed: int, bounds: Bounds
) -> tuple[Forest | None, Accuracy | None, Sequence[ProbeResult]]:
    """Return the forest of a task, its accuracy, and the findings of the adversary."""
    table = task.table
    forest, accuracy = _forest(table, seed=seed, bounds=bounds)
    if not task.asked:
        return forest, accuracy, ()
    region = task_region_of(table.task)
    seen = [task.evidence[item.item_id] if item.item_id in task.asked else None for item in table.items]
    found = learned(
        table.task, seen, task.rows, _keyed(table), table.texts, table.vocabulary,
        without=task.without, region=region, seed=seed,
    )  # fmt: skip
    return forest, accuracy, found


def _asked(tables: Sequence[CueTable], evidence: Mapping[str, ItemEvidence]) -> list[frozenset[str]]:
    """Return the items of each table from which the adversary learns; the table of all tasks gets one task's share."""
    there = [sorted(item.item_id for item in table.items if item.item_id in evidence) for table in tables]
    most = max(MOST_ITEMS, *(len(ids) for table, ids in zip(tables, there, strict=True) if table.task != WHOLE), 0)
    return [frozenset(sorted(ids, key=lambda item_id: digest(["learned from", item_id]))[:most]) for ids in there]


def _keyed(table: CueTable) -> KeyedItems:
    return KeyedItems(table.right, table.options, table.groups, table.folds)


def _probed(number: int, probe: ProbeResult, tables: Sequence[CueTable]) -> Iterator[_Tried]:
    """Yield the picks of a probe, with its own p-value."""
    table = tables[number]
    scores = np.full(table.exists.shape, np.nan)
    scores[probe.rows, : probe.scores.shape[1]] = probe.scores
    picks = best_options(scores, table.exists)
    accuracy = accuracy_of(picks, table, sides="above")
    if accuracy is not None and accuracy.items >= LEAST_DECIDED:
        yield _Tried(
            number, SolverPicks(probe.solver, probe.family, picks, "above"), picks, accuracy._replace(p=probe.p), probe
        )


def _forest(table: CueTable, *, seed: int, bounds: Bounds) -> tuple[Forest | None, Accuracy | None]:
    """Return the forest of a task and its accuracy, with the weights of cues if the items may carry one."""

    def accuracy_of_forest(picks: Picks) -> Accuracy | None:
        return accuracy_of(picks, table, sides="above")

    def may_carry(picks: Picks) -> bool:
        accuracy = accuracy_of_forest(picks)
        return accuracy is not None and bounds.is_passed(accuracy, accuracy.p)

    forest = forest_of(table, seed=seed, is_weighed=may_carry)
    return forest, None if forest is None else accuracy_of_forest(forest.picks)


def _tried(number: int, table: CueTable, solvers: Iterable[SolverPicks]) -> Iterator[_Tried]:
    for entry in solvers:
        accuracy = accuracy_of(entry.picks, table, sides=entry.sides)
        if accuracy is not None and accuracy.items >= LEAST_DECIDED:
            yield _Tried(number, entry, entry.picks, accuracy)


def _result(tried: _Tried, p_holm: float, table: CueTable, bounds: Bounds) -> SolverResult:
    accuracy = tried.accuracy
    gain = accuracy.value - accuracy.chance
    right = tried.chosen.right(table) > 1 / table.options + 1e-9
    return SolverResult(
        table.task,
        FOREST if tried.picks is None else tried.picks.solver,
        None if tried.picks is None else tried.picks.family,
        accuracy,
        p_holm,
        "above" if tried.picks is None else tried.picks.sides,
        bounds.is_passed(accuracy, p_holm),
        gain > 0 or bool((table.options == 2).all()),
        tried.chosen.decided & (right if gain > 0 else ~right),
        () if tried.probe is None else tried.probe.tells,
    )


def _task_result(
    table: CueTable,
    without: frozenset[CueFamily],
    solvers: Sequence[SolverResult],
    forest: Forest | None,
    *,
    seed: int,
) -> TaskResult:
    if forest is not None and not any(result.carries and result.solver == FOREST for result in solvers):
        forest = forest._replace(weights={})
    ordered = sorted(solvers, key=lambda result: (-abs(result.accuracy.value - result.accuracy.chance), result.solver))
    return TaskResult(table, tuple(sorted(without)), letters_of(table, seed=seed), tuple(ordered), forest)


def letters_of(table: CueTable, *, seed: int) -> Balance:
    """Return how evenly the right options of a task use their letters."""
    letters = zip(table.right.tolist(), table.options.tolist(), strict=True)
    return balance([Placing(right, options) for right, options in letters], seed=seed)
