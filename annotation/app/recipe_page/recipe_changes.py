"""The effect of a recipe change before it is applied: decided items under another rule, records at other thresholds.

text now ─┬─▶ rules        decided items with another outcome, votes that are still needed
new text ─┘   thresholds   records that a filter would keep or drop instead
              steps        added, removed, changed otherwise: the next run repeats them
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.pipeline.planning.plan import check_final_steps, plan
from benchwright.steps import Step

from ...forms.kinds import ANSWER
from ...items.threshold_trial import (
    FilterThreshold,
    ThresholdTrial,
    decided_by_hand,
    filter_thresholds,
    read_measured,
    try_threshold,
)
from ...progress.rule_trial import RuleTrial, can_try, try_rules
from ...store.campaigns.rule_changes import change_rule, check_rule_change
from ...store.review_store import ReviewStore
from ...workflow.settlement.closing import close_early
from ...workflow.settlement.rules import parse_rule
from .recipe_file import RecipeFile, write_recipe_file
from .recipe_reach import check_reach


class RuleChange(NamedTuple):
    """A changed rule of an open campaign.

    Attributes:
        campaign: Name of the campaign.
        before: The current rule.
        after: The rule in the new text, in the notation of the store.
        slots: Number of annotators who decide each task under the new rule.
        decisions: Number of decisions so far if no rule settles the campaign's tasks; otherwise 0.
        trial: Results of the new rule on the decisions so far; None if no rule settles the campaign's tasks.
        trial_before: Results of the current rule on the same decisions.
    """

    campaign: str
    before: str
    after: str
    slots: int
    decisions: int
    trial: RuleTrial | None
    trial_before: RuleTrial | None


class ThresholdChange(NamedTuple):
    """A changed threshold of a filter that has run."""

    threshold: FilterThreshold
    trial: ThresholdTrial


class RecipeChange(NamedTuple):
    """The changes that a new recipe text makes.

    Attributes:
        file: The present file.
        text: The new text.
        rules: Rules of open campaigns.
        thresholds: Thresholds of filters that have run.
        added: New entries.
        gone: Removed entries.
        others: Entries with other changes.
    """

    file: RecipeFile
    text: str
    rules: tuple[RuleChange, ...]
    thresholds: tuple[ThresholdChange, ...]
    added: tuple[str, ...]
    gone: tuple[str, ...]
    others: tuple[str, ...]


def recipe_change(workspace: Path, store: ReviewStore, file: RecipeFile, text: str) -> RecipeChange:
    """Return the changes that a new recipe text makes, without applying them.

    Raises:
        BenchwrightError: The new text is not a recipe or reaches farther than the present one (`check_reach`), its
            steps do not fit together, or a campaign cannot take its new rule.
    """
    after = file.parsed(text)
    check_reach(file.text, text, file.path.parent)
    check_final_steps(plan(after.steps), seed=after.header.seed)
    old, new = dict(file.parsed().steps), dict(after.steps)
    changed = [entry for entry in new if entry in old and _settings(old[entry]) != _settings(new[entry])]
    rules = tuple(_rule_changes(store, {entry: new[entry] for entry in changed}))
    thresholds = tuple(_threshold_changes(workspace, store, {entry: new[entry] for entry in changed}))
    told = {change.campaign for change in rules} | {change.threshold.stage.entry for change in thresholds}
    return RecipeChange(
        file, text, rules, thresholds,
        tuple(entry for entry in new if entry not in old),
        tuple(entry for entry in old if entry not in new),
        tuple(entry for entry in changed if entry not in told),
    )  # fmt: skip


def apply_change(workspace: Path, store: ReviewStore, change: RecipeChange, *, by: str, now: datetime) -> None:
    """Write the new text and change the rules of open campaigns: either both or neither.

    Args:
        workspace: Folder of the workspace.
        store: Its review store.
        change: The change.
        by: Name of the curator, for the log.
        now: Time of the call.

    Raises:
        BenchwrightError: The recipe or a campaign has changed in the meantime.
    """
    with store.batch() as held:
        for rule in change.rules:
            with held.writing(alone=True) as connection:
                change_rule(connection, rule.campaign, rule=rule.after, slots_per_task=rule.slots, by=by, now=now)
            close_early(held, rule.campaign)
        held.record("recipe_changed", actor=by, now=now, recipe=change.file.path.name, before=change.file.digest)
        write_recipe_file(workspace, change.file, change.text)


def _settings(step: Step) -> Mapping[str, Any]:
    return step.model_dump(mode="json")


def rule_of(step: Step) -> tuple[str, int] | None:
    """Return a campaign's rule as stored, and the number of annotators per task, or None if it has no rule."""
    stated = getattr(step, "rule", None)
    if isinstance(stated, str):
        rule = parse_rule(stated)
        return str(rule), rule.slots
    people = getattr(step, "annotators_per_item", None)
    return (f"answers({people})", people) if step.name == ANSWER and isinstance(people, int) else None


def _rule_changes(store: ReviewStore, changed: Mapping[str, Step]) -> list[RuleChange]:
    """Return the changed rules of open campaigns, after checking that they may change."""
    known, changes = set(store.campaign_names()), []
    for entry, step in changed.items():
        ruled = rule_of(step)
        if ruled is None or entry not in known:
            continue
        campaign = store.campaign(entry)
        if campaign.is_simulated or (campaign.rule, campaign.slots_per_task) == ruled:
            continue
        with store.reading() as connection:
            check_rule_change(connection, campaign, slots_per_task=ruled[1])
        trial = own = None
        if can_try(campaign):
            own, trial = try_rules(store, campaign, [parse_rule(campaign.rule), parse_rule(ruled[0])])
        decisions = 0 if trial is not None else len(store.decisions(entry))
        changes.append(RuleChange(entry, campaign.rule, *ruled, decisions, trial, own))
    return changes


def _threshold_changes(workspace: Path, store: ReviewStore, changed: Mapping[str, Step]) -> list[ThresholdChange]:
    """Return the changed thresholds of filters that have run."""
    changes = []
    for found in filter_thresholds(workspace):
        step = changed.get(found.stage.entry)
        at = None if step is None else getattr(step, found.threshold.setting, None)
        if not isinstance(at, int | float) or isinstance(at, bool) or float(at) == found.threshold.at:
            continue
        by_hand = decided_by_hand(store, found)
        changes.append(
            ThresholdChange(found, try_threshold(read_measured(workspace, found), float(at), by_hand=by_hand))
        )
    return changes
