"""How many items it takes to tell two models apart."""

from __future__ import annotations

from math import ceil, sqrt

from benchwright.score_interval import Z_95

POWER, Z_POWER = 0.8, 0.8416212335729143
"""The chance of finding a difference that is there, and that point of the standard normal distribution."""


def items_needed(discordant: float, difference: float, design_effect: float = 1.0) -> int | None:
    """Return how many items let a paired test at 5 % find a difference of accuracies with a chance of 80 %.

    n = (z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2, with psi the share of items that just one model has right
    and delta the difference; times the design effect where items come in clusters. For one comparison: where many pairs
    are tested together, it takes more. None where there is no difference: no number would do.

    Args:
        discordant: psi, at least |delta|.
        difference: delta, -1 to 1.
        design_effect: Variance over clusters by variance over independent items.

    Source: R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design",
    Biometrics 43 (1987), 207-211; after O. S. Miettinen, Biometrics 24 (1968), 339-352.

    Example:
        >>> items_needed(0.3, 0.1)
        234
    """
    if difference == 0:
        return None
    root = Z_95 * sqrt(discordant) + Z_POWER * sqrt(max(0.0, discordant - difference**2))
    return max(1, ceil(design_effect * root * root / difference**2))
