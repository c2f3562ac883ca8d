"""How many items tell two models apart, and which difference a number of items tells."""

from __future__ import annotations

from math import ceil, sqrt

from benchwright.statistics.score_interval import Z_95

POWER, _Z_POWER = 0.8, 0.8416212335729143
"""The chance of finding a difference that is there, and that point of the standard normal distribution."""


def items_needed(discordant: float, difference: float, design_effect: float = 1.0) -> int | None:
    """Return how many items let a paired test at 5 % find a difference of accuracies with 80 % power.

    n = (z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2, with psi the share of items that just one model has right
    and delta the difference; multiplied by the design effect where items come in clusters. The number holds for a
    single comparison; a test of many pairs together needs more items. None where the difference is 0, because no number
    suffices.

    Args:
        discordant: psi, at least |delta|.
        difference: delta, -1 to 1.
        design_effect: Variance over clusters divided by variance over independent items.

    Source: R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design",
    Biometrics 43 (1987), 207-211; after O. S. Miettinen, Biometrics 24 (1968), 339-352.

    Example:
        >>> items_needed(0.3, 0.1)
        234
    """
    if difference == 0:
        return None
    root = Z_95 * sqrt(discordant) + _Z_POWER * sqrt(max(0.0, discordant - difference**2))
    return max(1, ceil(design_effect * root * root / difference**2))


def least_difference(items: int, discordant: float, design_effect: float = 1.0) -> float | None:
    """Return the smallest difference of two models' accuracies that a paired test at 5 % finds with 80 % power.

    With m = n / d it is sqrt(psi) (z_a sqrt(m) + z_b sqrt(m + z_b^2 - z_a^2)) / (m + z_b^2). None where that exceeds
    psi, the greatest difference that two models can have of which just one is right on so many items.

    Args:
        items: Number of items, n.
        discordant: Share of items that just one of the models has right, psi, 0 to 1.
        design_effect: d, at least 1.

    Example:
        >>> round(least_difference(234, 0.3), 3)
        0.1
    """
    m = items / design_effect
    below_root = m + _Z_POWER**2 - Z_95**2
    if discordant <= 0 or below_root < 0:
        return None
    difference = sqrt(discordant) * (Z_95 * sqrt(m) + _Z_POWER * sqrt(below_root)) / (m + _Z_POWER**2)
    return difference if difference <= discordant else None
