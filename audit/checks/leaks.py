"""Signs that models may already know the items: no canary, or questions found elsewhere verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import ClassVar

from benchwright.questions.overlap import SharedRuns, question_and_options, words_of

from ..check import AuditContext, CheckSkipped, require_words
from ..findings.finding import Finding
from ..source.audited_items import AuditedItems

_CANARY = re.compile(rb"canary", re.I)
_READ_BYTES = 1 << 20
_MOST_FILES = 200
_ENDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".md", ".txt", ".yaml", ".yml")


class Canary:
    """A text by which owners of training sets can find the benchmark and exclude it."""

    name: ClassVar[str] = "canary"
    title: ClassVar[str] = "A canary, by which training sets can exclude the benchmark"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding if no file of the source contains a canary.

        Raises:
            CheckSkipped: No file can be searched.
        """
        del context
        files = list(_files(audited.source))
        if (audited.source / "manifest.json").is_file() or any(map(_has_canary, files)):
            return
        files = [path for path in files if path.suffix.lower() in _ENDS]
        if not files:
            raise CheckSkipped("no file of the source is plain text, and packed files are not searched for a canary")
        looked_at = "the file" if len(files) == 1 else f"the {len(files):,} files"
        yield Finding(
            "no_canary",
            "low",
            (),
            f"No canary is in {looked_at} examined, so training on the benchmark cannot be detected.",
            {"files": len(files), "bytes_of_each": _READ_BYTES},
            "certain" if len(files) < _MOST_FILES and all(map(_is_read_whole, files)) else "likely",
        )


def _files(source: Path) -> Iterator[Path]:
    if source.is_file():
        yield source
        return
    candidates = (path for path in sorted(source.rglob("*")) if path.suffix.lower() in _ENDS and path.is_file())
    yield from islice(candidates, _MOST_FILES)


def _is_read_whole(path: Path) -> bool:
    try:
        return path.stat().st_size <= _READ_BYTES
    except OSError:
        return False


def _has_canary(path: Path) -> bool:
    try:
        with path.open("rb") as handle:
            return _CANARY.search(handle.read(_READ_BYTES)) is not None
    except OSError:
        return False


class QuestionsElsewhere:
    """Questions whose words are also in another release or a text corpus."""

    name: ClassVar[str] = "questions_elsewhere"
    title: ClassVar[str] = "Questions that other releases or texts also hold (13 words in a row)"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each item whose words are in a release or a corpus."""
        from benchwright.release import Release

        require_words(audited)
        releases = [place for place in context.against if (place / "manifest.json").is_file()]
        if not releases and not context.corpora:
            raise CheckSkipped("no release or texts given to compare with; name some with --against or --corpus")
        looked = [*context.check_each(audited.items, lambda each: question_and_options(each.item))]
        items = [each for each, _ in looked]
        runs = SharedRuns([text for _, text in looked])
        for place in releases:
            shared: dict[int, tuple[str, str]] = {}
            for released in Release.open(place).items():
                for number, words in runs.among(words_of(question_and_options(released.item))):
                    shared.setdefault(number, (released.item.item_id, words))
            for number, (item_id, words) in sorted(shared.items()):
                yield _elsewhere(items[number].item_id, place, {"item": item_id, "words": words})
        for place in context.corpora:
            for number, (_, overlap) in sorted(runs.first_overlaps([place]).items()):
                yield _elsewhere(items[number].item_id, place, {"where": overlap.where, "words": overlap.words})


def _elsewhere(item_id: str, place: Path, evidence: Mapping[str, str]) -> Finding:
    return Finding(
        "question_elsewhere",
        "medium",
        (item_id,),
        f"{place.name} has the same words.",
        {"collection": str(place), **evidence},
    )
