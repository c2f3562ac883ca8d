"""Attention checks: items that ask for a given option, to show whether annotators read the questions.

They look like the campaign's other items, with the pictures of one of them, and are assigned like gold items. An
annotator's decisions on them count only toward that annotator's proportion of right checks.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from benchwright.canonical import digest
from benchwright.seeds import seed_for

from ..forms.assignment_settings import AssignmentSettings
from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import OneOf
from ..forms.kinds import ANSWER, ATTENTION, PAIR, SCREEN, SCREEN_ITEMS, VERIFY
from ..forms.payloads import TaskInput, item_in

CHECKED_KINDS = (VERIFY, ANSWER, SCREEN, SCREEN_ITEMS, PAIR)
"""Kinds of campaigns that can have attention checks."""
_MOST_CHECKS = 40
QUESTION = "This one only checks that questions are read. Whatever the picture shows, choose “{option}”."
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_WHY = "It only checked that questions are read."


class AttentionChecks:
    """The attention checks of a campaign, which are made from its own items once all of these are known.

    Args:
        kind: Kind of the campaign.
        form: Form of its decisions.
        handout: Settings of the assignment of its tasks.
        seed: Seed of the campaign.
    """

    def __init__(self, kind: str, form: CampaignForm, handout: AssignmentSettings, *, seed: int) -> None:
        self._kind, self._form, self._handout, self._seed = kind, form, handout, seed
        self._models: list[TaskInput] = []
        self._others, self._gold = 0, 0

    def note(self, task_input: TaskInput) -> None:
        """Count an item of the campaign, and keep some of the items, whose pictures the checks use."""
        self._gold += task_input.gold is not None
        self._others += task_input.gold is None
        if self._handout.attention_rate is not None and len(self._models) < _MOST_CHECKS:
            self._models.append(task_input)

    def made(self) -> Iterator[TaskInput]:
        """Yield as many checks as the rate requires; an annotator who sees all items gets each check once."""
        rate = self._handout.attention_rate
        if rate is None or not self._models:
            return
        wanted = self._gold * rate / self._handout.gold_rate if self._gold else self._others * rate
        for number in range(min(_MOST_CHECKS, max(1, ceil(wanted)))):
            yield self._check(number, self._models[number % len(self._models)])

    def _check(self, number: int, model: TaskInput) -> TaskInput:
        item = item_in(model.payload)
        drawn = seed_for(self._seed, ATTENTION, str(number))
        choices: list[dict[str, Any]] = []
        if self._kind == ANSWER:
            letters = [choice["key"] for choice in item["choices"]][: len(ORDINALS)]
            choices = [_option(letter, words) for letter, words in zip(letters, ORDINALS, strict=False)]
            place = drawn % len(letters)
            right, option = letters[place], ORDINALS[place]
        elif self._kind == VERIFY:  # an annotator who only presses accept does not read
            right, option = "reject", "Reject"
            choices = [_option("A", "Accept"), _option("B", "Reject")]
        else:
            right, option = self._of_form(drawn)
        check_id = digest([ATTENTION, self._kind, self._seed, number])[:32]
        payload = {
            **item,
            "item_id": check_id,
            **({"kind": "multiple_choice"} if "kind" in item else {}),
            "task": ATTENTION,
            "question": QUESTION.format(option=option),
            "choices": choices,
            "answer": right if self._kind == ANSWER else "B" if choices else None,
            "refusal": None,
            "explanation": None,
        }
        return TaskInput(check_id, digest(payload), payload, gold=right, gold_why=_WHY)

    def _of_form(self, drawn: int) -> tuple[str, str]:
        """Return an option of the form's first field: any option in `pair`, otherwise any option but the first."""
        form = self._form.typed
        assert form is not None, "these kinds have forms of fields"
        assert isinstance(form.headline, OneOf), "whose first is a choice among options"
        options = form.headline.options if self._kind == PAIR else form.headline.options[1:]
        option = options[drawn % len(options)]
        return option.code, option.words


def _option(letter: str, words: str) -> dict[str, Any]:
    return {"key": letter, "text": words, "image_id": None}
