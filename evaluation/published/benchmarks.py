"""Benchmarks whose published tables can be recomputed, and the functions that do so.

The paper's printed values are also read from a file `expected.json` next to the repository's files, if there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import BenchwrightError

from . import blink, ii_bench, mvp_bench
from .cells import Recount
from .files import json_document, plain_or_gzipped
from .mvp_printed import printed_in_paper
from .mvp_readings import READINGS, Vanilla
from .search import Family, Printed, choose


def _printed_cells(data: Path, model: str) -> dict[str, float]:
    """Return the printed values of a model's cells in percent, by name; empty if the folder contains none.

    The file has `models`, by model and cell, with `paper`. Per-task cells of BLINK are under `val_tasks` with
    `paper_table2`; printed values that cannot be reproduced are under `not_reproduced`. Entries with a different
    structure are ignored, because these values are for display only.
    """
    path = plain_or_gzipped(data, "expected.json")
    document = json_document(path) if path else None
    cells = _inner(_inner(document, "models"), model)
    misfits = _inner(_inner(document, "not_reproduced"), model)
    values = {name: rows[0].get("paper") for name, rows in misfits.items() if _is_cell_list(rows)}
    values |= {name: cell.get("paper") for name, cell in cells.items() if isinstance(cell, dict)}
    tasks = _inner(cells, "val_tasks")
    values |= {f"val/{task}": cell.get("paper_table2") for task, cell in tasks.items() if isinstance(cell, dict)}
    return {name: float(value) for name, value in values.items() if isinstance(value, int | float)}


def _is_cell_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _inner(value: Any, name: str) -> dict[str, Any]:
    inner = value.get(name) if isinstance(value, dict) else None
    return inner if isinstance(inner, dict) else {}


Benchmark = Literal["mvp-bench", "blink", "ii-bench"]

_WAYS: Mapping[Benchmark, tuple[str, ...]] = {
    "mvp-bench": ("published", "judge", "rule", "robust"),
    "blink": ("published", "rule", "robust"),
    "ii-bench": ("published", "robust"),
}
"""Readings of answers that can be used to compute a benchmark's cells."""

_MODELS = {"mvp-bench": mvp_bench.models, "blink": blink.models, "ii-bench": ii_bench.models}


def recount(
    benchmark: Benchmark,
    data: Path,
    model: str,
    *,
    reading: str = "published",
    vanilla: Vanilla | None = None,
    by_hand: Mapping[str, str] | None = None,
) -> Recount:
    """Return a model's cells, computed from the files in a folder with the benchmark's official layout.

    Args:
        benchmark: Name of the benchmark.
        data: Folder that contains the files, plain or gzipped.
        model: Name of the model in its files.
        reading: One of the benchmark's `_WAYS`.
        vanilla: MVP-Bench only: the pass for VanillaEval; None for that of the reading.
        by_hand: MVP-Bench only: yes/no answers read by a person, by question, in addition to the reading's.

    Raises:
        DataError: A file is missing or damaged, or has a different layout.
        BenchwrightError: The model does not exist, or the benchmark does not support a setting.
    """
    names = _MODELS[benchmark](data)
    if model not in names:
        known_models = f"it has {', '.join(names)}" if names else "it has no model's files"
        raise BenchwrightError(f"{data} has no files of a model named {ascii(model)[:80]}; {known_models}")
    if reading not in _WAYS[benchmark]:
        raise BenchwrightError(f"{benchmark} has no reading {reading!r}; it has {', '.join(_WAYS[benchmark])}")
    if benchmark != "mvp-bench" and (vanilla or by_hand):
        raise BenchwrightError(f"--vanilla and --by-hand are for mvp-bench; leave them out for {benchmark}")
    return _counted(benchmark, data, model, reading, vanilla, by_hand or {})


def _counted(
    benchmark: Benchmark, data: Path, model: str, reading: str, vanilla: Vanilla | None, by_hand: Mapping[str, str]
) -> Recount:
    printed = _printed(data, model, printed_in_paper(model) if benchmark == "mvp-bench" else {})
    if benchmark == "mvp-bench":
        way = None if reading == "published" else READINGS[reading]
        return mvp_bench.recount(data, model, way, vanilla=vanilla, by_hand=by_hand, printed=printed)
    if benchmark == "blink":
        recounted = blink.recount(data, model, _blink_way(reading))
    else:
        recounted = ii_bench.recount(data, model, "robust" if reading == "robust" else "published")
    readings, families = choose([Family("all cells", {reading: recounted.cells})], printed)
    return replace(recounted, readings=readings, families=families)


def _printed(data: Path, model: str, in_paper: Mapping[str, tuple[Printed, ...]]) -> dict[str, tuple[Printed, ...]]:
    """Return the printed values by cell: those in the paper, and those in the folder's `expected.json`."""
    printed = dict(in_paper)
    for name, value in _printed_cells(data, model).items():
        if all(abs(print_out.value - value) > 1e-9 for print_out in printed.get(name, ())):
            printed[name] = (*printed.get(name, ()), Printed("of expected.json", value))
    return printed


def _blink_way(reading: str) -> blink.Reading:
    return "rule" if reading == "rule" else "robust" if reading == "robust" else "published"
