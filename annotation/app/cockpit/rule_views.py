"""Parts of the rules page, as HTML: the form, the result of each rule, the changed items, and the votes saved."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import urlencode

from ...progress.rule_trial import KEPT, ChangedTask, RuleTrial, fates_of
from ...progress.sureness_trial import SurenessTrial, can_spare
from ...store.database.records import Campaign
from ...workflow.settlement.settle import OPEN
from ..auth.known_pages import RULES
from ..base.tables import table_html
from ..charts.curator_charts import parts_chart
from ..charts.own_page_charts import figures_html
from ..own_pages.html_fields import FieldWords, check_field, choice_field, hidden
from ..own_pages.live_form import live_form
from ..wording.curator_texts import TEXTS, rule_in_words, words_for
from .change_link import change_card

OWN, PROBLEM, TRIED, SURENESS, CHANGES, RECIPE_LINE = (
    f"rule-{part}" for part in ("own", "problem", "words", "sureness", "changes", "recipe")
)
"""Ids of the page parts that depend on the tried rule."""


class TriedRule(NamedTuple):
    """A rule that a curator tries in a campaign.

    Attributes:
        campaign: The campaign.
        trials: Effects of all possible rules, including the rule in force.
        picked: Effect of the tried rule.
        sees_sureness: Whether the page shows the votes that thresholds of sureness would save.
        problem: Problem of the address; empty for none.
    """

    campaign: Campaign
    trials: Sequence[RuleTrial]
    picked: RuleTrial
    sees_sureness: bool
    problem: str

    @property
    def own(self) -> RuleTrial:
        """Return the effect of the rule in force."""
        [own] = [trial for trial in self.trials if trial.is_in_force]
        return own

    @property
    def address(self) -> str:
        """Return the address of the page with this rule."""
        sureness = {"sureness": "yes"} if self.sees_sureness else {}
        return f"{RULES}?{urlencode({'campaign': self.campaign.name, 'rule': str(self.picked.rule), **sureness})}"


def rule_form(tried: TriedRule) -> str:
    """Return the menu of rules and, where votes can be saved, the checkbox that shows how many."""
    options = {str(trial.rule): _name_of(trial) for trial in tried.trials}
    menu = choice_field("rule", str(tried.picked.rule), FieldWords(TEXTS["rule_to_try"]), options)
    is_seen = "yes" if tried.sees_sureness else "no"
    spare = check_field("sureness", is_seen, FieldWords(TEXTS["sureness"])) if can_spare(tried.campaign) else ""
    return live_form(RULES, hidden("campaign", tried.campaign.name) + menu + spare)


def sentence(trial: RuleTrial) -> str:
    """Return a sentence on the effect of a rule on the tasks, and on its cost."""
    others = [
        f"{count:,} {words_for(fate)}" for fate, count in trial.fates.items() if count and fate not in {KEPT, OPEN}
    ]
    words = TEXTS["rule_does" if trial.is_in_force else "rule_would"].format(
        rule=rule_in_words(str(trial.rule)), kept=trial.fates[KEPT], tasks=sum(trial.fates.values())
    )
    parts = [words, *([TEXTS["rule_others"].format(others=", ".join(others))] if others else [])]
    if trial.fates[OPEN] or trial.further_votes:
        parts.append(TEXTS["rule_open"].format(open=trial.fates[OPEN], votes=trial.further_votes))
    return " ".join(parts)


def changes_words(changed: int, shown: int) -> str:
    """Return a sentence on the number of items that a rule changes."""
    if not changed:
        return TEXTS["rule_changes_none"]
    return TEXTS["rule_changes"].format(count=changed, shown=shown)


def change_line(task: ChangedTask) -> str:
    """Return the text that describes how one task changes."""
    return TEXTS["fate_change"].format(before=words_for(task.before), after=words_for(task.after))


def recipe_line(tried: TriedRule) -> str:
    """Return the line for the recipe, with a link to the form of the campaign's step."""
    rule = tried.picked.rule
    why = "" if tried.campaign.is_simulated else TEXTS["rule_recipe_why"]
    values = {"votes": rule.slots, "agree": rule.need, "adjudicated": rule.is_adjudicated}
    return change_card(TEXTS["rule_recipe"], f"rule: {rule}", why, tried.campaign.name, **values)


def sureness_table(trials: Sequence[SurenessTrial]) -> str:
    """Return a table of the votes that thresholds of certainty would save, and of decisions that would then differ."""
    heads = [TEXTS[f"sureness_{name}"] for name in ("until", "tasks", "spared", "otherwise")]
    rows = [
        [
            f"{trial.until:g}",
            str(trial.tasks),
            str(trial.votes_spared),
            TEXTS["sureness_of"].format(count=trial.otherwise, compared=trial.compared),
        ]
        for trial in trials
    ]
    why = f"<p>{escape(TEXTS['sureness_why'])}</p>"
    return f"<h2>{escape(TEXTS['sureness'])}</h2>{why}{table_html(TEXTS['sureness'], heads, rows)}"


def rules_figure(tried: TriedRule) -> str:
    """Return a chart of the result of every rule that settles a task, or of all rules if none settles any."""
    settling = [trial for trial in tried.trials if trial.fates[OPEN] < sum(trial.fates.values())]
    fates = fates_of(tried.campaign)
    rows = [(_name_of(trial), {fate: trial.fates[fate] for fate in fates}) for trial in settling or tried.trials]
    return figures_html([parts_chart("rules", TEXTS["tasks"], rows)])


def rules_table(tried: TriedRule) -> str:
    """Return a table of the results and costs of all rules."""
    fates = fates_of(tried.campaign)
    heads = [
        TEXTS["rule"], *map(words_for, fates), TEXTS["rule_decisions"], TEXTS["further_votes"], TEXTS["rule_changed"],
    ]  # fmt: skip
    cells = [
        [
            _name_of(trial),
            *(str(trial.fates[fate]) for fate in fates),
            str(trial.decisions),
            str(trial.further_votes),
            str(trial.changed),
        ]
        for trial in tried.trials
    ]
    return f"<h2>{escape(TEXTS['all_rules'])}</h2>{table_html(TEXTS['all_rules'], heads, cells)}"


def _name_of(trial: RuleTrial) -> str:
    name = rule_in_words(str(trial.rule))
    return TEXTS["rule_in_force"].format(rule=name) if trial.is_in_force else name
