"""Reference points for models on each task: chance, the best solver that does not do the task, specialists, people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import DataError
from benchwright.rooms import catalogue

from ...results.score import Figure
from .legible import legible
from .score_table import ScoreRow, ScoreTable

Kind = Literal["baseline", "specialist", "model"]


class NamedFigure(NamedTuple):
    """A figure and the name of its model or solver.

    Args:
        name: Name of the model or solver.
        figure: The figure.
        carried: Whether the items contain the cue of a solver of the shortcut battery; None for models.
    """

    name: str
    figure: Figure
    carried: bool | None = None


class ReferencePoints(NamedTuple):
    """The reference figures for one task.

    Args:
        task: The task.
        chance: Accuracy of a uniform draw.
        cheat: The best of the solvers that do not do the task, or of the baselines that use no picture and do not draw
            uniformly. A solver whose cue the items contain takes precedence.
        specialist: The best specialist.
        model: The best other model.
        people: Human figure, from the campaign that plots show.
    """

    task: str
    chance: Figure | None
    cheat: NamedFigure | None
    specialist: NamedFigure | None
    model: NamedFigure | None
    people: Figure | None

    def document(self) -> dict[str, Any]:
        """Return the figures as JSON values."""

        def named(entry: NamedFigure | None) -> Any:
            if entry is None:
                return None
            carried = {} if entry.carried is None else {"carried": entry.carried}
            return {"name": entry.name, **entry.figure.model_dump(mode="json"), **carried}

        return {
            "task": self.task,
            "chance": None if self.chance is None else self.chance.model_dump(mode="json"),
            "cheat": named(self.cheat),
            "specialist": named(self.specialist),
            "model": named(self.model),
            "people": None if self.people is None else self.people.model_dump(mode="json"),
        }


class _Solver(BaseModel):
    """A solver in the document printed by `filter shortcuts`, with only the fields that are displayed."""

    model_config = ConfigDict(frozen=True)

    solver: str
    items: int = Field(ge=0)
    accuracy: float = Field(ge=0, le=1)
    ci: tuple[float, float] | None = None
    carries: bool = False


class _SolvedTask(BaseModel):
    """A task in the same document."""

    model_config = ConfigDict(frozen=True)

    task: str
    solvers: tuple[_Solver, ...]


class _SolvedTasks(BaseModel):
    """The whole document."""

    model_config = ConfigDict(frozen=True)

    tasks: tuple[_SolvedTask, ...]


def read_cheats(path: Path) -> dict[str, NamedFigure]:
    """Return the best solver for each task in a file that `benchwright filter shortcuts RELEASE --json` printed.

    Raises:
        DataError: The file is not such a document.
    """
    try:
        document = _SolvedTasks.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        first = str(error).splitlines()[0]
        raise DataError(
            f"{path} is not output of `benchwright filter shortcuts RELEASE --json` ({first}); write it again"
        ) from error
    best = {}
    for task in document.tasks:
        if task.solvers:
            solver = max(task.solvers, key=lambda entry: (entry.carries, entry.accuracy))
            figure = Figure(value=solver.accuracy, ci=solver.ci, n=solver.items)
            best[task.task] = NamedFigure(solver.solver, figure, solver.carries)
    return best


def reference_points(board: ScoreTable, cheats: Mapping[str, NamedFigure]) -> list[ReferencePoints]:
    """Return the reference figures of each task; empty if they include neither a specialist nor a cheating solver.

    Args:
        board: Table of scores; unfit scores are ignored.
        cheats: Best solver of each task, by task.
    """
    kinds = {line.model: kind_of(line.score.model) for line in board.lines}
    if not cheats and "specialist" not in kinds.values():
        return []
    points = []
    for number, task in enumerate(board.columns[1:], start=1):
        of_kind = {
            kind: _best([line for line in board.lines if kinds[line.model] == kind and not _draws(line)], number)
            for kind in ("baseline", "specialist", "model")
        }
        cheat = _better(cheats.get(task), of_kind["baseline"])
        points.append(
            ReferencePoints(
                task, board.chance[number], cheat, of_kind["specialist"], of_kind["model"], board.people[number]
            )
        )
    return points


def _draws(line: ScoreRow) -> bool:
    """Return whether a model draws letters uniformly and therefore differs from chance only by luck."""
    return line.score.model.partition(":")[0] == "random"


def kind_of(model: str) -> Kind:
    """Return whether a score's model is a baseline that uses no picture, a specialist, or another model."""
    entry = catalogue("backends").get(model.partition(":")[0])
    words = "" if entry is None else entry.entry.help
    return "specialist" if words.startswith("Specialist") else "baseline" if words.startswith("Baseline") else "model"


def _best(lines: list[ScoreRow], column: int) -> NamedFigure | None:
    figures = [
        NamedFigure(legible(line.model), figure)
        for line in lines
        if not line.score.unfit and (figure := line.figures[column]) is not None
    ]
    return max(figures, key=_value, default=None)


def _better(first: NamedFigure | None, second: NamedFigure | None) -> NamedFigure | None:
    entries = [entry for entry in (first, second) if entry is not None]
    return max(entries, key=lambda entry: (entry.carried is True, _value(entry)), default=None)


def _value(entry: NamedFigure) -> float:
    return entry.figure.value or 0.0
