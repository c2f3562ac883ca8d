"""Selection of the candidates that become items: each picture is used once, answers are balanced, and the seed decides.

A candidate's position in the order, and its letter if several are possible, depend only on the seed and its own name.
An additional picture therefore changes few of the other items.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchwright.seeds import seed_for


class Candidate(NamedTuple):
    """The material for a possible item.

    Args:
        name: Stable name, unique in the task.
        image_ids: Ids of the pictures that the item shows.
        letters: Possible positions of the right option, from 0.
        answer: Property to balance, such as `yes`; candidates with the same answer have the same number of possible
            letters.
    """

    name: str
    image_ids: tuple[str, ...]
    letters: tuple[int, ...]
    answer: str


class Selected(NamedTuple):
    """Indices of the selected candidates, in the order of selection, and the reasons for refused ones.

    Args:
        chosen: Indices of the candidates that become items.
        refused: Reason for each examined candidate that cannot be used. The others had pictures that were already in
            use, or came after the last item.
    """

    chosen: tuple[int, ...]
    refused: dict[int, str]


def select(
    candidates: Sequence[Candidate],
    *,
    seed: int,
    task: str,
    uses: int | None,
    items: int | None,
    refusal: Callable[[int], str | None],
) -> Selected:
    """Choose candidates at random, alternating between answers, with each picture used at most as often as allowed.

    An answer with two possible letters gets two turns for each turn of an answer with a single letter, so that letters
    can be balanced. When an answer runs out, the others continue.

    Args:
        candidates: The candidates.
        seed: The run's seed.
        task: Name of the task.
        uses: Number of items that may show one picture; None for any number.
        items: Largest number of items; None for any number.
        refusal: Function that returns why a candidate cannot be used after all; called only on a candidate's turn.
    """
    order = [seed_for(seed, task, candidate.name, "turn") for candidate in candidates]
    waiting: dict[str, deque[int]] = {}
    for number in sorted(range(len(candidates)), key=order.__getitem__):
        waiting.setdefault(candidates[number].answer, deque()).append(number)
    turns = {answer: len(candidates[queue[0]].letters) for answer, queue in waiting.items()}
    first = {answer: seed_for(seed, task, answer, "answer") for answer in waiting}
    taken: Counter[str] = Counter()
    used: Counter[str] = Counter()
    chosen: list[int] = []
    refused: dict[int, str] = {}
    while waiting and (items is None or len(chosen) < items):
        answer = min(waiting, key=lambda name: (taken[name] / turns[name], first[name]))
        number = waiting[answer].popleft()
        if not waiting[answer]:
            del waiting[answer]
        shown = Counter(candidates[number].image_ids)
        if uses is not None and any(used[image_id] >= uses for image_id in shown):
            continue
        if (reason := refusal(number)) is not None:
            refused[number] = reason
            continue
        chosen.append(number)
        taken[answer] += 1
        used.update(shown.keys())
    return Selected(tuple(chosen), refused)


def balanced_letters(candidates: Sequence[Candidate], *, seed: int, task: str) -> tuple[int, ...]:
    """Return the position of each candidate's right option: drawn with the seed, then changed as seldom as possible
    until the letters' frequencies differ by at most one, as far as the candidates allow.
    """
    letters = [
        candidate.letters[seed_for(seed, task, candidate.name, "letter") % len(candidate.letters)]
        for candidate in candidates
    ]
    order = [seed_for(seed, task, candidate.name, "move") for candidate in candidates]
    counts = Counter({letter: 0 for candidate in candidates for letter in candidate.letters})
    counts.update(letters)
    movable: dict[int, list[int]] = {letter: [] for letter in counts}
    for number in sorted(range(len(candidates)), key=order.__getitem__, reverse=True):
        if len(candidates[number].letters) > 1:
            movable[letters[number]].append(number)
    while True:
        move = _next_move(candidates, counts, movable)
        if move is None:
            return tuple(letters)
        number, letter = move
        counts[letters[number]] -= 1
        movable[letters[number]].remove(number)
        letters[number] = letter
        counts[letter] += 1


def _next_move(
    candidates: Sequence[Candidate], counts: Counter[int], movable: dict[int, list[int]]
) -> tuple[int, int] | None:
    """Return the candidate to change and its new letter, or None if no change makes the letters more even."""
    for high in sorted(counts, key=lambda letter: (-counts[letter], letter)):
        for low in sorted(counts, key=lambda letter: (counts[letter], letter)):
            if counts[high] - counts[low] < 2:
                break
            for number in reversed(movable[high]):
                if low in candidates[number].letters:
                    return number, low
    return None
