"""Routes of the page for the run: show it, run or resume the recipe, and write the funnel page."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...items.threshold_trial import run_stamp
from ...jobs.commands import FunnelJob, Job, RunJob
from ...jobs.recipe_source import RecipeSource, recipe_source
from ...progress.build_progress import BuildProgress, build_progress, read_last_run
from ..auth.known_pages import BUILD, PUBLISH
from ..base.cache import cached
from ..base.state import AppState
from ..own_pages.curator_requests import TOKEN, CuratorRequest, form_routes
from ..own_pages.html_fields import hidden
from ..own_pages.job_news import job_panel
from ..own_pages.shell import own_page
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS
from ..wording.texts import message_of
from .build_views import earlier_jobs, funnel_figures, next_step, steps_table


def build_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _BuildPage(state)
    return [
        *form_routes(state, BUILD, page.show, {"run": page.run, "funnel": page.funnel}),
    ]


class _BuildPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def run(self, asked: CuratorRequest) -> Response:
        """Run the recipe, or resume the run."""

        def job() -> Job:
            source = recipe_source(self._state.workspace)
            if source is None:
                raise BenchwrightError(CURATOR_TEXTS["build_no_recipe"])
            if not source.recipe.is_file():
                raise BenchwrightError(CURATOR_TEXTS["build_recipe_gone"].format(recipe=source.recipe))
            return RunJob(source.recipe, source.images)

        return self._started(asked, job)

    def funnel(self, asked: CuratorRequest) -> Response:
        """Write the funnel page."""
        return self._started(asked, FunnelJob)

    def _started(self, asked: CuratorRequest, job: Callable[[], Job]) -> Response:
        try:
            record = self._state.jobs.start(job(), by=asked.account.name)
        except BenchwrightError as error:  # another curator was faster, or nothing remains to run
            return self.show(asked, problem=message_of(error), status=422)
        return RedirectResponse(f"{BUILD}?job={record.id}", 303)

    def show(self, asked: CuratorRequest, **more: Any) -> Response:
        """Show the progress of the run and the commands that can start."""
        state, source = self._state, recipe_source(self._state.workspace)
        running = state.jobs.running()
        try:
            key = (state.store.where, "last-run", run_stamp(state.workspace))
            last = cached(key, lambda: read_last_run(state.workspace))
            build = build_progress(state.workspace, state.store, None if source is None else source.recipe, last)
        except BenchwrightError as error:
            if running is None:
                more.setdefault("problem", message_of(error))
            build = BuildProgress("running", "", [], [], None)
        job = running.id if running is not None else asked.query.get("job") or self._ended_badly()
        parts = [
            _source_line(source),
            job_panel(state, job, asked),
            "" if running is not None else next_step(state, build, source),
            self._buttons(asked, build, source, is_busy=running is not None),
            steps_table(build),
            funnel_figures(build),
            earlier_jobs(state),
        ]
        return own_page(CURATOR_TEXTS["build"], "".join(parts), here=BUILD, **more)

    def _ended_badly(self) -> str | None:
        """Return the last command if it failed, and None otherwise."""
        newest = self._state.jobs.jobs(most=1)
        return newest[0].id if newest and newest[0].state != "done" else None

    def _buttons(
        self, asked: CuratorRequest, build: BuildProgress, source: RecipeSource | None, *, is_busy: bool
    ) -> str:
        can_run = source is not None and source.recipe.is_file() and not is_busy
        has_run = build.state != "never"
        run = CURATOR_TEXTS["build_run_on" if has_run and build.state != "done" else "build_run"]
        return (
            f'<div class="buttons">{_button("run", run, asked, is_off=not can_run)}'
            f"{_button('funnel', CURATOR_TEXTS['build_funnel'], asked, is_off=is_busy or not has_run, look='quiet')}"
            f'<a class="button quiet" href="{PUBLISH}">{escape(TEXTS["publish"])}</a></div>'
        )


def _source_line(source: RecipeSource | None) -> str:
    if source is None:
        return ""
    words = CURATOR_TEXTS["build_source"].format(recipe=source.recipe, images=source.images or source.recipe.parent)
    return f'<p class="hint"><bdi>{escape(words)}</bdi></p>'


def _button(act: str, words: str, asked: CuratorRequest, *, is_off: bool, look: str = "") -> str:
    return (
        f'<form method="post" action="{BUILD}/{act}">{hidden(TOKEN, asked.token)}'
        f'<button type="submit" class="{look}"{" disabled" if is_off else ""}>{escape(words)}</button></form>'
    )
