"""The filter `language`, which checks the texts of each item, written by people or models, without network access."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field, model_validator

from benchwright.diagnostics.wording.spelling import Spelling
from benchwright.diagnostics.wording.wording_faults import KINDS, MOST_READ, Kind, WordingRules, faults_of
from benchwright.diagnostics.wording.wording_faults import Language as LanguageName
from benchwright.records import Item
from benchwright.steps import Context, Filter, Measured, OpenContext, Outcome, Stream

_LISTED = 20
_DEFAULT = WordingRules()


class Language(Filter):
    """Ask about items whose texts are misspelled, ungrammatical or too long, or give the answer away.

    Checks spelling, articles, agreement, doubled words and capitals if an item's question and options are English
    (`language: auto` decides by their words). In other languages, checks only length, end marks and questions that name
    their answer, and the value `checked_as` says `any`. The step `duplicate_questions` finds questions asked twice.

    Args:
        checks: Kinds of faults to look for.
        drop: Kinds for which to drop an item; the others are asked about.
        language: `auto`, or `en` or `any` for all items.
        words: Names and terms accepted in addition to the word list; case makes no difference.
        min_characters: Smallest number of characters of a question.
        max_characters: Largest number of characters of a question.
        max_option_characters: Largest number of characters of an option.

    Reasons:
        too_long (drop or ask): A question or option has too many characters.
        too_short (drop or ask): A question has too few characters.
        names_answer (drop or ask): The question contains the right option, and no wrong one.
        spelling (drop or ask): A word is in no word list; the evidence suggests a correction.
        article (drop or ask): `a` before a vowel sound, or `an` before a consonant sound.
        agreement (drop or ask): Two words do not agree in number, person or tense.
        doubled_word (drop or ask): A word appears twice in a row.
        capital (drop or ask): A question begins with a lowercase letter, or has `i` instead of `I`.
        end_mark (drop or ask): A question ends without a punctuation mark.
    """

    name: ClassVar[str] = "language"
    version: ClassVar[int] = 3
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"faults": "list<string>", "checked_as": "string"}
    thresholds: ClassVar[frozenset[str]] = frozenset({"checks", "drop"})

    checks: tuple[Kind, ...] = KINDS
    drop: tuple[Kind, ...] = ("too_long",)
    language: LanguageName = _DEFAULT.language
    words: tuple[str, ...] = ()
    min_characters: int = Field(_DEFAULT.min_characters, ge=1)
    max_characters: int = Field(_DEFAULT.max_characters, ge=1, le=MOST_READ)
    max_option_characters: int = Field(_DEFAULT.max_option_characters, ge=1, le=MOST_READ)

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
        rules = WordingRules(self.language, self.min_characters, self.max_characters, self.max_option_characters)
        faults, english = faults_of(record, ctx.opened, rules)
        kinds: list[str] = [kind for kind in KINDS if any(fault.kind == kind for fault in faults)]
        evidence = {"faults": [fault._asdict() for fault in faults[:_LISTED]]} if faults else {}
        return Measured({"faults": kinds, "checked_as": "en" if english else "any"}, evidence)

    def judge(self, measured: Mapping[str, Any]) -> Outcome:
        """Drop an item or ask about it, according to its first kind of fault; kinds that drop items take precedence."""
        kinds = [kind for kind in measured["faults"] if kind in self.checks]
        dropping = [kind for kind in kinds if kind in self.drop]
        if dropping:
            return Outcome("drop", dropping[0], evidence={"kinds": kinds})
        return Outcome("ask", kinds[0], evidence={"kinds": kinds}) if kinds else Outcome()
