"""The step `wording_bias`: items whose key a rule over words alone picks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from benchwright.diagnostics.shortcuts.wording_rules import Per, RuleResult, rule_results
from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict

if TYPE_CHECKING:
    import pyarrow as pa


REASON = "wording_gives_key_away"


class WordingBias(GatherStep):
    """Ask about items whose key a rule over words alone picks, in tasks where it does so more often than chance.

    A rule gives a task away where it beats chance by more than `max_gain` and its p-value, times the number of
    combinations of rule and task that were tried, is below `min_p`.

    Args:
        per: `task` for a group a task, `all` for one group.
        max_gain: Accuracy above chance, 0-1, up to which items pass.
        min_p: Probability, 0-1, below which a result is no chance.
        verdict: Verdict on the items that the rule picks right: `ask` or `drop`.

    Reasons:
        wording_gives_key_away (ask or drop): A rule over words alone picks the key.
    """

    name: ClassVar[str] = "wording_bias"
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"rules": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    per: Per = "task"
    max_gain: float = Field(0.1, ge=0, le=1)
    min_p: float = Field(0.05, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"

    def gives_away(self, rule: RuleResult, tried: int) -> bool:
        """Return whether the items that a rule picks right are flagged, where `tried` combinations were tried."""
        return rule.accuracy - rule.chance > self.max_gain and rule.p * tried < self.min_p

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Try all rules on all items."""
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        rules = rule_results(items, per=self.per, seed=ctx.seed)
        flagged: dict[int, list[RuleResult]] = defaultdict(list)
        for rule in rules:
            if self.gives_away(rule, len(rules)):
                for row in rule.rows:
                    flagged[row].append(rule)
        rows = sorted(flagged)
        verdicts: list[Verdict] = [self.verdict] * len(rows)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[REASON] * len(rows),
            values={"rules": [[rule.rule for rule in flagged[row]] for row in rows]},
            evidence=[{"rules": [rule.to_json() for rule in flagged[row]]} for row in rows],
        )
