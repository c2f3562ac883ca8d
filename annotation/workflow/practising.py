"""An annotator's practice in a campaign: the items one by one, the answers, whether these are right, and why."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchwright.seeds import seed_for

from ..agreement.region_comparison import compare_marks
from ..forms.assignment_settings import Qualification, assignment_settings_of
from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_values import FormError
from ..forms.kinds import REVIEW
from ..forms.practice_item import PracticeItem, practice_form
from ..forms.submission import Submission
from ..forms.task_content import TaskContent
from ..practice.practice_items import practice_items
from ..store.campaigns.practice import Practice, PracticeAnswer, PracticeAttempt
from ..store.database.records import Campaign, RefusedError
from ..store.review_store import ReviewStore
from ..store.submissions.pre_key_answers import ANSWER
from .settlement.marked_regions import regions_in, tolerance_of

_SOUND, _UNSOUND = "accept", "revise"
"""Possible outcomes of a reviewer's votes in practice."""
_OF_TASTE = "difficult"
"""Criterion for which either vote is right, since an easy item may be sound."""


@dataclass(frozen=True)
class PracticeState:
    """State of an annotator's practice in a campaign.

    Attributes:
        attempt: The latest attempt; None before the first.
        of: Number of items.
        qualification: The requirement for passing; None if practice is optional.
        is_qualified: Whether the annotator may decide.
        tries_left: Number of further attempts; None if attempts are unlimited.
    """

    attempt: PracticeAttempt | None
    of: int
    qualification: Qualification | None
    is_qualified: bool
    tries_left: int | None

    @property
    def is_open(self) -> bool:
        """Return whether an attempt is in progress."""
        return self.attempt is not None and self.attempt.ended_at is None


class PracticeQueue:
    """The practice of an annotator in a campaign. No method reads a clock: `now` is an argument."""

    def __init__(self, store: ReviewStore, campaign: Campaign, annotator: str) -> None:
        self.campaign = campaign
        self._practice = Practice(store)
        self._annotator = annotator
        own = self._practice.items(campaign)
        self.form: CampaignForm = practice_form(campaign.kind, campaign.form, is_own=bool(own))
        items = own or practice_items(campaign.kind)
        self._items: Mapping[str, PracticeItem] = {item.name: item for item in items}

    @property
    def is_there(self) -> bool:
        """Return whether the campaign has any practice items."""
        return bool(self._items)

    @property
    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    @property
    def is_qualified(self) -> bool:
        """Return whether the practice results let the annotator decide in the campaign."""
        return self._practice.is_qualified(self.campaign, self._annotator)

    @property
    def is_new(self) -> bool:
        """Return whether the annotator has neither decided nor practiced in the campaign."""
        return self._practice.is_new(self.campaign, self._annotator)

    def state(self) -> PracticeState:
        """Return the annotator's progress in practice."""
        attempt = self._practice.latest(self.campaign, self._annotator)
        qualification = assignment_settings_of(self.campaign.settings).qualification
        is_qualified = qualification is None or self.is_qualified
        most = None if qualification is None else qualification.attempts
        results = {result.name: result.attempts for result in self._practice.results(self.campaign)}
        left = None if most is None else max(0, most - results.get(self._annotator, 0))
        return PracticeState(attempt, len(self._items), qualification, is_qualified, left)

    def begin(self, *, now: datetime) -> PracticeAttempt:
        """Begin or continue an attempt, and return it; only in the first attempt are the items in their given order.

        Raises:
            RefusedError: The annotator has completed as many attempts as the campaign allows.
        """
        latest = self._practice.latest(self.campaign, self._annotator)
        names = list(self._items)
        if latest is not None and latest.ended_at is not None:
            place = seed_for(self.campaign.seed, self.campaign.name, self._annotator, "practice", latest.number)
            random.Random(place).shuffle(names)  # an order, not a secret
        return self._practice.begin(self.campaign, self._annotator, names, now=now)

    def item(self, name: str) -> PracticeItem:
        """Return the item with a given name.

        Raises:
            RefusedError: The campaign's practice has changed in the meantime and no longer has this item.
        """
        if name not in self._items:
            raise RefusedError("the practice items have changed; begin again")
        return self._items[name]

    def item_at(self, place: int) -> tuple[PracticeItem, PracticeAnswer | None]:
        """Return the item at a given index of the latest attempt, and the annotator's answer to it.

        Raises:
            RefusedError: The attempt has no such index.
        """
        attempt = self._practice.latest(self.campaign, self._annotator)
        if attempt is None or not 0 <= place < len(attempt.items):
            raise RefusedError("there is no such practice item")
        return self.item(attempt.items[place]), attempt.answers.get(place)

    def submit(self, place: int, submission: Submission, *, now: datetime) -> PracticeAttempt:
        """Store the annotator's decision on an item and whether it is right, or the answer if one is required first.

        Raises:
            RefusedError: The practice has ended, or the form does not accept the submission.
        """
        item, before = self.item_at(place)
        if self.form.blind_first and before is None:
            if submission.decision not in {choice.key for choice in item.content.choices}:
                raise RefusedError("this is not one of the options")
            said = PracticeAnswer(submission.decision, None, None)
        else:
            answer = None if before is None else before.answer
            decision, fields = self._decision(item, submission, answer)
            is_right = decision in item.right and (not item.answers or answer in item.answers)
            is_right = is_right and self._marks_are_right(item, fields)
            said = PracticeAnswer(answer, decision, is_right)
        return self._practice.answer(self.campaign, self._annotator, place, said, now=now)

    def _marks_are_right(self, item: PracticeItem, fields: Mapping[str, Any]) -> bool:
        """Return whether the marks are exactly the right regions, or True if no right regions are known."""
        if not item.regions:
            return True
        own, tolerance = regions_in(self.form, fields), tolerance_of(self.campaign)
        return compare_marks(own, item.regions, sizes_wh=item.content.sizes_wh, tolerance=tolerance).is_right

    def _decision(
        self, item: PracticeItem, submission: Submission, answer: str | None
    ) -> tuple[str, Mapping[str, Any]]:
        """Check a submission, and return its decision, spelled like the item's right ones, and the form's values."""
        form = self.form
        if form.typed is None:
            takes = [choice.key for choice in item.content.choices] if form.takes_choices else form.decisions
            if submission.decision not in takes:
                raise RefusedError("this is not one of the decisions")
            return submission.decision, {}
        fields: dict[str, Any] = dict(submission.fields or {})
        if answer is not None:
            fields[ANSWER] = answer
        letters = [choice.key for choice in item.content.choices]
        try:
            checked = form.typed.checked(
                fields, letters=letters, key=_key_of(item.content), sizes_wh=item.content.sizes_wh
            )
        except FormError as error:
            raise RefusedError(str(error)) from None
        if self.campaign.kind == REVIEW:
            votes = [value for name, value in checked.items() if name not in {ANSWER, _OF_TASTE}]
            finds_fault = bool(submission.edits) or "no" in votes
            return (_UNSOUND if finds_fault else _SOUND), checked
        return form.typed.headline_of(checked), checked


def _key_of(content: TaskContent) -> str | None:
    return content.answer or content.refusal
