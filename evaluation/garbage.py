"""The cycle collector, kept from looking through millions of rows that hold no cycles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 200_000
"""How many new objects call for a collection meanwhile; Python's own figure is 700."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Let the collector run seldom for as long as the context lasts, then as it did before.

    Each of its full runs walks every object that is alive: with a million predictions in memory that was a tenth of
    all time.
    """
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
