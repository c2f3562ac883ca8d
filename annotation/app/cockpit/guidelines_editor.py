"""The curator's page of guidelines: edit with preview and difference, and save as a new version."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from difflib import unified_diff
from html import escape

import streamlit as st

from benchwright.texts.hidden_characters import escaped

from ...progress.guideline_proposals import guideline_proposals
from ...store.campaigns.guidelines import Guidelines, GuidelinesVersion
from ...store.database.records import RefusedError, StaleError
from ...workflow.guidelines import MAX_TEXT, revise_guidelines
from ..base.cache import cached
from ..base.page_formulas import show_text
from ..base.request import PageRequest
from ..base.tables import show_rows
from ..routes.guidelines import with_pictures
from ..wording.conversation_texts import TEXTS as TALK
from ..wording.curator_texts import TEXTS, words_for
from ..wording.directed_text import LEFT_TO_RIGHT, RIGHT_TO_LEFT, inert, runs_right_to_left
from ..wording.texts import message_of

_HEIGHT_PX = 420
_DIFFERENCE_STYLE = """<style>
.bw-diff { font-family: monospace; font-size: .875rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.bw-diff :is(ins, del) { display: block; text-decoration: none; border-inline-start: 3px solid; padding: 0 .4rem; }
.bw-diff ins { border-color: #16a34a; background: color-mix(in srgb, #16a34a 14%, transparent); }
.bw-diff del { border-color: #dc2626; background: color-mix(in srgb, #dc2626 14%, transparent); }
</style>"""
_MOST_KEPT = 64
"""Largest number of drafts kept beyond the browser's window; the most recently written ones stay."""


@dataclass
class _Draft:
    """A curator's unsaved text in this session.

    Attributes:
        based_on: Version on which the text is based; a version without text if there is none.
        serial: Number of resets of the field, which makes its key.
        is_kept: Whether the draft is kept beyond the window.
    """

    based_on: GuidelinesVersion
    text: str
    serial: int = 0
    is_kept: bool = False

    @property
    def is_changed(self) -> bool:
        """Return whether the curator changed the text."""
        return self.text != self.based_on.text


_kept: OrderedDict[tuple[str, str, str], _Draft] = OrderedDict()
"""Unsaved drafts by store, curator and campaign; a reload shows them again while the app runs."""


def show_guidelines_editor(request: PageRequest) -> None:
    """Let a curator edit the guidelines of a campaign, without overwriting a version saved meanwhile by another."""
    known, campaign = Guidelines(request.state.store), request.campaign
    newest = known.newest(campaign) or GuidelinesVersion(0, 0, "curator", "")
    draft = _draft(request, newest)
    st.caption(TEXTS["guidelines_why"])
    if draft.based_on.version != newest.version:
        if not draft.is_changed:
            _begin(draft, newest)
        else:
            _show_stale(draft, newest)
    left, right = st.columns(2)
    text = left.text_area(
        TEXTS["guidelines_text"],
        value=draft.text,
        height=_HEIGHT_PX,
        max_chars=MAX_TEXT,
        key=f"guidelines-{campaign.name}-{draft.serial}",
    )
    draft.text = text or ""
    _keep(request, draft)
    left.caption(inert(TEXTS["guidelines_hint"]))
    with right:
        st.markdown(f"**{TEXTS['guidelines_preview']}**")
        key = RIGHT_TO_LEFT if runs_right_to_left(draft.text) else LEFT_TO_RIGHT
        st.container(key=f"{key}-guidelines", border=True, height=_HEIGHT_PX).markdown(
            with_pictures(draft.based_on._replace(text=draft.text))
        )
    with left:
        _show_save(request, draft, newest)
        _show_proposals(request, draft)
    _show_difference(draft, newest)
    _show_versions(known.versions(campaign))


def _draft(request: PageRequest, newest: GuidelinesVersion) -> _Draft:
    key = f"guidelines-draft-{request.campaign.name}"
    if not isinstance(st.session_state.get(key), _Draft):
        begun = _kept.get(_place(request))
        st.session_state[key] = _Draft(newest, newest.text) if begun is None else replace(begun)
    draft: _Draft = st.session_state[key]
    return draft


def _keep(request: PageRequest, draft: _Draft) -> None:
    place = _place(request)
    if draft.is_changed or draft.is_kept:  # an unchanged window leaves another window's draft
        _kept.pop(place, None)
    draft.is_kept = draft.is_changed
    if draft.is_changed:
        _kept[place] = replace(draft)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)


def _place(request: PageRequest) -> tuple[str, str, str]:
    return (request.state.store.where, request.account.name, request.campaign.name)


def _begin(draft: _Draft, newest: GuidelinesVersion) -> None:
    draft.based_on, draft.text, draft.serial = newest, newest.text, draft.serial + 1


def _show_stale(draft: _Draft, newest: GuidelinesVersion) -> None:
    st.warning(TEXTS["guidelines_stale"].format(version=newest.version))
    with st.container(horizontal=True):
        if st.button(TEXTS["guidelines_go_on"].format(version=newest.version)):
            draft.based_on = newest
            st.rerun()
        if st.button(TEXTS["guidelines_drop"].format(version=newest.version)):
            _begin(draft, newest)
            st.rerun()


def _show_save(request: PageRequest, draft: _Draft, newest: GuidelinesVersion) -> None:
    is_same = draft.text == newest.text
    is_stale = draft.based_on.version != newest.version
    label = TEXTS["guidelines_save"].format(version=newest.version + 1)
    if st.button(label, type="primary", disabled=is_same or is_stale):
        name, store = request.campaign.name, request.state.store
        try:
            based_on = draft.based_on.version
            version = revise_guidelines(store, name, draft.text, based_on=based_on, by=request.account.name)
        except StaleError:
            st.rerun()
        except RefusedError as error:
            st.error(inert(message_of(error)))
            return
        saved = Guidelines(store).newest(request.campaign)
        if saved is not None and saved.version == version:
            _begin(draft, saved)
        _kept.pop(_place(request), None)
        st.session_state[f"guidelines-saved-{name}"] = version
        st.rerun()
    if (version := st.session_state.pop(f"guidelines-saved-{request.campaign.name}", None)) is not None:
        st.success(TEXTS["guidelines_saved"].format(version=version))


def _show_proposals(request: PageRequest, draft: _Draft) -> None:
    """Show the reasons on which annotators differ, each with a button that adds a line about it to the draft."""
    if request.campaign.is_simulated:
        return
    store, name = request.state.store, request.campaign.name
    proposals = cached((*request.stamp, "guideline-proposals"), lambda: guideline_proposals(store.decisions(name)))
    if not proposals:
        return
    st.subheader(TALK["proposals"])
    st.caption(TALK["proposals_why"])
    for proposal in proposals:
        reason = words_for(proposal.reason)
        counts = {"items": proposal.items, "divided": proposal.divided, "annotators": proposal.annotators}
        with st.container(border=True, key=f"proposal-{proposal.reason}"):
            st.markdown(f"**{inert(reason)}**")
            st.caption(inert(TALK["proposal_counts"].format(**counts)))
            for note in proposal.notes:
                show_text(st.container(gap=None), f"“{note}”")
            if st.button(TALK["insert_proposal"], key=f"insert-{proposal.reason}"):
                noted = " ".join(f"“{note}”" for note in proposal.notes)
                line = inert(TALK["proposal_line"].format(reason=reason, notes=noted)).strip()
                draft.text = f"{draft.text.rstrip()}\n\n- {line}\n"
                draft.serial += 1
                _keep(request, draft)
                st.rerun()


def _show_difference(draft: _Draft, newest: GuidelinesVersion) -> None:
    st.subheader(TEXTS["guidelines_difference"].format(version=newest.version))
    lines = unified_diff(newest.text.splitlines(), draft.text.splitlines(), lineterm="", n=2)
    changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    if changed:
        st.html(_DIFFERENCE_STYLE + "".join(map(_changed_line, changed)))
    else:
        st.caption(TEXTS["guidelines_same"])


def _changed_line(line: str) -> str:
    """Return a line of a unified difference as HTML: added, removed or context."""
    tag = {"+": "ins", "-": "del"}.get(line[:1], "span")
    return f'<div class="bw-diff" dir="auto"><{tag}>{escape(escaped(line)) or "&nbsp;"}</{tag}></div>'


def _show_versions(versions: list[GuidelinesVersion]) -> None:
    if not versions:
        return
    st.subheader(TEXTS["guidelines_versions"])
    rows = [
        {
            TEXTS["guidelines_version_of"]: version.version,
            TEXTS["guidelines_origin"]: TEXTS[f"origin_{version.origin}"],
            TEXTS["decisions"]: version.decisions,
        }
        for version in reversed(versions)
    ]
    show_rows(rows, label=TEXTS["guidelines_versions"])
