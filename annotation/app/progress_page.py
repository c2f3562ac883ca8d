"""The curator's page: how far a campaign is, how far annotators agree, and where they do not."""

from __future__ import annotations

from collections import Counter
from typing import Any

import streamlit as st

from ..agreement import Agreement, agreement
from ..answers_given import results_of
from ..form import form_of
from ..kinds import REVIEW
from ..ratings import Rating
from ..results import agreement_of, summary_of
from ..store import Annotation, Campaign, ReviewStore, item_in
from .site import clock
from .texts import TEXTS
from .visit import Visit

_STATISTICS = {
    "percent": "Percent agreement",
    "cohen_kappa": "Cohen's kappa",
    "fleiss_kappa": "Fleiss' kappa",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
}
REFRESH_S = 10.0
"""How often counts are looked up while the page is open."""
RESAMPLES = 300
"""Enough for two digits of an interval, and quick enough for a page."""


def show(visit: Visit) -> None:
    """Show where a campaign stands."""
    store, campaign = visit.site.store, visit.campaign
    _show_counts(store, campaign)
    decisions = store.decisions(campaign.name)
    if not decisions:
        return
    if form_of(campaign.form) is not None and campaign.kind != REVIEW:
        _show_found(store, campaign)
        return
    kinds = {
        task.item_id: str(item_in(task.payload)["task"]) for task in store.tasks(campaign.name, states=("open", "done"))
    }
    _show_agreement(campaign, decisions, kinds)
    left, right = st.columns(2)
    with left:
        _show_annotators(campaign, decisions)
    with right:
        _show_reasons(decisions)
    _show_disagreements(decisions, kinds)


@st.fragment(run_every=REFRESH_S)
def _show_counts(store: ReviewStore, campaign: Campaign) -> None:
    status = store.status(campaign.name, now=clock())
    total = status.tasks["open"] + status.tasks["done"]
    slots = sum(status.slots.values())
    for column, name, done, of in zip(
        st.columns(3), ("tasks_done", "slots_done", "annotators"),
        (status.tasks["done"], status.slots["submitted"], status.annotators), (total, slots, None), strict=True,
    ):  # fmt: skip
        column.metric(TEXTS[name], str(done) if of is None else f"{done} / {of}")
    st.progress(status.slots["submitted"] / max(1, slots), text=status.rule)
    if total and not status.tasks["open"]:
        st.success(TEXTS["closed"])


def _show_found(store: ReviewStore, campaign: Campaign) -> None:
    """Show what a campaign with a typed form has found so far."""
    found = results_of(store, campaign.name)
    st.subheader(TEXTS["answers_given"])
    st.dataframe(_in_words(summary_of(found)), hide_index=True)
    st.subheader(TEXTS["agreement"])
    figures = agreement_of(found)
    st.dataframe(
        [{name: TEXTS["undefined"] if value is None else f"{value:.2f}" for name, value in figures.items()}],
        hide_index=True,
    )


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
            line[_STATISTICS["krippendorff_alpha"]] = TEXTS["undefined"] if alpha is None else f"{alpha:.2f}"
        shown.append(line)
    return shown


def _show_agreement(campaign: Campaign, decisions: list[Annotation], kinds: dict[str, str]) -> None:
    st.subheader(TEXTS["agreement"])
    st.caption(TEXTS["agreement_why"])
    categories = campaign.form.get("decisions", ())
    ratings = [Rating(one.item_id, one.annotator, one.decision) for one in decisions]
    rows = [_agreement_row("", agreement(ratings, categories=categories, resamples=RESAMPLES))]
    for kind in sorted(set(kinds.values())):
        of_kind = [rating for rating in ratings if kinds.get(rating.unit) == kind]
        if of_kind:
            rows.append(_agreement_row(kind, agreement(of_kind, categories=categories, resamples=RESAMPLES)))
    rows[0][TEXTS["by_task"]] = "all"
    st.dataframe(rows, hide_index=True)


def _agreement_row(kind: str, found: Agreement) -> dict[str, Any]:
    row: dict[str, Any] = {TEXTS["by_task"]: kind, "n": found.units}
    for name, words in _STATISTICS.items():
        value, bounds = getattr(found, name), found.ci.get(name)
        interval = "" if bounds is None else f" [{bounds[0]:.2f}, {bounds[1]:.2f}]"
        row[words] = TEXTS["undefined"] if value is None else f"{value:.2f}{interval}"
    return row


def _show_annotators(campaign: Campaign, decisions: list[Annotation]) -> None:
    st.subheader(TEXTS["by_annotator"])
    said = Counter((one.annotator, one.decision) for one in decisions)
    names = sorted({one.annotator for one in decisions})
    kinds = list(campaign.form.get("decisions") or sorted({one.decision for one in decisions}))
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for one in decisions:
        seconds[one.annotator].append((one.submitted_at - one.started_at).total_seconds())
    rows = [
        {
            TEXTS["name"]: name,
            **{TEXTS.get(kind, kind): said[name, kind] for kind in kinds},
            "median s": round(sorted(seconds[name])[len(seconds[name]) // 2], 1),
        }
        for name in names
    ]
    st.dataframe(rows, hide_index=True)


def _show_reasons(decisions: list[Annotation]) -> None:
    given = Counter(reason.replace("_", " ") for one in decisions for reason in one.reasons)
    if not given:
        return
    st.subheader(TEXTS["reasons_given"])
    st.dataframe([{TEXTS["reasons"]: reason, "n": count} for reason, count in given.most_common()], hide_index=True)


def _show_disagreements(decisions: list[Annotation], kinds: dict[str, str]) -> None:
    by_item: dict[str, list[Annotation]] = {}
    for one in decisions:
        by_item.setdefault(one.item_id, []).append(one)
    rows = [
        {
            TEXTS["by_task"]: kinds.get(item_id, ""),
            "item": item_id,
            TEXTS["disagreements"]: ", ".join(
                f"{one.annotator}: {TEXTS.get(one.decision, one.decision)}" for one in said
            ),
            TEXTS["notes"]: " | ".join(one.note for one in said if one.note),
        }
        for item_id, said in sorted(by_item.items())
        if len({one.decision for one in said}) > 1 or any(one.note for one in said)
    ]
    if rows:
        st.subheader(TEXTS["disagreements"])
        st.dataframe(rows, hide_index=True)
