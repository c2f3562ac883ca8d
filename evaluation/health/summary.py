"""The health as text for a terminal, at most 100 columns wide and one screen long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from benchwright.texts.normalization import counted, printable

from .actions import ACTIONS
from .scopes import LEAST_SYSTEMS, STATES
from .signs import TITLES

if TYPE_CHECKING:
    from .health import Health
    from .scopes import Scope

_WIDTH, _NAME = 100, 30
_MOST_TASKS = 20


def summary_lines(health: Health) -> list[str]:
    """Return the lines of the summary: ceiling, discrimination, tasks, keys, signs and advice."""
    return [line.rstrip() for part in (_head, _tasks, _signs, _history, _advice) for line in part(health)]


def _head(health: Health) -> Iterator[str]:
    whole = health.whole
    title = f"{health.release.name} {health.release.version}: health by {counted(len(health.systems), 'system')}"
    yield printable(title)
    yield from _wrapped("ceiling", ceiling_words(whole))
    yield from _wrapped("discrimination", discrimination_words(whole))
    found = health.runs.issues.found
    words = "not looked at: fewer than two systems"
    if whole.wrong_keys is not None:
        words = f"{counted(len(found), 'item')}, of which {whole.wrong_keys:.1f} wrong keys are expected"
    yield from _wrapped("suspected keys", words)


def ceiling_words(scope: Scope) -> str:
    """Return the ceiling of a scope as text."""
    if scope.accuracy is None or scope.accuracy.value is None:
        return "not looked at: no system was asked"
    words = f"best {scope.accuracy.value:.2f} ({printable(scope.best or '')})"
    if scope.reachable is None:
        words += ", reachable score not looked at: fewer than two systems"
    elif scope.reached is not None:
        words += f" of {scope.reachable:.2f} reachable: {scope.reached:.0%} of the way from chance ({scope.chance:.2f})"
    people = scope.people
    return words + ("" if people is None or people.value is None else f"; people {people.value:.2f}")


def discrimination_words(scope: Scope) -> str:
    """Return the discrimination of a scope as text."""
    if not scope.pairs:
        return NO_PAIR
    words = (
        f"{scope.told_apart:,} of {counted(scope.pairs, 'pair')} told apart; of {counted(scope.items, 'item')} all "
        f"have {scope.all_right:,} right, none has {scope.all_wrong:,}, {scope.telling:,} tell systems apart"
    )
    if scope.worth is not None:
        words += f"; worth about {counted(round(scope.worth), 'item')} of middle difficulty"
    return words


NO_PAIR = "not looked at: no two systems were asked enough of the same items"
"""Reason for omitting all figures that require a comparison."""


def tasks_words(tasks: Sequence[Scope]) -> str:
    """Return, as text, how many of the examined tasks distinguish systems."""
    seen = [scope for scope in tasks if scope.state != "not_looked_at"]
    if not seen:
        return f"none of {len(tasks)} was looked at: too few systems"
    telling = sum(scope.state == "telling" for scope in seen)
    unseen = len(tasks) - len(seen)
    return f"{telling} of {len(seen)} tell systems apart" + (f"; {unseen} not looked at" if unseen else "")


def no_advice_words(tasks: Sequence[Scope]) -> str:
    """Return the reason why there is no advice: no item or task needs any, or none was examined."""
    if all(scope.state == "not_looked_at" for scope in tasks):
        return f"no advice: it needs {LEAST_SYSTEMS} systems that were asked enough of a task"
    return "nothing: no examined item or task needs a change"


def _tasks(health: Health) -> Iterator[str]:
    told = [scope for scope in health.tasks if scope.state != "telling"]
    yield ""
    yield f"tasks: {tasks_words(health.tasks)}"
    for scope in told[:_MOST_TASKS]:
        yield from _wrapped(f"  {printable(scope.task)}", f"{STATES[scope.state]}: {scope.why}")
    if len(told) > _MOST_TASKS:
        yield f"  and {len(told) - _MOST_TASKS} more, on the page and in --json"


def _signs(health: Health) -> Iterator[str]:
    yield ""
    yield "signs of contamination"
    for sign in health.signs:
        words = sign.words if sign.looked_at else f"not looked at: {sign.words}"
        yield from _wrapped(f"  {TITLES[sign.name]}", words)


def _history(health: Health) -> Iterator[str]:
    if not health.dated and not health.versions:
        return
    yield ""
    yield "over time"
    for system in (system for system in health.dated if system.is_best):
        yield from _wrapped(f"  {system.date.isoformat()}", f"{system.accuracy:.2f} {printable(system.system)}")
    for version in health.versions:
        best = "" if version.best is None else f", best {version.best:.2f}"
        yield from _wrapped(f"  {printable(version.release)}", f"{counted(version.runs, 'run')}{best}")


def _advice(health: Health) -> Iterator[str]:
    yield ""
    counts = health.items_by_action()
    tasks: dict[str, list[str]] = {}
    for each in health.advice:
        if each.kind == "task":
            tasks.setdefault(each.action, []).append(printable(each.id))
    yield "what to do"
    for action, words in ACTIONS.items():
        parts = [counted(counts[action], "item")] if counts[action] else []
        parts += [f"tasks {', '.join(tasks[action])}"] if action in tasks else []
        if parts:
            yield from _wrapped(f"  {words}", "; ".join(parts))
    if not health.advice:
        yield f"  {no_advice_words(health.tasks)}"


def _wrapped(name: str, words: str) -> Sequence[str]:
    """Return a name and text in two columns; a long name gets a separate line."""
    lines = wrap(words, _WIDTH - _NAME) or [""]
    first = [name] if len(name) >= _NAME else []
    indent = [" " * _NAME + line for line in lines]
    if not first:
        indent[0] = name.ljust(_NAME) + lines[0]
    return [*(line[:_WIDTH] for line in first), *indent]
