"""The curator's page of progress: how far a campaign is, what became of its tasks, and where annotators disagree.

Counts are made by the database and looked up anew while the page is open; nothing here reads single decisions of a
campaign but the few that are shown.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..answers_given import results_of
from ..form import form_of
from ..kinds import REVIEW
from ..overview import Overview
from ..results import agreement_of, summary_of
from ..standing import Facet, standing_of, standings_by
from ..store import Campaign, ReviewStore
from ..store.tallies import Divided
from .curator.bars import parts_plot
from .curator.days import days_plot
from .curator.look import STYLE
from .curator.reckoned import once
from .curator.rounds_part import show_rounds, show_rulings
from .curator.texts import TEXTS as WORDS
from .curator.texts import told
from .review_page import inert
from .site import clock
from .texts import TEXTS
from .visit import Visit

REFRESH_S = 10.0
"""How often counts are looked up while the page is open."""
MOST_DIVIDED = 50
_SPLITS: tuple[Facet, ...] = ("task", "kind", "category")


def show(visit: Visit) -> None:
    """Show where a campaign stands."""
    store, campaign = visit.site.store, visit.campaign
    st.html(STYLE)
    _show_counts(store, campaign)
    overview = Overview(store, campaign)
    stamp = (store.where, *overview.stamp())
    if form_of(campaign.form) is not None and campaign.kind != REVIEW:
        _show_found(store, campaign, stamp)
        return
    _show_divided(once((*stamp, "divided"), lambda: overview.divided(most=MOST_DIVIDED)))


@st.fragment(run_every=REFRESH_S)
def _show_counts(store: ReviewStore, campaign: Campaign) -> None:
    overview = Overview(store, campaign)
    stamp = (store.where, *overview.stamp())
    filled = once((*stamp, "filled"), lambda: overview.filled(now=clock()))
    patterns = once((*stamp, "patterns"), overview.patterns)
    people = once((*stamp, "people"), overview.people)
    done = sum(one.times for one in patterns if one.state == "done")
    total, slots = sum(one.times for one in patterns), sum(filled)
    for column, name, value in zip(
        st.columns(3), ("tasks_done", "slots_done", "annotators"),
        (f"{done} / {total}", f"{filled.submitted} / {slots}", str(people)), strict=True,
    ):  # fmt: skip
        column.metric(TEXTS[name], value)
    st.progress(filled.submitted / max(1, slots), text=campaign.rule)
    if total and done == total:
        st.success(TEXTS["closed"])
    if not total:
        return
    st.subheader(WORDS["funnel"])
    st.caption(WORDS["funnel_why"].format(rule=inert(campaign.rule)))
    whole = standing_of(campaign, patterns)
    rows = [(WORDS["all"], whole.outcomes)]
    by = next((split for split in _SPLITS if len({getattr(one, split) for one in patterns}) > 1), None)
    if by is not None:
        rows += [(one.name or WORDS["none"], one.outcomes) for one in standings_by(campaign, patterns, by)]
    st.html(parts_plot(WORDS["tasks"], rows))
    show_rounds(once((*stamp, "rounds"), lambda: overview.rounds(patterns)))
    show_rulings(once((*stamp, "rulings"), overview.rulings))
    if days := once((*stamp, "days"), overview.days):
        st.html(days_plot(WORDS["by_day"], days))


def _show_found(store: ReviewStore, campaign: Campaign, stamp: tuple[object, ...]) -> None:
    """Show what a campaign on items of a release has found so far."""
    found = once((*stamp, "found"), lambda: results_of(store, campaign.name))
    if not found.said:
        return
    st.subheader(TEXTS["answers_given"])
    st.dataframe(_in_words(summary_of(found)), hide_index=True)
    st.subheader(TEXTS["agreement"])
    figures = agreement_of(found)
    st.dataframe(
        [{_heading(name): _figure(value) for name, value in figures.items()}],
        hide_index=True,
    )


def _heading(name: str) -> str:
    return TEXTS["items_compared"] if name == "compared" else name


def _figure(value: float | int | None) -> str:
    return TEXTS["undefined"] if value is None else str(value) if isinstance(value, int) else f"{value:.2f}"


def _in_words(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows as a page shows them: shares in percent, what is undefined by that word."""
    shown = []
    for row in rows:
        alpha = row.get("krippendorff_alpha", ...)
        line = {
            TEXTS["answers_given"]: str(row.get("words") or row.get("finding", "")).replace("_", " "),
            "n": str(row["items"]),
            TEXTS["share_of_items"]: TEXTS["undefined"] if row["share"] is None else f"{row['share']:.0%}",
        }
        if alpha is not ...:
            line["Krippendorff's alpha"] = TEXTS["undefined"] if alpha is None else f"{alpha:.2f}"
        shown.append(line)
    return shown


def _show_divided(divided: list[Divided]) -> None:
    if not divided:
        return
    st.subheader(WORDS["divided"])
    st.caption(WORDS["divided_why"].format(most=MOST_DIVIDED))
    rows = [
        {
            WORDS["of_task"]: one.task or "",
            WORDS["item_id"]: one.item_id,
            WORDS["who_said"]: ", ".join(f"{said.annotator}: {told(said.decision)}" for said in one.said),
            TEXTS["notes"]: " | ".join(said.note for said in one.said if said.note),
        }
        for one in divided
    ]
    st.dataframe(rows, hide_index=True)
