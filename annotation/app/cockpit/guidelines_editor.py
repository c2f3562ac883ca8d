"""The curator's page of guidelines: edited with preview and difference, and saved as a new version."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from difflib import unified_diff

import streamlit as st

from ...store.campaigns.guidelines import Guidelines, GuidelinesVersion
from ...store.database.records import RefusedError, StaleError
from ...workflow.guidelines import MAX_TEXT, revise_guidelines
from ..base.request import PageRequest
from ..base.tables import show_rows
from ..routes.guidelines import with_pictures
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import LEFT_TO_RIGHT, RIGHT_TO_LEFT, inert, runs_right_to_left
from ..wording.texts import message_of

_HEIGHT_PX = 420
_MOST_KEPT = 64
"""Most drafts that are kept beyond the browser's window, those written last."""


@dataclass
class _Draft:
    """What a curator is writing in this session.

    Attributes:
        based_on: Version that they have before them; one without text where there is none.
        serial: Number of times that the field began anew, which makes its key.
        is_kept: Whether it is kept beyond the window.
    """

    based_on: GuidelinesVersion
    text: str
    serial: int = 0
    is_kept: bool = False

    @property
    def is_changed(self) -> bool:
        """Return whether anything was written."""
        return self.text != self.based_on.text


_kept: OrderedDict[tuple[str, str, str], _Draft] = OrderedDict()
"""What was written and not saved, by store, curator and campaign: a reload shows it again while the app runs."""


def show_guidelines_editor(request: PageRequest) -> None:
    """Let a curator edit the guidelines of a campaign; what another one saves meanwhile is never overwritten."""
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
    if draft.is_changed or draft.is_kept:  # a window in which nothing was written leaves what another one keeps
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


def _show_difference(draft: _Draft, newest: GuidelinesVersion) -> None:
    st.subheader(TEXTS["guidelines_difference"].format(version=newest.version))
    lines = unified_diff(newest.text.splitlines(), draft.text.splitlines(), lineterm="", n=2)
    changed = [line for line in lines if not line.startswith(("---", "+++", "@@"))]
    if changed:
        st.code("\n".join(changed), language="diff", wrap_lines=True)
    else:
        st.caption(TEXTS["guidelines_same"])


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
