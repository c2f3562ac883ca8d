"""How far the best blind strategy gets on a release: the one figure by which its shortcuts are judged, stored with it.

`benchwright.diagnostics.shortcuts.blind_strategy` measures it when a release is frozen; whoever shows it reads it here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from benchwright.errors import DataError
from benchwright.records import Record
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside
from benchwright.release.format.manifest import BLIND_STRATEGY
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.release.format.reader import Release

FORMAT: Literal["benchwright/blind-strategy"] = "benchwright/blind-strategy"
FORMAT_VERSION = 1
MAX_GAIN = 0.05
"""Distance from chance, 0-1, that must surely be exceeded for freezing to ask why; a recipe may say another."""
_CHOSEN_EFFECT = 5 / 3
"""Design effect of answers by strategies that are chosen on the other items (`benchwright.statistics.HELD_OUT_EFFECT`,
2 at most): each item has a say in what answers the others, so that the share of right answers varies more than that of
one strategy. With it fewer than 5 % of simulated sets without a cue beat chance (30 to 200 items, two options or four).
"""
LEAST_ITEMS = 30
"""Items from which on freezing asks why."""


class BlindStrategy(Record):
    """Accuracy of the best strategy that sees no picture."""

    strategy: str
    """The strategy that was chosen most often, such as `always A`."""
    accuracy: float = Field(ge=0, le=1)
    """Share of items that are right, each answered by what was best on the items of other source pictures."""
    ci: tuple[float, float]
    """95 % interval of a strategy's share, by clusters of source pictures."""
    chance: float = Field(ge=0, le=1)
    """Accuracy of a uniform draw."""
    items: int = Field(ge=1)
    """Items with a right option that were measured."""
    tried: int = Field(ge=1)
    """Strategies among which it was chosen."""

    @property
    def beats_chance(self) -> bool:
        """Return whether the accuracy is surely above chance, the luck of choosing among strategies included.

        The interval is that of answers which do not depend on each other; here its low end is as much farther away as
        the choice makes it.
        """
        return self.accuracy - math.sqrt(_CHOSEN_EFFECT) * (self.accuracy - self.ci[0]) > self.chance

    def exceeds(self, gain: float) -> bool:
        """Return whether even the low end of the interval is farther above chance than a bound, 0 to 1.

        A set of fewer than `LEAST_ITEMS` items is a trial, of which it is not asked.
        """
        return self.items >= LEAST_ITEMS and self.ci[0] - self.chance > gain

    @property
    def words(self) -> str:
        """Return the figure in one sentence."""
        return (
            f"{self.strategy} is right in {self.accuracy:.2f} [{self.ci[0]:.2f}, {self.ci[1]:.2f}] of "
            f"{counted(self.items, 'item')} without a picture, guessing in {self.chance:.2f}"
        )

    def document(self) -> dict[str, Any]:
        """Return the figure as JSON values."""
        return {**self.model_dump(mode="json"), "beats_chance": self.beats_chance}


def spelled(blind: BlindStrategy) -> bytes:
    """Return the bytes of the file in a release."""
    document = {"format": FORMAT, "version": FORMAT_VERSION, **blind.model_dump(mode="json")}
    return documents.spell(document, title=BLIND_STRATEGY)


def read_blind_strategy(release: Release) -> BlindStrategy | None:
    """Return a release's figure; None where it states none.

    Raises:
        DataError: The file is damaged.
    """
    if BLIND_STRATEGY not in release.manifest.files:
        return None
    place = f"{release.path}: {BLIND_STRATEGY}"
    data = read_inside(release.path, BLIND_STRATEGY, max_bytes=documents.MAX_BYTES)
    document = documents.stated(documents.parse(data, title=place), FORMAT, FORMAT_VERSION, title=place)
    values = {name: value for name, value in document.items() if name not in {"format", "version"}}
    try:
        return BlindStrategy.model_validate(values)
    except ValidationError as error:
        raise DataError(f"{place}: {error.errors()[0]['msg']}") from error
