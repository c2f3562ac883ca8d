"""How many source images of a release come from which dataset, under which licence."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple


class SourceCount(NamedTuple):
    """How many source images come from one dataset under one licence."""

    dataset: str | None
    licence: str | None
    images: int
    authors: int


class SourceTally:
    """Counts source images by dataset and licence; keeps a name for every different author."""

    def __init__(self) -> None:
        self._images: Counter[tuple[str | None, str | None]] = Counter()
        self._authors: dict[tuple[str | None, str | None], set[str]] = {}

    def add(self, dataset: str | None, licence: str | None, author: str | None) -> None:
        """Count one image."""
        self._images[dataset, licence] += 1
        authors = self._authors.setdefault((dataset, licence), set())
        if author is not None:
            authors.add(author)

    def counts(self) -> list[SourceCount]:
        """Return the counts by dataset, then licence; what is not stated comes first."""
        ordered = sorted(self._images, key=lambda pair: [(part is not None, part or "") for part in pair])
        return [SourceCount(*pair, self._images[pair], len(self._authors[pair])) for pair in ordered]
