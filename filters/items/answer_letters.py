"""Whether right options stand under all letters alike, as a test that is exact for options of any number."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from benchwright.records import LETTERS
from benchwright.seeds import seed_for

DRAWS = 10_000
"""The least p-value that can come out is one in DRAWS + 1."""


class Placing(NamedTuple):
    """Where one item's option stands.

    Args:
        letter: Its letter, from 0 for A.
        options: How many letters the item has.
        taken: Index of a letter that it may not move to.
    """

    letter: int
    options: int
    taken: int | None = None

    def may_move_to(self, letter: int) -> bool:
        """Return whether the item has that letter free."""
        return letter < self.options and letter != self.taken


class Balance(NamedTuple):
    """How evenly the letters are used.

    Args:
        counts: Items by letter, of all letters that an item has.
        expected: As many if every place were equally likely.
        chi_square: Sum of (count - expected)² / expected.
        p: Probability, 0-1, that chance alone spreads them at least as unevenly.
    """

    counts: dict[str, int]
    expected: dict[str, float]
    chi_square: float
    p: float

    def told(self) -> dict[str, object]:
        """Return the balance as JSON values."""
        return {
            "counts": self.counts, "expected": {key: round(value, 3) for key, value in self.expected.items()},
            "chi_square": round(self.chi_square, 4), "p": round(self.p, 6),
        }  # fmt: skip


def balance(placings: Sequence[Placing], *, seed: int) -> Balance:
    """Return how evenly some items use their letters.

    The p-value is that of Pearson's chi-square under drawn letters: each item draws among its own, so items with two
    and with six options may stand together. 10,000 draws from a seed of its own: equal input, equal value.

    Args:
        placings: One per item, in any order; at least one.
        seed: Of the draws.
    """
    by_options = Counter(one.options for one in placings)
    width = max(by_options)
    counts = np.bincount([one.letter for one in placings], minlength=width).astype(float)
    expected = np.zeros(width)
    for options, items in by_options.items():
        expected[:options] += items / options
    rng = np.random.Generator(np.random.PCG64(seed_for(seed, "answer_letters", "draws")))
    drawn = np.zeros((DRAWS, width))
    for options, items in sorted(by_options.items()):
        drawn[:, :options] += rng.multinomial(items, [1 / options] * options, size=DRAWS)
    observed = float(((counts - expected) ** 2 / expected).sum())
    by_chance = ((drawn - expected) ** 2 / expected).sum(axis=1)
    # Equal counts must count as at least as uneven whatever the order in which their squares are added.
    at_least = int((by_chance >= observed - 1e-9).sum())
    return Balance(
        counts={LETTERS[at]: int(count) for at, count in enumerate(counts)},
        expected={LETTERS[at]: float(value) for at, value in enumerate(expected)},
        chi_square=observed,
        p=(at_least + 1) / (DRAWS + 1),
    )


def levelled(placings: Sequence[Placing], movable: Sequence[bool], ranks: Sequence[str]) -> dict[int, int]:
    """Return for a few items, by place, to which letter they move so that the letters are used evenly.

    From the letter that most exceeds its share the item of lowest rank moves to the letter that most falls short, until
    no move brings the counts closer to their shares. Ranks decide, so the order of the items does not.

    Args:
        placings: One per item.
        movable: Whether the item's options may change places.
        ranks: Of each item; all different, and without any relation to its letter.
    """
    surplus = _surplus(placings)
    here: list[list[str]] = [[] for _ in surplus]
    place = {rank: at for at, rank in enumerate(ranks)}
    for at, one in enumerate(placings):
        if movable[at]:
            insort(here[one.letter], ranks[at])
    moves: dict[int, int] = {}
    # Each move brings the sum of squared surpluses down, so there is a last one.
    while (move := _best_move(surplus, here, lambda rank: placings[place[rank]])) is not None:
        rank, start, end = move
        here[start].remove(rank)
        insort(here[end], rank)
        moves[place[rank]] = end
        surplus[start] -= 1
        surplus[end] += 1
    return {at: end for at, end in moves.items() if end != placings[at].letter}


def _surplus(placings: Sequence[Placing]) -> list[Fraction]:
    """Return by how many items each letter exceeds its share; exact, so that the order of items leaves no trace."""
    width = max((one.options for one in placings), default=0)
    found = [Fraction(0)] * width
    for letter, items in Counter(one.letter for one in placings).items():
        found[letter] += items
    for options, items in Counter(one.options for one in placings).items():
        for letter in range(options):
            found[letter] -= Fraction(items, options)
    return found


def _best_move(
    surplus: Sequence[Fraction], here: Sequence[Sequence[str]], placing_of: Callable[[str], Placing]
) -> tuple[str, int, int] | None:
    """Return (rank, from, to) of the move that wins most; None where none brings more than one item's difference."""
    for start in sorted(range(len(surplus)), key=lambda letter: (-surplus[letter], letter)):
        for end in sorted(range(len(surplus)), key=lambda letter: (surplus[letter], letter)):
            if surplus[start] - surplus[end] <= 1:
                break
            if (rank := next((one for one in here[start] if placing_of(one).may_move_to(end)), None)) is not None:
                return rank, start, end
    return None
