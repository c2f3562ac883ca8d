"""Routes of the dialogue for a new benchmark: its steps, drafts, uploaded tables, and the opened benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...jobs.recipe_source import recipe_source
from ..auth.known_pages import NEW_BENCHMARK, RECIPE, SEND
from ..base.state import AppState, clock
from ..own_pages.curator_requests import CuratorRequest, curators_only, draft_route, script_endpoint
from ..own_pages.job_news import job_panel
from ..own_pages.shell import own_page
from ..own_pages.typed import forget_typed, keep_typed, typed_fields
from ..wording.account_words import invitation_path
from ..wording.own_page_texts import TEXTS
from ..wording.texts import message_of
from .dialogue_pages import DRAFT, TABLE, DialogueForm, check_body, invitation_rows, step_links
from .opening import FreshInvitations, benchmark_here, open_benchmark
from .outlook import outlook_of, planned_items
from .plan import FIELDS, STEPS, CheckedPlan, Step, answers_in, checked_plan
from .planned_recipe import planned_recipe
from .uploaded_tables import MOST_BYTES, keep_table, tables

_OPENED = f"{NEW_BENCHMARK}/opened"
_FORM = "new-benchmark"


def new_benchmark_routes(state: AppState) -> list[Route]:
    """Return the routes for the dialogue; the session middleware has already identified the account."""
    pages = _DialoguePages(state)

    async def begin(_request: Request) -> Response:
        return RedirectResponse(f"{NEW_BENCHMARK}/{STEPS[0]}", 303)

    steps = [
        Route(
            f"{NEW_BENCHMARK}/{step}",
            curators_only(state, partial(pages.show, step), partial(pages.answer, step)),
            methods=["GET", "POST"],
        )
        for step in STEPS[:-1]
    ]
    return [
        Route(NEW_BENCHMARK, begin),
        *steps,
        Route(f"{NEW_BENCHMARK}/check", curators_only(state, pages.check, pages.open), methods=["GET", "POST"]),
        Route(_OPENED, curators_only(state, pages.opened)),
        draft_route(DRAFT, pages.keep),
        Route(TABLE, script_endpoint(pages.take_table, MOST_BYTES, too_large="send_large"), methods=["PUT"]),
    ]


class _DialoguePages:
    def __init__(self, state: AppState) -> None:
        self._state = state
        self._invitations = FreshInvitations()

    def show(self, step: Step, asked: CuratorRequest) -> Response:
        """Show a step; with `?mend`, also show the problems in its answers."""
        answers = self._answers(asked.account.name)
        problems = dict(checked_plan(answers).problems) if "mend" in asked.query else {}
        return self._step_page(step, answers, problems, asked)

    def answer(self, step: Step, asked: CuratorRequest) -> Response:
        """Store the answers to a step and continue; if any are wrong, show the step again with the problems."""
        name = asked.account.name
        answers = answers_in(asked.fields, self._answers(name))
        keep_typed(self._state.workspace, name, _FORM, answers)
        problems = checked_plan(answers).problems
        own = {field: words for field, words in problems.items() if field in FIELDS[step]}
        if own:
            return self._step_page(step, answers, own, asked, status=422)
        return RedirectResponse(f"{NEW_BENCHMARK}/{STEPS[STEPS.index(step) + 1]}", 303)

    def keep(self, name: str, fields: Mapping[str, str]) -> Response:
        """Store the curator's input so far."""
        keep_typed(self._state.workspace, name, _FORM, answers_in(fields, self._answers(name)))
        return Response(status_code=204)

    def take_table(self, request: Request, body: bytes) -> Response:
        """Store an uploaded table."""
        try:
            kept = keep_table(self._state.workspace, request.query_params.get("name", ""), body)
        except BenchwrightError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 422)
        words = TEXTS["table_sent"].format(name=kept.partition("/")[2])
        return JSONResponse({"table": kept, "words": words})

    def check(self, asked: CuratorRequest) -> Response:
        """Show the forecast for the benchmark before it opens."""
        if (there := self._refused()) is not None:
            return there
        answers = self._answers(asked.account.name)
        checked = checked_plan(answers)
        if checked.plan is None:
            return _to_mend(checked)
        return self._check_page(checked, asked)

    def open(self, asked: CuratorRequest) -> Response:
        """Open the benchmark."""
        state, name = self._state, asked.account.name
        checked = checked_plan(self._answers(name))
        if checked.plan is None:
            return _to_mend(checked)
        try:
            planned = planned_recipe(checked.plan, state.workspace, state.sources)
            opened = open_benchmark(state, checked.plan, planned, by=name, now=clock())
        except BenchwrightError as error:
            return self._check_page(checked, asked, problem=message_of(error))
        self._invitations.keep(name, opened.invited, now=clock())
        forget_typed(state.workspace, name, _FORM)
        return RedirectResponse(f"{_OPENED}?job={opened.job.id}", 303)

    def opened(self, asked: CuratorRequest) -> Response:
        """Show the opened benchmark: the run, the invitations, and the next pages."""
        source = recipe_source(self._state.workspace)
        invited = self._invitations.of(asked.account.name, now=clock())
        links = [(name, asked.base + invitation_path(token)) for name, token in invited]
        recipe = "" if source is None else str(source.recipe)
        command = f"benchwright run {recipe} --workspace {self._state.workspace.absolute()}"
        body = (
            f"{job_panel(self._state, asked.query.get('job'), asked)}{invitation_rows(links)}"
            f"<h2>{escape(TEXTS['recipe_text'])}</h2><p>{escape(TEXTS['recipe_place'])}</p>"
            f'<pre tabindex="0" dir="ltr">{escape(command)}</pre>'
            f'<div class="buttons"><a class="button" href="/build">{escape(TEXTS["build"])}</a>'
            f'<a class="button quiet" href="/progress">{escape(TEXTS["progress"])}</a>'
            f'<a class="button quiet" href="{RECIPE}">{escape(TEXTS["recipe"])}</a></div>'
        )
        return own_page(TEXTS["opened"], body, here=NEW_BENCHMARK)

    def _answers(self, name: str) -> dict[str, str]:
        return answers_in({}, typed_fields(self._state.workspace, name, _FORM))

    def _step_page(
        self, step: Step, answers: Mapping[str, str], problems: Mapping[str, str], asked: CuratorRequest, **more: Any
    ) -> Response:
        if (there := self._refused()) is not None:
            return there
        form = DialogueForm(answers, problems, self._state.sources, tables(self._state.workspace))
        why = f"<p>{escape(TEXTS[f'step_{step}_why'])}</p>"
        if step == STEPS[0]:
            link = f'<a href="{SEND}">{escape(TEXTS["send_title"])}</a>'
            why += f'<p class="hint">{escape(TEXTS["no_sources"])} {link}</p>'
        body = why + form.page(step, asked.token)
        problem = TEXTS["mend"] if problems else ""
        return own_page(
            TEXTS["new_benchmark"], body, here=NEW_BENCHMARK, problem=problem, steps=step_links(step), **more
        )

    def _refused(self) -> Response | None:
        """Return a page stating that the workspace already holds a benchmark, or None if it holds no benchmark."""
        name = benchmark_here(self._state)
        if name is None:
            return None
        body = (
            f"<p>{escape(TEXTS['holds_one'].format(name=name))}</p><p>{escape(TEXTS['holds_one_else'])}</p>"
            '<pre tabindex="0" dir="ltr">benchwright review serve --workspace workspaces/another --sources DIR</pre>'
            f'<div class="buttons"><a class="button" href="{RECIPE}">{escape(TEXTS["recipe"])}</a></div>'
        )
        return own_page(TEXTS["new_benchmark"], body, here=NEW_BENCHMARK)

    def _check_page(self, checked: CheckedPlan, asked: CuratorRequest, *, problem: str = "") -> Response:
        state, plan = self._state, checked.plan
        assert plan is not None
        try:
            planned = planned_recipe(plan, state.workspace, state.sources)
            items = planned_items(plan, planned, state.workspace, state.sources)
        except BenchwrightError as error:
            back = f'<a class="button" href="{NEW_BENCHMARK}/{STEPS[0]}">{escape(TEXTS["step_back"])}</a>'
            body, problem = f'<div class="buttons">{back}</div>', problem or message_of(error)
        else:
            body = check_body(plan, planned, items, outlook_of(plan, items, today=clock().date()), asked)
        status = 422 if problem else 200
        return own_page(
            TEXTS["new_benchmark"], body, here=NEW_BENCHMARK, problem=problem, status=status, steps=step_links("check")
        )


def _to_mend(checked: CheckedPlan) -> Response:
    """Return a redirect to the first step with a problem."""
    return RedirectResponse(f"{NEW_BENCHMARK}/{checked.step_of_first()}?mend=1", 303)
