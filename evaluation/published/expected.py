"""What the papers print, where the data folder says it in a file `expected.json` beside the repository's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .files import json_document, plain_or_gzipped


def printed_cells(data: Path, model: str) -> dict[str, float]:
    """Return the printed value of a model's cells in percent, by name; nothing where the folder does not say it.

    The file has `models`, by model and cell, with `paper`; per-task cells of BLINK lie under `val_tasks` with
    `paper_table2`; printed values that do not come out stand under `not_reproduced`. What has another shape is
    passed over, since these values are shown and never counted with.
    """
    path = plain_or_gzipped(data, "expected.json")
    document = json_document(path) if path else None
    cells = _inner(_inner(document, "models"), model)
    misfits = _inner(_inner(document, "not_reproduced"), model)
    found = {name: one[0].get("paper") for name, one in misfits.items() if _is_cell_list(one)}
    found |= {name: cell.get("paper") for name, cell in cells.items() if isinstance(cell, dict)}
    tasks = _inner(cells, "val_tasks")
    found |= {f"val/{task}": cell.get("paper_table2") for task, cell in tasks.items() if isinstance(cell, dict)}
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}


def _is_cell_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _inner(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}
