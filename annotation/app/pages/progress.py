"""The curator's page of progress: how far a campaign is, what became of its tasks, and where annotators disagree.

Counts are made by the database and looked up anew while the page is open; nothing here reads single decisions of a
campaign but the few that are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ...campaigns.results import agreement_of, summary_of
from ...forms.form import form_of
from ...forms.kinds import REVIEW
from ...progress.adjudication_stats import AdjudicationStats
from ...progress.campaign_progress import Facet, RoundProgress, progress_by, progress_of
from ...progress.overview import Overview
from ...store import Campaign, ReviewStore
from ...store.counts.campaign_counts import DividedTask
from ...workflow.submitted_answers import results_of
from ..base.cache import once
from ..base.curator_texts import TEXTS as CURATOR_TEXTS
from ..base.curator_texts import told
from ..base.request import PageRequest
from ..base.state import clock
from ..base.texts import TEXTS
from ..charts.bars import counts_plot, parts_plot
from ..charts.chart_style import STYLE
from ..charts.days import days_plot
from .review import inert

REFRESH_S = 10.0
"""How often counts are looked up while the page is open."""
MOST_DIVIDED = 50
_SPLITS: tuple[Facet, ...] = ("task", "kind", "category")


def show(visit: PageRequest) -> None:
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
    st.subheader(CURATOR_TEXTS["funnel"])
    st.caption(CURATOR_TEXTS["funnel_why"].format(rule=inert(campaign.rule)))
    whole = progress_of(campaign, patterns)
    rows = [(CURATOR_TEXTS["all"], whole.outcomes)]
    by = next((split for split in _SPLITS if len({getattr(one, split) for one in patterns}) > 1), None)
    if by is not None:
        rows += [(one.name or CURATOR_TEXTS["none"], one.outcomes) for one in progress_by(campaign, patterns, by)]
    st.html(parts_plot(CURATOR_TEXTS["tasks"], rows))
    _show_rounds(once((*stamp, "rounds"), lambda: overview.rounds(patterns)))
    _show_rulings(once((*stamp, "rulings"), overview.rulings))
    if days := once((*stamp, "days"), overview.days):
        st.html(days_plot(CURATOR_TEXTS["by_day"], days))


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


def _show_divided(divided: list[DividedTask]) -> None:
    if not divided:
        return
    st.subheader(CURATOR_TEXTS["divided"])
    st.caption(CURATOR_TEXTS["divided_why"].format(most=MOST_DIVIDED))
    rows = [
        {
            CURATOR_TEXTS["of_task"]: one.task or "",
            CURATOR_TEXTS["item_id"]: one.item_id,
            CURATOR_TEXTS["who_said"]: ", ".join(f"{said.annotator}: {told(said.decision)}" for said in one.said),
            TEXTS["notes"]: " | ".join(said.note for said in one.said if said.note),
        }
        for one in divided
    ]
    st.dataframe(rows, hide_index=True)


def _show_rounds(rounds: Sequence[RoundProgress]) -> None:
    """Show how many items came to each round, and what became of them; nothing before the second one."""
    if len(rounds) < 2:
        return
    st.subheader(CURATOR_TEXTS["rounds"])
    st.caption(CURATOR_TEXTS["rounds_why"])
    st.html(
        parts_plot(
            CURATOR_TEXTS["items"], [(CURATOR_TEXTS["nth_round"].format(round=one.round), one.parts) for one in rounds]
        )
    )


def _show_rulings(rulings: AdjudicationStats) -> None:
    """Show who decided what, and how that stands to what annotators had said."""
    if not rulings.cases:
        return
    st.subheader(CURATOR_TEXTS["adjudicated"])
    st.caption(CURATOR_TEXTS["adjudicated_why"].format(cases=rulings.cases, against=rulings.against))
    decisions = sorted({one.decision for one in rulings.ruled})
    by_name: dict[str, Counter[str]] = {}
    for one in rulings.ruled:
        by_name.setdefault(one.adjudicator, Counter())[one.decision] += one.times
    rows = [(name, {decision: counts[decision] for decision in decisions}) for name, counts in sorted(by_name.items())]
    st.html(parts_plot(CURATOR_TEXTS["by_adjudicator"], rows))
    st.html(_by_said(rulings))


def _by_said(rulings: AdjudicationStats) -> str:
    times = Counter[tuple[str, str, bool]]()
    for one in rulings.ruled:
        times[one.decision, one.said, one.is_against] += one.times
    ranked = sorted(times.items(), key=lambda one: (-one[1], one[0]))
    names = [
        CURATOR_TEXTS["where_said"].format(decision=told(decision), said=told(said))
        for (decision, said, _), _ in ranked
    ]
    words = [CURATOR_TEXTS["against"].format(times=count) if against else str(count) for (*_, against), count in ranked]
    counts = [(name, count) for name, (_, count) in zip(names, ranked, strict=True)]
    return counts_plot(CURATOR_TEXTS["by_said"], counts, words=words)
