"""``benchwright overlay``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.drawing import DrawnPrompt

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("image", type=_FILE, help="Picture, in any format that Benchwright reads.")
@click.argument("spec", type=_FILE, help="JSON file with a list of visual prompts; `image_id` may be left out.")
@click.argument("out", type=_FILE, help="PNG file to write, upright.")
@click.option("--force", is_flag=True, help="Replace an existing OUT; never the picture or the list itself.")
@json_option(
    """
    `{"out", "width", "height", "drawn": [{"kind", "label", "points", "radius_px", "line_px", "halo_px", "text_px",
    "covers_xyxy", "label_box_xyxy", "leader", "requested"}]}`; in pixels of the picture, null if a kind has none;
    `requested` is the prompt as requested
    """
)
def overlay(image: Path, spec: Path, out: Path, force: bool, as_json: bool) -> None:
    """Draw visual prompts into a copy of a picture, a PNG.

    SPEC is a JSON list such as [{"kind": "ring", "points": [[120.5, 80]], "label": "A"}]. Coordinates are pixels of the
    upright picture; pixel centers lie at +0.5. If the list has mistakes, the command names each with file, place, key
    and value, and writes nothing.
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
