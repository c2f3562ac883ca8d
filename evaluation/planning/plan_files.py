"""A planned design on disk: the items, the commands that ask them, and the plan."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError
from benchwright.workspace.atomic import write_bytes, write_json

from .plan import FORMAT, MeasurementPlan

PLAN_FILE, ITEMS_FILE, COMMANDS_FILE = "plan.json", "items.jsonl", "commands.sh"


def write_plan(plan: MeasurementPlan, folder: Path, *, force: bool = False) -> list[Path]:
    """Write a plan; equal plans give identical bytes.

    `items.jsonl` lists the items that the commands ask, selected by a hash of each item's id (`item_sample`). The order
    of options is determined by item and repetition, so no list of orders is needed.

    Raises:
        BenchwrightError: The plan selects no items, or the folder contains something else.
    """
    drawn = plan.design
    if drawn is None:
        raise BenchwrightError(
            "the plan has no design to write; give a --width or --budget that this release can reach, or leave out "
            "--out"
        )
    _check_folder(plan, folder, force=force)
    ids, splits, tasks = (plan.population.items.column(name).to_pylist() for name in ("item_id", "split", "task"))
    rows = [
        canonical_json(
            {
                "item_id": ids[place],
                "split": splits[place],
                "task": tasks[place],
                "cluster": int(plan.population.group[place]),
            }
        )
        for place in plan.population.drawn(drawn.numbers.items)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in (PLAN_FILE, ITEMS_FILE, COMMANDS_FILE)]
    write_json(paths[0], plan.document())
    write_bytes(paths[1], "".join(f"{row}\n" for row in rows).encode())
    lines = ["#!/bin/sh", "set -e", *plan.commands]
    write_bytes(paths[2], "".join(f"{line}\n" for line in lines).encode())
    return paths


def _check_folder(plan: MeasurementPlan, folder: Path, *, force: bool) -> None:
    """Refuse a folder that contains anything other than a plan, or a different plan unless it may be replaced.

    An identical plan is rewritten, so that an interrupted command can be repeated.
    """
    if not folder.exists() or (folder.is_dir() and all(path.name.startswith(".") for path in folder.iterdir())):
        return
    try:
        held = json.loads((folder / PLAN_FILE).read_text(encoding="utf-8"))
        is_plan = held["format"] == FORMAT
    except (OSError, ValueError, KeyError, TypeError):
        is_plan = False
    if not is_plan:
        raise BenchwrightError(f"{folder} exists and contains no plan; give another folder with --out")
    if not force and held != json.loads(json.dumps(plan.document())):
        raise BenchwrightError(
            f"{folder} contains another plan; give another folder with --out, or --force to replace it"
        )
