"""What the item filters say of a release: the same measures and thresholds as in a recipe, and nothing is dropped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.records import Item
from benchwright.text_normalization import likeness, normal

from .answer_balance import AnswerBalance, Letters, letters_of
from .duplicate_questions import DuplicateQuestions
from .repeated_options import RepeatedOptions, repeated_pairs
from .text_only_bias import RuleFound, WordingBias, rules_on


class OptionPair(NamedTuple):
    """Two options of an item that say the same, or nearly."""

    item_id: str
    options: tuple[str, str]
    likeness: float


class Repetition(NamedTuple):
    """An item whose question is asked elsewhere, or nearly; `of` names the others."""

    item_id: str
    reason: str
    of: tuple[str, ...]


class ItemReport(NamedTuple):
    """What was found; `rules` says of each rule whether it gives its task away."""

    items: int
    repeated_options: tuple[OptionPair, ...]
    similar_options: tuple[OptionPair, ...]
    questions: tuple[Repetition, ...]
    letters: tuple[Letters, ...]
    rules: tuple[tuple[RuleFound, bool], ...]

    def document(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "items": self.items,
            "repeated_options": [pair._asdict() for pair in self.repeated_options],
            "similar_options": [pair._asdict() for pair in self.similar_options],
            "questions": [one._asdict() for one in self.questions],
            "letters": [group.told() for group in self.letters],
            "rules": [{**found.told(), "gives_away": too_much} for found, too_much in self.rules],
        }


def report_on_release(folder: Path, *, scope: str = "same_image") -> ItemReport:
    """Look at all items of a release.

    Args:
        folder: The release.
        scope: As `DuplicateQuestions`.

    Raises:
        DataError: The folder is no release, or damaged.
    """
    from benchwright.release import Release

    return report_on([found.item for found in Release.open(folder).items()], scope=scope)


def report_on(items: Sequence[Item], *, scope: str = "same_image") -> ItemReport:
    """Look at items, with the defaults of the steps; the order of items does not matter."""
    ordered = sorted(items, key=lambda item: item.item_id)
    bias, balance = WordingBias(), AnswerBalance()
    found = rules_on(ordered, per=bias.per, seed=0)
    return ItemReport(
        items=len(ordered),
        repeated_options=tuple(
            OptionPair(item.item_id, pair, 1.0) for item in ordered for pair in repeated_pairs(item)
        ),
        similar_options=tuple(pair for item in ordered for pair in _similar(item)),
        questions=tuple(_repetitions(ordered, DuplicateQuestions.model_validate({"scope": scope}))),
        letters=tuple(letters_of(ordered, per=balance.per, seed=0)),
        rules=tuple((one, bias.gives_away(one, len(found))) for one in found),
    )


def _similar(item: Item) -> list[OptionPair]:
    most = RepeatedOptions().max_likeness
    texts = [(choice.key, normal(choice.text)) for choice in item.choices if choice.text is not None]
    pairs = [(one, other, likeness(text, its)) for (one, text), (other, its) in combinations(texts, 2) if text != its]
    return [
        OptionPair(item.item_id, (one, other), round(alike, 4)) for one, other, alike in pairs if most and alike > most
    ]


def _repetitions(items: Sequence[Item], step: DuplicateQuestions) -> list[Repetition]:
    found = []
    for row, said in sorted(step.about(items).items()):
        others = said.evidence.get("equal_items") or [one["item_id"] for one in said.evidence.get("partners", ())]
        of = tuple(one for one in (others or [said.evidence["of"]]) if one != items[row].item_id)
        found.append(Repetition(items[row].item_id, said.reason, of))
    return found
