"""The accuracy of the best blind strategy on a release: the figure that measures its shortcuts and is stored with it.

`benchwright.diagnostics.shortcuts.blind_strategy` measures it during freezing; callers that show it read it here.
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
"""Distance from chance, 0-1, beyond which freezing asks for a reason; a recipe may set another limit."""
_CHOSEN_EFFECT = 5 / 3
"""Design effect of answers by strategies chosen on the other items (`benchwright.statistics.HELD_OUT_EFFECT`, 2 at
most). Each item influences the answers to the others, so the proportion of right answers varies more than that of one
strategy. With this value, fewer than 5 % of simulated sets without a cue beat chance (30 to 200 items, two or four
options)."""
LEAST_ITEMS = 30
"""Smallest number of items at which freezing asks for a reason."""


class BlindStrategy(Record):
    """Accuracy of the best strategy that does not see the pictures."""

    strategy: str
    """The strategy chosen most often, such as `always A`."""
    accuracy: float = Field(ge=0, le=1)
    """Proportion of right answers, with each item answered by the strategy that is best on items of other source
    pictures.
    """
    ci: tuple[float, float]
    """95 % confidence interval of a strategy's proportion of right answers, by clusters of source pictures."""
    chance: float = Field(ge=0, le=1)
    """Expected accuracy of uniform random choice."""
    items: int = Field(ge=1)
    """Number of measured items, which all have a right option."""
    tried: int = Field(ge=1)
    """Number of strategies from which the best is chosen."""

    @property
    def beats_chance(self) -> bool:
        """Return whether the accuracy is significantly above chance, even after correction for the choice among
        strategies.

        The interval assumes independent answers; this check widens its lower half by the design effect of the choice.
        """
        return self.accuracy - math.sqrt(_CHOSEN_EFFECT) * (self.accuracy - self.ci[0]) > self.chance

    def exceeds(self, gain: float) -> bool:
        """Return whether the lower end of the interval exceeds chance by more than a bound, 0 to 1.

        A set of fewer than `LEAST_ITEMS` items counts as a trial and never exceeds the bound.
        """
        return self.items >= LEAST_ITEMS and self.ci[0] - self.chance > gain

    @property
    def words(self) -> str:
        """Return the figure as one sentence."""
        return (
            f"{self.strategy} is right in {self.accuracy:.2f} [{self.ci[0]:.2f}, {self.ci[1]:.2f}] of "
            f"{counted(self.items, 'item')} without a picture, guessing in {self.chance:.2f}"
        )

    def document(self) -> dict[str, Any]:
        """Return the figure as JSON values."""
        return {**self.model_dump(mode="json"), "beats_chance": self.beats_chance}


def spelled(blind: BlindStrategy) -> bytes:
    """Return the bytes of the release's file."""
    document = {"format": FORMAT, "version": FORMAT_VERSION, **blind.model_dump(mode="json")}
    return documents.spell(document, title=BLIND_STRATEGY)


def read_blind_strategy(release: Release) -> BlindStrategy | None:
    """Return a release's figure, or None if the release states none.

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
