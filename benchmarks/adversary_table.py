"""Results of the battery with the adversary on hardened tasks: a table in Markdown, one row per task and seed.

    .venv/bin/python benchmarks/adversary_table.py --folder DIR --seeds 9401 9402 9403 [--task NAME ...]
        [--images DIR] [--alone] [--crops 1500] [--records 1500] [--released] [--ours NAME] [--held-out]

makes items of each task as `shortcut_free_tasks.py` does, from crops of the demo's photographs and those of `--images`
(`--alone`: from the latter only, such as II-Bench's drawings), or from annotations with the biases of real ones. Use
seeds that were not seen during development. A row has the number of items, of rules and forests (solvers) and of
learners (probes); the solver farthest from chance with its interval; the carried cues; the smallest accuracy of a cue
in one measure that the adversary would find with 80 % power, and the number of items that a gain of 0.05 takes.

Crops overlap, and crops of one picture are in several folds, so that a learner may use properties of that picture
alone. With `--held-out`, tasks that make items from single crops get a second row, for which all crops of a picture are
in one fold.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from made_items import MadeItems
from shortcut_free_tasks import ITEMS, made_items, numbered_crops_of, pictures_in

from benchwright.cli.demo import prepare_photographs
from benchwright.diagnostics.shortcuts.battery import TaskResult, run_battery
from benchwright.diagnostics.shortcuts.measuring import MeasuredItems, measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.source_files.item_files import SourceItem

COLUMNS = (
    "task", "pictures", "seed", "items", "solvers", "probes", "chance", "farthest", "accuracy", "carried",
    "cue that would have been found", "items for a gain of 0.05",
)  # fmt: skip


def main() -> None:
    """Print the table, each row as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder to work in")
    parser.add_argument("--images", type=Path, help="further pictures")
    parser.add_argument("--alone", action="store_true", help="the pictures of --images alone")
    parser.add_argument("--ours", default="photographs", help="name of the pictures in the table")
    parser.add_argument("--task", nargs="*", default=[], choices=list(ITEMS), help="tasks; all without")
    parser.add_argument("--records", type=int, default=1500, help="records, or pictures, of each seed")
    parser.add_argument("--crops", type=int, help="that many crops of the pictures in their place, for each seed")
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--released", action="store_true", help="measure files as a release by content holds them")
    parser.add_argument("--held-out", action="store_true", help="a second row, with the crops of a picture in one fold")
    options = parser.parse_args()
    prepare_photographs(options.folder / "photographs")
    folders = [] if options.alone else [options.folder / "photographs"]
    pictures = list(pictures_in([*folders, *([options.images] if options.images else [])]))
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for name in options.task or ITEMS:
        for seed in options.seeds:
            crops = list(numbered_crops_of(pictures, options.crops or 0, seed))
            shown = [crop for _, crop in crops] or pictures
            made = made_items(ITEMS[name], options.folder / "work", shown, seed, options.records, "hardened")
            if not made.items:
                print(f"{name}, seed {seed}: no items", file=sys.stderr)
                continue
            measured = measured_of(made.as_released() if options.released else made)
            print(f"| `{name}` | {options.ours} | {seed} | {' | '.join(row(judged(measured)))} |", flush=True)
            if options.held_out and crops and made.numbers:
                keys = {item_id: (f"picture:{crops[at][0]}",) for item_id, at in made.numbers.items()}
                ours = f"{options.ours}, {len(set(keys.values()))} held out"
                print(f"| `{name}` | {ours} | {seed} | {' | '.join(row(judged(measured, keys)))} |", flush=True)


def measured_of(made: MadeItems) -> MeasuredItems:
    """Return what the battery and the adversary measure on items."""
    return measure_items(
        (
            SourceItem(item, {shown.image_id: made.files[shown.image_id] for shown in item.images})
            for item in made.items
        ),
        in_order=False,
    )


def judged(measured: MeasuredItems, group_keys: Mapping[str, tuple[str, ...]] | None = None) -> TaskResult:
    """Return the battery's result, with the adversary, on items of one task, in clusters by their own or other keys."""
    keys = measured.group_keys if group_keys is None else group_keys
    results = run_battery(measured.cues, keys, seed=1, bounds=Bounds(), task_cues={}, evidence=measured.evidence)
    return results.tasks[0]


def row(result: TaskResult) -> list[str]:
    """Return the cells of a task after its name, pictures and seed."""
    probes = sum(bool(solver.tells) for solver in result.solvers)
    far = max(result.solvers, key=lambda solver: abs(solver.accuracy.value - solver.accuracy.chance))
    low, high = far.accuracy.interval
    power = result.power
    return [
        str(len(result.table.items)), str(len(result.solvers) - probes), str(probes),
        f"{float((1 / result.table.options).mean()):.3f}", f"`{far.solver}`",
        f"{far.accuracy.value:.3f} [{low:.3f}, {high:.3f}]",
        ", ".join(f"`{solver.solver}` {solver.accuracy.value:.3f}" for solver in result.carried) or "nothing",
        "none" if power is None or power.could_find is None else f"{power.could_find:.3f}",
        "-" if power is None else f"{power.items_needed:,}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
