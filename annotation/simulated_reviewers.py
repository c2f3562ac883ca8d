"""Simulated annotators of a review: they answer, vote, and edit what they do not find good."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .simulated import Added, Share, SimulatedAnswerers, look_closely
from .store.blind import ANSWER

if TYPE_CHECKING:
    import numpy as np


class SimulatedReviewers(SimulatedAnswerers):
    """They answer as simulated annotators of `answer` do, then vote; who votes no makes a plain edit of the question.

    Attributes:
        approval: Chance that one votes for a criterion, 0 to 1.
    """

    approval: Share = 1.0

    def adds(
        self, payload: Mapping[str, Any], decision: str, form: Mapping[str, Any], rng: np.random.Generator
    ) -> Added:
        """Vote on every criterion of the form."""
        criteria = [field["name"] for field in form["fields"] if field["type"] == "one_of"]
        votes = {one: "yes" if rng.random() < self.approval else "no" for one in criteria}
        edits = look_closely(payload) if "no" in votes.values() else None
        return Added({ANSWER: decision, **votes}, edits)
