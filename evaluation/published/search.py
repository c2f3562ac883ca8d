"""Search for the reading of a model's files that yields the values printed in a paper.

A paper's tables may have been computed in one of several ways without the paper saying which. All known ways are tried.
The cells of a table were computed in one run, so one reading is chosen for a family of cells: the one that yields most
of the printed values. With more readings, a chance match becomes more likely, so the report states how many were tried,
how many different values they yielded, and which of them match.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..metrics.papers.shares import Share

_TOLERANCE = 0.011
"""Tolerance in percentage points: papers print two decimals, and some cells are means of two printed cells."""


class Printed(NamedTuple):
    """A printed value in percent, and its location in the paper."""

    table: str
    value: float


@dataclass(frozen=True)
class Family:
    """A family of cells that were computed in one run.

    Attributes:
        name: Name for display.
        readings: Proportions by cell for each reading, by the name of the reading; the first reading is the default if
            no printed value decides.
    """

    name: str
    readings: Mapping[str, Mapping[str, Share]]


@dataclass(frozen=True)
class CellReadings:
    """The readings of one cell.

    Attributes:
        chosen: Name of the reading whose value is displayed.
        shares: Proportions, by reading.
        printed: Values printed in the paper.
    """

    chosen: str
    shares: Mapping[str, Share]
    printed: tuple[Printed, ...]

    def giving(self, value: float) -> tuple[str, ...]:
        """Return the readings that yield a printed value."""
        return tuple(name for name, share in self.shares.items() if gives(share, value))

    @property
    def different(self) -> int:
        """Return the number of different values that the readings yield."""
        return len({share.value for share in self.shares.values()})

    def document(self) -> dict[str, Any]:
        """Return the readings as JSON values."""
        return {
            "reading": self.chosen,
            "printed": [
                {"table": table, "value": value, "readings": list(self.giving(value))} for table, value in self.printed
            ],
            "tried": len(self.shares),
            "different": self.different,
        }


@dataclass(frozen=True)
class FamilyReading:
    """The reading chosen for a family of cells.

    Attributes:
        family: Name of the family.
        cells: Names of the family's cells.
        chosen: Reading that yields most of the printed values, or the first of several.
        printed: Number of printed values.
        reproduced: Number of printed values that each reading yields.
    """

    family: str
    cells: tuple[str, ...]
    chosen: str
    printed: int
    reproduced: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """Return the reading as JSON values."""
        return {
            "family": self.family,
            "reading": self.chosen,
            "printed": self.printed,
            "reproduced": dict(self.reproduced),
        }


def gives(share: Share, value: float) -> bool:
    """Return whether a proportion equals a printed value up to rounding."""
    return share.value is not None and abs(100 * share.part / share.of - value) <= _TOLERANCE


def choose(
    families: Sequence[Family], printed: Mapping[str, Sequence[Printed]]
) -> tuple[dict[str, CellReadings], tuple[FamilyReading, ...]]:
    """Return the reading of each cell, and the reading of each family.

    If the family's reading does not yield a cell's printed value but another reading does, the cell uses the other
    reading.
    """
    cells: dict[str, CellReadings] = {}
    chosen = []
    for family in families:
        names = list(family.readings)
        wanted = [(cell, print_out.value) for cell in family.readings[names[0]] for print_out in printed.get(cell, ())]
        reproduced = {
            name: sum(gives(shares[cell], value) for cell, value in wanted) for name, shares in family.readings.items()
        }
        best = max(names, key=lambda name: reproduced[name])
        chosen.append(FamilyReading(family.name, tuple(family.readings[best]), best, len(wanted), reproduced))
        for cell in family.readings[best]:
            shares = {name: readings[cell] for name, readings in family.readings.items()}
            values = tuple(printed.get(cell, ()))
            giving = [
                name for name in (best, *names) if any(gives(shares[name], print_out.value) for print_out in values)
            ]
            cells[cell] = CellReadings(giving[0] if giving else best, shares, values)
    return cells, tuple(chosen)


def reading_notes(cells: Mapping[str, CellReadings], families: Sequence[FamilyReading], model: str) -> Iterator[str]:
    """Yield remarks about the readings, one per line."""
    for family in families:
        tried, reproduced = len(family.reproduced), family.reproduced[family.chosen]
        if tried == 1:
            continue
        if not family.printed:
            yield (f"{family.family}: no printed values of {model}; read by {family.chosen!r}, the first of {tried}")
            continue
        counts = ", ".join(f"{name!r} {number}" for name, number in family.reproduced.items())
        equals = sum(number == reproduced for number in family.reproduced.values()) - 1
        also = f", as {equals} other readings do" if equals > 1 else ", as 1 other reading does" if equals else ""
        yield (
            f"{family.family}: {family.chosen!r} gives {reproduced} of {family.printed} printed values{also} "
            f"({tried} readings tried: {counts})"
        )
    for name, cell in cells.items():
        usual = next(family.chosen for family in families if name in family.cells)
        for table, value in cell.printed:
            giving, tried = cell.giving(value), len(cell.shares)
            if not giving:
                values = {f"{100 * share.part / share.of:.2f}" for share in cell.shares.values() if share.of}
                yield (
                    f"{name}: table {table} prints {value:.2f}, which no reading of {tried} gives "
                    f"({', '.join(sorted(values)) or 'nothing to count'})"
                )
            elif usual not in giving:
                yield (
                    f"{name}: {value:.2f} of table {table} is given by {giving[0]!r}, not by the reading of its family "
                    f"({len(giving)} of {tried} readings, {cell.different} different values)"
                )
