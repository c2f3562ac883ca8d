"""The curator's page of progress: a campaign's progress, the outcomes of its tasks, and annotators' disagreements.

The database computes the counts, which the page refreshes while it is open. The page reads only the few decisions that
it shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st

from benchwright.pages import Chart

from ...campaigns.running.results import agreement_of, summary_of
from ...forms.kinds import REVIEW
from ...items.item_search import ItemQuery
from ...progress.adjudication_stats import AdjudicationStats
from ...progress.campaign_progress import Facet, RoundProgress, progress_by, progress_of
from ...progress.forecast import EndRange, Forecast
from ...progress.overview import Overview
from ...store.counts.campaign_counts import DividedTask
from ...store.database.audit import AUTOMATIC
from ...store.database.records import Campaign
from ...store.review_store import ReviewStore
from ...workflow.submitted_answers import results_of
from ..base.cache import cached
from ..base.own_texts import form_text
from ..base.request import PageRequest
from ..base.shown_pictures import ShownPictures
from ..base.state import clock
from ..base.tables import show_rows
from ..charts.curator_charts import counts_chart, days_chart, parts_chart
from ..charts.showing import show_chart
from ..item_list.list_query import list_address
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.curator_texts import rule_in_words, words_for
from ..wording.directed_text import inert
from ..wording.texts import TEXTS, title_of, words_of_code
from .at_work import show_at_work

_REFRESH_S = 10.0
"""Seconds between two refreshes of the counts while the page is open."""
_MOST_DIVIDED = 50
_SPLITS: tuple[Facet, ...] = ("task", "kind", "category")


def show_progress(request: PageRequest) -> None:
    """Show the progress of a campaign, and link to the items on which annotators differ."""
    store, campaign = request.state.store, request.campaign
    _show_counts(store, campaign, request.state.pictures)
    overview = Overview(store, campaign)
    stamp = (store.where, *overview.stamp())
    if campaign.form.typed is not None and campaign.kind != REVIEW:
        _show_results(store, campaign, stamp)
        return
    divided = cached((*stamp, "divided"), lambda: overview.divided(most=_MOST_DIVIDED))
    _show_divided(divided, campaign, request.state.pictures)


@st.fragment(run_every=_REFRESH_S)
def _show_counts(store: ReviewStore, campaign: Campaign, pictures: ShownPictures) -> None:
    overview = Overview(store, campaign)
    stamp = (store.where, *overview.stamp())
    filled = cached((*stamp, "filled"), lambda: overview.filled(now=clock()))
    patterns = cached((*stamp, "patterns"), overview.decision_counts)
    people = cached((*stamp, "people"), overview.people)
    done = sum(pattern.times for pattern in patterns if pattern.state == "done")
    total, slots = sum(pattern.times for pattern in patterns), sum(filled)
    metrics = {
        "tasks_done": f"{done} / {total}",
        "slots_done": f"{filled.submitted} / {slots}",
        "annotators": str(people),
    }
    for column, (name, value) in zip(st.columns(len(metrics)), metrics.items(), strict=True):
        column.metric(TEXTS[name], value)
    st.progress(filled.submitted / max(1, slots), text=rule_in_words(campaign.rule))
    if total and done == total:
        st.success(TEXTS["closed_on_release" if "release_id" in campaign.settings else "closed"])
    for aside in cached((*stamp, "set-aside"), overview.set_aside):
        if aside.is_in_force and aside.by == AUTOMATIC:
            st.warning(inert(CURATOR_TEXTS["paused_by_bounds"].format(name=aside.annotator, why=aside.why)))
    if not total:
        return
    now = clock()
    show_at_work(overview.at_work(now=now), pictures, now=now)
    st.subheader(CURATOR_TEXTS["funnel"])
    st.caption(CURATOR_TEXTS["funnel_why"].format(rule=inert(rule_in_words(campaign.rule))))
    whole = progress_of(campaign, patterns)
    rows = [(CURATOR_TEXTS["all"], whole.outcomes)]
    by = next((split for split in _SPLITS if len({getattr(pattern, split) for pattern in patterns}) > 1), None)
    if by is not None:
        rows += [
            (title_of(part.name) if part.name else CURATOR_TEXTS["none"], part.outcomes)
            for part in progress_by(campaign, patterns, by)
        ]
    show_chart(parts_chart("tasks", CURATOR_TEXTS["tasks"], rows))
    if (sure := cached((*stamp, "sure"), overview.closed_sure)).tasks:
        st.caption(CURATOR_TEXTS["closed_sure"].format(tasks=sure.tasks, spared=sure.votes_spared))
    _show_rounds(cached((*stamp, "rounds"), lambda: overview.rounds(patterns)))
    _show_adjudication(cached((*stamp, "rulings"), overview.adjudication_stats))
    _show_forecast(cached((*stamp, "forecast", now.date()), lambda: overview.forecast(now=now)))
    if days := cached((*stamp, "days"), overview.days):
        show_chart(days_chart("days", CURATOR_TEXTS["by_day"], days))


def _show_forecast(forecast: Forecast) -> None:
    """Show when the campaign will end with the present annotators, and with two more."""
    if not forecast.wanted:
        return
    st.subheader(CURATOR_TEXTS["forecast"])
    if not forecast.people:
        st.markdown(CURATOR_TEXTS["forecast_nobody"].format(wanted=forecast.wanted))
        return
    parts = [CURATOR_TEXTS["forecast_wanted"].format(**forecast._asdict())]
    if forecast.hours is not None:
        minutes = max(1, round(60 * forecast.hours))
        words = CURATOR_TEXTS["forecast_minutes" if forecast.hours < 1 else "forecast_hours"]
        parts.append(words.format(hours=forecast.hours, minutes=minutes))
    if forecast.lacking:
        parts.append(CURATOR_TEXTS["forecast_lacking"].format(lacking=forecast.lacking))
    ends = (("forecast_end", forecast.end), ("forecast_more", forecast.end_with_more))
    parts += [_end_in_words(name, end) for name, end in ends if end is not None]
    if forecast.end is None:
        parts.append(CURATOR_TEXTS["forecast_unknown"])
    st.markdown(" ".join(parts))
    st.caption(CURATOR_TEXTS["forecast_why"])


def _end_in_words(name: str, end: EndRange) -> str:
    low, median, high = (
        CURATOR_TEXTS["forecast_later"] if day is None else f"{day:%Y-%m-%d}" for day in (end.low, end.median, end.high)
    )
    return CURATOR_TEXTS[name].format(low=low, median=median, high=high)


def _show_results(store: ReviewStore, campaign: Campaign, stamp: tuple[object, ...]) -> None:
    """Show the current results of a campaign on items of a release."""
    results = cached((*stamp, "found"), lambda: results_of(store, campaign.name))
    if not results.annotations:
        return
    st.subheader(TEXTS["answers_given"])
    show_rows(_in_words(summary_of(results)), label=TEXTS["answers_given"])
    st.subheader(TEXTS["agreement"])
    figures = agreement_of(results)
    show_rows([{_heading(name): _figure(value) for name, value in figures.items()}], label=TEXTS["answers_given"])


def _heading(name: str) -> str:
    return TEXTS["items_compared"] if name == "compared" else CURATOR_TEXTS.get(f"statistic_{name}", name)


def _figure(value: float | int | None) -> str:
    return TEXTS["undefined"] if value is None else str(value) if isinstance(value, int) else f"{value:.2f}"


def _in_words(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return rows with the page's headings, proportions in percent, and text in place of undefined values."""
    lines = []
    for row in rows:
        alpha = row.get("krippendorff_alpha", ...)
        line = {
            TEXTS["answers_given"]: _finding(row),
            "n": str(row["items"]),
            TEXTS["share_of_items"]: TEXTS["undefined"] if row["share"] is None else f"{row['share']:.0%}",
        }
        if alpha is not ...:
            line[CURATOR_TEXTS["statistic_krippendorff_alpha"]] = (
                TEXTS["undefined"] if alpha is None else f"{alpha:.2f}"
            )
        lines.append(line)
    return lines


def _finding(row: dict[str, Any]) -> str:
    words = row.get("words")
    return form_text(str(words)) if words else words_of_code(str(row.get("finding", "")))


def _show_divided(divided: list[DividedTask], campaign: Campaign, pictures: ShownPictures) -> None:
    if not divided:
        return
    st.subheader(CURATOR_TEXTS["divided"])
    st.caption(CURATOR_TEXTS["divided_why"].format(most=_MOST_DIVIDED))
    rows = [
        {
            CURATOR_TEXTS["of_task"]: title_of(task.task or ""),
            CURATOR_TEXTS["item_id"]: pictures.called(task.item_id, digits=64),
            CURATOR_TEXTS["who_said"]: ", ".join(
                f"{decision.annotator}: {words_for(decision.decision)}" for decision in task.said
            ),
            TEXTS["notes"]: " | ".join(decision.note for decision in task.said if decision.note),
        }
        for task in divided
    ]
    show_rows(rows, label=TEXTS["answers_given"])
    query = {"campaign": campaign.name, "state": "divided", "sort": "divided"}
    address = escape(list_address(ItemQuery.from_params(query)), quote=True)
    words = escape(CURATOR_TEXTS["see_items"])
    st.html(f'<div class="benchwright-own"><a href="{address}" target="_self">{words}</a></div>')


def _show_rounds(rounds: Sequence[RoundProgress]) -> None:
    """Show the number of items in each round and their outcomes, or nothing before the second round."""
    if len(rounds) < 2:
        return
    st.subheader(CURATOR_TEXTS["rounds"])
    st.caption(CURATOR_TEXTS["rounds_why"])
    rows = [(CURATOR_TEXTS["nth_round"].format(round=progress.round), progress.parts) for progress in rounds]
    show_chart(parts_chart("rounds", CURATOR_TEXTS["items"], rows))


def _show_adjudication(stats: AdjudicationStats) -> None:
    """Show how many decisions of each kind each adjudicator made, compared with the annotators' majority."""
    if not stats.cases:
        return
    st.subheader(CURATOR_TEXTS["adjudicated"])
    st.caption(CURATOR_TEXTS["adjudicated_why"].format(cases=stats.cases, against=stats.against))
    decisions = sorted({count.decision for count in stats.counts})
    by_name: dict[str, Counter[str]] = {}
    for count in stats.counts:
        by_name.setdefault(count.adjudicator, Counter())[count.decision] += count.times
    rows = [(name, {decision: counts[decision] for decision in decisions}) for name, counts in sorted(by_name.items())]
    show_chart(parts_chart("adjudicators", CURATOR_TEXTS["by_adjudicator"], rows))
    show_chart(_against_majority(stats))


def _against_majority(stats: AdjudicationStats) -> Chart:
    """Return a chart of adjudicators' decisions by the annotators' majority decision, most frequent first."""
    times = Counter[tuple[str, str, bool]]()
    for count in stats.counts:
        times[count.decision, count.majority, count.is_against] += count.times
    ranked = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
    names = [
        CURATOR_TEXTS["where_said"].format(decision=words_for(decision), said=words_for(majority))
        for (decision, majority, _), _ in ranked
    ]
    words = [CURATOR_TEXTS["against"].format(times=count) if against else str(count) for (*_, against), count in ranked]
    counts = [(name, count) for name, (_, count) in zip(names, ranked, strict=True)]
    return counts_chart("by-majority", CURATOR_TEXTS["by_said"], counts, words=words)
