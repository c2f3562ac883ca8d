"""All checks of the audit in running order; a new check needs a class and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from .check import AuditCheck

CHECKS: tuple[str, ...] = (
    "checks.left_out:RowsLeftOut",
    "checks.pictures:BrokenPictures",
    "checks.pictures:PictureFaults",
    "checks.copies:CopiedPictures",
    "checks.copies:CopiesElsewhere",
    "checks.splits:DividedGroups",
    "checks.questions:RepeatedIds",
    "checks.questions:RepeatedQuestions",
    "checks.open_questions:RepeatedOpenQuestions",
    "checks.item_faults:Options",
    "checks.questions:RotatedOptions",
    "checks.questions:MissingKeys",
    "checks.questions:FaultyRows",
    "checks.item_faults:AnswersGivenAway",
    "checks.item_faults:NamedPictures",
    "checks.item_faults:UnfinishedTexts",
    "checks.guessing:BestBlindStrategy",
    "checks.guessing:KeyLetters",
    "checks.guessing:GuessedFromWords",
    "checks.guessing:ShortcutBattery",
    "checks.guessing:EditedPairs",
    "checks.refusals:RefusalsFromQuestions",
    "checks.meaning:RelatedOptions",
    "checks.meaning:QuestionsAskedAgain",
    "checks.wording:Wording",
    "checks.item_faults:HiddenCharacters",
    "checks.item_faults:PersonalData",
    "checks.rights:PictureLicences",
    "checks.rights:PersonalMetadata",
    "checks.leaks:Canary",
    "checks.leaks:QuestionsElsewhere",
    "checks.asking_models:BlindModels",
    "checks.picture_text:TextInPictures",
    "checks.safety:UnsafePictures",
    "checks.asking_models:SecondRightOptions",
    "checks.asking_models:EqualOptions",
    "checks.item_faults:ExplainedKeys",
    "checks.keys:UnreadReplies",
    "checks.keys:DoubtedTasks",
    "checks.keys:SuspectedKeys",
    "checks.keys:AmbiguousItems",
    "checks.scores:StatisticalPower",
    "checks.scores:ScoresWithout",  # the last: it counts the findings of the others
)
"""Path `module:Class` of each check, relative to `benchwright.audit`."""


def all_checks(names: Sequence[str] = CHECKS) -> list[AuditCheck]:
    """Return the checks in running order."""
    checks: list[AuditCheck] = []
    for target in names:
        module, _, attribute = target.partition(":")
        checks.append(getattr(import_module(f"{__package__}.{module}"), attribute)())
    return checks
