"""The data sheet of a release: questions of Gebru et al. (Datasheets for Datasets, 2021, doi:10.1145/3458723).

Where possible, the answers come from the release's files. The curators answer the rest in their own words; a question
without an answer is marked as open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchwright.release.format.agreement import is_empty, is_simulated
from benchwright.release.format.statements import QUESTIONS, Statements
from benchwright.texts.normalization import counted

from .markdown import amount

if TYPE_CHECKING:
    from .card_facts import CardFacts

_OPEN = "*Not answered by the curators.*"


def datasheet(facts: CardFacts, *, version: int) -> str:
    """Return the data sheet as Markdown.

    Args:
        facts: Facts of the release.
        version: Version of the card's layout; before version 5, some sentences appeared regardless of the facts.
    """
    sections: Mapping[str, list[tuple[str, str]]] = {
        "Motivation": [_stated("purpose", facts), _stated("creators", facts), _stated("funding", facts)],
        "Composition": [
            ("What do the instances represent, and how many are there?", _instances(facts, version)),
            ("Is any information missing from instances?", _missing(facts, version)),
            ("Are there recommended data splits?", _splits(facts)),
            ("Are there errors, sources of noise or redundancies?", _errors(facts, version)),
            ("Is the dataset self-contained?", _self_contained(facts)),
            _stated("sensitive", facts),
            _stated("people_shown", facts),
        ],
        "Collection": [
            ("How was the data associated with each instance acquired?", _acquired(facts)),
            ("Who was involved, and how were they compensated?", _involved(facts)),
            _stated("collected_when", facts),
            _stated("ethics", facts),
            _stated("people_asked", facts),
        ],
        "Preprocessing": [("Was any preprocessing, cleaning or labeling done?", _processed(facts, version))],
        "Uses": [_stated("uses", facts)],
        "Distribution": [
            ("Under which license and terms of use will it be distributed?", _terms(facts)),
            ("Do third parties have rights in the data?", _third_parties(facts, version)),
        ],
        "Maintenance": [
            _stated("maintenance", facts),
            _stated("updates", facts),
            ("Is there an erratum?", "`errata.json` lists the errors that annotators found in earlier versions."),
        ],
    }  # fmt: skip
    parts = []
    for heading, questions in sections.items():
        answers = "\n\n".join(f"**{question}** {answer}" for question, answer in questions)
        parts.append(f"### {heading}\n\n{answers}")
    return "\n\n".join(parts)


def in_words(text: str) -> str:
    """Return a curator's text, changed so that none of its lines can be mistaken for a heading or another part of the
    card.
    """
    lines = (" ".join(line.split()) for line in text.strip().split("\n"))
    return "\n".join(f"\\{line}" if line[:1] in {"#", "<", "-", "=", "|", "`", "~", ">"} else line for line in lines)


def _stated(key: str, facts: CardFacts) -> tuple[str, str]:
    statements = facts.statements or Statements()
    return QUESTIONS[key], in_words(statements.datasheet[key]) if key in statements.datasheet else _OPEN


def _instances(facts: CardFacts, version: int) -> str:
    tasks = {task for split in facts.counts.splits.values() for task in split.tasks}
    pictures = sum(source.images for source in facts.sources)
    if version >= 5:
        dataset, licence = (
            sum(source.images for source in facts.sources if getattr(source, name)) for name in ("dataset", "licence")
        )
        return (
            f"Questions about pictures, each with options: {facts.counts.items} of "
            f"{counted(len(tasks), 'task')}, derived from {counted(pictures, 'source image')}. A dataset is stated for "
            f"{dataset} of these, a license for {licence}."
        )
    return (
        f"Questions about pictures, each with options of which one is right: {facts.counts.items} of "
        f"{len(tasks)} tasks, that go back to {pictures} source images whose sources are stated."
    )


def _missing(facts: CardFacts, version: int) -> str:
    parts = []
    if facts.sealed is not None:
        parts.append(f"The answers of {', '.join(sorted(facts.sealed.splits))} are sealed.")
    if facts.by_address:
        stated = amount(facts.by_address, "picture is", "pictures are", version=version)
        parts.append(f"{stated} stated by address and hash only.")
    if version >= 5:
        return (
            " ".join(parts) or "No answer is sealed, and no picture is left out. What else is missing is not measured."
        )
    return " ".join(parts) or "No."


def _splits(facts: CardFacts) -> str:
    return ", ".join(f"{name} ({split.items})" for name, split in sorted(facts.counts.splits.items())) + "."


def _errors(facts: CardFacts, version: int) -> str:
    people = [
        name
        for name, summary in facts.agreement.items()
        if not is_simulated(summary) and not (version >= 5 and is_empty(summary))
    ]
    estimated = f"A model estimated the answers of {facts.estimated} items. " if facts.estimated else ""
    campaigns = f"{len(people)} campaigns" if version < 5 else counted(len(people), "campaign")
    looked = (
        f"People looked at items in {campaigns}; `agreement.json` states how far they agreed."
        if people
        else "Unknown: no person looked at the items in a campaign."
    )
    return estimated + looked


def _self_contained(facts: CardFacts) -> str:
    return "No: pictures by address have to be fetched." if facts.by_address else "Yes."


def _acquired(facts: CardFacts) -> str:
    steps = ", ".join(dict.fromkeys(f"`{stage.get('entry', stage.get('stage'))}`" for stage in facts.stages))
    return f"By the steps of the recipe in `manifest.json`: {steps}." if steps else "The manifest states no steps."


def _involved(facts: CardFacts) -> str:
    statements = facts.statements or Statements()
    said = [in_words(text) for text in (statements.consent, statements.pay) if text]
    return " ".join(said) or _OPEN


def _processed(facts: CardFacts, version: int) -> str:
    cut = f" Metadata was cut out of {facts.without_metadata} picture files." if facts.without_metadata else ""
    if version >= 5 and not facts.stages:
        return f"The manifest states no steps.{cut}"
    return f"Yes: the funnel above shows what each step dropped and made.{cut}"


def _terms(facts: CardFacts) -> str:
    statements = facts.statements or Statements()
    licence = f"`{' '.join(facts.licence.replace('`', '').split())}`." if facts.licence else "No license is stated."
    return licence + (" Access is granted on terms, given above." if statements.access_terms else "")


def _third_parties(facts: CardFacts, version: int) -> str:
    stated = sum(source.images for source in facts.sources if source.licence)
    if version >= 5 and not facts.sources:
        return "Unknown: no source image is named."
    return (
        f"Authors keep their rights to the source images; a license is stated for {stated} of "
        f"{sum(source.images for source in facts.sources)} (`image_sources.csv`)."
    )
