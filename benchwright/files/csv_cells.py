"""CSV cells that are safe to open in a spreadsheet program."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path


def harmless(value: str) -> str:
    """Return the text in a form that a spreadsheet shows without running it as a formula.

    Example:
        >>> harmless("=SUM(A1)"), harmless("plain")
        ("'=SUM(A1)", 'plain')
    """
    return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write rows as CSV with cells that a spreadsheet does not run as formulas; missing values become empty cells.

    Args:
        path: File to write.
        columns: Names of the columns, in order.
        rows: Values of each row, by column.
    """
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, restval="", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({column: harmless(value) for column, value in row.items()})
