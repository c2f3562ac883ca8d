"""The command `benchwright pairs statistics`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.cli.output import emit, json_option, note
from benchwright.text_normalization import printable

if TYPE_CHECKING:
    from .counting import PairStatistics


@click.command("statistics")
@click.argument("release", metavar="RELEASE", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="Words of each kind to list.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the counts into this SVG file.")
@json_option
def statistics(release: Path, top: int, plot: Path | None, as_json: bool) -> None:
    """Count the natural and manipulated pairs of a release: categories, levels, types, words of captions."""
    from benchwright.release import Release
    from benchwright.workspace.atomic import write_bytes

    from .counting import count_pairs
    from .drawing import figure

    found = count_pairs(one.item for one in Release.open(release).items())
    if plot is not None:
        write_bytes(plot, figure(found, top=top).encode())
        note(f"drawn: {plot}")
    emit(found.to_json(top=top), as_json=as_json, text=lambda: "\n".join(_lines(found, top)))


def _lines(found: PairStatistics, top: int) -> Iterator[str]:
    document = found.to_json(top=top)
    yield f"pairs {found.pairs}, images {found.images}, items {found.items}"
    yield "category  pairs  aspect"
    for one in document["categories"]:
        yield f"{printable(one['category']):8}  {one['pairs']:5}  {one['aspect'] or ''}"
    yield "type          level  items"
    for one in document["types"]:
        yield f"{one['type']:12}  {one['level']:5}  {one['items']:5}"
    for what in ("images", "pairs"):
        share = document[f"{what}_with_both_levels"]
        yield f"{what} with questions at both levels: {share['numerator']} of {share['denominator']}"
    for side, words in document["words"].items():
        for kind, listed in words.items():
            yield f"{side} {kind}: " + ", ".join(f"{printable(one['word'])} {one['captions']}" for one in listed)
    yield "editors: " + ", ".join(f"{printable(name)} {count}" for name, count in found.editors.items())
