"""Which of several images of one picture is kept: an order over all images that no order of files changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

Criterion = Literal["protected", "licence", "resolution", "quality", "id"]
CRITERIA: tuple[Criterion, ...] = ("protected", "licence", "resolution", "quality", "id")

Row = Mapping[str, Any]
"""An image: `image_id`, `source_uri`, `licence`, `width`, `height`, `size_bytes`, and perhaps `quality`."""


@dataclass(frozen=True)
class KeepOrder:
    """An order of preference.

    Args:
        criteria: Compared one after the other. The id comes last, named or not, so that no two images are equal.
        protected: Patterns of source paths (`*`, `?`, `[...]`; `*` also stands for `/`) that come first.
        licences: Preferred first; others come after these, and images that state none last.
    """

    criteria: Sequence[Criterion] = CRITERIA
    protected: Sequence[str] = ()
    licences: Sequence[str] = ()

    def key(self, row: Row) -> tuple[Any, ...]:
        """Return what to sort an image by: smaller is kept before larger."""
        ways: dict[Criterion, Callable[[Row], Any]] = {
            "protected": lambda one: not self.is_protected(one),
            "licence": self._licence,
            "resolution": lambda one: -one["width"] * one["height"],
            "quality": lambda one: -quality_of(one),
            "id": lambda one: one["image_id"],
        }
        return tuple(ways[criterion](row) for criterion in (*self.criteria, "id"))

    def is_protected(self, row: Row) -> bool:
        """Return whether an image comes from a protected source; such an image is never dropped."""
        path = row["source_uri"]
        return path is not None and any(fnmatchcase(path, pattern) for pattern in self.protected)

    def _licence(self, row: Row) -> int:
        stated = row["licence"]
        if stated is None:
            return len(self.licences) + 1
        return list(self.licences).index(stated) if stated in self.licences else len(self.licences)


def quality_of(row: Row) -> float:
    """Return the measured quality where there is one, else bytes a pixel: of two copies the less compressed."""
    measured = row.get("quality")
    return float(measured) if measured is not None else float(row["size_bytes"] / (row["width"] * row["height"]))
