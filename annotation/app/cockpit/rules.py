"""The curator's page of rules: the result of each rule on the decisions so far, and the items it would change."""

from __future__ import annotations

import streamlit as st

from ...items.item_search import FoundRecord, records_of
from ...progress.rule_trial import KEPT, ChangedTask, RuleTrial, can_try, changed_tasks, fates_of, try_rules
from ...progress.sureness_trial import can_spare, try_sureness
from ...workflow.settlement.settle import OPEN
from ..base.cache import cached
from ..base.request import PageRequest
from ..base.tables import show_rows
from ..charts.curator_charts import parts_chart
from ..charts.showing import show_chart
from ..item_grid.grid import GridTile, show_grid
from ..item_pages.items import ITEM, record_tile, refreshed
from ..wording.curator_texts import TEXTS, rule_in_words, words_for
from ..wording.directed_text import inert
from .change_link import show_change_link

_MOST_CHANGED = 24
"""Maximum number of pictures of changed items; the page only counts the rest."""


def show_rules(request: PageRequest, *, item: st.Page) -> None:
    """Show the effect of every possible rule for the campaign, and the items that a selected rule changes."""
    store, campaign = request.state.store, request.campaign
    if not can_try(campaign):
        st.info(TEXTS["no_rule_to_try"])
        return
    with st.spinner(TEXTS["reckoning"]):
        trials = cached((*request.stamp, "rules"), lambda: try_rules(store, campaign))
    st.caption(TEXTS["rules_why"])
    [own] = [trial for trial in trials if trial.is_in_force]
    st.markdown(sentence(own))
    picked = _pick(trials)
    st.markdown(sentence(picked))
    _show_picked(request, picked, item)
    _show_all(trials, fates_of(campaign))
    _show_sureness(request)


def sentence(trial: RuleTrial) -> str:
    """Return a sentence on the effect of a rule on the tasks, and on its cost."""
    parts = [
        f"{count:,} {words_for(fate)}" for fate, count in trial.fates.items() if count and fate not in {KEPT, OPEN}
    ]
    name = "rule_does" if trial.is_in_force else "rule_would"
    words = TEXTS[name].format(
        rule=inert(rule_in_words(str(trial.rule))), kept=trial.fates[KEPT], tasks=sum(trial.fates.values())
    )
    parts = [words, *([TEXTS["rule_others"].format(others=inert(", ".join(parts)))] if parts else [])]
    if trial.fates[OPEN] or trial.further_votes:
        parts.append(TEXTS["rule_open"].format(open=trial.fates[OPEN], votes=trial.further_votes))
    return " ".join(parts)


def _pick(trials: list[RuleTrial]) -> RuleTrial:
    others = {rule_in_words(str(trial.rule)): trial for trial in trials if not trial.is_in_force}
    # The most likely question first: a rule that changes an item.
    first = next((place for place, trial in enumerate(others.values()) if trial.changed), 0)
    return others[st.selectbox(TEXTS["rule_to_try"], list(others), index=first)]


def _show_picked(request: PageRequest, trial: RuleTrial, item: st.Page) -> None:
    """Show the changes from the current rule, as pictures, and the line for the recipe."""
    if not trial.changed:
        st.caption(TEXTS["rule_changes_none"])
    else:
        key = (*request.stamp, "rule-changes", str(trial.rule))
        changed = cached(key, lambda: changed_tasks(request.state.store, request.campaign, trial.rule))
        st.caption(TEXTS["rule_changes"].format(count=len(changed), shown=min(len(changed), _MOST_CHANGED)))
        tiles = _tiles(request, changed[:_MOST_CHANGED], item.url_path)
        event = show_grid(tiles, key=f"rule-{trial.rule}", texts=TEXTS, can_select=False)
        if event.opened is not None:
            st.switch_page(item, query_params={ITEM: event.opened})
    with st.expander(TEXTS["rule_recipe"]):
        st.code(f"rule: {trial.rule}", language="yaml")
        rule = trial.rule
        show_change_link(request.campaign.name, votes=rule.slots, agree=rule.need, adjudicated=rule.is_adjudicated)
        st.caption(TEXTS["rule_recipe_why"])


def _tiles(request: PageRequest, changed: list[ChangedTask], path: str) -> list[GridTile]:
    refreshed(request.state)
    ids = [task.item_id for task in changed]
    records: dict[str, FoundRecord] = {
        record.record_id: record
        for record in request.state.items.reading(lambda connection: records_of(connection, ids))
    }
    return [
        record_tile(
            records[task.item_id],
            path,
            TEXTS["fate_change"].format(before=words_for(task.before), after=words_for(task.after)),
        )
        for task in changed
        if task.item_id in records
    ]


def _show_sureness(request: PageRequest) -> None:
    """Show, on request, the votes that thresholds of sureness would save, and their price."""
    if not st.toggle(TEXTS["sureness"]):
        return
    if not can_spare(request.campaign):
        st.caption(TEXTS["sureness_none"])
        return
    with st.spinner(TEXTS["reckoning"]):
        key = (*request.stamp, "sureness")
        trials = cached(key, lambda: try_sureness(request.state.store, request.campaign))
    st.caption(TEXTS["sureness_why"])
    rows = [
        {
            TEXTS["sureness_until"]: f"{trial.until:g}",
            TEXTS["sureness_tasks"]: trial.tasks,
            TEXTS["sureness_spared"]: trial.votes_spared,
            TEXTS["sureness_otherwise"]: TEXTS["sureness_of"].format(count=trial.otherwise, compared=trial.compared),
        }
        for trial in trials
    ]
    show_rows(rows, label=TEXTS["sureness"])


def _show_all(trials: list[RuleTrial], fates: tuple[str, ...]) -> None:
    st.subheader(TEXTS["all_rules"])
    rows = [
        (
            TEXTS["rule_in_force"].format(rule=rule_in_words(str(trial.rule)))
            if trial.is_in_force
            else rule_in_words(str(trial.rule)),
            {fate: trial.fates[fate] for fate in fates},
        )
        for trial in trials
    ]
    settles = [row for row, trial in zip(rows, trials, strict=True) if trial.fates[OPEN] < sum(trial.fates.values())]
    show_chart(parts_chart("rules", TEXTS["tasks"], settles or rows))
    show_rows(
        [
            {
                TEXTS["rule"]: name,
                **{words_for(fate): parts[fate] for fate in fates},
                TEXTS["rule_decisions"]: trial.decisions,
                TEXTS["further_votes"]: trial.further_votes,
                TEXTS["rule_changed"]: trial.changed,
            }
            for (name, parts), trial in zip(rows, trials, strict=True)
        ],
        label=TEXTS["all_rules"],
    )
