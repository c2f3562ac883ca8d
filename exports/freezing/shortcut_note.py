"""The card's paragraph on shortcuts: cues in the items by which solvers answered without doing the task."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.records import Item
from benchwright.release.format.blind_strategy import BlindStrategy
from benchwright.statistics.score_interval import score_interval

SOLVERS = ".solvers"
"""Suffix of the name of the stage, in any entry, in which the solvers of the step `shortcuts` answer."""
_HELPED = f"{SOLVERS}.solvers"
"""Suffix of the name of that stage's value, which lists the solvers that a cue helps with an item."""
_SURE = 3.0
"""Standard errors above chance from which a constant answer is a cue; by chance, 1 letter in 700 reaches this."""
_MOST_NAMED = 4
"""Number of solvers of a task that the paragraph lists."""
_FEW = 200
"""Number of items below which a task's cues may be missed; the solvers' power was measured on sets of this size."""


class _ConstantAnswer(NamedTuple):
    """The most frequent right letter, given as the answer to every item.

    Args:
        key: The letter.
        right: Number of items with this key.
        items: Number of items with a key.
        chance: Expected accuracy, 0-1, of guessing among the options of these items.
    """

    key: str
    right: int
    items: int
    chance: float

    @property
    def beats_chance(self) -> bool:
        """Return whether the lower end of the accuracy's interval is above chance."""
        return score_interval(self.right, self.items, z=_SURE)[0] > self.chance


class _Keys:
    """Keys of items by task, counted in a single pass over the items."""

    def __init__(self) -> None:
        self._keys: dict[str, Counter[str]] = {}
        self._chance: defaultdict[str, float] = defaultdict(float)

    def add(self, item: Item) -> None:
        if (key := item.right_key) is not None:
            self._keys.setdefault(item.task, Counter())[key] += 1
            self._chance[item.task] += 1 / len(item.choices)

    def by_task(self) -> dict[str, _ConstantAnswer]:
        """Return the most frequent right letter of each task, or the first one if several are equally frequent."""
        return {task: _constant(keys, self._chance[task]) for task, keys in sorted(self._keys.items())}

    def over_all(self) -> _ConstantAnswer | None:
        """Return the most frequent right letter over all tasks, or None if no item has a key."""
        keys = sum(self._keys.values(), Counter[str]())
        return _constant(keys, sum(self._chance.values())) if keys else None


def _constant(keys: Counter[str], chance: float) -> _ConstantAnswer:
    key, right = min(keys.items(), key=lambda entry: (-entry[1], entry[0]))
    return _ConstantAnswer(key, right, keys.total(), chance / keys.total())


class BlindNote(NamedTuple):
    """The statements of a card about answers without pictures.

    Args:
        blind: The best blind strategy; None if too few items have a right option.
        constant: The paragraph on constant answers as Markdown; empty if no item has a key.
    """

    blind: BlindStrategy | None
    constant: str

    def paragraph(self, why: str | None) -> str:
        """Return the paragraph on the best blind strategy as Markdown, or an empty string if there is no strategy.

        Args:
            why: Reason for freezing the release although the strategy is far above chance; None if no reason is given.
        """
        if self.blind is None:
            return ""
        low, high = self.blind.ci
        sentences = [
            f"**Best blind strategy.** Without the pictures, `{_plain(self.blind.strategy)}` is right in "
            f"{self.blind.accuracy:.2f} (95 % interval {low:.2f} to {high:.2f}) of {self.blind.items} items, guessing "
            f"in {self.blind.chance:.2f}. It is the best of {self.blind.tried}, chosen on some source pictures and "
            "measured on the others.",
            "The items can be answered in part without being looked at: read scores against this figure, not against "
            "guessing."
            if self.blind.beats_chance
            else "That is not above guessing beyond luck.",
        ]
        if why:
            sentences.append(f"Why it was frozen with this: {' '.join(why.split())}")
        return " ".join(sentences)


def blind_note(items: Iterable[Item]) -> BlindNote:
    """Return the statements of a card about answers without pictures, after a single pass over the items.

    Args:
        items: Items whose keys may be made public, so none from a sealed split.
    """
    from benchwright.diagnostics.shortcuts.blind_strategy import blind_strategy

    keys = _Keys()

    def counted() -> Iterator[Item]:
        for item in items:
            keys.add(item)
            yield item

    return BlindNote(blind_strategy(counted()), _constant_note(keys))


def _constant_note(keys: _Keys) -> str:
    whole = keys.over_all()
    if whole is None:
        return ""
    ahead = [f"`{task}`: {_constant_words(answer)}" for task, answer in keys.by_task().items() if answer.beats_chance]
    sentences = [f"**Constant answers.** {_constant_words(whole)}, over all."]
    if whole.beats_chance:
        sentences.append("A constant answer beats chance: the letters are a cue.")
    if ahead:
        sentences.append(f"In these tasks a constant answer beats chance. {'; '.join(ahead)}.")
    return " ".join(sentences)


def _constant_words(answer: _ConstantAnswer) -> str:
    return (
        f"Always `{answer.key}` is right in {answer.right / answer.items:.2f} of {answer.items} items, guessing in "
        f"{answer.chance:.2f}"
    )


def shortcut_note(items: Iterable[tuple[Item, Mapping[str, Any]]], *, blind: BlindStrategy | None = None) -> str:
    """Return the paragraph as Markdown, or an empty string if no step `shortcuts` measured any item.

    The tasks listed as free of cues exclude those in which a constant answer beats chance; none are listed if the best
    blind strategy beats chance.

    Args:
        items: The released items, with the values that stages gave them.
        blind: The best blind strategy on them.
    """
    keys = _Keys()
    measured: Counter[str] = Counter()
    helped: Counter[str] = Counter()
    solvers: dict[str, Counter[str]] = {}
    missed = 0
    for item, values in items:
        keys.add(item)
        lists: Sequence[Sequence[str] | None] = [value for name, value in values.items() if name.endswith(_HELPED)]
        known = [names for names in lists if names is not None]
        missed += bool(lists) and not known
        if known:
            measured[item.task] += 1
            names = {name for listed in known for name in listed}
            helped[item.task] += bool(names)
            solvers.setdefault(item.task, Counter()).update(names)
    if not measured:
        return ""
    constant = {task for task, answer in keys.by_task().items() if answer.beats_chance}
    clean = [task for task in sorted(measured) if not helped[task] and task not in constant]
    sentences = [
        "**Shortcuts.** Solvers that see the options without what these must be compared with answered the items."
    ]
    if clean and blind is not None and blind.beats_chance:
        sentences.append("In no task by itself did they find more; the best blind strategy beats chance all the same.")
    elif clean:
        counts = ", ".join(f"`{task}` {measured[task]}" for task in clean)
        sentences.append(f"They found no cue in the items of these tasks: {counts}.")
    if (blind is None or not blind.beats_chance) and any(measured[task] < _FEW for task in clean):
        sentences.append(
            f"Of fewer than {_FEW} items that says little: on 40, a solver's accuracy has a 95 % interval of about 30 "
            "points."
        )
    for task in sorted(task for task in measured if helped[task]):
        ranked = sorted(solvers[task].items(), key=lambda entry: (-entry[1], entry[0]))[:_MOST_NAMED]
        named = ", ".join(f"`{_plain(name)}` {count}" for name, count in ranked)
        sentences.append(f"In `{task}` a cue helps with {helped[task]} of {measured[task]} items ({named}).")
    if missed:
        sentences.append(f"{missed} items were not measured.")
    return " ".join(sentences)


def _plain(name: str) -> str:
    """Return the name of a solver, which may quote an option, in a form that can be used in a code span."""
    return re.sub(r"[`|]", "", " ".join(name.split()))[:80]
