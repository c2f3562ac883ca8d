"""What one more image costs: a run of a whole recipe with models and a report, then again after small changes.

Writes composites of real photographs, and measures the processor time of all processes of `benchwright run`: over all
of them in an empty workspace; with nothing changed; with one image more; with one image less; with one setting of a
step changed. With `--bytes` each state is also made from nothing, and must hold the same bytes in tables, release,
results and report. What starting takes is measured twice: `benchwright run --help`, and reading the recipe, which
imports its steps. Python's compiled files are there before anything is measured, as after an installation.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from composites import write_composites
from measuring import benchwright, cost_of, show
from walks import live_digest

DEMO = Path(__file__).resolve().parent.parent / "benchwright" / "recipes" / "perception.yaml"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photographs", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="for composites and workspaces")
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--recipe", type=Path, default=DEMO)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bytes", action="store_true", help="make every state from nothing too")
    given = parser.parse_args()
    composites = given.folder / f"composites-{given.images + 1}"
    write_composites(given.photographs, composites, given.images + 1, workers=given.workers)
    os.environ["PYTHONPYCACHEPREFIX"] = str(given.folder / "bytecode")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    show(_measure(given, composites))


def _measure(given: argparse.Namespace, composites: Path) -> dict[str, Any]:
    images, workspace = given.folder / "images", given.folder / "workspace"
    for folder in (images, workspace, given.folder / "from-nothing"):
        shutil.rmtree(folder, ignore_errors=True)
    images.mkdir(parents=True)
    *first, more = sorted(path for path in composites.rglob("*") if path.is_file())
    for path in first:
        shutil.copy2(path, images)

    changed = given.folder / "changed.yaml"
    text = given.recipe.read_text(encoding="utf-8")
    changed.write_text(text.replace("max_likeness: 0.6", "max_likeness: 0.55"), encoding="utf-8")

    _warm_up(given, first[:3])
    read = f"import pathlib, benchwright.recipe as r; r.load_recipe(pathlib.Path({str(given.recipe)!r}))"
    found: dict[str, Any] = {"images": given.images, "recipe": given.recipe.name}
    found["run --help"] = cost_of(benchwright("run", "--help")).to_json()
    found["reading the recipe"] = cost_of([sys.executable, "-c", read]).to_json()

    def step(name: str, recipe: Path = given.recipe) -> None:
        cost = cost_of(_run(given, recipe, images, workspace))
        if cost.exit_code:
            raise SystemExit(f"{name}: the run ended with {cost.exit_code}; see {workspace}/runs")
        found[name] = cost.to_json()
        found[name]["share_of_full_build"] = round(cost.cpu_s / found["full build"]["cpu_s"], 3)
        if given.bytes and name != "full build":
            fresh = given.folder / "from-nothing"
            again = cost_of(_run(given, recipe, images, fresh))
            same = live_digest(fresh) == live_digest(workspace)
            found[name] |= {"from_nothing_cpu_s": round(again.cpu_s, 2), "same_bytes": same}
            shutil.rmtree(fresh)

    step("full build")
    step("nothing changed")
    shutil.copy2(more, images)
    step("one image added")
    (images / first[0].name).unlink()
    step("one image removed")
    step("one setting changed", changed)
    return found


def _warm_up(given: argparse.Namespace, some: list[Path]) -> None:
    """Have Python compile all that a run imports."""
    images, workspace = given.folder / "few", given.folder / "warm-up"
    images.mkdir(exist_ok=True)
    for path in some:
        shutil.copy2(path, images)
    cost_of(_run(given, given.recipe, images, workspace))
    for folder in (images, workspace):
        shutil.rmtree(folder)


def _run(given: argparse.Namespace, recipe: Path, images: Path, workspace: Path) -> list[str]:
    return benchwright(
        "run", recipe, "--images", images, "--workspace", workspace, "--workers", given.workers, "--json"
    )


if __name__ == "__main__":
    main()
