"""The `construct` commands."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import click

from benchwright.cli.output import emit, json_option

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("emu")
@click.argument("dataset", metavar="DATASET", type=_FOLDER, help="Folder with emu_<split>.jsonl.")
@click.option("--images", required=True, type=_FOLDER, help="Folder with <split>/<index>_s.jpg.")
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), help="Folder for images/ and facts.yaml; must be new."
)
@json_option('`{"lines", "pairs", "images", "boxes", "frames": {frame: n}, "left_out": {reason: n}}`')
def emu(dataset: Path, images: Path, out: Path, *, as_json: bool) -> None:
    """Make an image folder and a facts file of EMU's source images, as MVP-Bench takes them.

    What is missing or broken is counted by reason and stops nothing.
    """
    from benchwright.errors import BenchwrightError

    from .sources.emu import read_emu

    if out.exists():
        raise BenchwrightError(f"{out} is there already; give a folder that is not")
    images_of_emu, counts = read_emu(dataset, images)
    for image in images_of_emu:
        place = out / "images" / image.split / image.path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(image.path, place)
    _write_facts(out, images_of_emu)
    document = {
        "lines": counts.lines,
        "pairs": counts.pairs,
        "images": len(images_of_emu),
        "boxes": sum(len(image.boxes) for image in images_of_emu),
        "frames": counts.frames,
        "left_out": counts.left_out,
    }
    lost = ", ".join(f"{reason} {n}" for reason, n in counts.left_out.items()) or "nothing"
    emit(
        document,
        as_json=as_json,
        text=f"{len(images_of_emu)} of {counts.pairs} source images in {out / 'images'}; left out: {lost}",
    )


def _write_facts(out: Path, images: list[Any]) -> None:
    import yaml

    from benchwright.workspace.atomic import write_bytes

    from .sources.emu import facts_of

    facts = {
        "format": "benchwright-facts",
        "version": 1,
        "images": {f"{image.split}/{image.path.name}": facts_of(image) for image in images},
    }
    out.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(facts, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    write_bytes(out / "facts.yaml", text.encode("utf-8"))
