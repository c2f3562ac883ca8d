"""The number of items needed to distinguish two models, and the smallest difference that given items can reveal."""

from __future__ import annotations

from math import ceil, sqrt

from benchwright.statistics.score_interval import Z_95

POWER, _Z_POWER = 0.8, 0.8416212335729143
"""The probability of finding an existing difference, and that quantile of the standard normal distribution."""


def joint_threshold(systems: int) -> float:
    """Return the statistic that the first pair of several systems with a difference must exceed at the 5 % level.

    It is the 95th percentile of the studentized range of as many normal variables, over the root of 2: that of the
    largest of all pairs' statistics if no system is better and all pairs vary alike. Joint tests of replies
    (`benchwright.statistics.joint_signs`) have a lower threshold if only some systems give similar answers.

    Args:
        systems: Number of systems of which all pairs are compared, from 2.

    Source: J. C. Hsu, Multiple Comparisons: Theory and Methods, Chapman and Hall 1996, section 5.1 (Tukey's method).

    Example:
        >>> round(joint_threshold(2), 2), round(joint_threshold(12), 2)
        (1.96, 3.27)
    """
    from scipy.stats import studentized_range

    return Z_95 if systems <= 2 else float(studentized_range.ppf(0.95, systems, float("inf"))) / sqrt(2)


def items_needed(
    discordant: float, difference: float, design_effect: float = 1.0, threshold: float = Z_95
) -> int | None:
    """Return the number of items for a paired test at the 5 % level to detect a difference in accuracy with 80 % power.

    n = (z_a sqrt(psi) + z_b sqrt(psi - delta^2))^2 / delta^2, with psi the proportion of items that exactly one model
    answers correctly and delta the difference; multiplied by the design effect for clustered items. The result is None
    if the difference is 0, because no number suffices.

    Args:
        discordant: psi, at least |delta|.
        difference: delta, -1 to 1.
        design_effect: Variance over clusters divided by variance over independent items.
        threshold: z_a, 1.96 for a single comparison; for many pairs tested together, that of their joint test.

    Source: R. J. Connor, "Sample size for testing differences in proportions for the paired-sample design",
    Biometrics 43 (1987), 207-211; after O. S. Miettinen, Biometrics 24 (1968), 339-352.

    Example:
        >>> items_needed(0.3, 0.1)
        234
    """
    if difference == 0:
        return None
    root = threshold * sqrt(discordant) + _Z_POWER * sqrt(max(0.0, discordant - difference**2))
    return max(1, ceil(design_effect * root * root / difference**2))


def least_difference(
    items: int, discordant: float, design_effect: float = 1.0, threshold: float = Z_95
) -> float | None:
    """Return the smallest difference in accuracy that a paired test at the 5 % level detects with 80 % power.

    With m = n / d it is sqrt(psi) (z_a sqrt(m) + z_b sqrt(m + z_b^2 - z_a^2)) / (m + z_b^2). The result is None if that
    exceeds psi, the largest possible difference between two models of which exactly one is right on that proportion of
    items.

    Args:
        items: Number of items, n.
        discordant: Proportion of items that exactly one of the models answers correctly, psi, 0 to 1.
        design_effect: d, at least 1.
        threshold: z_a, as in `items_needed`.

    Example:
        >>> round(least_difference(234, 0.3), 3)
        0.1
    """
    m = items / design_effect
    below_root = m + _Z_POWER**2 - threshold**2
    if discordant <= 0 or below_root < 0:
        return None
    difference = sqrt(discordant) * (threshold * sqrt(m) + _Z_POWER * sqrt(below_root)) / (m + _Z_POWER**2)
    return difference if difference <= discordant else None
