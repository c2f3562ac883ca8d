"""The command `release authors`: who wrote a release's texts, and what happened to the drafts of each prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from benchwright.release.card.texts import ORIGINS
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable


@click.command("authors")
@click.argument(
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a release.",
)
@json_option(
    """
    `{"items", "texts": [{"text", "written", "edited", "drafted", "templated", "simulated", "not_stated"}], "authors":
    {author: n}, "languages": {code: n}, "drafts": [{"campaign", "by", "prompt", "drafted", "broken", "shown",
    "accepted", "edited", "discarded", "taken"}]}`; `taken` is the share of shown drafts that annotators accepted or
    edited, null if none was shown; `languages` counts items by their attribute `language`
    """
)
def authors(folder: Path, *, as_json: bool) -> None:
    """Show how much of a release people wrote, edited from drafts, or took unchanged from a model.

    Counts questions, options, explanations and drafted labels. For each prompt, reports how many of its drafts
    annotators accepted, edited and discarded, and how many a second model had broken before.
    """
    from benchwright.release import Release
    from benchwright.release.card.texts import TextTally, prompt_acceptance
    from benchwright.release.format.agreement import read_agreement

    release = Release.open(folder)
    tally = TextTally()
    for released in release.items(pictures_of=()):
        tally.add(released.item)
    document = {
        "items": len(release),
        "texts": [{"text": text, **counts} for text, counts in tally.texts.items()],
        "authors": tally.authors,
        "languages": tally.languages,
        "drafts": [row.to_json() for row in prompt_acceptance(read_agreement(release.path))],
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(_lines(document)))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield counted(document["items"], "item")
    yield f"{'text':12}" + "".join(f"{how.replace('_', ' '):>12}" for how in ORIGINS)
    for row in document["texts"]:
        yield f"{row['text']:12}" + "".join(f"{row[how]:12}" for how in ORIGINS)
    for author, count in document["authors"].items():
        yield f"texts by {printable(author)}: {count}"
    for language, count in document["languages"].items():
        yield f"items in {printable(language)}: {count}"
    for row in document["drafts"]:
        share = "none shown" if row["taken"] is None else f"{row['taken']:.0%} taken"
        yield (
            f"drafts by {printable(row['by'])}, prompt {printable(row['prompt'])}: {row['drafted']} drafted, "
            f"{row['broken']} broken, {row['shown']} shown, {row['accepted']} accepted, {row['edited']} edited, "
            f"{row['discarded']} discarded; {share}"
        )
