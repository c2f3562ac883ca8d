"""The accuracy of cheats on the tasks' items, in mode `hardened` and in mode `paper`.

    python benchmarks/shortcut_free_tasks.py --folder DIR --images DIR [--task NAME ...] [--records 1200] [--seeds 101]

makes items of each task, from photographs (those of the demo, and a folder's) or from annotations with the biases of
real ones, and puts them through the shortcut battery. Use seeds that were not used while a task was written. It prints
a JSON document for each task and mode: the number of items, and the solvers farthest from chance. A solver carries a
cue if its accuracy is more than 0.05 from chance and significant after Holm's correction. Files are those of a
workspace, all PNG, or with `--released` those of a release, in which pictures may be JPEGs.

    python benchmarks/shortcut_free_tasks.py --folder DIR --images DIR --task jigsaw --outer-lines [--crops 1200]

measures instead how often the outer lines of a jigsaw's pieces reveal the right one (`outer_lines`). `--alone` takes
the pictures of `--images` and not those of the demo, `--crops` that many crops of the pictures instead of composites,
and `--framed` gives each a margin and a frame.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import items_of_marks
import items_of_models
import items_of_pictures
import numpy as np
from composites import cut_of, photographs
from items_of_pictures import Maker, Pixels
from made_items import MadeItems
from outer_lines import outer_lines

from benchwright.cli.demo import prepare_photographs
from benchwright.diagnostics.shortcuts.battery import SolverResult, run_battery
from benchwright.diagnostics.shortcuts.measuring import measure_items
from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.source_files.item_files import SourceItem


def _of_marks(maker: items_of_marks.Maker) -> Maker:
    """Return a maker that accepts photographs and ignores them."""
    return lambda folder, _, seed, records, mode: maker(folder, seed, records, mode)


ITEMS: dict[str, Maker] = {
    **items_of_pictures.ITEMS,
    **items_of_models.ITEMS,
    **{name: _of_marks(maker) for name, maker in items_of_marks.ITEMS.items()},
}
"""Makers of items by task."""
FARTHEST = 6
"""Number of solvers named for each task."""


def main() -> None:
    """Make items and measure them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder to work in")
    parser.add_argument("--images", type=Path, help="further photographs")
    parser.add_argument("--task", nargs="*", default=[], choices=list(ITEMS), help="tasks; all without")
    parser.add_argument("--mode", nargs="*", default=["hardened", "paper"])
    parser.add_argument("--records", type=int, default=1200, help="records of each seed")
    parser.add_argument("--seeds", type=int, nargs="*", default=[101])
    parser.add_argument("--released", action="store_true", help="measure files as a release by content holds them")
    parser.add_argument("--outer-lines", action="store_true", help="ask about the lines of jigsaws alone")
    parser.add_argument("--alone", action="store_true", help="the pictures of --images alone")
    parser.add_argument("--crops", type=int, help="that many crops of the pictures in their place")
    parser.add_argument("--framed", action="store_true", help="with a margin and a frame around each picture")
    options = parser.parse_args()
    prepare_photographs(options.folder / "photographs")
    folders = [] if options.alone else [options.folder / "photographs"]
    pictures = list(pictures_in([*folders, *([options.images] if options.images else [])]))
    if options.crops:
        pictures = crops_of(pictures, options.crops, options.seeds[0])
    if options.framed:
        pictures = [framed(pixels, number) for number, pixels in enumerate(pictures)]
    for name in options.task or ITEMS:
        for mode in options.mode:
            made = [
                made_items(ITEMS[name], options.folder / "work", pictures, seed, options.records, mode)
                for seed in options.seeds
            ]
            files = [part.as_released() for part in made] if options.released else made
            if options.outer_lines:
                result = {"items": sum(len(part.items) for part in made), "outer_lines": outer_lines(files)}
            else:
                result = measured(files)
            print(json.dumps({f"{name}, {mode}": result}), flush=True)


def measured(made: Sequence[MadeItems]) -> dict[str, Any]:
    """Return the number of items, and the accuracy of the solvers farthest from chance."""
    sources = iter(
        SourceItem(item, {shown.image_id: part.files[shown.image_id] for shown in item.images})
        for part in made
        for item in part.items
    )
    cues = measure_items(sources)
    [task] = run_battery(cues.cues, cues.group_keys, seed=1, bounds=Bounds(), task_cues={}).tasks
    solvers = sorted(task.solvers, key=lambda solver: -abs(solver.accuracy.value - solver.accuracy.chance))
    return {
        "items": len(cues.cues),
        "solvers": len(solvers),
        "carried": [solver.solver for solver in solvers if solver.carries],
        "families": _farthest_of_families(solvers),
        "farthest": [_figures(solver) for solver in solvers[:FARTHEST]],
    }


def _farthest_of_families(solvers: Sequence[SolverResult]) -> dict[str, Any]:
    """Return the solver of each family that is farthest from chance; solvers come in that order."""
    first: dict[str, Any] = {}
    for solver in solvers:
        first.setdefault(solver.family or "forest", _figures(solver))
    return first


def _figures(solver: SolverResult) -> dict[str, Any]:
    return {
        "solver": solver.solver,
        "right": round(solver.accuracy.value, 3),
        "interval": [round(bound, 3) for bound in solver.accuracy.interval],
        "chance": round(solver.accuracy.chance, 3),
    }


def made_items(maker: Maker, folder: Path, pictures: Sequence[Pixels], seed: int, records: int, mode: str) -> MadeItems:
    """Return the items that a maker makes in a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    return maker(folder, pictures, seed, records, mode)


def crops_of(pictures: Sequence[Pixels], count: int, seed: int) -> list[Pixels]:
    """Return crops of photographs, mirrored or not, 360 to 560 pixels a side, without pasted parts."""
    return [crop for _, crop in numbered_crops_of(pictures, count, seed)]


def numbered_crops_of(pictures: Sequence[Pixels], count: int, seed: int) -> Iterator[tuple[int, Pixels]]:
    """Yield the same crops, each after the index of its photograph."""
    rng = random.Random(seed)
    for _ in range(count):
        width, height = rng.randrange(360, 561), rng.randrange(360, 561)
        number = rng.randrange(len(pictures))
        yield number, cut_of(pictures[number], rng, width, height)


def framed(pixels: Pixels, number: int) -> Pixels:
    """Return a picture with a margin of a different width on each side, and in two of three a line around it."""
    rng = random.Random(number)
    line = 0 if number % 3 == 0 else rng.randrange(2, 9)
    inner = cv2.copyMakeBorder(pixels, line, line, line, line, cv2.BORDER_CONSTANT, value=(20, 20, 20))
    sides = [rng.randrange(4, 1 + min(pixels.shape[:2]) // 12) for _ in range(4)]
    light = rng.choice([255, 244, 235, 12])
    made = cv2.copyMakeBorder(inner, *sides, cv2.BORDER_CONSTANT, value=(light, light, light))
    return np.asarray(made, np.uint8)


def pictures_in(folders: Sequence[Path]) -> Iterator[Pixels]:
    """Yield the photographs in folders, (height, width, 3) RGB."""
    for folder in folders:
        for pixels in photographs(folder):
            yield np.ascontiguousarray(pixels[:, :, ::-1])


if __name__ == "__main__":
    main()
