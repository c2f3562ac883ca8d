"""Advice on items and tasks, with reasons: check a key, replace, harden, retire, or add items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .scopes import LEAST_SYSTEMS, Scope
from .signs import Sign

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .runs import HealthRuns

Action = Literal["check_key", "replace", "harden", "retire", "extend"]
ACTIONS: Mapping[Action, str] = {
    "check_key": "check the key",
    "replace": "replace",
    "harden": "harden",
    "retire": "retire",
    "extend": "add items",
}
"""Actions in order of precedence for an item with several reasons."""
_OF_TASK: Mapping[str, tuple[Action, str]] = {
    "saturated": ("replace", "saturated"),
    "at_chance": ("check_key", "at_chance"),
    "keys_doubted": ("check_key", "keys_doubted"),
    "not_separating": ("replace", "not_separating"),
    "too_few": ("extend", "too_few"),
}
_LEAST_FOR_ITEMS = 5
"""Smallest number of systems that must have been asked an item to conclude that all or none answer it correctly."""
_BY_GUESSING = 0.05
"""Largest probability that no system would be right by guessing at which an item without right systems counts."""


class Advice(NamedTuple):
    """Advice on an item or a task.

    Args:
        kind: `item` or `task`.
        id: Id of the item, or name of the task.
        task: Name of the task.
        action: The recommended action.
        codes: Codes of the reasons: `suspected_key`, `all_wrong`, `published_order`, `without_pictures`, `all_right`,
            or the state of a task.
        reasons: The reasons as text, with their figures.
    """

    kind: Literal["item", "task"]
    id: str
    task: str
    action: Action
    codes: tuple[str, ...]
    reasons: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return the advice as JSON values."""
        return {**self._asdict(), "codes": list(self.codes), "reasons": list(self.reasons)}


class _Reason(NamedTuple):
    action: Action
    code: str
    words: str


def advice_of(runs: HealthRuns, tasks: Sequence[Scope], signs: Sequence[Sign]) -> tuple[Advice, ...]:
    """Return advice on tasks, then on items: ordered by action, then as in the suspects and the release."""
    return (*_about_tasks(tasks), *_about_items(runs, {sign.name: sign for sign in signs}))


def _about_tasks(tasks: Sequence[Scope]) -> list[Advice]:
    advice = []
    for scope in tasks:
        if scope.state in _OF_TASK:
            action, code = _OF_TASK[scope.state]
            advice.append(Advice("task", scope.task, scope.task, action, (code,), (scope.why,)))
    return sorted(advice, key=lambda each: (list(ACTIONS).index(each.action), each.id))


def _about_items(runs: HealthRuns, signs: Mapping[str, Sign]) -> list[Advice]:
    """Return one piece of advice for each item with a reason; the action listed first in `ACTIONS` takes precedence."""
    reasons: dict[str, list[_Reason]] = {}
    for issue in runs.issues.found if runs.are_keys_judged else ():
        instead = f"; {' or '.join(issue.letters)} is likelier" if issue.letters else ""
        words = f"key {issue.key} is wrong with a probability of {issue.probability:.0%}{instead}"
        reasons.setdefault(issue.item_id, []).append(_Reason("check_key", "suspected_key", words))
    for reason in (
        _Reason("replace", "published_order", "systems have it right in its published order and wrong in others"),
        _Reason("harden", "without_pictures", "models without the picture agree on its key"),
    ):
        for item_id in signs[reason.code].items if reason.code in signs else ():
            reasons.setdefault(item_id, []).append(reason)
    for item_id, counted_reason in _by_counts(runs):
        reasons.setdefault(item_id, []).append(counted_reason)
    facts = runs.sheet.items.select(["item_id", "task"]).to_pydict()
    order = list(ACTIONS)
    advice = []
    for item_id, task in zip(facts["item_id"], facts["task"], strict=True):
        if own := sorted(reasons.get(item_id, ()), key=lambda reason: order.index(reason.action)):
            codes, why = tuple(reason.code for reason in own), tuple(reason.words for reason in own)
            advice.append(Advice("item", item_id, task, own[0].action, codes, why))
    rank = {issue.item_id: issue.rank for issue in runs.issues.found}
    last = len(rank) + 1
    return sorted(advice, key=lambda each: (order.index(each.action), rank.get(each.id, last)))


def _by_counts(runs: HealthRuns) -> list[tuple[str, _Reason]]:
    """Return the items that all systems answer correctly, and those that no system does although guessing should give
    some right answers.
    """
    import numpy as np

    if len(runs.systems) < LEAST_SYSTEMS:
        return []
    sheet = runs.sheet.of_models(runs.systems)
    models, rights = sheet.asked.sum(axis=0), sheet.right.sum(axis=0)
    options: NDArray[np.int64] = sheet.items.column("options").to_numpy()
    ids = sheet.items.column("item_id").to_pylist()
    no_luck = (1 - 1 / np.maximum(options, 1)) ** models
    found = []
    for place in np.flatnonzero((models >= _LEAST_FOR_ITEMS) & (rights == models)).tolist():
        found.append((ids[place], _Reason("retire", "all_right", f"all {models[place]} systems are right")))
    nobody = (models >= _LEAST_FOR_ITEMS) & (rights == 0) & (no_luck < _BY_GUESSING) & (options > 0)
    for place in np.flatnonzero(nobody).tolist():
        words = f"none of {models[place]} systems is right; if the key is right, better systems can still gain on it"
        found.append((ids[place], _Reason("check_key", "all_wrong", words)))
    return found
