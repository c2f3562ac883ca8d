"""A report reads a release once, and keeps no item in memory that the page has used, however far apart pictures are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar
from weakref import WeakSet

import pytest

from benchwright.evaluation.report.gathering import _ComingItems

ITEMS = 50


class Counted:
    """Stands for an item; those that are in memory are counted."""

    alive: ClassVar[WeakSet[Any]] = WeakSet()

    def __init__(self, number: int) -> None:
        self.number = number
        self.alive.add(self)


def rows(with_pictures: set[int]) -> Iterator[Any]:
    for number in range(ITEMS):
        yield Counted(number), "test", [f"picture {number}"] if number in with_pictures else []


@pytest.mark.parametrize("with_pictures", [{0}, {0, 1, 30}, {ITEMS - 1}, set()], ids=str)
def test_items_that_the_page_has_taken_are_kept_for_no_picture(with_pictures: set[int]) -> None:
    coming = _ComingItems(rows(with_pictures), shown=max(with_pictures, default=-1) + 1)
    made, most, numbers = coming.wanted(), 0, []
    for item, _ in coming:
        numbers.append(item.number)
        if item.number in with_pictures:
            assert next(made) == f"picture {item.number}"
        most = max(most, len(Counted.alive))
    assert next(made, None) is None
    assert numbers == list(range(ITEMS))
    assert most <= 2


def test_pictures_that_are_made_ahead_lose_no_item() -> None:
    coming = _ComingItems(rows({0, 10, 40}), shown=41)
    made = coming.wanted()
    assert list(islice(made, 2)) == ["picture 0", "picture 10"]
    assert [item.number for item, _ in coming] == list(range(ITEMS))
    assert list(made) == ["picture 40"]
