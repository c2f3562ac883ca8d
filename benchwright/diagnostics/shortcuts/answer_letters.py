"""A test of whether right options are spread evenly over all letters, for items with different numbers of options."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from benchwright.records import LETTERS
from benchwright.seeds import seed_for

_DRAWS = 10_000
"""Number of draws; the smallest possible p-value is 1 / (DRAWS + 1)."""


class Placing(NamedTuple):
    """The letter of one option of an item.

    Args:
        letter: Index of the option's letter, 0 for A.
        options: Number of options of the item.
        taken: Index of a letter to which the option must not move; default None.
    """

    letter: int
    options: int
    taken: int | None = None

    def may_move_to(self, letter: int) -> bool:
        """Return whether the option may move to that letter."""
        return letter < self.options and letter != self.taken


class Balance(NamedTuple):
    """How evenly some items use their letters.

    Args:
        counts: Number of items by letter, for all letters that occur in any item.
        expected: Expected number of items by letter if every letter were equally likely.
        chi_square: Sum of (count - expected)² / expected.
        p: Probability, 0-1, that chance alone spreads the letters at least as unevenly.
    """

    counts: dict[str, int]
    expected: dict[str, float]
    chi_square: float
    p: float

    def to_json(self) -> dict[str, object]:
        """Return the balance as JSON values."""
        return {
            "counts": self.counts,
            "expected": {key: round(value, 3) for key, value in self.expected.items()},
            "chi_square": round(self.chi_square, 4),
            "p": round(self.p, 6),
        }


def balance(placings: Sequence[Placing], *, seed: int) -> Balance:
    """Return how evenly items use their letters.

    The p-value is that of Pearson's chi-square, from 10,000 simulations in which each item draws one of its letters, so
    that items with two and with six options can be counted together. Equal inputs give equal values.

    Args:
        placings: One placing per item, in any order; at least one.
        seed: Seed for the draws.
    """
    by_options = Counter(placing.options for placing in placings)
    width = max(by_options)
    counts = np.bincount([placing.letter for placing in placings], minlength=width).astype(float)
    expected = np.zeros(width)
    for options, items in by_options.items():
        expected[:options] += items / options
    rng = np.random.Generator(np.random.PCG64(seed_for(seed, "answer_letters", "draws")))
    drawn = np.zeros((_DRAWS, width))
    for options, items in sorted(by_options.items()):
        drawn[:, :options] += rng.multinomial(items, [1 / options] * options, size=_DRAWS)
    observed = float(((counts - expected) ** 2 / expected).sum())
    by_chance = ((drawn - expected) ** 2 / expected).sum(axis=1)
    # The tolerance makes equal counts compare equal for any order of adding their squares.
    at_least = int((by_chance >= observed - 1e-9).sum())
    return Balance(
        counts={LETTERS[at]: int(count) for at, count in enumerate(counts)},
        expected={LETTERS[at]: float(value) for at, value in enumerate(expected)},
        chi_square=observed,
        p=(at_least + 1) / (_DRAWS + 1),
    )


def levelling_moves(placings: Sequence[Placing], movable: Sequence[bool], ranks: Sequence[str]) -> dict[int, int]:
    """Return the fewest moves of items to other letters that even out the letters, as the new letter by item index.

    The item of lowest rank moves from the letter that most exceeds its share to the letter that most falls short of it,
    until no move brings the counts closer to their shares. The order of the items does not matter.

    Args:
        placings: One placing per item.
        movable: Whether the options of each item may change places.
        ranks: Rank of each item; all ranks are different and unrelated to the items' letters.
    """
    surplus = _surplus(placings)
    ranks_at: list[list[str]] = [[] for _ in surplus]
    place = {rank: at for at, rank in enumerate(ranks)}
    for at, placing in enumerate(placings):
        if movable[at]:
            insort(ranks_at[placing.letter], ranks[at])
    moves: dict[int, int] = {}
    # Each move reduces the sum of squared surpluses, so the loop ends.
    while (move := _best_move(surplus, ranks_at, lambda rank: placings[place[rank]])) is not None:
        rank, start, end = move
        ranks_at[start].remove(rank)
        insort(ranks_at[end], rank)
        moves[place[rank]] = end
        surplus[start] -= 1
        surplus[end] += 1
    return {at: end for at, end in moves.items() if end != placings[at].letter}


def _surplus(placings: Sequence[Placing]) -> list[Fraction]:
    """Return by how many items each letter exceeds its share; exact, so that the order of items does not matter."""
    width = max((placing.options for placing in placings), default=0)
    surplus = [Fraction(0)] * width
    for letter, items in Counter(placing.letter for placing in placings).items():
        surplus[letter] += items
    for options, items in Counter(placing.options for placing in placings).items():
        for letter in range(options):
            surplus[letter] -= Fraction(items, options)
    return surplus


def _best_move(
    surplus: Sequence[Fraction], ranks_at: Sequence[Sequence[str]], placing_of: Callable[[str], Placing]
) -> tuple[str, int, int] | None:
    """Return (rank, from, to) of the best move; None if no two letters differ by more than one item."""
    for start in sorted(range(len(surplus)), key=lambda letter: (-surplus[letter], letter)):
        for end in sorted(range(len(surplus)), key=lambda letter: (surplus[letter], letter)):
            if surplus[start] - surplus[end] <= 1:
                break
            if (
                rank := next(
                    (candidate for candidate in ranks_at[start] if placing_of(candidate).may_move_to(end)), None
                )
            ) is not None:
                return rank, start, end
    return None
