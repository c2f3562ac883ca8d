"""Language and spelling of questions, options and explanations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from benchwright.canonical import digest
from benchwright.errors import PrerequisiteError

from ..check import AuditContext, CheckSkipped, require_words
from ..findings.finding import Finding
from ..findings.kinds import FAULTS
from ..source.audited_items import AuditedItems

if TYPE_CHECKING:
    from benchwright.diagnostics.wording.spelling import Spelling
    from benchwright.records import Item

_MOSTLY = 0.8
_SHOWN = 200
_HAS_OWN_CHECK = "names_answer"
_KIND = "audit wording 6"


class Wording:
    """Spelling and grammar of English texts, and items in a different language than most items."""

    name: ClassVar[str] = "wording"
    title: ClassVar[str] = "Language, spelling and grammar"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each kind of fault, and one for items in a different language than most items."""
        worded = [each for each in audited.worded.values() if each.item.question]
        if not worded:
            require_words(audited)
        faults_of = _KeptFaults(context)
        items: defaultdict[str, dict[str, None]] = defaultdict(dict)
        words: defaultdict[str, dict[str, str]] = defaultdict(dict)
        other: list[str] = []
        languages: dict[str, str] = {}
        for each, (faults, is_english, language) in context.check_each(worded, lambda each: faults_of(each.item)):
            if language or _is_foreign(audited, each.item_id):
                languages[each.item_id] = language
            if not is_english or each.item_id in languages:
                other.append(each.item_id)
            for kind, place, fault, correction in faults:
                if kind == _HAS_OWN_CHECK:
                    continue
                items[kind][each.item_id] = None
                words[kind].setdefault(f"{each.item_id}, {place}", fault + (f" ({correction}?)" if correction else ""))
        for kind, ids in sorted(items.items()):
            name, summary = FAULTS[kind]
            yield Finding(
                name,
                "low",
                tuple(ids),
                f"{summary}, in {len(ids):,} {'item' if len(ids) == 1 else 'items'}.",
                {"words": dict(list(words[kind].items())[:_SHOWN])},
                "possible" if kind == "spelling" else "likely",
            )
        english = len(worded) - len(other)
        if languages and english >= _MOSTLY * len(worded):
            foreign = tuple(languages)
            named = ", ".join(sorted({languages[item] for item in foreign} - {""}))
            yield Finding(
                "other_language",
                "low",
                foreign,
                f"Most items are English, {len(foreign):,} are in another language{f' ({named})' if named else ''}.",
                {"languages": {item: languages[item] for item in foreign[:_SHOWN]}},
                "likely",
            )


class _KeptFaults:
    """Faults of items, cached by the items' words; the word list is read only for new items.

    Raises:
        CheckSkipped: The word list is not installed.
    """

    def __init__(self, context: AuditContext) -> None:
        self._kept = context.values(_KIND)
        self._spelling: Spelling | None = None
        self._wordnet = context.wordnet

    def __call__(self, item: Item) -> tuple[list[tuple[str, str, str, str | None]], bool, str]:
        texts = [
            item.question,
            item.explanation,
            item.right_key,
            [[choice.key, choice.text] for choice in item.choices],
        ]
        if self._wordnet is not None:
            texts.append(self._wordnet.version)
        entry = self._kept.get_or_make(digest(texts), lambda: self._measured(item))
        return [tuple(fault) for fault in entry["faults"]], entry["english"], entry["language"]

    def _measured(self, item: Item) -> dict[str, Any]:
        from benchwright.diagnostics.wording.spelling import Spelling
        from benchwright.diagnostics.wording.wording_faults import WordingRules, faults_of

        if self._spelling is None:
            try:
                self._spelling = Spelling(() if self._wordnet is None else self._wordnet.words)
            except PrerequisiteError as error:
                raise CheckSkipped(str(error)) from None
        faults, is_english = faults_of(item, self._spelling, WordingRules())
        return {
            "faults": [list(fault) for fault in faults],
            "english": is_english,
            "language": _foreign_language(item.question, self._spelling),
        }


def _foreign_language(question: str, spelling: Spelling) -> str:
    """Return the language code of a question that is not in English; empty if it is in English or unclear."""
    from benchwright.diagnostics.wording.languages import language_of
    from benchwright.diagnostics.wording.text_checks import is_english

    language = None if is_english([question], spelling) else language_of(question)
    return "" if language in (None, "en") else str(language)


def _is_foreign(audited: AuditedItems, item_id: str) -> bool:
    """Return whether most letters of a question belong to a non-English alphabet."""
    question = audited.worded[item_id].item.question
    if question.isascii():
        return False
    letters = [letter for letter in question if letter.isalpha()]
    return sum(not letter.isascii() for letter in letters) > len(letters) / 2
