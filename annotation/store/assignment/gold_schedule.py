"""At which places of an annotator's row of tasks a gold one comes.

The row is cut into windows of 1 / rate places, and each window has one gold task at a place drawn for this annotator.
So nobody can tell when the next one comes, and after however many tasks the number of gold ones is within one of
what the rate says.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

Draw = Callable[[int], int]
"""Returns a large random number for a window, always the same one."""


class GoldSchedule:
    """Which places of a row are gold.

    Args:
        rate: Share of them that is, above 0 and at most 1.
        draw: Where in each window.
    """

    def __init__(self, rate: float, draw: Draw) -> None:
        self._rate = Fraction(str(rate))
        self._draw = draw

    def is_gold(self, place: int) -> bool:
        """Return whether a place, counted from 0, is gold."""
        return self._place_in(self._window(place)) == place

    def before(self, place: int) -> int:
        """Return how many of the places before this one are gold."""
        if place <= 0:
            return 0
        window = self._window(place - 1)
        return window + (self._place_in(window) < place)

    def ahead(self, place: int, *, other_tasks: int, gold: int) -> int:
        """Return how many tasks lie ahead of a place: so many others, and what gold is mixed in among them.

        Args:
            place: Place in the order from which on gold tasks are counted.
            other_tasks: Tasks that are not gold, left.
            gold: Gold tasks left; where they are used up the others go on alone.
        """
        low, high = other_tasks, other_tasks + gold
        while low < high:  # the fewest tasks that hold all the others
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
