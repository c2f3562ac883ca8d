"""Routes of the releases page: freeze a release, export decisions, download, publish, and follow each command."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...jobs.commands import ExportJob, FreezeJob, Job, PublishJob
from ...jobs.recipe_source import recipe_source
from ...progress.build_progress import build_progress, read_last_run
from ..auth.known_pages import BUILD, PUBLISH
from ..base.state import AppState
from ..own_pages.curator_requests import TOKEN, CuratorRequest, form_routes
from ..own_pages.html_fields import FieldWords, check_field, choice_field, hidden, text_field
from ..own_pages.job_news import job_panel
from ..own_pages.shell import own_page
from ..routes.downloads import RELEASE, Download, downloads
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.own_page_texts import TEXTS
from ..wording.texts import message_of


def publish_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    page = _PublishPage(state)
    return [
        *form_routes(state, PUBLISH, page.show, {"freeze": page.freeze, "export": page.export, "send": page.send}),
    ]


class _PublishPage:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def show(self, asked: CuratorRequest) -> Response:
        """Show releases and exports, with the possible actions."""
        return self._page(asked, {})

    def freeze(self, asked: CuratorRequest) -> Response:
        """Freeze a release."""
        sent = asked.fields
        return self._started(asked, lambda: FreezeJob(sent.get("name", "").strip(), sent.get("version", "").strip()))

    def export(self, asked: CuratorRequest) -> Response:
        """Export the decisions."""
        return self._started(asked, lambda: ExportJob(asked.fields.get("pseudonyms") == "yes"))

    def send(self, asked: CuratorRequest) -> Response:
        """Publish a release."""
        sent = asked.fields

        def job() -> Job:
            release = sent.get("release", "")
            if release not in self._releases():
                raise BenchwrightError(TEXTS["no_release"])
            target = self._state.publish_to.target(sent.get("place", ""), sent.get("as", "").strip())
            return PublishJob(release, target, is_private=sent.get("private") == "yes")

        return self._started(asked, job)

    def _started(self, asked: CuratorRequest, job: Any) -> Response:
        try:
            record = self._state.jobs.start(job(), by=asked.account.name)
        except BenchwrightError as error:
            return self._page(asked, asked.fields, problem=message_of(error), status=422)
        return RedirectResponse(f"{PUBLISH}?job={record.id}", 303)

    def _releases(self) -> list[str]:
        return [found.name for found in downloads(self._state) if found.kind == RELEASE]

    def _page(self, asked: CuratorRequest, sent: Mapping[str, str], **more: Any) -> Response:
        state = self._state
        running = state.jobs.running()
        job = running.id if running is not None else asked.query.get("job")
        is_done, name = self._run_state()
        parts = [job_panel(state, job, asked)]
        if not is_done:
            words = escape(TEXTS["not_complete"])
            parts.append(f'<p>{words} <a href="{BUILD}">{escape(TEXTS["build"])}</a></p>')
        is_busy = running is not None
        parts += [
            self._freeze_form(asked, sent, name, is_off=is_busy or not is_done),
            self._send_form(asked, sent, is_off=is_busy),
            self._export_form(asked, sent, is_off=is_busy),
            self._files(),
        ]
        return own_page(TEXTS["publish"], "".join(parts), here=PUBLISH, **more)

    def _run_state(self) -> tuple[bool, str]:
        """Return whether the run is complete, and the name of its recipe."""
        state, source = self._state, recipe_source(self._state.workspace)
        try:
            last = read_last_run(state.workspace)
            build = build_progress(state.workspace, state.store, None if source is None else source.recipe, last)
        except BenchwrightError:
            return False, ""
        return build.state == "done", build.recipe

    def _freeze_form(self, asked: CuratorRequest, sent: Mapping[str, str], name: str, *, is_off: bool) -> str:
        hint = CURATOR_TEXTS["build_version_hint"]
        fields = (
            f'<div class="two">{text_field("name", sent.get("name", name), FieldWords(CURATOR_TEXTS["build_name"]))}'
            f"{text_field('version', sent.get('version', ''), FieldWords(CURATOR_TEXTS['build_version'], hint))}</div>"
        )
        return _form("freeze", CURATOR_TEXTS["build_freeze"], fields, asked, is_off=is_off)

    def _send_form(self, asked: CuratorRequest, sent: Mapping[str, str], *, is_off: bool) -> str:
        releases, places = self._releases(), self._state.publish_to.names()
        if not places or not releases:
            words = escape(TEXTS["no_releases" if places else "no_places"])
            return f'<section class="card"><h2>{escape(TEXTS["publish_it"])}</h2><p>{words}</p></section>'
        release = sent.get("release", releases[-1])
        fields = (
            choice_field("release", release, FieldWords(TEXTS["field_release_dir"]), {name: name for name in releases})
            + choice_field(
                "place", sent.get("place", places[0]), FieldWords(TEXTS["field_place"]), {name: name for name in places}
            )
            + text_field("as", sent.get("as", release), FieldWords(TEXTS["field_target"], TEXTS["hint_target"]))
            + check_field(
                "private", sent.get("private", "no"), FieldWords(TEXTS["field_private"], TEXTS["hint_private"])
            )
        )
        return _form("send", TEXTS["publish_it"], fields, asked, is_off=is_off)

    def _export_form(self, asked: CuratorRequest, sent: Mapping[str, str], *, is_off: bool) -> str:
        field = check_field("pseudonyms", sent.get("pseudonyms", "no"), FieldWords(CURATOR_TEXTS["build_pseudonyms"]))
        return _form("export", CURATOR_TEXTS["build_export"], field, asked, is_off=is_off)

    def _files(self) -> str:
        found = downloads(self._state)
        place = escape(CURATOR_TEXTS["build_place"].format(place=self._state.workspace.absolute()))
        if not found:
            return ""
        entries = "".join(
            f'<li><a href="{escape(entry.url)}" download>{escape(_words(entry))}</a></li>' for entry in found
        )
        return (
            f'<section class="card"><h2>{escape(CURATOR_TEXTS["build_files"])}</h2><ul>{entries}</ul>'
            f'<p class="hint"><bdi>{place}</bdi></p></section>'
        )


def _words(download: Download) -> str:
    if download.made_at is None:
        return CURATOR_TEXTS["build_download"].format(name=download.name)
    return CURATOR_TEXTS[f"build_download_{download.kind}"].format(at=f"{download.made_at:%Y-%m-%d %H:%M:%S}")


def _form(act: str, title: str, fields: str, asked: CuratorRequest, *, is_off: bool) -> str:
    return (
        f'<section class="card"><h2>{escape(title)}</h2><form method="post" action="{PUBLISH}/{act}" novalidate>'
        f'{hidden(TOKEN, asked.token)}{fields}<div class="buttons">'
        f'<button type="submit"{" disabled" if is_off else ""}>{escape(title)}</button></div></form></section>'
    )
