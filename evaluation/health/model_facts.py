"""What a user says of models: when they came out, and when their training data ends."""

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
    """Dates of one model; None where they are not stated.

    Args:
        day: Day on which it came out, or was run.
        cutoff: Day from which on its training data holds nothing.
    """

    day: date | None
    cutoff: date | None


def read_model_dates(path: Path) -> Mapping[str, ModelDates]:
    """Return dates by model from a table with the columns `model`, and `date`, `cutoff` or both.

    Dates are `2025-03-01`, `2025-03` or `2025`; a month or year alone counts from its first day.

    Raises:
        DataError: The table has other columns, names a model twice, or a value is no date.
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
            raise DataError(f"{where}: {printable(name)} stands twice")
        dates[name] = ModelDates(*(day_of(row.get(column), f"{where}: {column}") for column in ("date", "cutoff")))
    return dates


def day_of(value: object, where: str) -> date | None:
    """Return the day that a text such as `2025-03` begins with; None for nothing.

    Raises:
        DataError: It is no date.
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
