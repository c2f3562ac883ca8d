"""The user's statements about models: release dates and training cutoffs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import NamedTuple

from benchwright.errors import DataError
from benchwright.files.tables import Table
from benchwright.texts.normalization import printable

_COLUMNS = frozenset({"model", "date", "cutoff"})
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")


class ModelDates(NamedTuple):
    """The dates of a model; None for a date that is not stated.

    Args:
        day: Day on which the model was released or run.
        cutoff: First day not covered by its training data.
    """

    day: date | None
    cutoff: date | None


def read_model_dates(path: Path) -> Mapping[str, ModelDates]:
    """Return dates by model from a table with the column `model`, and `date`, `cutoff` or both.

    Dates have the form `2025-03-01`, `2025-03` or `2025`; a month or year alone stands for its first day.

    Raises:
        DataError: The table has other columns or names a model twice, or a value is not a date.
    """
    dates: dict[str, ModelDates] = {}
    for entry, row, problem in Table.at(path).records():
        where = f"{path}: {entry}"
        if problem:
            raise DataError(f"{where}: {problem}")
        if not isinstance(row, Mapping) or "model" not in row or not row.keys() <= _COLUMNS:
            raise DataError(f"{where}: give the columns model, date and cutoff, and no others")
        name = str(row["model"]).strip()
        if name in dates:
            raise DataError(f"{where}: {printable(name)} occurs twice; keep one row for each model")
        dates[name] = ModelDates(*(day_of(row.get(column), f"{where}: {column}") for column in ("date", "cutoff")))
    return dates


def day_of(value: object, where: str) -> date | None:
    """Return the first day of a period such as `2025-03`, or None for an empty value.

    Raises:
        DataError: The value is not a date.
    """
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    if (parts := _DATE.fullmatch(text)) is not None:
        year, month, day = (int(part) if part else 1 for part in parts.groups())
        try:
            return date(year, month, day)
        except ValueError:
            pass
    raise DataError(f"{where} is {printable(text)[:40]!r}, not a date such as 2025-03-01 or 2025-03")
