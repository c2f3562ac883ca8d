"""The texts of a release: their authors, their languages, and the outcome of drafts by prompt.

The card and `release authors` both report these counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from benchwright.records import LANGUAGE, LANGUAGE_CODE, Item
from benchwright.release.format.agreement import is_simulated

from .markdown import cell, code, table

TextOrigin = Literal["written", "edited", "drafted", "templated", "simulated", "not_stated"]
"""The origin of a text: written by a person, a draft edited by a person, a model's draft accepted unchanged by
annotators, made by a template, made by a simulated annotator, or not stated by the item.
"""
ORIGINS: tuple[TextOrigin, ...] = ("written", "edited", "drafted", "templated", "simulated", "not_stated")
TEXTS = ("question", "choices", "explanation", "labels")
_EDITED = "person, from "


class PromptAcceptance(NamedTuple):
    """Outcome of the drafts of one prompt in one campaign.

    Args:
        campaign: Campaign that showed them to annotators.
        by: Author of the drafts, as in `Item.written_by`.
        prompt: Name of the prompt, or of the template.
        drafted: Number of drafts.
        broken: Number of drafts that a second model rejected.
        shown: Number of times that an annotator who decided about a picture saw one of its drafts.
        accepted: Number of shown drafts taken unchanged; annotators may have added parts that a draft lacked.
        edited: Number of shown drafts taken and changed.
        discarded: Number of shown drafts not taken.
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

    @property
    def taken(self) -> float | None:
        """Return the proportion of shown drafts that annotators accepted or edited, 0 to 1; None if none was shown."""
        return None if not self.shown else (self.accepted + self.edited) / self.shown

    def to_json(self) -> dict[str, Any]:
        """Return the counts as JSON values, with the proportion of shown drafts that annotators accepted or edited, 0
        to 1.
        """
        return {**self._asdict(), "taken": None if self.taken is None else round(self.taken, 6)}


def origin_of(author: str | None) -> TextOrigin:
    """Return the origin of a text, from its author in `Item.written_by`.

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


class TextTally:
    """Counter of items' texts by author, and of items by language.

    An explanation is counted if the item has one, and a label if the item names its drafter.
    """

    def __init__(self) -> None:
        self._languages = Counter[str]()
        self._origins: dict[str, Counter[TextOrigin]] = {text: Counter() for text in TEXTS}
        self._authors = Counter[str]()

    def add(self, item: Item) -> None:
        """Count the texts of one item."""
        texts = {"question", "choices", *item.written_by} | ({"explanation"} if item.explanation is not None else set())
        for text in texts & set(TEXTS):
            author = item.written_by.get(text)
            self._origins[text][origin_of(author)] += 1
            if author is not None:
                self._authors[author] += 1
        language = item.attributes.get(LANGUAGE)
        if isinstance(language, str) and re.fullmatch(LANGUAGE_CODE, language):
            self._languages[language] += 1

    @property
    def texts(self) -> dict[str, dict[TextOrigin, int]]:
        """Return the number of texts of each kind (one of `TEXTS`) by origin; every origin has an entry."""
        return {text: {how: counter[how] for how in ORIGINS} for text, counter in self._origins.items() if counter}

    @property
    def authors(self) -> dict[str, int]:
        """Return the number of texts by author, as in `Item.written_by`, most frequent first."""
        return dict(sorted(self._authors.items(), key=lambda row: (-row[1], row[0])))

    @property
    def languages(self) -> dict[str, int]:
        """Return the number of items by stated language (attribute `language`), sorted by code."""
        return dict(sorted(self._languages.items()))


def prompt_acceptance(agreement: Mapping[str, Mapping[str, Any]]) -> list[PromptAcceptance]:
    """Return the outcome of drafts, by campaign, author and prompt, from the summaries of campaigns."""
    names = PromptAcceptance._fields[3:]
    return [
        PromptAcceptance(campaign, str(row["by"]), str(row["prompt"]), *(int(row[name]) for name in names))
        for campaign, summary in sorted(agreement.items())
        for row in (summary.get("drafts") or {}).get("prompts", ())
    ]


def texts_section(
    texts: Mapping[str, Mapping[TextOrigin, int]],
    languages: Mapping[str, int],
    agreement: Mapping[str, Mapping[str, Any]],
    *,
    version: int,
) -> str | None:
    """Return the card's section about texts as Markdown, or None if there are no drafts or stated languages.

    Args:
        texts: Number of texts by kind and origin, as in `TextTally.texts`.
        languages: Number of items by language.
        agreement: Summary of each campaign, by name.
        version: Version of the card's layout; before version 5, this section called simulated annotators people.
    """
    stated = ", ".join(f"{code(language)} {count}" for language, count in sorted(languages.items()))
    parts = [f"Items by the language that they state: {stated}."] if stated else []
    prompts = prompt_acceptance(agreement)
    sums = Counter[TextOrigin]()
    for counts in texts.values():
        sums.update(counts)
    if prompts or sums["drafted"] or sums["edited"]:
        parts += [_in_words(sums), _by_kind(texts)]
    if prompts:
        head = ["campaign", "drafts by", "prompt", *PromptAcceptance._fields[3:], "taken"]
        simulated = {name for name, summary in agreement.items() if version >= 5 and is_simulated(summary)}
        for who in ("people", "simulated annotators"):
            rows = [_row(row) for row in prompts if (row.campaign in simulated) == (who != "people")]
            parts += [f"Outcome of the drafts shown to {who}:", table(head, rows)] if rows else []
    return "\n\n".join(parts) or None


def _in_words(sums: Mapping[TextOrigin, int]) -> str:
    further = {
        "templates made": sums["templated"],
        "simulated annotators wrote": sums["simulated"],
        "not stated for": sums["not_stated"],
    }
    rest = "".join(f"; {words} {count}" for words, count in further.items() if count)
    return (
        f"Of {sum(sums.values())} texts (questions, sets of options, explanations, drafted labels) people wrote "
        f"{sums['written']}, changed {sums['edited']} from a draft, and took {sums['drafted']} as a model drafted "
        f"them{rest}. `written_by` states the origin of each."
    )


def _by_kind(texts: Mapping[str, Mapping[TextOrigin, int]]) -> str:
    rows = [[text, *(str(counts[how]) for how in ORIGINS)] for text, counts in texts.items()]
    return table(["text", *(how.replace("_", " ") for how in ORIGINS)], rows)


def _row(row: PromptAcceptance) -> list[str]:
    taken = "" if row.taken is None else f"{row.taken:.0%}"
    return [code(row.campaign), cell(row.by), cell(row.prompt), *(str(count) for count in row[3:]), taken]
