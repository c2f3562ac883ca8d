"""The command `benchwright awareness statistics`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import counted, printable


@click.command("statistics")
@click.argument(
    "release",
    metavar="RELEASE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@json_option(
    """
    `{"items", "parts": [{"part", "name", "items", "images", "categories": [{"category", "items", "share"}]}],
    "words": {"queries", "options"}, "letters": {"correct": [{"letter", "items", "share"}], "refusal": [{"letter",
    "items", "share"}]}, "options": {number: n}, "without_refusal"}`
    """
)
def statistics(release: Path, as_json: bool) -> None:
    """Count what a release holds of questions with an option that declines, as MM-SAP's figure 3 and tables 5 and 6 do.

    Counted are the three sets with their pictures and categories, the mean number of words of questions and options,
    and how often each letter is right and declines. Items without an option that declines are not counted.
    """
    from benchwright.release import Release

    from .set_counts import count_awareness

    document = count_awareness(item.item for item in Release.open(release).items()).to_json()
    emit(document, as_json=as_json, text=lambda: "\n".join(_lines(document)))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    for part in document["parts"]:
        yield f"{part['name']}: {counted(part['items'], 'item')}, {counted(part['images'], 'image')}"
        for row in part["categories"]:
            yield f"  {printable(row['category'] or '(none)'):28}  {row['items']:5}  {row['share']:6.1%}"
    words = document["words"]
    yield f"average number of words: queries {words['queries']:.1f}, options {words['options']:.1f}"
    letters = document["letters"]
    yield "                 " + "  ".join(f"{row['letter']:>6}" for row in letters["refusal"])
    for name, rows in (("correct options", letters["correct"]), ("refusal options", letters["refusal"])):
        yield f"{name}  " + "  ".join(f"{row['share']:6.1%}" for row in rows)
    if len(document["options"]) > 1:
        yield "options an item: " + ", ".join(f"{count} with {number}" for number, count in document["options"].items())
    if document["without_refusal"]:
        yield f"not counted: {counted(document['without_refusal'], 'item')} without an option that declines"
