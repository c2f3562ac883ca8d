"""Report of the item filters on a release, with the measures and thresholds of a recipe; nothing is dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.diagnostics.shortcuts.wording_rules import RuleResult, rule_results
from benchwright.records import Item
from benchwright.text_normalization import likeness, normal

from .answer_balance import AnswerBalance, LetterGroup, letter_groups
from .duplicate_questions import DuplicateQuestions
from .repeated_options import RepeatedOptions, repeated_pairs
from .wording_bias import WordingBias


class OptionPair(NamedTuple):
    """Two equal or nearly equal options of an item."""

    item_id: str
    options: tuple[str, str]
    likeness: float


class Repetition(NamedTuple):
    """An item whose question other items ask too, or nearly; `of` names these items."""

    item_id: str
    reason: str
    of: tuple[str, ...]


class ItemReport(NamedTuple):
    """The results of all item filters; `rules` holds each rule and whether it gives its task away."""

    items: int
    repeated_options: tuple[OptionPair, ...]
    similar_options: tuple[OptionPair, ...]
    questions: tuple[Repetition, ...]
    letters: tuple[LetterGroup, ...]
    rules: tuple[tuple[RuleResult, bool], ...]

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "items": self.items,
            "repeated_options": [pair._asdict() for pair in self.repeated_options],
            "similar_options": [pair._asdict() for pair in self.similar_options],
            "questions": [repetition._asdict() for repetition in self.questions],
            "letters": [group.to_json() for group in self.letters],
            "rules": [{**rule.to_json(), "gives_away": too_much} for rule, too_much in self.rules],
        }


def report_on_release(folder: Path, *, scope: str = "same_image") -> ItemReport:
    """Report on all items of a release.

    Args:
        folder: Folder of the release.
        scope: Scope of `DuplicateQuestions`; default `same_image`.

    Raises:
        DataError: The folder is no release, or damaged.
    """
    from benchwright.release import Release

    return report_on([released.item for released in Release.open(folder).items()], scope=scope)


def report_on(
    items: Sequence[Item],
    *,
    scope: str = "same_image",
    similar: Callable[[Item], Sequence[OptionPair]] | None = None,
    rules: Callable[[Sequence[Item]], Sequence[RuleResult]] | None = None,
) -> ItemReport:
    """Report on items, with the defaults of the steps; the order of items does not matter.

    Args:
        items: The items.
        scope: Scope of `DuplicateQuestions`.
        similar: Function from an item to its options that are nearly equal, where these are known from before;
            `similar_options` where None.
        rules: Function from the items, by id, to the results of rules over their words, where these may be known from
            before; `rule_results` where None.
    """
    similar = similar or similar_options
    ordered = sorted(items, key=lambda item: item.item_id)
    bias, balance = WordingBias(), AnswerBalance()
    results = rule_results(ordered, per=bias.per, seed=0) if rules is None else rules(ordered)
    return ItemReport(
        items=len(ordered),
        repeated_options=tuple(
            OptionPair(item.item_id, pair, 1.0) for item in ordered for pair in repeated_pairs(item)
        ),
        similar_options=tuple(pair for item in ordered for pair in similar(item)),
        questions=tuple(_repetitions(ordered, DuplicateQuestions.model_validate({"scope": scope}))),
        letters=tuple(letter_groups(ordered, per=balance.per, seed=0)),
        rules=tuple((result, bias.gives_away(result, len(results))) for result in results),
    )


def similar_options(item: Item) -> list[OptionPair]:
    """Return the options of an item that are nearly equal, by the threshold of `RepeatedOptions`."""
    most = RepeatedOptions().max_likeness
    texts = [(choice.key, normal(choice.text)) for choice in item.choices if choice.text is not None]
    pairs = [
        (first, second, likeness(text, its)) for (first, text), (second, its) in combinations(texts, 2) if text != its
    ]
    return [
        OptionPair(item.item_id, (first, second), round(alike, 4))
        for first, second, alike in pairs
        if most and alike > most
    ]


def _repetitions(items: Sequence[Item], step: DuplicateQuestions) -> list[Repetition]:
    repetitions = []
    for row, decision in sorted(step.verdicts(items).items()):
        partners = decision.evidence.get("equal_items") or [
            partner["item_id"] for partner in decision.evidence.get("partners", ())
        ]
        of = tuple(item_id for item_id in (partners or [decision.evidence["of"]]) if item_id != items[row].item_id)
        repetitions.append(Repetition(items[row].item_id, decision.reason, of))
    return repetitions
