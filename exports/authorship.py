"""Who wrote the texts of a release: how much was drafted, edited and written, and what became of drafts by prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import click

from benchwright.cli.output import emit, json_option
from benchwright.records import Item
from benchwright.text_normalization import printable

TextOrigin = Literal["written", "edited", "drafted", "templated", "simulated", "not_stated"]
"""How a text came about: a person wrote it, a person changed a draft, a model's draft was taken as it was, a template
made it, a simulated annotator did, or the item does not say.
"""
ORIGINS: tuple[TextOrigin, ...] = ("written", "edited", "drafted", "templated", "simulated", "not_stated")
TEXTS = ("question", "choices", "explanation", "labels")
_EDITED = "person, from "


class PromptAcceptance(NamedTuple):
    """What became of the drafts of one prompt in one campaign.

    Args:
        campaign: Campaign in which people saw them.
        by: Author of the drafts, as in `Item.written_by`.
        prompt: Name of the prompt, or of the template.
        drafted: Number of drafts.
        broken: Number that a second model took out.
        shown: Number of times that a draft was shown to somebody who decided about its picture.
        accepted: Of these, taken as they were; parts that a draft lacked may have been added.
        edited: Taken and changed.
        discarded: Not taken.
    """

    campaign: str
    by: str
    prompt: str
    drafted: int
    broken: int
    shown: int
    accepted: int
    edited: int
    discarded: int

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values, with the share of those shown that were accepted or edited, 0 to 1."""
        taken = None if not self.shown else round((self.accepted + self.edited) / self.shown, 6)
        return {**self._asdict(), "taken": taken}


def origin_of(author: str | None) -> TextOrigin:
    """Return how a text came about, by its author in `Item.written_by`.

    Example:
        >>> origin_of("person"), origin_of("person, from model:tiny"), origin_of("model:tiny")
        ('written', 'edited', 'drafted')
    """
    if author is None:
        return "not_stated"
    if author.startswith(_EDITED):
        return "edited"
    known: Mapping[str, TextOrigin] = {"person": "written", "template": "templated", "simulated": "simulated"}
    return known.get(author, "drafted")


def authorship_counts(items: Iterable[Item]) -> dict[str, dict[str, int]]:
    """Return the number of texts of each kind (`question`, `choices`, `explanation`, `labels`) by how they came about.

    Explanations are counted where an item has one, labels where it says who drafted them.
    """
    counts: dict[str, Counter[TextOrigin]] = {text: Counter() for text in TEXTS}
    for item in items:
        texts = {"question", "choices", *item.written_by} | ({"explanation"} if item.explanation is not None else set())
        for text in texts & set(TEXTS):
            counts[text][origin_of(item.written_by.get(text))] += 1
    return {text: {how: counter[how] for how in ORIGINS} for text, counter in counts.items() if counter}


def authors_of_items(items: Iterable[Item]) -> dict[str, int]:
    """Return the number of texts by their author, as `Item.written_by` has it, the most frequent first."""
    counter = Counter(author for item in items for text, author in item.written_by.items() if text in TEXTS)
    return dict(sorted(counter.items(), key=lambda row: (-row[1], row[0])))


def prompt_acceptance(agreement: Mapping[str, Mapping[str, Any]]) -> list[PromptAcceptance]:
    """Return what became of drafts, by campaign, author and prompt, from the summaries of campaigns."""
    names = PromptAcceptance._fields[3:]
    return [
        PromptAcceptance(campaign, str(row["by"]), str(row["prompt"]), *(int(row[name]) for name in names))
        for campaign, summary in sorted(agreement.items())
        for row in (summary.get("drafts") or {}).get("prompts", ())
    ]


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
    {author: n}, "drafts": [{"campaign", "by", "prompt", "drafted", "broken", "shown", "accepted", "edited",
    "discarded", "taken"}]}`; `taken` is the share of the drafts shown that people accepted or edited, null where none
    was shown
    """
)
def authors(folder: Path, *, as_json: bool) -> None:
    """Say how much of a release people wrote, edited from drafts, or took as a model drafted it.

    Counts questions, options, explanations and drafted labels. Of drafts that people were shown, it says by prompt how
    many they accepted, edited and discarded, and how many a second model had broken before.
    """
    from benchwright.release import Release
    from benchwright.release.format.agreement import read_agreement

    release = Release.open(folder)
    items = [released.item for released in release.items()]
    document = {
        "items": len(items),
        "texts": [{"text": text, **counts} for text, counts in authorship_counts(items).items()],
        "authors": authors_of_items(items),
        "drafts": [row.to_json() for row in prompt_acceptance(read_agreement(release.path))],
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(_lines(document)))


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"{document['items']} items"
    yield f"{'text':12}" + "".join(f"{how.replace('_', ' '):>12}" for how in ORIGINS)
    for row in document["texts"]:
        yield f"{row['text']:12}" + "".join(f"{row[how]:12}" for how in ORIGINS)
    for author, count in document["authors"].items():
        yield f"texts by {printable(author)}: {count}"
    for row in document["drafts"]:
        share = "none shown" if row["taken"] is None else f"{row['taken']:.0%} taken"
        yield (
            f"drafts by {printable(row['by'])}, prompt {printable(row['prompt'])}: {row['drafted']} drafted, "
            f"{row['broken']} broken, {row['shown']} shown, {row['accepted']} accepted, {row['edited']} edited, "
            f"{row['discarded']} discarded; {share}"
        )
