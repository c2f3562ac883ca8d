"""Checks of the information in scores: statistical power by task, and the effect of the findings on models' scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, ClassVar

from benchwright.diagnostics.keys.power import PowerAssumptions, TaskPower, power_by_task
from benchwright.diagnostics.keys.score_effects import ModelEffect, ScoreEffects, score_effects
from benchwright.diagnostics.keys.suspected_keys import LIKELY
from benchwright.texts.normalization import counted

from ..check import FOUND, AuditContext, CheckSkipped, require_enough
from ..evidence import given_replies
from ..findings.finding import Finding
from ..source.audited_items import AuditedItems
from .keys import DOUBTS, ranked

_ENOUGH = 0.05
"""Difference between accuracies that a benchmark should be able to detect."""
_PAIRS = 30
_BY_REPLIES = {"suspected_key", "ambiguous_item", *DOUBTS.values()}
"""Kinds of findings that are based on models' replies."""


class StatisticalPower:
    """The differences between two models that are too small to be detected."""

    name: ClassVar[str] = "power"
    title: ClassVar[str] = "Smallest difference between two models that this benchmark can detect"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding with the power of all tasks, if it is computed from replies or is low.

        Raises:
            CheckSkipped: No item has a key.
        """
        require_enough(audited.all_keyed, 1, of="items with a key")
        assumed = PowerAssumptions()
        every, *tasks = power_by_task(given_replies(audited, context).matrix, assumed)
        if every.is_assumed and every.least_difference is not None and every.least_difference <= _ENOUGH:
            return
        basis = (
            f"assumed: {assumed}"
            if every.is_assumed
            else f"from replies, median of {counted(every.pairs, 'pair')} of models"
        )
        yield Finding(
            "statistical_power",
            "low",
            (),
            f"Two models must differ by {_points(every)} for a paired test on the {counted(every.items, 'item')} to "
            f"find it (80 % power at the 5 % level; {basis}).",
            {"basis": basis, "all": _row(every), "tasks": {row.task: _row(row) for row in tasks}},
            "possible" if every.is_assumed else "likely",
        )


def _points(power: TaskPower) -> str:
    least = power.least_difference
    return "more than is possible" if least is None else f"{100 * least:.1f} points or more"


def _row(power: TaskPower) -> dict[str, Any]:
    return {
        "items": power.items,
        "clusters": power.clusters,
        "least_difference": None if power.least_difference is None else round(power.least_difference, 4),
        "items_for_5_points": power.items_needed,
        "discordant": round(power.discordant, 4),
        "design_effect": round(power.design_effect, 3),
        "pairs_of_models": power.pairs,
        "pairs_too_close": len(power.too_close),
        "too_close": [[first, second, round(gap, 4)] for first, second, gap in power.too_close[:_PAIRS]],
    }


class ScoresWithout:
    """The effect of the findings on models' scores."""

    name: ClassVar[str] = "score_effects"
    title: ClassVar[str] = "Scores of models with and without the items of findings"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding with each model's accuracy with and without the items concerned, in total and by kind.

        It takes into account findings of high or medium severity that name items, from the checks that ran before.

        Raises:
            CheckSkipped: No replies were given, or no finding names items.
        """
        matrix = given_replies(audited, context).matrix
        if not matrix.models:
            raise CheckSkipped("no replies: give those of a model with --replies NAME=FILE")
        if not matrix.scored.any():
            raise CheckSkipped("no reply belongs to an item with a key: give such replies with --replies NAME=FILE")
        found: list[Finding] = context.memo.get(FOUND, [])
        by_kind: defaultdict[str, set[str]] = defaultdict(set)
        for finding in found:
            if finding.severity != "low" and finding.items:
                by_kind[finding.kind] |= set(finding.items)
        concerned = set().union(*by_kind.values())
        if not concerned:
            raise CheckSkipped("no finding of high or medium severity names items")
        named = {finding.items[0] for finding in found if finding.kind == "suspected_key"}
        corrected = {
            suspect.item_id: suspect.favoured
            for suspect in (ranked(audited, context) if named else ())
            if suspect.item_id in named and suspect.probability >= LIKELY
        }
        every = score_effects(matrix, concerned, corrected=corrected)
        by_replies = sorted(_BY_REPLIES & by_kind.keys())
        circular = (
            f" Findings of the kind {', '.join(by_replies)} depend on these replies: leaving out their items raises "
            "scores by itself."
            if by_replies
            else ""
        )
        yield Finding(
            "score_effect",
            "medium" if every.swaps else "low",
            (),
            _summary(every) + circular,
            {
                "rows": [_line(effect) for effect in every.models],
                "keys_set_right": len(corrected),
                "by_kind": {kind: _of_kind(score_effects(matrix, items)) for kind, items in sorted(by_kind.items())},
                "all": every.to_json(),
            },
            "certain",
        )


def _of_kind(effects: ScoreEffects) -> dict[str, Any]:
    swaps = [f"{first} falls behind {second}" for first, second in effects.swaps]
    return {
        "items": effects.items,
        "rows": [_line(effect) for effect in effects.models],
        "changes": {effect.model: effect.change for effect in effects.models},
        "swaps": swaps,
    }


def _summary(effects: ScoreEffects) -> str:
    changes = [effect for effect in effects.models if effect.change is not None]
    parts = [f"Without the {counted(effects.items, 'item')} of findings"]
    if changes:
        most = max(changes, key=lambda effect: abs(effect.change or 0))
        parts.append(f"accuracy changes most for {most.model}: {_line(most).partition(': ')[2]}")
    if effects.swaps:
        parts.append("; ".join(f"{first} falls behind {second}" for first, second in effects.swaps[:5]))
    return f"{parts[0]}, {'; '.join(parts[1:]) if len(parts) > 1 else 'none is left to score'}."


def _line(effect: ModelEffect) -> str:
    """Return a model's effect as text, with accuracies in percent and changes in percentage points."""
    if effect.before.value is None or effect.after.value is None or effect.change is None:
        return f"{effect.model}: no items left to score"
    ends = effect.change_interval
    interval = "" if ends is None else f", 95 % interval {100 * ends.low:+.1f} to {100 * ends.high:+.1f}"
    corrected = effect.corrected
    right = "" if corrected is None or corrected.value is None else f"; {corrected.value:.1%} with keys set right"
    return (
        f"{effect.model}: {effect.before.value:.1%} with, {effect.after.value:.1%} without "
        f"({100 * effect.change:+.1f} points{interval}){right}"
    )
