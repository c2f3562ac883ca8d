"""Signs that models may know the items already: no canary, or questions that other releases hold word for word."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import ClassVar

from benchwright.text_normalization import normal

from ..audited_items import AuditedItems
from ..check import AuditContext, CheckSkipped, needs_words
from ..finding import Finding

NGRAM = 13
"""Words in a row that count as taken over (Brown et al., "Language Models are Few-Shot Learners", 2020, appendix C)."""
_LEAST_WORDS = 5
"""Words of a shorter text that count where all of it is the same."""
_CANARY = re.compile(rb"canary", re.I)
_READ_BYTES = 1 << 20
_ENDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".md", ".txt", ".yaml", ".yml")


class Canary:
    """A text by which owners of training sets can find the benchmark and leave it out."""

    name: ClassVar[str] = "canary"
    title: ClassVar[str] = "A canary, by which training sets can leave the benchmark out"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding where no file of the source holds a canary."""
        del context
        if (audited.source / "manifest.json").is_file() or any(map(_has_canary, _files(audited.source))):
            return
        yield Finding(
            "no_canary",
            "low",
            (),
            "No file of the source holds a canary, so that nobody can find out whether it was trained on.",
            certainty="certain",
        )


def _files(source: Path) -> Iterator[Path]:
    if source.is_file():
        yield source
        return
    candidates = (path for path in sorted(source.rglob("*")) if path.suffix.lower() in _ENDS and path.is_file())
    yield from islice(candidates, 200)


def _has_canary(path: Path) -> bool:
    try:
        with path.open("rb") as handle:
            return _CANARY.search(handle.read(_READ_BYTES)) is not None
    except OSError:
        return False


class QuestionsElsewhere:
    """Questions that another release asks in the same words."""

    name: ClassVar[str] = "questions_elsewhere"
    title: ClassVar[str] = "Questions that other releases ask too (13 words in a row)"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each item whose words another release has."""
        from benchwright.release import Release

        needs_words(audited)
        releases = [place for place in context.against if (place / "manifest.json").is_file()]
        if not releases:
            raise CheckSkipped("no release with questions was given to compare with; name one with --against")
        for place in releases:
            known: defaultdict[str, str] = defaultdict(str)
            for released in Release.open(place).items():
                for gram in _grams(released.item.question, [choice.text for choice in released.item.choices]):
                    known.setdefault(gram, released.item.item_id)
            for each in audited.items:
                shared = [
                    gram
                    for gram in _grams(each.item.question, [choice.text for choice in each.item.choices])
                    if gram in known
                ]
                if shared:
                    yield Finding(
                        "question_elsewhere",
                        "medium",
                        (each.item_id,),
                        f"{place.name} has the same words.",
                        {"collection": str(place), "item": known[shared[0]], "words": shared[0]},
                    )


def _grams(question: str, options: list[str | None]) -> list[str]:
    """Return each 13 words in a row of question and options; all words where there are fewer."""
    words = normal(" ".join([question, *(text or "" for text in options)])).split()
    if len(words) < _LEAST_WORDS:
        return []
    if len(words) <= NGRAM:
        return [" ".join(words)]
    return [" ".join(words[at : at + NGRAM]) for at in range(len(words) - NGRAM + 1)]
