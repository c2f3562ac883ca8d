"""The exam of the learning adversary: planted cues found, by kind and strength, and false alarms.

    .venv/bin/python benchmarks/planted_cues.py [--half untuned] [--sets 1] [--items 120] [--workers 2]
    .venv/bin/python benchmarks/planted_cues.py --clean 100 --items 60

makes sets of items from the demo's photographs (`planted_cue_sets`), each with one cue (`planted_cue_kinds`), and runs
the whole battery. A cue is found if any solver carries one. The program prints a JSON document: for each kind and
strength the number of sets found, and the solvers that found it; with `--clean` the number of sets with a carried cue
although marks point to options at random.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

from composites import photographs
from measuring import show
from planted_cue_kinds import KINDS, is_tuned
from planted_cue_sets import STRENGTHS, Pixels, Strength, made_set

from benchwright.cli.demo import prepare_photographs
from benchwright.diagnostics.shortcuts import measuring as cue_measuring
from benchwright.diagnostics.shortcuts.battery import run_battery
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.source_files.item_files import SourceItem

_KEPT = 4000
"""Number of pictures whose evidence is kept, because unmarked ones recur in every set."""


class _Set(NamedTuple):
    """A set to make: number of its kind, name of its strength (empty for a clean one), seed and items."""

    kind: int
    strength: str
    seed: int
    items: int


def main() -> None:
    """Measure and print one document."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["tuned", "untuned", "both"], default="untuned")
    parser.add_argument("--group", help="kinds of one group alone")
    parser.add_argument("--strength", nargs="*", choices=list(STRENGTHS), default=list(STRENGTHS))
    parser.add_argument("--sets", type=int, default=1, help="sets of each kind and strength")
    parser.add_argument("--clean", type=int, help="number of clean sets in place of planted ones")
    parser.add_argument("--items", type=int, default=120)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    chosen = [
        number for number, kind in enumerate(KINDS)
        if options.half in ("both", "tuned" if is_tuned(kind) else "untuned") and options.group in (None, kind.group)
    ]  # fmt: skip
    if options.clean:
        sets = [_Set(chosen[n % len(chosen)], "", options.seed + n, options.items) for n in range(options.clean)]
    else:
        sets = [
            _Set(number, strength, options.seed + n, options.items)
            for strength in options.strength for number in chosen for n in range(options.sets)
        ]  # fmt: skip
    show(_document(sets, list(_asked(sets, options.workers))))


def _asked(sets: list[_Set], workers: int) -> Iterator[tuple[str, ...]]:
    """Yield the cues that the battery carries for each set."""
    started = time.perf_counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for number, (each, carried) in enumerate(zip(sets, pool.map(_carried, sets), strict=True), start=1):
            spent = time.perf_counter() - started
            print(number, KINDS[each.kind].name, each.strength, carried, f"{spent:.0f} s", file=sys.stderr, flush=True)
            yield carried


@cache
def _photographs() -> list[Pixels]:
    folder = Path(gettempdir()) / "planted-cues" / str(os.getpid())
    prepare_photographs(folder)
    return photographs(folder)


def _carried(each: _Set) -> tuple[str, ...]:
    cue_measuring._EVIDENCE_KEPT = cue_measuring._KEPT = _KEPT
    strength = STRENGTHS[each.strength] if each.strength else Strength(0.0, 0.9)
    return carried_by_battery(
        made_set(KINDS[each.kind], _photographs(), items=each.items, strength=strength, seed=each.seed)
    )


def carried_by_battery(items: Sequence[SourceItem]) -> tuple[str, ...]:
    """Return the solvers whose cue a set of items carries."""
    measured = measure_items(iter(items))
    [result] = run_battery(
        measured.cues, measured.group_keys, seed=1, bounds=Bounds(), task_cues={},
        evidence=measured.evidence, rows=measured.rows,
    ).tasks  # fmt: skip
    return tuple(solver.solver for solver in result.carried)


def _document(sets: list[_Set], carried: list[tuple[str, ...]]) -> dict[str, Any]:
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    groups: defaultdict[str, Counter[str]] = defaultdict(Counter)
    solvers: Counter[str] = Counter()
    for each, found in zip(sets, carried, strict=True):
        kind, strength = KINDS[each.kind], each.strength or "clean"
        for counts in (kinds[kind.name], groups[kind.group], groups["all"]):
            counts[strength] += bool(found)
            counts[f"{strength}, sets"] += 1
        solvers.update(found)
    return {
        "items": sets[0].items,
        "groups": {name: dict(counts) for name, counts in groups.items()},
        "kinds": {name: dict(counts) for name, counts in kinds.items()},
        "solvers": dict(solvers.most_common()),
    }


if __name__ == "__main__":
    main()
