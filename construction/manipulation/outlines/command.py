"""``benchwright construct outlines``: the outlines of a facts file on their pictures, before compositing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted


@click.command("outlines")
@click.argument("facts_path", metavar="FACTS", type=click.Path(path_type=Path), help="Facts file, YAML or CSV.")
@click.option(
    "--images",
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Image folder, read with its subfolders as in a run.",
)
@click.option(
    "--out",
    required=True,
    type=click.Path(path_type=Path),
    help="Folder for a picture of each outline, PICTURE--SUBJECT.png; must be new.",
)
@json_option(
    """
    `{"outlines": [{"picture", "subject", "by", "file", "faults": [text], "box_share", "box_iou", "parts", "holes",
    "edges", "tear", "torn_by", "cut_by": [side], "stable", "stands"}], "without_file": [picture], "good",
    "with_faults"}`
    """
)
def outlines(facts_path: Path, images: Path, out: Path, *, as_json: bool) -> int:
    """Show the outline of each subject of a facts file on its picture, and report its faults.

    Outlines are found as the step `manipulate` finds them without a model: drawn by people, else by GrabCut from box
    and points. GrabCut's outlines are judged: the share of the box that each fills, whether it is one part, whether it
    looks torn, and whether it is stable when its points move a little. Outlines that people drew are shown, not judged.
    The exit code is 1 if an outline has a fault.
    """
    from benchwright.errors import BenchwrightError
    from benchwright.facts import read_facts
    from benchwright.images.decode import encode_png
    from benchwright.pipeline.ingest import list_files
    from benchwright.workspace.atomic import write_bytes

    from ..manipulation_settings import Masking
    from .outline_sheet import files_of_pictures, seen_outlines

    if out.exists():
        raise BenchwrightError(
            f"{out} already exists and is not overwritten; give a folder that does not exist with --out"
        )
    facts = read_facts(facts_path)
    files = files_of_pictures(facts, images, list_files(images))
    rows: list[dict[str, Any]] = []
    for seen in seen_outlines(facts, files, Masking()):
        row: dict[str, Any] = {"picture": seen.picture, "subject": seen.subject, "by": seen.by, "file": None}
        if seen.seen is not None and seen.figures is not None:
            place = out / f"{seen.picture.replace('/', '__')}--{seen.subject}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(place, encode_png(seen.seen))
            row |= {"file": str(place), **seen.figures._asdict(), "stands": seen.figures.stands}
        rows.append(row | {"faults": list(seen.faults)})
    if not rows:
        raise BenchwrightError(
            f"{facts_path} states no `cut_out` of a picture in {images}: give a subject points or a mask"
        )
    without = [key for key, picture in facts.images.items() if picture.subjects and key not in files]
    faulty = sum(bool(row["faults"]) for row in rows)
    document = {"outlines": rows, "without_file": without, "good": len(rows) - faulty, "with_faults": faulty}
    emit(document, as_json=as_json, text=lambda: _in_words(rows, out))
    return 1 if faulty else 0


def _in_words(rows: list[dict[str, Any]], out: Path) -> str:
    lines = []
    for row in rows:
        said = "; ".join(row["faults"]) or ("drawn by people" if row["by"] == "people" else "good")
        lines.append(f"{row['picture']} {row['subject']}: {said}")
    faulty = sum(bool(row["faults"]) for row in rows)
    shown = sum(row["file"] is not None for row in rows)
    lines.append(f"{counted(len(rows), 'outline')}, {faulty} with faults; {counted(shown, 'picture')} of them in {out}")
    return "\n".join(lines)
