"""The positions of gold tasks in an annotator's sequence of tasks.

The sequence consists of windows of 1 / rate positions. Each window has one gold task, at a position drawn for this
annotator. Annotators therefore cannot predict the next gold task, and after any number of tasks the number of gold ones
is within one of that number times the rate.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

Draw = Callable[[int], int]
"""Function that returns a large pseudorandom number for a window, always the same number for the same window."""


class GoldSchedule:
    """The positions of gold tasks in a sequence.

    Args:
        rate: Proportion of positions that are gold, above 0 and at most 1.
        draw: Function whose result determines the gold position in each window.
    """

    def __init__(self, rate: float, draw: Draw) -> None:
        self._rate = Fraction(str(rate))
        self._draw = draw

    def is_gold(self, place: int) -> bool:
        """Return whether a position, counted from 0, is gold."""
        return self._place_in(self._window(place)) == place

    def before(self, place: int) -> int:
        """Return the number of gold positions before a given one."""
        if place <= 0:
            return 0
        window = self._window(place - 1)
        return window + (self._place_in(window) < place)

    def ahead(self, place: int, *, other_tasks: int, gold: int) -> int:
        """Return the number of tasks from a position on: all remaining ordinary tasks, and the gold tasks among them.

        Args:
            place: Position in the sequence from which to count gold tasks.
            other_tasks: Number of remaining tasks that are not gold.
            gold: Number of remaining gold tasks; once they are used up, only the others follow.
        """
        low, high = other_tasks, other_tasks + gold
        while low < high:  # find the fewest tasks that include all the others
            middle = (low + high) // 2
            mixed_in = min(gold, self.before(place + middle) - self.before(place))
            if middle - mixed_in >= other_tasks:
                high = middle
            else:
                low = middle + 1
        return low

    def _window(self, place: int) -> int:
        return ceil((place + 1) * self._rate) - 1

    def _place_in(self, window: int) -> int:
        start, end = floor(window / self._rate), floor((window + 1) / self._rate)
        return start + self._draw(window) % (end - start)
