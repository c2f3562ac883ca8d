"""Parts of the page for the run, as HTML: the next step, the recipe's steps, the funnel, and finished commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from urllib.parse import quote

from benchwright.funnel.charts import flow_charts

from ...jobs.recipe_source import RecipeSource
from ...progress.build_progress import BuildProgress, BuildStep
from ...progress.campaign_progress import progress_of
from ...progress.overview import Overview
from ...workflow.settlement.settle import WAITS
from ..auth.known_pages import PUBLISH
from ..base.cache import cached
from ..base.own_texts import chart_text
from ..base.state import AppState
from ..charts.own_page_charts import figures_html
from ..own_pages.job_news import words_of_job
from ..routes.downloads import RELEASE, downloads
from ..wording.curator_texts import TEXTS, words_for
from ..wording.own_page_texts import TEXTS as OWN_TEXTS
from ..wording.texts import title_of

_MOST_JOBS = 8


def next_step(state: AppState, build: BuildProgress, source: RecipeSource | None) -> str:
    """Return sentences about the next step, with links to the campaigns that the run waits for."""
    parts = [f"<h2>{escape(TEXTS['build_next'])}</h2>"]
    if source is None:
        parts.append(_paragraph(TEXTS["build_no_recipe"]))
    elif not source.recipe.is_file():
        parts.append(_paragraph(TEXTS["build_recipe_gone"].format(recipe=source.recipe), kind="problem"))
    if build.state == "never":
        parts.append(_paragraph(TEXTS["build_never"]))
    elif build.state == "running":
        parts.append(_paragraph(TEXTS["build_interrupted"]))
    elif build.state == "waiting":
        names = [name for name in (build.waits_for, *build.beside) if name is not None]
        parts.append(_paragraph(" ".join(_waiting(state, names))))
        parts.append(f'<div class="buttons">{"".join(map(_progress_link, names))}</div>')
    else:
        is_frozen = any(found.kind == RELEASE for found in downloads(state))
        words = f"{TEXTS['build_done']} {TEXTS['build_release' if is_frozen else 'build_freeze_next']}"
        parts.append(_paragraph(words))
        parts.append(f'<p><a href="{PUBLISH}">{escape(OWN_TEXTS["publish"])}</a></p>')
    return "".join(parts)


def _paragraph(words: str, *, kind: str = "") -> str:
    return f'<p class="{kind}"><bdi>{escape(words)}</bdi></p>'


def _progress_link(campaign: str) -> str:
    words = f"{OWN_TEXTS['progress']}: {title_of(campaign)}"
    return f'<a class="button quiet" href="/progress?campaign={quote(campaign)}">{escape(words)}</a>'


def _waiting(state: AppState, campaigns: Sequence[str]) -> list[str]:
    """Return sentences that describe what the run is waiting for."""
    return [words for name in campaigns for words in _waits_in(state, name)] or [TEXTS["build_go_on"]]


def _waits_in(state: AppState, waits_for: str) -> list[str]:
    """Return sentences that describe what a campaign is waiting for."""
    campaign = state.store.campaign(waits_for)
    overview, name = Overview(state.store, campaign), title_of(waits_for)
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


def steps_table(build: BuildProgress) -> str:
    """Return the recipe's steps with their state and counts; empty before the first run."""
    if not build.steps:
        return ""
    title = escape(TEXTS["build_steps"])
    heads = "".join(
        f'<th scope="col">{escape(TEXTS[f"build_{name}"])}</th>'
        for name in ("step", "state", "in", "out", "made", "why")
    )
    rows = "".join(_row(_cells(step)) for step in build.steps)
    return (
        f'<h2>{title}</h2><div class="scroll" role="region" aria-label="{title}" tabindex="0"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _cells(step: BuildStep) -> list[str]:
    counts = step.counts
    if counts is None:
        return [step.name, TEXTS[f"step_{step.state}"], "", "", "", ""]
    made = counts.made.get("items") or counts.made.get("images")
    why = ", ".join(f"{words_for(reason)} {count:,}" for reason, count in counts.dropped.items())
    figures = [f"{counts.records:,}", f"{counts.out:,}", f"{made:,}" if made else ""]
    return [step.name, TEXTS[f"step_{step.state}"], *figures, why]


def _row(cells: Iterable[str]) -> str:
    name, *rest = (escape(cell) for cell in cells)
    return f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>'


def funnel_figures(build: BuildProgress) -> str:
    """Return the charts of the funnel; empty before the first run."""
    if not build.funnel:
        return ""
    figures = figures_html(flow_charts(build.funnel, translate=chart_text))
    return f"<h2>{escape(TEXTS['build_funnel_head'])}</h2>{figures}"


def earlier_jobs(state: AppState) -> str:
    """Return the finished commands, newest first."""
    records = [record for record in state.jobs.jobs(most=_MOST_JOBS) if record.state != "running"]
    if not records:
        return ""
    listed = "".join(f"<li><bdi>{escape(words_of_job(record))}</bdi></li>" for record in records)
    return f"<details><summary>{escape(TEXTS['build_jobs'])}</summary><ul>{listed}</ul></details>"
