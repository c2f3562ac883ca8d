"""Parts of the guidelines page, as HTML: the form, the preview, the differences, proposals and versions."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from benchwright.texts.formulas import formulas_html
from benchwright.texts.hidden_characters import escaped

from ...progress.guideline_proposals import GuidelineProposal
from ...store.campaigns.guidelines import GuidelinesVersion
from ...store.database.records import Campaign
from ...workflow.guidelines import MAX_TEXT
from ..auth.known_pages import GUIDELINES
from ..base.guidelines_html import guidelines_html
from ..base.tables import table_html
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import FieldWords, area_field, hidden
from ..own_pages.text_difference import difference_html
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import TEXTS, words_for
from ..wording.directed_text import runs_right_to_left
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import TEXTS as APP_TEXTS
from .guidelines_draft import GuidelinesDraft

_ROWS = 18


def draft_form(
    campaign: Campaign,
    draft: GuidelinesDraft,
    newest: GuidelinesVersion,
    others: Sequence[GuidelinesDraft],
    proposals: Sequence[GuidelineProposal],
    asked: CuratorRequest,
) -> str:
    """Return the text field with its preview, the buttons, and the proposals.

    Args:
        campaign: The campaign.
        draft: The curator's text.
        newest: The version in force.
        others: Texts of the curator's other windows.
        proposals: Reasons on which annotators differ.
        asked: The request.
    """
    is_stale = draft.based_on != newest.version
    words = FieldWords(TEXTS["guidelines_text"], TEXTS["guidelines_hint"])
    more = f'maxlength="{MAX_TEXT}" dir="auto"'
    saved = (
        f'<span class="hint" role="status" data-saved="{escape(OWN_TEXTS["draft_saved"])}"'
        f' data-unsaved="{escape(OWN_TEXTS["draft_unsaved"])}"></span>'
    )
    stale = (
        f'<p class="alert">{escape(TEXTS["guidelines_stale"].format(version=newest.version))}</p>' if is_stale else ""
    )
    return (
        f'<form method="post" action="{GUIDELINES}/save" data-draft="{GUIDELINES}/draft"'
        f" data-looks>{hidden(TOKEN, asked.token)}"
        f"{hidden('campaign', campaign.name)}{hidden('based_on', str(draft.based_on))}"
        f"{hidden('window', draft.window)}{hidden('source', draft.source)}{hidden('shown', draft.shown)}{stale}"
        f'<div id="guidelines-elsewhere" role="status">{elsewhere(others)}</div>'
        f'<div class="beside"><div>{area_field("text", draft.text, words, rows=_ROWS, more=more)}'
        f'<div class="buttons">{_buttons(newest, is_stale=is_stale)}{saved}</div></div>'
        f'<div class="field"><h2 id="preview-name">{escape(TEXTS["guidelines_preview"])}</h2>'
        f'<div id="guidelines-preview" class="preview" role="region" aria-labelledby="preview-name" tabindex="0">'
        f"{preview(draft, newest)}</div></div></div>{_proposals(proposals)}</form>"
    )


def _buttons(newest: GuidelinesVersion, *, is_stale: bool) -> str:
    if not is_stale:
        words = TEXTS["guidelines_save"].format(version=newest.version + 1)
        return f'<button type="submit" id="save">{escape(words)}</button>'
    go_on, drop = (TEXTS[f"guidelines_{act}"].format(version=newest.version) for act in ("go_on", "drop"))
    return (
        f'<button type="submit" id="go-on" formaction="{GUIDELINES}/go-on">{escape(go_on)}</button>'
        f'<button class="quiet" type="submit" id="drop" formaction="{GUIDELINES}/drop">{escape(drop)}</button>'
    )


def elsewhere(others: Sequence[GuidelinesDraft]) -> str:
    """Return the texts in the curator's other windows, each with buttons that adopt or discard it."""
    return "".join(_other(other) for other in others)


def _other(other: GuidelinesDraft) -> str:
    title, window = escape(APP_TEXTS["other_window"]), escape(other.window, quote=True)
    acts = "".join(
        f'<button class="quiet" type="submit" formaction="{GUIDELINES}/{act}" name="other" value="{window}"'
        f' id="{act}-{window}">{escape(TEXTS[f"guidelines_{act}"])}</button>'
        for act in ("take", "discard")
    )
    return (
        f'<section class="card"><h2>{title}</h2><p>{escape(TEXTS["guidelines_elsewhere"])}</p>'
        f'<pre dir="auto" tabindex="0" role="region" aria-label="{title}">{escape(escaped(other.text))}</pre>'
        f'<div class="buttons">{acts}</div></section>'
    )


def preview(draft: GuidelinesDraft, newest: GuidelinesVersion) -> str:
    """Return a text as annotators see it, with the pictures of the version in force."""
    direction = "rtl" if runs_right_to_left(draft.text) else "ltr"
    shown = guidelines_html(newest._replace(text=draft.text), formulas_html)
    return f'<div class="bw-guidelines" dir="{direction}">{shown}</div>'


def changes(draft: GuidelinesDraft, newest: GuidelinesVersion) -> str:
    """Return the differences between the version in force and a text."""
    if draft.text == newest.text:
        return f'<p class="hint">{escape(TEXTS["guidelines_same"])}</p>'
    name = TEXTS["guidelines_difference"].format(version=newest.version)
    return difference_html(newest.text, draft.text, direction="auto", name=name)


def changes_section(draft: GuidelinesDraft, newest: GuidelinesVersion) -> str:
    """Return the differences between the version in force and a text, under a heading."""
    title = TEXTS["guidelines_difference"].format(version=newest.version)
    return f'<h2>{escape(title)}</h2><div id="guidelines-difference">{changes(draft, newest)}</div>'


def _proposals(proposals: Sequence[GuidelineProposal]) -> str:
    """Return the reasons on which annotators differ, each with a button that adds a line about it to the draft."""
    if not proposals:
        return ""
    rows = "".join(map(_proposal, proposals))
    return f'<h2>{escape(TALK["proposals"])}</h2><p>{escape(TALK["proposals_why"])}</p><ul class="rows">{rows}</ul>'


def _proposal(proposal: GuidelineProposal) -> str:
    counts = {"items": proposal.items, "divided": proposal.divided, "annotators": proposal.annotators}
    notes = "".join(
        f'<div class="benchwright-text" dir="auto">“{formulas_html(escaped(note))}”</div>' for note in proposal.notes
    )
    code = escape(proposal.reason, quote=True)
    return (
        f'<li class="one"><div class="words"><strong id="reason-{code}"><bdi>{escape(words_for(proposal.reason))}</bdi>'
        f"</strong><small>{escape(TALK['proposal_counts'].format(**counts))}</small>{notes}</div>"
        f'<button class="quiet" type="submit" formaction="{GUIDELINES}/insert" name="reason" value="{code}"'
        f' id="insert-{code}" aria-describedby="reason-{code}">{escape(TALK["insert_proposal"])}</button></li>'
    )


def versions_table(versions: Sequence[GuidelinesVersion]) -> str:
    """Return all versions, newest first; empty if there are none."""
    if not versions:
        return ""
    heads = [TEXTS["guidelines_version_of"], TEXTS["guidelines_origin"], TEXTS["decisions"]]
    rows = [
        [str(version.version), TEXTS[f"origin_{version.origin}"], str(version.decisions)]
        for version in reversed(versions)
    ]
    title = TEXTS["guidelines_versions"]
    return f"<h2>{escape(title)}</h2>{table_html(title, heads, rows)}"
