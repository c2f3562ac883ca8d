"""Ways to fix a finding: people with `--set-right`, a recipe's step, another option of the command, or the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .finding import LEFT_OUT, Finding
from .kinds import is_asked

Way = Literal["people", "step", "option", "source"]


class Remedy(NamedTuple):
    """A way to fix findings of a kind.

    Args:
        way: `people`: campaigns that `audit --set-right` opens. `step`: a step of a recipe that leaves such items out
            or asks people about them. `option`: an option of the command. `source`: the files.
        words: The action, in one sentence.
        step: Name of the step; None if there is none.
        page: Page of the documentation, including the section.
    """

    way: Way
    words: str
    step: str | None = None
    page: str = "audit-set-right.md"

    def to_json(self) -> dict[str, Any]:
        """Return the remedy as JSON values."""
        return self._asdict()


_ASKED = (
    "`benchwright audit SOURCE --set-right WORKSPACE` asks annotators, and `benchwright set-right` applies their "
    "decisions."
)
_IN_SOURCE = Remedy("source", "Fix it in the source, and audit again.", page="audit-ci.md")
_STEPS: Mapping[str, tuple[str, str]] = {
    "duplicate_picture": ("near_duplicates", "duplicates.md"),
    "duplicate_picture_across_splits": ("near_duplicates", "duplicates.md"),
    "similar_pictures": ("near_duplicates", "duplicates.md"),
    "duplicate_in_other_collection": ("leakage", "duplicates.md#leakage"),
    "similar_in_other_collection": ("leakage", "duplicates.md#leakage"),
    "question_elsewhere": ("question_overlap", "item-filters.md#question_overlap"),
    "repeated_question": ("duplicate_questions", "item-filters.md#duplicate_questions"),
    "nearly_repeated_question": ("duplicate_questions", "item-filters.md#duplicate_questions"),
    "contradicting_keys": ("duplicate_questions", "item-filters.md#duplicate_questions"),
    "repeated_option": ("repeated_options", "item-filters.md#repeated_options"),
    "similar_options": ("repeated_options", "item-filters.md#repeated_options"),
    "key_letters_uneven": ("answer_balance", "item-filters.md#answer_balance"),
    "guessable_from_text": ("wording_bias", "item-filters.md#wording_bias"),
    "second_right_option": ("second_answers", "pair-filters.md#second_answers"),
    "key_denied_by_model": ("second_answers", "pair-filters.md#second_answers"),
    "answered_without_picture": ("blind_answers", "item-filters.md#blind_answers"),
    "answered_with_wrong_picture": ("blind_answers", "item-filters.md#blind_answers"),
    "answer_in_picture": ("text_ratio", "text-ratio.md"),
    "unsafe_picture": ("item_safety", "quality.md#safety"),
    "unlicensed_pictures": ("licences", "quality.md"),
    "licence_not_allowed": ("licences", "quality.md"),
}
"""Step that leaves out, or asks people about, items with a finding of each kind, and its documentation page."""
_OTHERWISE: Mapping[str, Remedy] = {
    "pictures_not_there": Remedy("option", "Name the folder of the pictures with `--pictures`.", page="audit.md"),
    LEFT_OUT: Remedy(
        "source",
        "Fix the rows, or name the columns with `--column`.",
        page="imported-questions.md",
    ),
    "missing_picture": Remedy(
        "source",
        "Restore the picture, state its path, or name its folder with `--pictures`.",
        page="imported-questions.md",
    ),
    "repeated_id": Remedy("source", "Give each row a unique id.", page="imported-questions.md"),
    "no_canary": Remedy(
        "source", "Freeze the items: a release holds a canary in every file.", page="release-format.md"
    ),
    "group_across_splits": Remedy(
        "source",
        "Split again with `benchwright release splits`, which keeps groups whole.",
        page="checking-releases.md",
    ),
    "statistical_power": Remedy("source", "Add items, or state differences with their interval.", page="audit-keys.md"),
    "score_effect": Remedy("people", _ASKED),
    "unread_replies": Remedy("option", "Fix the file that `--replies` names.", page="audit-keys.md"),
    "model_given_twice": Remedy("option", "Give each model only once with `--replies`.", page="audit-keys.md"),
}


def remedy_of(finding: Finding) -> Remedy:
    """Return the remedy for a finding."""
    if finding.kind in _OTHERWISE:
        return _OTHERWISE[finding.kind]
    step, page = _STEPS.get(finding.kind) or _of_rules(finding.kind) or _by_ending(finding.kind)
    in_recipe = f"In a recipe, the step `{step}` leaves out such items or asks about them." if step else ""
    if is_asked(finding):
        return Remedy("people", " ".join(filter(None, (_ASKED, in_recipe))), step, "audit-set-right.md")
    return Remedy("step", in_recipe, step, page) if step else _IN_SOURCE


def _of_rules(kind: str) -> tuple[str, str] | None:
    """Return the step that applies the rule for a kind, for faults of single items."""
    from benchwright.diagnostics.item_faults.rules import KINDS

    return ("question_faults", "item-filters.md#question_faults") if kind in KINDS else None


def _by_ending(kind: str) -> tuple[str | None, str]:
    """Return the step for families of kinds, identified by the ending of their names."""
    if kind.endswith("_picture"):
        return "quality", "quality.md"
    if kind.endswith(("_is_right", "_option_is_right")):
        return "wording_bias", "item-filters.md#wording_bias"
    if kind.startswith("shortcut_") or kind in {"learned_cue", "edited_pictures_told"}:
        return "shortcuts", "shortcuts.md"
    if kind.endswith(("_word", "_words", "_article", "_letter", "_mark", "_text", "_question", "_disagree")):
        return "language", "item-filters.md#language"
    return None, ""
