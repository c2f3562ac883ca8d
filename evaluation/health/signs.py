"""Signs of contamination: the definition of a sign, and the items that show one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from benchwright.statistics import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SignName = Literal["without_pictures", "published_order", "canary", "hidden_texts", "older_items", "completion"]
TITLES: dict[SignName, str] = {
    "without_pictures": "right without the pictures",
    "published_order": "better in the published order of options",
    "canary": "the canary in replies",
    "hidden_texts": "texts in replies that models were never shown",
    "older_items": "better on items older than the training data",
    "completion": "questions completed word for word",
}
LEVEL = 0.05
FALSE_SHARE = 0.1
"""Expected proportion of false items among those that a sign names."""
LEAST_RUNS = 3
"""Smallest number of models for a sign to name items."""


class ModelSign(NamedTuple):
    """The finding about one model.

    Args:
        model: Name of the model.
        value: Measured value, such as an accuracy or a difference.
        ci: 95 % interval of the value; None if there is none.
        reference: Value expected without contamination.
        n: Number of items on which the value is based.
        p: p-value for the hypothesis that the value does not exceed the reference, Holm-adjusted across models.
    """

    model: str
    value: float
    ci: tuple[float, float] | None
    reference: float
    n: int
    p: float

    @property
    def is_found(self) -> bool:
        """Return whether the value exceeds the reference by more than chance explains."""
        return self.p < LEVEL


class Sign(NamedTuple):
    """A sign of contamination.

    Args:
        name: Name of the sign.
        looked_at: Whether the results can show the sign.
        words: The finding as text, or what is missing.
        command: Command that produces what is missing; None if nothing is.
        models: Finding for each model.
        items: Ids of the items that show the sign, about a tenth of them falsely, in the order of the release.
    """

    name: SignName
    looked_at: bool
    words: str
    command: str | None = None
    models: tuple[ModelSign, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def is_found(self) -> bool:
        """Return whether any model or item shows the sign."""
        return bool(self.items) or any(model.is_found for model in self.models)

    def document(self) -> dict[str, Any]:
        """Return the sign as JSON values."""
        return {
            **self._asdict(),
            "found": self.is_found if self.looked_at else None,
            "models": [{**model._asdict(), "found": model.is_found} for model in self.models],
            "items": list(self.items),
        }


def adjusted(signs: Sequence[ModelSign]) -> tuple[ModelSign, ...]:
    """Return the findings about models with p-values adjusted across all of them."""
    return tuple(
        sign._replace(p=p) for sign, p in zip(signs, holm([sign.p for sign in signs]) if signs else [], strict=True)
    )


def above_decoys(targets: NDArray[Any], decoys: NDArray[Any], share: float = 1.0) -> NDArray[np.bool_]:
    """Return the targets above the threshold at which, judging by the decoys, about a tenth of them are that high by
    chance.

    Decoys are scores of candidates that cannot be true, such as wrong options; if there is no effect, they are as high
    as targets. The threshold is the lowest at which (decoys + 1) share / targets is at most 0.1.

    Source: J. E. Elias, S. P. Gygi, "Target-decoy search strategy for increased confidence in large-scale protein
    identifications by mass spectrometry", Nature Methods 4 (2007), 207-214; the 1 is that of R. F. Barber, E. J.
    Candès, "Controlling the false discovery rate via knockoffs", Annals of Statistics 43 (2015), 2055-2085.

    Args:
        targets: Score of each item; NaN if there is none.
        decoys: Scores of decoys.
        share: Inverse of the number of decoys per target: 1 / (K - 1) if each item has K - 1 decoys.
    """
    import numpy as np

    known = targets[~np.isnan(targets)]
    for threshold in np.unique(known[known > 0]):
        if ((decoys >= threshold).sum() + 1) * share <= FALSE_SHARE * (known >= threshold).sum():
            result: NDArray[np.bool_] = targets >= threshold
            return result
    return np.zeros(len(targets), dtype=bool)
