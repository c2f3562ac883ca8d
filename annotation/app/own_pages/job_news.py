"""Progress of commands that curators started: for a part of a page, and for the script that follows them."""

from __future__ import annotations

from html import escape

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ...jobs.job_records import JobRecord
from ..auth.known_pages import BUILD
from ..base.state import AppState
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS
from .curator_requests import CuratorRequest, curators_only, is_from_page
from .html_fields import hidden

_PATH = "/own-pages-job"
_LAST_LINES = 12


def job_panel(state: AppState, job_id: str | None, asked: CuratorRequest) -> str:
    """Return a job's state as HTML, which the script keeps up to date; empty if the job is unknown."""
    record = None if job_id is None else state.jobs.job(job_id)
    if record is None:
        return ""
    news = _news(state, record)
    lines = escape(news["lines"])
    cancel = ""
    if record.state == "running":
        is_cancelled = record.cancelled_by is not None
        words = CURATOR_TEXTS["job_stop" if is_cancelled else "job_cancel"]
        note = f"<p>{escape(CURATOR_TEXTS['job_cancelling'])}</p>" if is_cancelled else ""
        cancel = (
            f'{note}<form method="post" action="{_PATH}/{record.id}/cancel">{hidden("token", asked.token)}'
            f'<button class="quiet" type="submit">{escape(words)}</button></form>'
        )
    return (
        f'<section class="job" data-job="{_PATH}/{record.id}" data-state="{record.state}" aria-live="polite">'
        f'<p class="job-words"><strong>{escape(news["words"])}</strong></p>'
        f"<details{' open' if record.state != 'done' else ''}><summary>{escape(CURATOR_TEXTS['job_output'])}</summary>"
        f'<pre tabindex="0">{lines}</pre></details>{cancel}</section>'
    )


def job_routes(state: AppState) -> list[Route]:
    """Return the routes for following a job by script and for canceling it."""

    async def follow(request: Request) -> Response:
        if not is_from_page(request):
            return PlainTextResponse(TEXTS["not_own_form"] + "\n", 403)
        record = await run_in_threadpool(state.jobs.job, request.path_params["job"])
        if record is None:
            return PlainTextResponse(TEXTS["no_job"] + "\n", 404)
        return JSONResponse(await run_in_threadpool(_news, state, record))

    async def cancel(request: Request) -> Response:
        job_id = request.path_params["job"]

        def look(_asked: CuratorRequest) -> Response:
            return Response(status_code=303, headers={"Location": f"{BUILD}?job={job_id}"})

        def stop(asked: CuratorRequest) -> Response:
            state.jobs.cancel(job_id, by=asked.account.name)
            return look(asked)

        return await curators_only(state, look, stop)(request)

    return [
        Route(f"{_PATH}/{{job:str}}", follow),
        Route(f"{_PATH}/{{job:str}}/cancel", cancel, methods=["GET", "POST"]),
    ]


def words_of_job(record: JobRecord) -> str:
    """Return a sentence on a command and its state."""
    return CURATOR_TEXTS[f"job_{record.state}"].format(
        what=CURATOR_TEXTS[f"job_{record.kind}"],
        by=record.by,
        at=f"{record.started_at:%Y-%m-%d %H:%M}",
        canceller=record.cancelled_by,
    )


def _news(state: AppState, record: JobRecord) -> dict[str, str]:
    lines = state.jobs.folder.last_lines(record.id, most=_LAST_LINES)
    return {
        "state": record.state,
        "words": words_of_job(record),
        "lines": "\n".join(lines) or CURATOR_TEXTS["job_silent"],
    }
