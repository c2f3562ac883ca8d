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
@click.argument(
    "release",
    metavar="RELEASE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@click.option("--top", type=click.IntRange(1, 100), default=5, show_default=True, help="Words of each kind to list.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw the counts into this SVG file.")
@json_option(
    """
    `{"items", "pairs", "images", "categories": [{"category", "aspect", "pairs"}], "gaps": {"categories": [code],
    "aspects": [name]}, "types": [{"type", "level", "items"}], "whole_picture": {"value", "numerator", "denominator"},
    "images_with_both_levels": {"value", "numerator", "denominator"}, "pairs_with_both_levels": {"value",
    "numerator", "denominator"}, "words": {"natural": {"adjectives": [{"word", "captions"}], "nouns": [{"word",
    "captions"}]}, "manipulated": {"adjectives": [{"word", "captions"}], "nouns": [{"word", "captions"}]}},
    "editors": {editor: n}}`
    """
)
def statistics(release: Path, top: int, plot: Path | None, as_json: bool) -> None:
    """Count what a release holds of natural and manipulated pairs, as MVP-Bench's figure 3 does.

    Counted are categories and which of the thirteen have no pair, high-level categories without a question at the high
    level, pairs whose whole picture was altered, types of questions by level, the share of images with questions at
    both levels, and the most frequent adjectives and nouns of natural and of manipulated captions.
    """
    from benchwright.release import Release
    from benchwright.workspace.atomic import write_bytes

    from .counting import count_pairs
    from .drawing import statistics_chart

    pair_statistics = count_pairs(item.item for item in Release.open(release).items())
    if plot is not None:
        write_bytes(plot, statistics_chart(pair_statistics, top=top).file.encode())
        note(f"drawn: {plot}")
    emit(pair_statistics.to_json(top=top), as_json=as_json, text=lambda: "\n".join(_lines(pair_statistics, top)))


def _lines(pair_statistics: PairStatistics, top: int) -> Iterator[str]:
    document = pair_statistics.to_json(top=top)
    yield f"pairs {pair_statistics.pairs}, images {pair_statistics.images}, items {pair_statistics.items}"
    yield "category  pairs  aspect"
    for category in document["categories"]:
        yield f"{printable(category['category']):8}  {category['pairs']:5}  {category['aspect'] or ''}"
    yield "categories without a pair: " + (", ".join(document["gaps"]["categories"]) or "none")
    yield "aspects without a high-level question: " + (", ".join(document["gaps"]["aspects"]) or "none")
    yield "type          level  items"
    for type_row in document["types"]:
        yield f"{type_row['type']:12}  {type_row['level']:5}  {type_row['items']:5}"
    for unit in ("images", "pairs"):
        share = document[f"{unit}_with_both_levels"]
        yield f"{unit} with questions at both levels: {share['numerator']} of {share['denominator']}"
    whole = document["whole_picture"]
    yield f"pairs whose whole picture was altered: {whole['numerator']} of {whole['denominator']}"
    for side, words in document["words"].items():
        for kind, listed in words.items():
            yield f"{side} {kind}: " + ", ".join(
                f"{printable(word_row['word'])} {word_row['captions']}" for word_row in listed
            )
    yield "editors: " + ", ".join(f"{printable(name)} {count}" for name, count in pair_statistics.editors.items())
