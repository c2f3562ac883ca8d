"""The pages of the recipe as HTML: its steps, its text, the effect of a change, and an additional campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from urllib.parse import quote

from benchwright.recipe import Recipe
from benchwright.steps import CampaignStep

from ...progress.rule_trial import KEPT
from ...store.database.records import Campaign
from ...workflow.settlement.settle import OPEN
from ..auth.known_pages import RECIPE
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, area_field, choice_field, hidden, shown_when, text_field
from ..own_pages.text_difference import difference_html
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.curator_texts import rule_in_words, words_for
from ..wording.own_page_texts import TEXTS
from ..wording.texts import title_of
from .recipe_changes import RecipeChange, RuleChange, ThresholdChange
from .recipe_file import RecipeFile

OF_ITEMS = ("verify", "review", "screen_items", "answer")
OF_IMAGES = ("screen", "describe")
PARTS = ("all", "rest", "tasks", "share")
"""The possible parts of the items for an additional campaign."""


def steps_list(recipe: Recipe, campaigns: Mapping[str, Campaign], asked: CuratorRequest) -> str:
    """Return the steps of a recipe, each linked to its form; campaigns have their rule and a button to close them."""
    return "".join(_step_entry(entry, step.name, campaigns.get(entry), asked) for entry, step in recipe.steps)


def _step_entry(entry: str, name: str, campaign: Campaign | None, asked: CuratorRequest) -> str:
    kind = "" if entry == name else f" · {escape(name)}"
    title, about, closing = title_of(entry), "", ""
    if campaign is not None:
        state = TEXTS["is_closed" if campaign.is_closed else "is_open"]
        about = f"<p>{escape(rule_in_words(campaign.rule))} · {escape(state)}</p>"
        closing = "" if campaign.is_simulated else close_form(campaign, asked)
    change = escape(TEXTS["change"])
    link = (
        f'<a class="button quiet" href="{RECIPE}/step?entry={quote(entry)}" '
        f'aria-label="{change}: {escape(title, quote=True)}">{change}</a>'
    )
    return (
        f'<section class="card"><h2><bdi>{escape(title)}</bdi>{kind}</h2>{about}'
        f'<div class="buttons">{link}{closing}</div></section>'
    )


def close_form(campaign: Campaign, asked: CuratorRequest) -> str:
    """Return the button that closes or reopens a campaign."""
    act = "reopen" if campaign.is_closed else "close"
    return (
        f'<form method="post" action="{RECIPE}/{act}">{hidden(TOKEN, asked.token)}{hidden("campaign", campaign.name)}'
        f'<button class="quiet" type="submit">{escape(TEXTS[f"{act}_campaign"])}</button></form>'
    )


def text_form(text: str, file: RecipeFile, asked: CuratorRequest) -> str:
    """Return the form for changing the text of a recipe; a changed text can be dropped."""
    words = FieldWords(TEXTS["recipe_text"], TEXTS["hint_text"])
    rows = min(40, max(12, text.count("\n") + 3))
    more = 'class="code" dir="ltr" spellcheck="false" autocapitalize="off"'
    drop = f'<button class="quiet" type="submit" formaction="{RECIPE}/drop">{escape(TEXTS["drop_text"])}</button>'
    return (
        f'<form method="post" action="{RECIPE}/text" data-draft="{RECIPE}/draft" novalidate>'
        f"{hidden(TOKEN, asked.token)}"
        f"{hidden('digest', file.digest)}{area_field('text', text, words, rows=rows, more=more)}"
        f"{_buttons('' if text == file.text else drop)}</form>"
    )


def step_form_page(entry: str, fields: str, file: RecipeFile, asked: CuratorRequest) -> str:
    """Return the form for a step around its fields."""
    return (
        f'<form method="post" action="{RECIPE}/step?entry={quote(entry)}" novalidate>{hidden(TOKEN, asked.token)}'
        f"{hidden('digest', file.digest)}{fields}{_buttons()}</form>"
    )


def campaign_form(values: Mapping[str, str], recipe: Recipe, file: RecipeFile, asked: CuratorRequest) -> str:
    """Return the form for an additional campaign."""
    kinds = {name: title_of(name) for name in (*OF_ITEMS, *OF_IMAGES)}
    entries = {str(number): entry for number, (entry, _) in enumerate(recipe.steps)}
    campaigns = [entry for entry, step in recipe.steps if isinstance(step, CampaignStep)]
    beside = {"": TEXTS["opens_after"], **{entry: TEXTS["opens_beside"].format(campaign=entry) for entry in campaigns}}
    words = {
        name: FieldWords(TEXTS[f"field_{name}"], TEXTS[f"hint_{name}"]) for name in ("as", "opens_with", "part_of")
    }
    parts = {part: TEXTS[f"part_{part}"] for part in PARTS}
    return (
        f'<form method="post" action="{RECIPE}/campaign" novalidate>{hidden(TOKEN, asked.token)}'
        f"{hidden('digest', file.digest)}"
        + choice_field("kind", values["kind"], FieldWords(TEXTS["field_kind"]), kinds)
        + text_field("as", values["as"], words["as"], more='autocomplete="off"')
        + choice_field("after", values["after"], FieldWords(TEXTS["field_after"]), entries)
        + choice_field("opens_with", values["opens_with"], words["opens_with"], beside)
        + choice_field("part", values["part"], FieldWords(TEXTS["field_part"]), parts)
        + shown_when("part", ["tasks", "share"], text_field("part_of", values["part_of"], words["part_of"]))
        + '<div class="two">'
        + text_field("votes", values["votes"], FieldWords(TEXTS["field_votes"]), more='inputmode="numeric"')
        + text_field("agree", values["agree"], FieldWords(TEXTS["field_agree"]), more='inputmode="numeric"')
        + f"</div>{_buttons()}</form>"
    )


def change_page(change: RecipeChange, asked: CuratorRequest) -> str:
    """Return the effect of a change, the text difference, and the button that applies the change."""
    effects = [
        *(_rule_card(rule) for rule in change.rules),
        *(_threshold_card(threshold) for threshold in change.thresholds),
        *_others(change),
    ]
    none = f"<p>{escape(TEXTS['effect_none'])}</p>"
    return (
        f"<h2>{escape(TEXTS['effects'])}</h2>{''.join(effects) or none}"
        f"<h2>{escape(TEXTS['difference'])}</h2>{difference_html(change.file.text, change.text)}"
        f'<form method="post" action="{RECIPE}/apply">{hidden(TOKEN, asked.token)}'
        f'{hidden("digest", change.file.digest)}{hidden("text", change.text)}<div class="buttons">'
        f'<button type="submit">{escape(TEXTS["apply"])}</button>'
        f'<a class="button quiet" href="{RECIPE}">{escape(TEXTS["discard"])}</a></div></form>'
    )


def _buttons(more: str = "") -> str:
    return (
        f'<div class="buttons"><button type="submit">{escape(TEXTS["see_effect"])}</button>'
        f'<a class="button quiet" href="{RECIPE}">{escape(TEXTS["step_back"])}</a>{more}</div>'
    )


def _card(title: str, lines: Iterable[str]) -> str:
    body = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f'<section class="card"><h3>{escape(title)}</h3>{body}</section>'


def _rule_card(change: RuleChange) -> str:
    """Return the effect of another rule on a campaign's decisions."""
    before, after = rule_in_words(change.before), rule_in_words(change.after)
    lines = [TEXTS["effect_rule"].format(before=before, after=after)]
    if change.trial is None or change.trial_before is None:
        lines.append(TEXTS["effect_votes"].format(slots=change.slots, decisions=change.decisions))
        return _card(title_of(change.campaign), lines)
    lines.append(TEXTS["effect_changed"].format(count=change.trial.changed))
    for trial, words in ((change.trial_before, "effect_now"), (change.trial, "effect_then")):
        fates = ", ".join(
            f"{count} {words_for(fate)}" for fate, count in trial.fates.items() if count and fate not in {KEPT, OPEN}
        )
        kept, still_open = trial.fates[KEPT], trial.fates[OPEN]
        lines.append(TEXTS[words].format(kept=kept, open=still_open, others=fates or TEXTS["no_others"]))
    lines.append(TEXTS["effect_further"].format(count=change.trial.further_votes))
    return _card(title_of(change.campaign), lines)


def _threshold_card(change: ThresholdChange) -> str:
    """Return the effect of another threshold on the records that a filter measured."""
    found, trial = change.threshold, change.trial
    lines = [
        TEXTS["effect_threshold"].format(
            setting=found.threshold.setting, before=f"{found.threshold.at:g}", after=f"{trial.at:g}"
        ),
        TEXTS["effect_records"].format(count=len(trial.changes)),
        *(
            TEXTS[words].format(
                counts=", ".join(
                    CURATOR_TEXTS["threshold_counts"].format(verdict=CURATOR_TEXTS[f"verdict_{verdict}"], count=count)
                    for verdict, count in counts.items()
                )
            )
            for counts, words in ((trial.before, "counts_now"), (trial.after, "counts_then"))
        ),
    ]
    if trial.by_hand:
        lines.append(CURATOR_TEXTS["threshold_by_hand"].format(count=trial.by_hand))
    return _card(title_of(found.stage.entry), lines)


def _others(change: RecipeChange) -> Iterator[str]:
    """Yield the results for entries that are new, removed, or changed in some other way."""
    for entries, words in (
        (change.added, "effect_added"), (change.gone, "effect_gone"), (change.others, "effect_other"),
    ):  # fmt: skip
        for entry in entries:
            yield _card(title_of(entry), [TEXTS[words]])
