"""All checks of the audit, in the order in which they run; a new check is a class and one line here."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from .check import AuditCheck

CHECKS: tuple[str, ...] = (
    "checks:BrokenPictures",
    "checks:PictureFaults",
    "checks:CopiedPictures",
    "checks:CopiesElsewhere",
    "checks:TornGroups",
    "checks:RepeatedIds",
    "checks:RepeatedQuestions",
    "checks:RepeatedAnswerOptions",
    "checks:RotatedOptions",
    "checks:MissingKeys",
    "checks:NamedAnswers",
    "checks:KeyLetters",
    "checks:GuessedFromWords",
    "checks:ShortcutBattery",
    "checks:Wording",
    "checks:HiddenCharacters",
    "checks:PictureLicences",
    "checks:PersonalMetadata",
    "checks:Canary",
    "checks:QuestionsElsewhere",
    "checks:BlindModels",
    "checks:TextInPictures",
    "checks:UnsafePictures",
    "checks:SecondRightOptions",
    "checks:EqualOptions",
    "checks:ContradictedKeys",
    "checks:UnreadReplies",
    "checks:SuspectedKeys",
    "checks:AmbiguousItems",
    "checks:StatisticalPower",
    "checks:ScoresWithout",  # the last: it counts what the others found
)
"""`module:Class` of each check, below `benchwright.audit`."""


def all_checks(names: Sequence[str] = CHECKS) -> list[AuditCheck]:
    """Return the checks, in order."""
    checks: list[AuditCheck] = []
    for target in names:
        module, _, attribute = target.partition(":")
        checks.append(getattr(import_module(f"{__package__}.{module}"), attribute)())
    return checks
