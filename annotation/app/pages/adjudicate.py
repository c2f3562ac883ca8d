"""The adjudicator's page: cases that annotators leave open, with their answers side by side."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ...store.database.records import Annotation, Campaign
from ...workflow.adjudication import AdjudicationQueue, DecidedCase
from ..base.option_letters import question_in_words
from ..base.request import PageRequest
from ..base.tables import show_rows
from ..task_card.adjudication_card import submission_in_words
from ..wording.curator_texts import rule_in_words
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, words_of_code
from ..workbench.adjudicating import AdjudicatorWork
from ..workbench.work import work_state
from ..workbench.work_routes import ADJUDICATION_URL
from ..workbench.workbench import show_workbench


def show_adjudication(request: PageRequest) -> None:
    """Show the next case on the workbench, and list the adjudicator's earlier decisions below."""
    queue = AdjudicationQueue(request.state.store, request.campaign, request.account.name)
    if not queue.is_open:
        st.info(TEXTS["no_adjudicator"].format(rule=inert(rule_in_words(request.campaign.rule))))
        return
    state = work_state(AdjudicatorWork(request.state, request.account, request.campaign))
    if state["tasks"]:
        name = request.account.name
        show_workbench(state, url=ADJUDICATION_URL, account=name, campaign=request.campaign.name, reruns=True)
    else:
        request.head.text(state["progress"]["words"])
        st.success(TEXTS["no_cases"])
    _show_decided(queue.decided(), request.campaign)


def _show_decided(cases: list[DecidedCase], campaign: Campaign) -> None:
    """List the decided cases, with the names of the annotators."""
    if not cases:
        return
    st.subheader(TEXTS["decided_by_you"])
    st.caption(TEXTS["decided_why"])
    show_rows([_line(case, campaign) for case in cases], label=TEXTS["decided_by_you"])


def _line(case: DecidedCase, campaign: Campaign) -> dict[str, Any]:
    def words(annotation: Annotation) -> str:
        return f"{annotation.annotator}: {'; '.join(submission_in_words(annotation, campaign.form.typed))}"

    decided = case.adjudication
    return {
        TEXTS["decision"]: TEXTS.get(decided.decision, decided.decision),
        TEXTS["reasons"]: ", ".join(words_of_code(code) for code in decided.reasons),
        TEXTS["question"]: question_in_words(case.item),
        TEXTS["answers"]: " | ".join(words(annotation) for annotation in case.annotations),
        TEXTS["note"]: decided.note or "",
    }
