"""Questions with their right options, for the baselines that learn from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..questions import Question
from .base import Labelled

if TYPE_CHECKING:
    from benchwright.release import Release


def labelled(release: Release) -> Iterator[Labelled]:
    """Yield every item of every split that has a right option, without pictures."""
    for released in release.items():
        item = released.item
        key = item.answer if item.answer is not None else item.refusal
        if key is not None:
            question = Question(item.item_id, item.task, item.question, (), item.choices)
            yield Labelled(question, key, item.group_keys)
