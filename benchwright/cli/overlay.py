"""``benchwright overlay``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import printable

if TYPE_CHECKING:
    from benchwright.drawing import DrawnPrompt

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("image", type=_FILE)
@click.argument("spec", type=_FILE)
@click.argument("out", type=_FILE)
@click.option("--force", is_flag=True, help="Replace OUT if it is there already.")
@json_option
def overlay(image: Path, spec: Path, out: Path, force: bool, as_json: bool) -> None:
    """Draw the visual prompts that SPEC lists on IMAGE and write the picture to OUT, a PNG.

    SPEC is a JSON list such as [{"kind": "ring", "points": [[120.5, 80]], "label": "A"}]. Coordinates are pixels
    of the upright picture; pixel centres lie at +0.5.
    """
    from benchwright.drawing.overlay import overlay_file

    drawing = overlay_file(image, spec, out, force=force)
    height, width = drawing.pixels.shape[:2]
    document = {
        "out": str(out),
        "width": width,
        "height": height,
        "drawn": [prompt.to_json() for prompt in drawing.drawn],
    }

    def text() -> str:
        lines = [_line(prompt) for prompt in drawing.drawn]
        return "\n".join([*lines, f"{printable(str(out))}: {len(lines)} marks on {width} x {height} pixels"])

    emit(document, as_json=as_json, text=text)


def _line(drawn: DrawnPrompt) -> str:
    points = " ".join(f"({x:g}, {y:g})" for x, y in drawn.points[:4]) + (" ..." if len(drawn.points) > 4 else "")
    label = f"  {drawn.prompt.label!r}" if drawn.prompt.label else ""
    return f"{drawn.prompt.kind:8} {points}{label}"
