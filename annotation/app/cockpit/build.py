"""The curator's page of the run: how far it is, what comes next, and commands that are started from here."""

from __future__ import annotations

from html import escape

import streamlit as st

from benchwright.errors import BenchwrightError
from benchwright.funnel.charts import flow_charts

from ...items.threshold_trial import run_stamp
from ...jobs.commands import ExportJob, FreezeJob, FunnelJob, Job, RunJob
from ...jobs.job_records import JobRecord
from ...jobs.recipe_source import RecipeSource, recipe_source
from ...progress.build_progress import BuildProgress, build_progress, read_last_run
from ...progress.campaign_progress import progress_of
from ...progress.overview import Overview
from ...store.accounts.accounts import Account
from ...workflow.settlement.settle import WAITS
from ..base.cache import cached
from ..base.own_texts import chart_text
from ..base.state import AppState
from ..base.tables import show_rows
from ..charts.showing import show_chart
from ..pages.campaign_menu import CAMPAIGN
from ..routes.downloads import Download, downloads
from ..wording.curator_texts import TEXTS, words_for
from ..wording.directed_text import inert
from ..wording.texts import message_of, title_of

_REFRESH_S = 1.0
"""Seconds between two looks at a job that works."""
_LAST_LINES = 14
_MOST_JOBS = 8
_SHOWN = "build-shown-job"


def show_build(state: AppState, account: Account, *, progress: st.Page) -> None:
    """Show the run, and let a curator start it, go on with it, freeze and export."""
    source = recipe_source(state.workspace)
    running = state.jobs.running()
    try:
        key = (state.store.where, "last-run", run_stamp(state.workspace))
        last_run = cached(key, lambda: read_last_run(state.workspace))
        build = build_progress(state.workspace, state.store, None if source is None else source.recipe, last_run)
    except BenchwrightError as error:
        if running is None:
            st.error(inert(message_of(error)))
        build = BuildProgress("running", "", [], [], None)
    if source is not None:
        st.caption(
            TEXTS["build_source"].format(
                recipe=inert(str(source.recipe)), images=inert(str(source.images or source.recipe.parent))
            )
        )
    _show_job(state, account, None if running is None else running.id)
    if running is None:
        _show_next(state, build, source, progress)
    _show_buttons(state, account, build, source, is_busy=running is not None)
    _show_steps(build)
    _show_files(state)
    _show_jobs(state)


def _show_next(state: AppState, build: BuildProgress, source: RecipeSource | None, progress: st.Page) -> None:
    """Say in words what comes next."""
    st.subheader(TEXTS["build_next"])
    if source is None:
        st.info(TEXTS["build_no_recipe"])
    elif not source.recipe.is_file():
        st.error(TEXTS["build_recipe_gone"].format(recipe=inert(str(source.recipe))))
    if build.state == "never":
        st.markdown(TEXTS["build_never"])
    elif build.state == "running":
        st.markdown(TEXTS["build_interrupted"])
    elif build.state == "waiting":
        st.markdown(" ".join(_waiting(state, build)))
        for waits_for in (*([] if build.waits_for is None else [build.waits_for]), *build.beside):
            label = None if not build.beside else f"{progress.title}: {title_of(waits_for)}"
            st.page_link(progress, label=label, query_params={CAMPAIGN: waits_for})
    else:
        is_frozen = any(found.kind == "release" for found in downloads(state))
        st.markdown(f"{TEXTS['build_done']} {TEXTS['build_release' if is_frozen else 'build_freeze_next']}")


def _waiting(state: AppState, build: BuildProgress) -> list[str]:
    """Return what the run waits for, in sentences."""
    if build.waits_for is None:
        return [TEXTS["build_go_on"]]
    waits = [words for name in (build.waits_for, *build.beside) for words in _waits_in(state, name)]
    return waits or [TEXTS["build_go_on"]]


def _waits_in(state: AppState, waits_for: str) -> list[str]:
    """Return what a campaign waits for, in sentences."""
    campaign = state.store.campaign(waits_for)
    overview, name = Overview(state.store, campaign), inert(title_of(waits_for))
    counts = cached((state.store.where, *overview.stamp(), "patterns"), overview.decision_counts)
    open_tasks = sum(count.times for count in counts if count.state == "open")
    words = []
    if open_tasks:
        tasks = sum(count.times for count in counts)
        words.append(TEXTS["build_people"].format(open=open_tasks, tasks=tasks, campaign=name))
        last = max(count.round for count in counts)
        if last > 1:
            items = sum(count.times for count in counts if count.round == last)
            words.append(TEXTS["build_round"].format(round=last, campaign=name, items=items))
    if waits := progress_of(campaign, counts).outcomes.get(WAITS, 0):
        words.append(TEXTS["build_adjudicator"].format(waits=waits, campaign=name))
    return words


def _show_buttons(
    state: AppState, account: Account, build: BuildProgress, source: RecipeSource | None, *, is_busy: bool
) -> None:
    can_run = source is not None and source.recipe.is_file() and not is_busy
    has_run = build.state != "never"
    with st.container(horizontal=True):
        label = TEXTS["build_run_on" if has_run and build.state != "done" else "build_run"]
        if st.button(label, type="primary", disabled=not can_run) and source is not None:
            _start(state, account, RunJob(source.recipe, source.images))
        if st.button(TEXTS["build_funnel"], disabled=is_busy or not has_run):
            _start(state, account, FunnelJob())
    left, right = st.columns(2)
    with left, st.form("build-freeze"):
        name = st.text_input(TEXTS["build_name"], value=build.recipe, max_chars=60)
        version = st.text_input(TEXTS["build_version"], placeholder=TEXTS["build_version_hint"], max_chars=31)
        if st.form_submit_button(TEXTS["build_freeze"], disabled=is_busy or build.state != "done"):
            try:
                _start(state, account, FreezeJob(name.strip(), version.strip()))
            except BenchwrightError as error:
                st.error(inert(message_of(error)))
    with right, st.form("build-export"):
        is_pseudonymous = st.checkbox(TEXTS["build_pseudonyms"])
        if st.form_submit_button(TEXTS["build_export"], disabled=is_busy or not has_run):
            _start(state, account, ExportJob(is_pseudonymous))


def _start(state: AppState, account: Account, job: Job) -> None:
    try:
        record = state.jobs.start(job, by=account.name)
    except BenchwrightError as error:  # another curator was faster
        st.error(inert(message_of(error)))
        return
    st.session_state[_SHOWN] = record.id
    st.rerun()


def _show_job(state: AppState, account: Account, running: str | None) -> None:
    """Show the job that works now, refreshed until it ends, or how the last one that was started here ended."""
    shown = running or st.session_state.get(_SHOWN)
    if shown is None:
        newest = state.jobs.jobs(most=1)
        shown = newest[0].id if newest and newest[0].state != "done" else None
    if shown is None:
        return
    if running is not None:
        st.fragment(_follow, run_every=_REFRESH_S)(state, account, running)
    elif (record := state.jobs.job(shown)) is not None:
        _show_record(state, record)


def _follow(state: AppState, account: Account, job_id: str) -> None:
    record = state.jobs.job(job_id)
    if record is None or record.state != "running":
        st.session_state[_SHOWN] = job_id
        st.rerun()
    _show_record(state, record)
    if record.cancelled_by is not None:
        st.caption(TEXTS["job_cancelling"])
    if st.button(TEXTS["job_cancel" if record.cancelled_by is None else "job_stop"], key=f"cancel-{job_id}"):
        state.jobs.cancel(job_id, by=account.name)
        st.rerun()


def _show_record(state: AppState, record: JobRecord) -> None:
    words = inert(_words(record))
    if record.state == "running":
        st.info(words)
    elif record.state == "done":
        st.success(words)
        return
    elif record.state == "failed":
        st.error(words)
    else:
        st.warning(words)
    lines = state.jobs.folder.last_lines(record.id, most=_LAST_LINES)
    st.caption(TEXTS["job_output"])
    st.code("\n".join(lines) or TEXTS["job_silent"], language=None, wrap_lines=True)


def _words(record: JobRecord) -> str:
    return TEXTS[f"job_{record.state}"].format(
        what=TEXTS[f"job_{record.kind}"],
        by=record.by,
        at=f"{record.started_at:%Y-%m-%d %H:%M}",
        canceller=record.cancelled_by,
    )


def _show_steps(build: BuildProgress) -> None:
    """Show the recipe's steps with their state and counts, and the funnel."""
    if not build.steps:
        return
    st.subheader(TEXTS["build_steps"])
    rows = []
    for step in build.steps:
        counts = step.counts
        dropped = {} if counts is None else counts.dropped
        made = {} if counts is None else counts.made
        items_made = made.get("items") or made.get("images")
        rows.append(
            {
                TEXTS["build_step"]: step.name,
                TEXTS["build_state"]: TEXTS[f"step_{step.state}"],
                TEXTS["build_in"]: "" if counts is None else f"{counts.records:,}",
                TEXTS["build_out"]: "" if counts is None else f"{counts.out:,}",
                TEXTS["build_made"]: f"{items_made:,}" if items_made else "",
                TEXTS["build_why"]: ", ".join(f"{words_for(reason)} {count:,}" for reason, count in dropped.items()),
            }
        )
    show_rows(rows, label=TEXTS["build_steps"])
    if build.funnel:
        st.subheader(TEXTS["build_funnel_head"])
        for chart in flow_charts(build.funnel, translate=chart_text):
            show_chart(chart)


def _show_files(state: AppState) -> None:
    st.subheader(TEXTS["build_files"])
    found = downloads(state)
    if not found:
        st.caption(TEXTS["build_files_none"])
        return
    links = "".join(
        f'<li><a href="{escape(entry.url)}" target="_self" download>{escape(_download_words(entry))}</a></li>'
        for entry in found
    )
    st.html(f"<ul>{links}</ul>")
    st.caption(TEXTS["build_place"].format(place=inert(str(state.workspace.absolute()))))


def _download_words(download: Download) -> str:
    if download.made_at is None:
        return TEXTS["build_download"].format(name=download.name)
    return TEXTS[f"build_download_{download.kind}"].format(at=f"{download.made_at:%Y-%m-%d %H:%M:%S}")


def _show_jobs(state: AppState) -> None:
    records = [record for record in state.jobs.jobs(most=_MOST_JOBS) if record.state != "running"]
    if not records:
        return
    with st.expander(TEXTS["build_jobs"]):
        for record in records:
            st.markdown(f"- {inert(_words(record))}")
