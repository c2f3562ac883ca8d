"""The human baseline annotator by annotator, and who of them was best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .score import Figure

LEAST_OF_THE_BUSIEST = 0.5
"""Share of the items that the busiest annotator answered which an annotator must have answered to be called best."""

Metrics = Mapping[str, Figure]


def answers_by_annotator(items: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, dict[str, int]]]:
    """Return each annotator's own answers in the shape of a baseline's items, each asked once.

    Args:
        items: Of one campaign, as `read_human_baseline` returns them; those that do not say who was right are left out.
    """
    found: dict[str, dict[str, dict[str, int]]] = {}
    for item_id, told in items.items():
        for annotator, right in told.get("by", {}).items():
            found.setdefault(annotator, {})[item_id] = {"asked": 1, "right": int(right)}
    return {annotator: found[annotator] for annotator in sorted(found, key=_number)}


def best_of(each: Mapping[str, Metrics]) -> str | None:
    """Return who was right most often; None of fewer than two annotators.

    Only those count who answered at least `LEAST_OF_THE_BUSIEST` as many items as whoever answered the most, since
    three lucky answers make nobody the best. Of equals it is who answered more, then whose number is lower.
    """
    if len(each) < 2:
        return None
    answered = {name: metrics["accuracy"].n for name, metrics in each.items()}
    enough = [name for name, n in answered.items() if n >= LEAST_OF_THE_BUSIEST * max(answered.values())]
    return max(enough, key=lambda name: (each[name]["accuracy"].value or 0.0, answered[name], -_number(name)))


def _number(pseudonym: str) -> int:
    return int(pseudonym.rpartition("-")[2])
