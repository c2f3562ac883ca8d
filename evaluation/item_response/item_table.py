"""Items by difficulty and discrimination: as JSON values, as a table for a terminal and as a file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.diagnostics.keys.item_analysis import proportion_right
from benchwright.errors import BenchwrightError
from benchwright.files.csv_cells import harmless
from benchwright.statistics.score_interval import Z_95
from benchwright.texts.normalization import counted
from benchwright.workspace.written_once import REPLACE, written_once

from .calibration import Calibration

if TYPE_CHECKING:
    from rich.table import Table

_MOST_SHOWN = 20


class CalibratedItem(NamedTuple):
    """An item with its estimates from the replies of several models.

    Args:
        item_id: Id of the item.
        split: Split of the item.
        task: Task of the item.
        models: Number of models asked.
        share_right: Proportion of models that answer it correctly.
        difficulty: Logit of the probability that a model of mean ability does not know the answer; 0 means even odds,
            high values mean hard.
        difficulty_ci: 95 % interval of the difficulty.
        discrimination: Increase of the logit per standard deviation of ability.
        discrimination_ci: 95 % interval of the discrimination.
        guessing: Probability of a right guess.
        is_suspected: Whether `evaluate suspects` lists it.
    """

    item_id: str
    split: str
    task: str
    models: int
    share_right: float
    difficulty: float
    difficulty_ci: tuple[float, float]
    discrimination: float
    discrimination_ci: tuple[float, float]
    guessing: float
    is_suspected: bool

    @property
    def is_reversed(self) -> bool:
        """Return whether weak models answer the item correctly and capable ones do not, with an interval entirely below
        0.
        """
        return self.discrimination_ci[1] < 0


class CalibratedItems(NamedTuple):
    """All items, the hardest first.

    Args:
        calibration: Replies and fitted model.
        items: The items.
        suspects: Number of items that `evaluate suspects` lists.
    """

    calibration: Calibration
    items: tuple[CalibratedItem, ...]
    suspects: int


def calibrated_items(calibration: Calibration, suspected: frozenset[str]) -> CalibratedItems:
    """Return all items of a calibration, the hardest first; ties are ordered by id.

    Args:
        calibration: Replies and fitted model.
        suspected: Ids of the items whose keys are suspected (`analysis.label_issues`).
    """
    fitted = calibration.fitted
    columns = (calibration.items.column(name).to_pylist() for name in ("item_id", "split", "task"))
    shares = proportion_right(calibration.right, calibration.asked)
    rows = [
        CalibratedItem(
            item_id,
            split,
            task,
            int(calibration.asked[:, k].sum()),
            float(shares[k]),
            *_with_interval(-float(fitted.easiness[k]), float(fitted.easiness_error[k])),
            *_with_interval(float(fitted.discrimination[k]), float(fitted.discrimination_error[k])),
            float(fitted.guessing[k]),
            item_id in suspected,
        )
        for k, (item_id, split, task) in enumerate(zip(*columns, strict=True))
    ]
    rows.sort(key=lambda row: (-row.difficulty, row.item_id))
    return CalibratedItems(calibration, tuple(rows), sum(row.is_suspected for row in rows))


def _with_interval(value: float, error: float) -> tuple[float, tuple[float, float]]:
    return round(value, 4), (round(value - Z_95 * error, 4), round(value + Z_95 * error, 4))


def items_document(found: CalibratedItems, out: Path | None) -> dict[str, Any]:
    """Return items and abilities as JSON values."""
    calibration, fitted = found.calibration, found.calibration.fitted
    score = calibration.scores[0]
    abilities = zip(calibration.titles, fitted.ability.tolist(), fitted.ability_error.tolist(), strict=True)
    return {
        "release": score.release,
        "release_id": score.release_id,
        "split": score.split,
        "protocol": score.protocol,
        "converged": fitted.converged,
        "models": [
            {"model": title, "ability": round(ability, 4), "error": round(error, 4)}
            for title, ability, error in abilities
        ],
        "items": [{**row._asdict(), "reversed": row.is_reversed} for row in found.items],
        "out": None if out is None else str(out),
    }


def write_items(items: Sequence[CalibratedItem], out: Path, *, force: bool = False) -> None:
    """Write items to a `.csv` file; equal items give identical bytes.

    Raises:
        BenchwrightError: The file name has a different suffix, the file exists and `force` is not given, or it cannot
            be written.
    """
    if out.suffix.lower() != ".csv":
        raise BenchwrightError(f"{out}: items are written as CSV; give a name that ends in .csv")
    try:
        with (
            written_once(out, otherwise=REPLACE, force=force) as draft,
            draft.open("w", encoding="utf-8", newline="") as handle,
        ):
            rows = [_row(item) for item in items]
            writer = csv.DictWriter(handle, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise BenchwrightError(f"{out} cannot be written: {error.strerror or error}") from error


def _row(item: CalibratedItem) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in {**item._asdict(), "reversed": item.is_reversed}.items():
        if isinstance(value, tuple):
            stem = name.removesuffix("_ci")
            values |= {f"{stem}_low": value[0], f"{stem}_high": value[1]}
        else:
            values[name] = harmless(value) if isinstance(value, str) else value
    return values


def item_tables(found: CalibratedItems) -> list[Table]:
    """Return tables, 100 columns wide, of the hardest items, the easiest, and those with reversed discrimination."""
    fitted = found.calibration.fitted
    title = (
        f"{counted(len(found.items), 'item')}, by the replies of {counted(len(fitted.ability), 'model')}; hardest first"
    )
    tables = [_table(title, found.items[:_MOST_SHOWN])]
    if len(found.items) > 2 * _MOST_SHOWN:
        tables.append(_table("easiest", found.items[-_MOST_SHOWN // 2 :]))
    if backwards := sorted((item for item in found.items if item.is_reversed), key=lambda item: item.discrimination):
        tables.append(_table("weak models answer them right and able ones wrong", backwards[:_MOST_SHOWN]))
    return tables


def _table(title: str, items: Sequence[CalibratedItem]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=Text(title), title_justify="left")
    for name in ("item", "task", "right", "difficulty", "discrimination", "key"):
        table.add_column(
            Text(name), justify="left" if name in {"item", "task", "key"} else "right", no_wrap=name != "task"
        )
    for item in items:
        cells = (
            item.item_id[:12],
            item.task,
            f"{round(item.share_right * item.models)}/{item.models}",
            _spelled(item.difficulty, item.difficulty_ci),
            _spelled(item.discrimination, item.discrimination_ci),
            "suspected" if item.is_suspected else "",
        )
        table.add_row(*map(Text, cells))
    return table


def _spelled(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.2f} [{interval[0]:.2f}, {interval[1]:.2f}]"


def notes_on(found: CalibratedItems) -> list[str]:
    """Return notes on the table, about the fit and about keys to check."""
    backwards = [item for item in found.items if item.is_reversed]
    both = sum(item.is_suspected for item in backwards)
    lines = [
        "Difficulty: logit of the probability that a model of mean ability does not know the item, excluding "
        "guesses. Discrimination: growth of the logit per standard deviation of ability. 95 % intervals."
    ]
    if backwards:
        lines.append(
            f"{counted(len(backwards), 'item discriminates', 'items discriminate')} in reverse; `evaluate suspects` "
            f"doubts the key of {both:,} of them and of {found.suspects - both:,} others. Inspect its list first, "
            "because it uses the letters given."
        )
    elif found.suspects:
        lines.append(
            f"`evaluate suspects` doubts the key of {counted(found.suspects, 'item')}; none of them discriminates in "
            "reverse beyond its interval."
        )
    if not found.calibration.fitted.converged:
        lines.append("The fit did not converge; its figures are rough.")
    return lines
