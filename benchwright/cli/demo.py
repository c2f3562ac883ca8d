"""``benchwright demo``.

The photographs ship inside the wheels of scikit-image and scikit-learn (extra `demo`), so the demo needs no network.
The demo adds typical defects of raw folders: a duplicate, the same picture in another format, a smaller version, and a
broken download. The recipe can include decisions by people.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.terminal.output import emit, json_option, note

if TYPE_CHECKING:
    from benchwright.workspace.run_results import FinishedRun
import shutil
from importlib.util import find_spec

import yaml

from benchwright.errors import PrerequisiteError
from benchwright.recipe import Recipe, parse_recipe
from benchwright.recipes import bundled_recipes
from benchwright.texts.normalization import counted

_PHOTOGRAPHS = {
    "skimage": (
        "data",
        (
            "astronaut.png",
            "camera.png",
            "chelsea.png",
            "coffee.png",
            "coins.png",
            "hubble_deep_field.jpg",
            "ihc.png",
            "motorcycle_left.png",
            "motorcycle_right.png",
            "retina.jpg",
            "rocket.jpg",
        ),
    ),
    "sklearn": ("datasets/images", ("china.jpg", "flower.jpg")),
}
"""For each package, its folder of photographs and their file names."""


def prepare_photographs(folder: Path) -> None:
    """Copy the photographs into a folder, with the usual defects of a raw collection; existing files are kept.

    Raises:
        PrerequisiteError: A photograph is missing, and scikit-image or scikit-learn, which ship it, is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for package, (below, names) in _PHOTOGRAPHS.items():
        missing = [name for name in names if not (folder / name).exists()]
        shipped = _folder_in(package, below) if missing else folder
        for name in missing:
            shutil.copyfile(shipped / name, folder / name)
    second = folder / "coffee (1).png"
    if not second.exists():
        shutil.copyfile(folder / "coffee.png", second)
    _reencode(folder / "chelsea.png", folder / "chelsea.bmp", scale=1.0)
    _reencode(folder / "china.jpg", folder / "china-small.jpg", scale=0.5)
    broken = folder / "rocket-download.jpg"
    if not broken.exists():
        broken.write_bytes((folder / "rocket.jpg").read_bytes()[:40_000])


def _folder_in(package: str, below: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise PrerequisiteError(
            "the demo's photographs ship with scikit-image and scikit-learn; "
            "install them with: pip install 'benchwright[demo]' -c constraints.txt"
        )
    return Path(spec.submodule_search_locations[0]) / below


def _reencode(source: Path, target: Path, *, scale: float) -> None:
    if target.exists():
        return
    from PIL import Image

    from benchwright.images.decode import decode_rgb

    image = Image.fromarray(decode_rgb(source))
    image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS).save(target)


def _demo_recipe(*, headless: bool) -> Recipe:
    """Return the demo's recipe; without `headless` its verification waits for people."""
    path = bundled_recipes()["demo"]
    text = path.read_text(encoding="utf-8")
    if not headless:
        document = yaml.safe_load(text)
        for step in document["steps"]:
            # Not `answer`: annotators who verified the items have seen their keys, so the baseline stays simulated.
            if isinstance(step, dict) and step.get("step") == "verify":
                del step["simulate"]
        text = yaml.safe_dump(document, sort_keys=False)
    return parse_recipe(text, "demo.yaml", path.parent)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for photographs and workspace.",
)
@click.option("--headless", is_flag=True, help="Let simulated annotators review; they are marked as simulated.")
@click.option("--photographs-only", is_flag=True, help="Copy the photographs, for other recipes, and run nothing.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]")
@json_option(
    """
    `{"workspace", "state", "release", "report", "funnel", "items": {"made", "accepted", "released"}, "results":
    {model: {metric: {"value", "ci", "n", "method"}}}, "human": {campaign: {"simulated", "annotators",
    "answers_per_item", "metrics": {metric: {"value", "ci", "n", "method"}}}}}`; `release`, `report` and `human` are
    null while the run waits for people; with --photographs-only `{"photographs", "files": [name]}`
    """
)
def demo(out: Path, headless: bool, photographs_only: bool, workers: int | None, as_json: bool) -> None:
    """Build, freeze and score a small benchmark from photographs that ship in wheels: offline, no GPU, no key.

    Writes the folders `photographs` and `workspace` into --out. Without --headless, it stops for people's decisions.
    The human baseline is always simulated, and marked so, because the people who decide have seen the keys.
    """
    prepare_photographs(out / "photographs")
    if photographs_only:
        files = sorted(path.name for path in (out / "photographs").iterdir())
        text = f"{counted(len(files), 'photograph')} in {out / 'photographs'}"
        emit({"photographs": str(out / "photographs"), "files": files}, as_json=as_json, text=lambda: text)
        return
    from benchwright.cli.run import end_with_lost
    from benchwright.pipeline import run_recipe
    from benchwright.terminal.progress_bars import ProgressBars
    from benchwright.workspace.run_results import failures_of, lost_in

    with ProgressBars() as progress:
        finished = run_recipe(
            _demo_recipe(headless=headless),
            images=out / "photographs",
            workspace=out / "workspace",
            workers=workers,
            progress=progress,
        )
    results = _results(finished)
    items = _items(finished)
    document = {
        "workspace": str(finished.workspace),
        "state": finished.state,
        "release": _artifact(finished, "release"),
        "report": _artifact(finished, "report"),
        "funnel": _funnel(finished),
        "items": items,
        "results": results,
        "human": _human(finished),
    }
    emit(document, as_json=as_json, text=lambda: _text(finished, items))
    if not as_json and finished.state == "done":
        _show_scores(finished)
    end_with_lost(lost_in(failures_of(finished.workspace), finished.raised), log=finished.run_folder)


def _artifact(finished: FinishedRun, name: str) -> str | None:
    return str(finished.workspace / finished.artifacts[name]) if name in finished.artifacts else None


def _funnel(finished: FinishedRun) -> str:
    from benchwright.funnel import write_run_funnel

    assert finished.run_folder is not None, "every run has a log"
    return str(write_run_funnel(finished.workspace, finished.run_folder))


def _items(finished: FinishedRun) -> dict[str, int]:
    """Return the numbers of items made, accepted by the campaign, and released."""
    made = sum(step.made for step in finished.steps if step.name != "ingest")
    accepted = next((step.kept for step in finished.steps if step.name == "verify"), 0)
    released = 0
    if (release := _artifact(finished, "release")) is not None:
        released = json.loads((Path(release) / "manifest.json").read_text(encoding="utf-8"))["counts"]["items"]
    return {"made": made, "accepted": accepted, "released": released}


def _results(finished: FinishedRun) -> dict[str, Any]:
    path = _artifact(finished, "results")
    if path is None:
        return {}
    summary: dict[str, Any] = json.loads((Path(path) / "summary.json").read_text(encoding="utf-8"))
    return summary


def _human(finished: FinishedRun) -> dict[str, Any] | None:
    """Return people's scores on the release, by campaign, as reported by `evaluate`."""
    path = _artifact(finished, "results")
    if path is None or not (file := Path(path) / "human.json").exists():
        return None
    campaigns: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["campaigns"]
    return campaigns


def _text(finished: FinishedRun, items: dict[str, int]) -> str:
    lines = [
        f"photographs in, {counted(items['made'], 'item')} made, {items['accepted']} accepted, {items['released']} "
        "released"
    ]
    if finished.state == "waiting":
        lines += [f"waiting: {line}" for line in finished.waits]
        lines += [
            "review the items in a browser, then run the same command again:",
            f"  benchwright review serve --workspace {shlex.quote(str(finished.workspace))}",
        ]
    else:
        annotators = "simulated (no person has seen these items)" if _is_simulated(finished, "verify") else "people"
        answered = "simulated (no person has answered these items)" if _is_simulated(finished, "answer") else "people"
        lines += [
            f"annotators: {annotators}",
            f"human baseline: {answered}",
            f"release: {_artifact(finished, 'release')}",
        ]
        if (report := _artifact(finished, "report")) is not None:
            lines.append(f"report: {report}")
    return "\n".join(lines)


def _is_simulated(finished: FinishedRun, campaign: str) -> bool:
    summary = finished.workspace / "tables" / campaign / "summary.json"
    return bool(json.loads(summary.read_text(encoding="utf-8"))["simulated"])


def _show_scores(finished: FinishedRun) -> None:
    """Print the table of scores with the evaluation room's command."""
    from benchwright.rooms import find

    results = _artifact(finished, "results")
    note("")
    command: click.Command = find("commands", "evaluate summary").load()
    command.main([str(results)], standalone_mode=False)
