"""Forms on an item's page that add it as an example to the guidelines of a campaign, or remove it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from benchwright.errors import BenchwrightError

from ...forms.kind_forms.screening import KEEP
from ...items.item_history import ReviewedTask
from ...store.accounts.accounts import Account
from ...store.submissions.examples import MAX_WORDS, Examples, FieldExample
from ...workflow.settlement.settle import ACCEPT
from ..base.state import AppState, clock
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of, title_of


def show_example_forms(state: AppState, account: Account, tasks: Sequence[ReviewedTask]) -> None:
    """Offer to show the decided tasks about an item as examples, or to stop showing them.

    Args:
        state: State of the app.
        account: Account of the curator.
        tasks: Tasks about the item.
    """
    decided = [
        task
        for task in tasks
        if task.facts.state == "done" and not task.facts.is_gold and not task.campaign.is_simulated
    ]
    shown = Examples(state.store).of_tasks([task.facts.task_id for task in decided])
    for task in decided:
        if (example := shown.get(task.facts.task_id)) is not None:
            _offer_to_withdraw(state, account, task, example)
        else:
            _offer_to_show(state, account, task)


def _offer_to_show(state: AppState, account: Account, task: ReviewedTask) -> None:
    number, campaign = task.facts.task_id, inert(title_of(task.campaign.name))
    with st.expander(TEXTS["example_head"]).form(f"example-{number}", border=False):
        st.caption(TEXTS["example_why"].format(campaign=campaign))
        kinds = {True: "example_accepted", False: "example_rejected"}
        is_accepted = st.radio(
            TEXTS["example_kind"],
            list(kinds),
            index=0 if task.outcome in {ACCEPT, KEEP} else 1,
            format_func=lambda is_accepted: TEXTS[kinds[is_accepted]],
            horizontal=True,
            key=f"example-kind-{number}",
        )
        words = st.text_input(TEXTS["example_words"], max_chars=MAX_WORDS, key=f"example-words-{number}")
        if st.form_submit_button(TEXTS["example_add"]):
            try:
                Examples(state.store).add(number, words, is_accepted=is_accepted, by=account.name, now=clock())
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
                return
            st.rerun()


def _offer_to_withdraw(state: AppState, account: Account, task: ReviewedTask, example: FieldExample) -> None:
    campaign = inert(title_of(task.campaign.name))
    st.info(TEXTS["example_is"].format(campaign=campaign, words=inert(example.words)))
    if st.button(TEXTS["example_withdraw"], key=f"example-withdraw-{example.id}"):
        Examples(state.store).withdraw(example.id, by=account.name, now=clock())
        st.rerun()
