"""The filter `language`: what people and models wrote, checked word by word without a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from benchwright.diagnostics.wording.grammar import begins_small, grammar_faults
from benchwright.diagnostics.wording.spelling import Spelling
from benchwright.diagnostics.wording.text_checks import Fault, end_mark_fault, is_english, names_answer
from benchwright.records import Item
from benchwright.steps import Context, Filter, Measured, OpenContext, Outcome, Stream

Kind = Literal[
    "too_long", "too_short", "names_answer", "spelling", "article", "agreement", "doubled_word", "capital", "end_mark"
]
KINDS: tuple[Kind, ...] = (
    "too_long", "too_short", "names_answer", "spelling", "article", "agreement", "doubled_word", "capital", "end_mark",
)  # fmt: skip
"""By weight: an item with several faults is judged by the first."""
_SHOWN, _LISTED = 80, 20
_READ = 5000
"""Characters of a text that are read for its language; longer ones are `too_long` in any case."""


class Language(Filter):
    """Ask about items whose words are misspelled, ungrammatical, too long, or give their answer away.

    Spelling, articles, agreement, doubled words and capitals are checked where an item's question and options are
    English (`language: auto` decides by their words). In other languages only length, end marks and questions that name
    their answer are checked, and the value `checked_as` says `any`. Questions asked twice are found by
    `duplicate_questions`.

    Args:
        checks: Kinds of faults that are looked at.
        drop: Kinds for which an item is dropped; it is asked about for the others.
        language: `auto`, or `en` or `any` for all items.
        words: Names and terms that are spelled right, besides the words of the list; case makes no difference.
        min_characters: Fewest characters of a question.
        max_characters: Most characters of a question.
        max_option_characters: Most characters of an option.

    Reasons:
        too_long (drop or ask): A question or option has too many characters.
        too_short (drop or ask): A question has too few characters.
        names_answer (drop or ask): The question holds the right option, and no wrong one.
        spelling (drop or ask): A word is in no list; evidence has the word that may be meant.
        article (drop or ask): `a` before the sound of a vowel, or `an` before another.
        agreement (drop or ask): Number, person or tense of two words do not agree.
        doubled_word (drop or ask): A word stands twice in a row.
        capital (drop or ask): A question begins with a small letter, or `i` stands for `I`.
        end_mark (drop or ask): A question ends without a mark.
    """

    name: ClassVar[str] = "language"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"faults": "list<string>", "checked_as": "string"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"checks", "drop"})

    checks: tuple[Kind, ...] = KINDS
    drop: tuple[Kind, ...] = ("too_long",)
    language: Literal["auto", "en", "any"] = "auto"
    words: tuple[str, ...] = ()
    min_characters: int = Field(6, ge=1)
    max_characters: int = Field(600, ge=1, le=_READ)
    max_option_characters: int = Field(300, ge=1, le=_READ)

    @model_validator(mode="after")
    def _limits_are_in_order(self) -> Language:
        if self.max_characters < self.min_characters:
            raise ValueError(
                f"max_characters {self.max_characters} is below min_characters {self.min_characters}; swap them"
            )
        return self

    def open(self, ctx: OpenContext) -> Spelling:
        """Read the word list."""
        del ctx
        return Spelling(self.words)

    def measure(self, record: Item, ctx: Context) -> Measured:
        """Look for all kinds of faults."""
        faults, english = self.faults_of(record, ctx.opened)
        kinds: list[str] = [kind for kind in KINDS if any(fault.kind == kind for fault in faults)]
        evidence = {"faults": [fault._asdict() for fault in faults[:_LISTED]]} if faults else {}
        return Measured({"faults": kinds, "checked_as": "en" if english else "any"}, evidence)

    def faults_of(self, item: Item, spelling: Spelling) -> tuple[list[Fault], bool]:
        """Return all faults of an item's texts, and whether it was checked as English.

        Args:
            item: The item.
            spelling: Words that are spelled right.
        """
        texts = [
            item.question[:_READ],
            *(choice.text[:_READ] for choice in item.choices if choice.text is not None),
        ]
        english = self.language == "en" or (self.language == "auto" and is_english(texts, spelling))
        english_faults = _faults_of_english(item, spelling) if english else ()
        return [*self._faults_of_any_language(item), *english_faults], english

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop or ask by the first kind of fault, those that drop first."""
        kinds = [kind for kind in measured["faults"] if kind in self.checks]
        dropping = [kind for kind in kinds if kind in self.drop]
        if dropping:
            return Outcome("drop", dropping[0], evidence={"kinds": kinds})
        return Outcome("ask", kinds[0], evidence={"kinds": kinds}) if kinds else Outcome()

    def _faults_of_any_language(self, item: Item) -> Iterator[Fault]:
        length = len(item.question.strip())
        if length > self.max_characters:
            yield Fault("too_long", "question", f"{length} characters")
        if length < self.min_characters:
            yield Fault("too_short", "question", f"{length} characters")
        for choice in item.choices:
            if choice.text is not None and len(choice.text) > self.max_option_characters:
                yield Fault("too_long", choice.key, f"{len(choice.text)} characters")
        if (answer := names_answer(item)) is not None:
            yield Fault("names_answer", "question", answer[:_SHOWN])
        if (end := end_mark_fault(item.question)) is not None:
            yield Fault("end_mark", "question", end)


def _faults_of_english(item: Item, spelling: Spelling) -> Iterator[Fault]:
    texts = [("question", item.question), *((choice.key, choice.text) for choice in item.choices)]
    texts.append(("explanation", item.explanation))
    if begins_small(item.question):
        yield Fault("capital", "question", item.question.split()[0][:_SHOWN])
    for place, text in texts:
        for word, correction in spelling.misspellings((text or "")[:_READ]):
            yield Fault("spelling", place, word[:_SHOWN], correction)
        for kind, words in grammar_faults((text or "")[:_READ]):
            yield Fault(kind, place, words[:_SHOWN])
