"""Memory and speed over many images: composites of real photographs through the filters, as the engine runs them.

For each count, the program writes that many composites (made once and kept in `--folder`), runs every image filter that
needs no settings, except text_ratio (included with `--ocr`), with two workers, and reports the time and the peak memory
of all processes together. With `--kill`, the largest run is repeated: its process group is killed at random moments and
restarted until it is done; the tables must be identical.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from composites import SIDES, write_composites
from measuring import benchwright, cost_of, show
from walks import executions, tree_digest

from benchwright.filters.room import ROOM

OCR = "text_ratio"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photographs", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="for composites and workspaces; 60 kB an image")
    parser.add_argument("--counts", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--sides", type=int, nargs=2, default=SIDES, help="shortest and longest side in pixels")
    parser.add_argument("--steps", nargs="+", help="filters to run, in place of all that need no settings")
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--kill", type=int, default=0, metavar="TIMES")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    steps = given.steps or filters_without_settings(with_ocr=given.ocr)
    recipe = given.folder / "many.yaml"
    given.folder.mkdir(parents=True, exist_ok=True)
    recipe.write_text(f"name: many\nsteps: {json.dumps(steps)}\n", encoding="utf-8")
    rows = [_run(given, recipe, count) for count in sorted(given.counts)]
    found: dict[str, Any] = {"steps": steps, "wanted": {"peak_mb": 2560, "growth": 1.1}, "runs": rows}
    found["growth"] = [
        {"from": one["images"], "to": other["images"], "peak": round(other["peak_mb"] / one["peak_mb"], 3)}
        for one, other in pairwise(rows)
    ]
    if given.kill:
        found["killed"] = _killed(given, recipe, max(given.counts), rows[-1]["wall_s"])
    show(found)


def filters_without_settings(*, with_ocr: bool) -> list[str]:
    """Return the names of the filters room's image filters that run without settings, in the room's order."""
    found = []
    for name, entry in ROOM.steps.items():
        module, _, attribute = entry.target.partition(":")
        step = getattr(import_module(module), attribute)
        required = any(field.is_required() for field in step.model_fields.values())
        if step.consumes == "images" and not required and (with_ocr or name != OCR):
            found.append(name)
    return found


def _command(given: argparse.Namespace, recipe: Path, count: int, workspace: Path) -> list[str]:
    images = given.folder / f"composites-{count}"
    return benchwright(
        "run", recipe, "--images", images, "--workspace", workspace, "--workers", given.workers, "--json"
    )


def _workspace(given: argparse.Namespace, count: int, kind: str) -> Path:
    return given.folder / f"w-{kind}-{count}-{os.getpid()}"


def _run(given: argparse.Namespace, recipe: Path, count: int) -> dict[str, Any]:
    folder = given.folder / f"composites-{count}"
    write_composites(given.photographs, folder, count, workers=given.workers, sides=tuple(given.sides))
    workspace, output = _workspace(given, count, "calm"), given.folder / f"run-{count}.json"
    cost = cost_of(_command(given, recipe, count, workspace), output=output)
    if cost.exit_code:
        raise SystemExit(f"the run over {count} images ended with {cost.exit_code}; see {workspace}/runs")
    row: dict[str, Any] = {"images": count, **cost.to_json()}
    row["images_per_cpu_s"] = round(count / cost.cpu_s, 1)
    row["images_per_s"] = round(count / cost.wall_s, 1)
    row["steps"] = json.loads(output.read_text(encoding="utf-8"))["steps"]
    return row


def _killed(given: argparse.Namespace, recipe: Path, count: int, calm_s: float) -> dict[str, Any]:
    rng, kills = random.Random(count), 0
    workspace = _workspace(given, count, "killed")
    while True:
        process = subprocess.Popen(
            _command(given, recipe, count, workspace), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        try:
            wait = rng.uniform(2.0, max(4.0, 2 * calm_s / (given.kill + 1))) if kills < given.kill else None
            code = process.wait(timeout=wait)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
            time.sleep(0.2)
    calm = _workspace(given, count, "calm")
    return {
        "images": count,
        "kills": kills,
        "exit_code": code,
        "same_bytes": tree_digest(workspace) == tree_digest(calm),
        "shard_executions": {"calm": executions(calm), "killed": executions(workspace)},
    }


if __name__ == "__main__":
    main()
