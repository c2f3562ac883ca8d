"""The step `wording_bias`, which finds items whose key a rule picks from the words alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from benchwright.diagnostics.shortcuts.picks import Bounds
from benchwright.diagnostics.shortcuts.wording_rules import Per, RuleResult, rule_results
from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream, Verdict

if TYPE_CHECKING:
    import pyarrow as pa


_REASON = "wording_gives_key_away"


class WordingBias(GatherStep):
    """Ask about items whose key a rule picks from words alone, in tasks where the rule does so more often than chance.

    A rule gives a task away if it picks an option in 10 items or more, beats chance on these by more than `max_gain`,
    and has a p-value below `min_p`, adjusted over all combinations of rule and task (Holm).

    Args:
        per: `task` for one group per task, `all` for one group, `both` for the tasks and all items, as one family of
            tests.
        max_gain: Largest accuracy above chance, 0-1, at which items pass.
        min_p: Adjusted p-value, 0-1, below which a result counts as better than chance.
        verdict: Verdict on the items that the rule picks right: `ask` or `drop`.

    Reasons:
        wording_gives_key_away (ask or drop): A rule picks the key from words alone.
    """

    name: ClassVar[str] = "wording_bias"
    version: ClassVar[int] = 4
    consumes: ClassVar[Stream] = "items"
    values: ClassVar[Mapping[str, str]] = {"rules": "list<string>"}
    columns: ClassVar[tuple[str, ...]] = ("record",)

    per: Per = "both"
    max_gain: float = Field(Bounds().max_gain, ge=0, le=1)
    min_p: float = Field(Bounds().min_p, ge=0, le=1)
    verdict: Literal["ask", "drop"] = "ask"

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Try all rules on all items."""
        items = [Item.model_validate_json(record) for record in columns["record"].to_pylist()]
        del ctx
        bounds = Bounds(self.max_gain, self.min_p)
        flagged: dict[int, list[RuleResult]] = defaultdict(list)
        for rule in rule_results(items, per=self.per):
            if rule.gives_away(bounds):
                for row in rule.rows:
                    flagged[row].append(rule)
        rows = sorted(flagged)
        verdicts: list[Verdict] = [self.verdict] * len(rows)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[_REASON] * len(rows),
            values={"rules": [[rule.rule for rule in flagged[row]] for row in rows]},
            evidence=[{"rules": [rule.to_json() for rule in flagged[row]]} for row in rows],
        )
