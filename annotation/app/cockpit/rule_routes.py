"""Routes of the rules page: the result of each rule on the decisions so far, and the items it would change."""

from __future__ import annotations

from collections.abc import Hashable
from html import escape

from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...progress.overview import Overview
from ...progress.rule_trial import can_try, changed_tasks, try_rules
from ...progress.sureness_trial import can_spare, try_sureness
from ...store.database.records import Campaign
from ...workflow.settlement.rules import parse_rule
from ..auth.known_pages import RULES
from ..base.cache import cached
from ..base.state import AppState
from ..own_pages.curator_requests import CuratorRequest, curators_only
from ..own_pages.live_form import effect_reply, live_part
from ..own_pages.shell import own_page
from ..people_pages.campaign_choice import campaign_menu, no_such_campaign, wanted_campaign
from ..wording.curator_texts import TEXTS
from .changed_records import MOST_CHANGED, changed_tiles
from .rule_views import (
    CHANGES,
    OWN,
    PROBLEM,
    RECIPE_LINE,
    SURENESS,
    TRIED,
    TriedRule,
    change_line,
    changes_words,
    recipe_line,
    rule_form,
    rules_figure,
    rules_table,
    sentence,
    sureness_table,
)

_LONGEST_RULE = 100


def rule_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _RulesPage(state)
    return [
        Route(RULES, curators_only(state, page.show)),
        Route(f"{RULES}/effect", curators_only(state, page.effect)),
    ]


class _RulesPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest) -> Response:
        """Show the result of every possible rule, and the effect of the rule in the address."""
        names = self._state.store.campaign_names()
        wanted = wanted_campaign(asked, names)
        if wanted not in names:
            return no_such_campaign(RULES, TEXTS["rules"], names, wanted)
        campaign, menu = self._state.store.campaign(wanted), campaign_menu(RULES, names, wanted)
        if not can_try(campaign):
            body = f"{menu}<p>{escape(TEXTS['no_rule_to_try'])}</p>"
            return own_page(TEXTS["rules"], body, here=RULES, campaign=wanted)
        tried = self._tried(campaign, asked)
        parts = self._parts(tried)
        read_out = "".join(live_part(name, parts, is_read_out=True) for name in (PROBLEM, TRIED))
        below = "".join(live_part(name, parts) for name in (SURENESS, RECIPE_LINE, CHANGES))
        body = (
            f'{menu}<p>{escape(TEXTS["rules_why"])}</p><div class="trials"><div class="trial">'
            f"<div>{live_part(OWN, parts)}{rule_form(tried)}{read_out}</div>{rules_figure(tried)}</div>"
            f"{below}{rules_table(tried)}</div>"
        )
        return own_page(TEXTS["rules"], body, here=RULES, campaign=wanted, status=404 if tried.problem else 200)

    def effect(self, asked: CuratorRequest) -> Response:
        """Return the effect of the rule in the form."""
        wanted = asked.query.get("campaign", "")
        campaign = self._state.store.campaign(wanted) if wanted in self._state.store.campaign_names() else None
        if campaign is None or not can_try(campaign):
            return PlainTextResponse(TEXTS["no_rule_to_try"] + "\n", 404)
        tried = self._tried(campaign, asked)
        return effect_reply(tried.address, self._parts(tried), invalid=["rule"] if tried.problem else [])

    def _stamp(self, campaign: Campaign) -> tuple[Hashable, ...]:
        return (self._state.store.where, *Overview(self._state.store, campaign).stamp())

    def _tried(self, campaign: Campaign, asked: CuratorRequest) -> TriedRule:
        """Return the effect of the rule in an address, or else of the first rule that changes an item."""
        store, wanted = self._state.store, asked.query.get("rule", "")[:_LONGEST_RULE]
        trials = cached((*self._stamp(campaign), "rules"), lambda: try_rules(store, campaign))
        others = [trial for trial in trials if not trial.is_in_force] or trials
        first = next((trial for trial in others if trial.changed), others[0])
        picked = next((trial for trial in trials if str(trial.rule) == _spelled(wanted)), None)
        problem = "" if picked is not None or not wanted else TEXTS["no_such_rule"].format(rule=wanted)
        sees_sureness = asked.query.get("sureness") == "yes" and can_spare(campaign)
        return TriedRule(campaign, trials, picked or first, sees_sureness, problem)

    def _parts(self, tried: TriedRule) -> dict[str, str]:
        """Return the parts of the page that depend on the tried rule, by id."""
        is_other = not tried.picked.is_in_force
        return {
            OWN: f"<p>{escape(sentence(tried.own))}</p>",
            PROBLEM: f'<p class="problem">{escape(tried.problem)}</p>' if tried.problem else "",
            TRIED: f"<p><strong>{escape(sentence(tried.picked))}</strong></p>" if is_other else "",
            SURENESS: self._sureness(tried.campaign) if tried.sees_sureness else "",
            CHANGES: self._changes(tried) if is_other else "",
            RECIPE_LINE: recipe_line(tried) if is_other else "",
        }

    def _sureness(self, campaign: Campaign) -> str:
        key = (*self._stamp(campaign), "sureness")
        return sureness_table(cached(key, lambda: try_sureness(self._state.store, campaign)))

    def _changes(self, tried: TriedRule) -> str:
        """Return, as tiles, the items whose outcome differs from the outcome under the rule in force."""
        campaign, rule = tried.campaign, tried.picked.rule
        if not tried.picked.changed:
            return f"<p>{escape(changes_words(0, 0))}</p>"
        key = (*self._stamp(campaign), "rule-changes", str(rule))
        changed = cached(key, lambda: changed_tasks(self._state.store, campaign, rule))
        shown = changed[:MOST_CHANGED]
        tiles = changed_tiles(self._state, {task.item_id: [change_line(task)] for task in shown})
        return f"<p>{escape(changes_words(len(changed), len(shown)))}</p>{tiles}"


def _spelled(rule: str) -> str:
    """Return a rule in the notation of recipes; a text that is not a rule is returned unchanged."""
    try:
        return str(parse_rule(rule))
    except BenchwrightError:
        return rule
