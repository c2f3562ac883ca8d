"""Parts of the annotators page, as HTML: practice and qualification, and votes set aside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from benchwright.texts.hidden_characters import escaped

from ...agreement.annotator_quality import RightOf
from ...forms.assignment_settings import Qualification, assignment_settings_of
from ...forms.kinds import AUTHORED_KINDS
from ...progress.overview import Overview
from ...store.accounts.campaign_access import AccessControl
from ...store.campaigns.practice import Practice, PracticeResult
from ...store.campaigns.set_asides import SetAside
from ...store.database.records import Campaign
from ..auth.known_pages import ANNOTATORS
from ..base.state import AppState
from ..base.tables import table_html
from ..languages.language import chosen_language
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, choice_field, hidden, text_field
from ..wording.curator_texts import TEXTS
from .annotator_figures import share_in_words

_LONGEST_REASON = 500


def qualification_section(state: AppState, campaign: Campaign, asked: CuratorRequest) -> str:
    """Return the practice results in a campaign, and the form for admitting other annotators.

    The section is empty for a campaign without required practice and without practice results.
    """
    results = {result.name: result for result in Practice(state.store).results(campaign)}
    qualification = assignment_settings_of(campaign.settings).qualification
    if qualification is None and not results:
        return ""
    parts = [f"<h2>{escape(TEXTS['qualification'])}</h2>"]
    if qualification is None:
        parts.append(f"<p>{escape(TEXTS['practice_offered'])}</p>")
    else:
        parts.append(f"<p>{escape(TEXTS['qualification_why'].format(mark=qualification.pass_mark))}</p>")
        for name in _people(state, campaign):
            results.setdefault(name, PracticeResult(name, 0, None, 0, None, None, None))
    listed = [results[name] for name in sorted(results)]
    if listed:
        heads = [
            TEXTS[name] for name in ("name", *(f"practice_{of}" for of in ("state", "correct", "attempts", "when")))
        ]
        rows = [_result_row(result, qualification) for result in listed]
        parts.append(table_html(TEXTS["qualification"], heads, rows))
    if qualification is not None:
        parts.append(_let_in_form(campaign, [one.name for one in listed if not one.is_qualified(qualification)], asked))
    return "".join(parts)


def _people(state: AppState, campaign: Campaign) -> list[str]:
    """Return the names of the accounts that may sign in and decide in the campaign."""
    access = AccessControl(state.store).of(campaign.name)
    accounts = [account for account in state.accounts.all() if not account.is_disabled]
    return [account.name for account in accounts if access.admits(account.name) and account.role == "annotator"]


def _result_row(result: PracticeResult, qualification: Qualification | None) -> list[str]:
    state = "practised"
    if qualification is not None:
        state = "passed" if result.is_qualified(qualification) else "not_passed"
    if result.waived_by is not None:
        words = TEXTS["waived"].format(name=result.waived_by)
    else:
        words = TEXTS[state] if result.attempts else TEXTS["not_tried"]
    when = result.waived_at if result.waived_by is not None else result.ended_at
    return [
        result.name,
        words,
        "" if result.correct is None else f"{result.correct}/{result.of}",
        str(result.attempts),
        "" if when is None else chosen_language().date_and_time(when),
    ]


def _let_in_form(campaign: Campaign, names: Sequence[str], asked: CuratorRequest) -> str:
    if not names:
        return ""
    field = _person_field("let-in", TEXTS["let_in_whom"], names, asked, hint=TEXTS["let_in_why"])
    return _form("let-in", campaign, field, TEXTS["let_in"], asked)


def set_aside_section(campaign: Campaign, overview: Overview, names: Sequence[str], asked: CuratorRequest) -> str:
    """Return the annotators whose votes are set aside, and the forms for restoring and setting aside votes.

    Args:
        campaign: The campaign.
        overview: Its figures.
        names: Annotators whose votes count.
        asked: The request, whose refused input the forms show again.
    """
    if campaign.is_simulated or campaign.kind in AUTHORED_KINDS:
        return ""
    aside = overview.set_aside()
    if not aside and not names:
        return ""
    parts = [f"<h2>{escape(TEXTS['set_aside'])}</h2><p>{escape(TEXTS['set_aside_why'])}</p>"]
    if aside:
        judged = {TEXTS["on_gold"]: overview.gold(is_aside=True), TEXTS["attention"]: overview.attention(is_aside=True)}
        of_checks = {what: of for what, of in judged.items() if of}
        heads = [
            TEXTS["name"], TEXTS["set_aside_votes"], *of_checks, TEXTS["set_aside_by"], TEXTS["set_aside_reason"],
            TEXTS["practice_when"],
        ]  # fmt: skip
        parts.append(table_html(TEXTS["set_aside"], heads, [_aside_row(each, of_checks) for each in aside]))
        field = _person_field("take-back", TEXTS["take_back_whom"], [each.annotator for each in aside], asked)
        parts.append(_form("take-back", campaign, field, TEXTS["take_back"], asked))
    if names:
        words = FieldWords(TEXTS["set_aside_reason"], TEXTS["set_aside_logged"])
        why = text_field("why", asked.fields.get("why", ""), words, more=f'maxlength="{_LONGEST_REASON}" dir="auto"')
        whom = _person_field("set-aside", TEXTS["set_aside_whom"], names, asked)
        parts.append(_form("set-aside", campaign, f'<div class="two">{whom}{why}</div>', TEXTS["set_aside_do"], asked))
    return "".join(parts)


def _aside_row(each: SetAside, judged: Mapping[str, Mapping[str, RightOf]]) -> list[str]:
    return [
        each.annotator,
        str(each.votes),
        *(share_in_words(*of.get(each.annotator, RightOf(0, 0)).shared) for of in judged.values()),
        each.by,
        each.why,
        chosen_language().date_and_time(each.at),
    ]


def _person_field(act: str, label: str, names: Sequence[str], asked: CuratorRequest, *, hint: str = "") -> str:
    # One page has several such fields, so their ids differ; all send `name`.
    options = {name: escaped(name) for name in names}
    field = choice_field(f"{act}-name", asked.fields.get("name", ""), FieldWords(label, hint), options)
    return field.replace(f'name="{act}-name"', 'name="name"')


def _form(act: str, campaign: Campaign, fields: str, words: str, asked: CuratorRequest) -> str:
    return (
        f'<section class="card"><form method="post" action="{ANNOTATORS}/{act}">{hidden(TOKEN, asked.token)}'
        f'{hidden("campaign", campaign.name)}{fields}<div class="buttons">'
        f'<button type="submit" id="{act}">{escape(words)}</button></div></form></section>'
    )
