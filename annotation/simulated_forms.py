"""Simulated annotators of campaigns whose forms begin with a choice of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .pair_form import DIFFERENT, SAME
from .rules import Rule
from .screening_form import DISCARD, KEEP
from .simulated import Added, Share, SimulatedGroup, check_enough

if TYPE_CHECKING:
    import numpy as np


class SimulatedScreeners(SimulatedGroup):
    """They discard at a given rate, whatever they are shown.

    Attributes:
        discard_rate: Chance that one discards what it is shown, 0 to 1.
        reasons: Reasons for it, one of them each time; all of the form where empty.
    """

    discard_rate: Share = 0.0
    reasons: tuple[str, ...] = ()

    def fit_for(self, rule: Rule, reasons: Sequence[str]) -> SimulatedScreeners:
        """Return the group with the form's reasons where it has none of its own.

        Raises:
            ValueError: It is too small for the rule, or has reasons that the form has not.
        """
        check_enough(self, rule)
        if unknown := sorted(set(self.reasons) - set(reasons)):
            raise ValueError(f"reason {unknown[0]!r} is none of the form's: {', '.join(reasons)}")
        return self.model_copy(update={"reasons": self.reasons or tuple(reasons)})

    def adds(
        self, payload: Mapping[str, Any], decision: str, form: Mapping[str, Any], rng: np.random.Generator
    ) -> Added:
        """Keep or discard."""
        del payload, decision, form
        discards, which = rng.random() < self.discard_rate, rng.random()
        if not discards:
            return Added({"verdict": KEEP})
        return Added({"verdict": DISCARD, "reasons": [self.reasons[int(which * len(self.reasons))]]})


class SimulatedPairers(SimulatedGroup):
    """They call pairs the same picture at a given rate, whatever they are shown.

    Attributes:
        same_rate: Chance that one says that both are the same picture, 0 to 1.
    """

    same_rate: Share = 0.0

    def adds(
        self, payload: Mapping[str, Any], decision: str, form: Mapping[str, Any], rng: np.random.Generator
    ) -> Added:
        """Say that they are the same, or not."""
        del payload, decision, form
        return Added({"verdict": SAME if rng.random() < self.same_rate else DIFFERENT})
