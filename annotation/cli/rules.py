"""``benchwright review rules``: the effects of other rules on a campaign's decisions so far."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..progress.rule_trial import RuleTrial
    from ..store.review_store import ReviewStore
    from ..workflow.settlement.rules import Rule


@click.command("rules")
@workspace_option
@campaign_option
@click.option(
    "--rule",
    "texts",
    multiple=True,
    metavar="RULE",
    help="Rule to try, as in a recipe, such as `unanimous(2)`; may be repeated.  [default: those for one to five "
    "annotators]",
)
@click.option(
    "--sureness",
    is_flag=True,
    help="Also report, at several thresholds, how many votes it would save to close tasks as soon as their "
    "decision is sure.",
)
@click.option(
    "--apply",
    "is_applied",
    is_flag=True,
    help="Put the one rule of --rule in force: every decision stays, and tasks get as many slots as it needs. Set the "
    "same rule in the recipe before its next run.",
)
@json_option(
    """
    `{"campaign", "rules": [{"rule", "in_force", "kept", "to_revise", "waits", "no_agreement", "dropped", "open",
    "decisions", "further_votes", "changed"}]}`; counts are of tasks: `waits` for an adjudicator, `open` where missing
    decisions can still change the outcome, `changed` where this rule and the one in force settle it
    differently; `decisions` is the number that the rule requires in all, `further_votes` the number still missing.
    With `--sureness` also `"sureness": [{"until", "tasks", "votes_spared", "otherwise", "compared"}]`: tasks that would
    close early, and of those with all their votes (`compared`) the number that would be decided `otherwise`
    """
)
def rules(
    workspace: Path | None,
    campaign: str | None,
    texts: tuple[str, ...],
    sureness: bool,
    is_applied: bool,
    as_json: bool,
) -> None:
    """Show the effects of other rules on a campaign's decisions so far; only `--apply` changes anything.

    A rule for fewer annotators uses the first of them. Under a rule for more, a task counts as settled if it is kept or
    dropped whatever the missing decisions are.
    """
    from ..progress.rule_trial import can_try, fates_of, try_rules
    from ..progress.sureness_trial import can_spare, try_sureness
    from ..workflow.settlement.rules import parse_rule

    wanted = [parse_rule(text) for text in texts] or None
    if is_applied and (wanted is None or len(wanted) != 1):
        raise BenchwrightError("--apply puts one rule in force; name it with --rule")
    with open_for_commands(workspace) as store:
        settings = store.campaign(pick_campaign(store, campaign))
        if not can_try(settings):
            raise BenchwrightError(
                f"no rule settles the tasks of {settings.name!r}: {settings.rule} counts every answer"
            )
        trials = try_rules(store, settings, wanted)
        if sureness and not can_spare(settings):
            raise BenchwrightError(f"votes of {settings.name!r} cannot be spared; see `further_votes` of its step")
        spared = try_sureness(store, settings) if sureness else []
        if is_applied and wanted is not None:
            _apply(store, settings.name, wanted[0])
    document: dict[str, Any] = {"campaign": settings.name, "rules": [trial.to_json() for trial in trials]}
    if sureness:
        document["sureness"] = [trial._asdict() for trial in spared]
    lines = [
        f"sure from {trial.until:g}: {counted(trial.tasks, 'task')} close early, "
        f"{counted(trial.votes_spared, 'vote')} spared; {trial.otherwise} of {trial.compared} would be decided "
        "otherwise"
        for trial in spared
    ]
    emit(document, as_json=as_json, text=lambda: "\n".join([_text(settings.name, fates_of(settings), trials), *lines]))


def _apply(store: ReviewStore, name: str, rule: Rule) -> None:
    """Put a rule into force, and close and open tasks as it requires."""
    from ..store.campaigns.rule_changes import change_rule
    from ..store.database.audit import COMMAND_LINE, clock
    from ..workflow.settlement.closing import close_early

    with store.batch() as held:
        with held.writing(alone=True) as connection:
            change_rule(connection, name, rule=str(rule), slots_per_task=rule.slots, by=COMMAND_LINE, now=clock())
        close_early(held, name)


def _text(name: str, fates: Sequence[str], trials: Sequence[RuleTrial]) -> str:
    head = [fate.replace("_", " ") for fate in fates]
    columns = ["rule", *head, "further votes", "changed"]
    rows = [_row(trial, fates) for trial in trials]
    widths = [max(len(row[place]) for row in [columns, *rows]) for place in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) if place == 0 else cell.rjust(width) for place, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in [columns, *rows])
    ]
    return "\n".join([f"{name}, by the decisions so far (* in force):", *lines])


def _row(trial: RuleTrial, fates: Sequence[str]) -> list[str]:
    counts: list[Any] = [*(trial.fates[fate] for fate in fates), trial.further_votes, trial.changed]
    return [f"{trial.rule}{' *' if trial.is_in_force else ''}", *map(str, counts)]
