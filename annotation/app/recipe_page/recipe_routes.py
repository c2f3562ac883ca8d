"""Routes of the recipe's pages: show the recipe, preview and apply a change, and run it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...jobs.commands import RunJob
from ...store.campaigns.open_and_closed import close_campaign, reopen_campaign
from ..auth.known_pages import NEW_BENCHMARK, RECIPE
from ..base.state import AppState, clock
from ..own_pages.curator_requests import TOKEN, CuratorRequest, curators_only, draft_route
from ..own_pages.html_fields import hidden
from ..own_pages.job_news import job_panel
from ..own_pages.shell import own_page
from ..own_pages.typed import forget_typed, keep_typed, typed_fields
from ..wording.own_page_texts import TEXTS
from ..wording.texts import message_of, title_of
from .recipe_changes import apply_change, recipe_change
from .recipe_edits import with_step
from .recipe_file import RecipeFile, read_recipe_file
from .recipe_views import (
    OF_ITEMS,
    campaign_form,
    change_page,
    step_form_page,
    steps_list,
    text_form,
)
from .step_form import StepForm

_TEXT = "recipe-text"
_NOTICES = ("applied", "same", "closed", "reopened")


def recipe_routes(state: AppState) -> list[Route]:
    """Return the routes for the recipe; the session middleware has already identified the account."""
    pages = _RecipePages(state)

    def route(path: str, look: Callable[..., Response], change: Callable[..., Response] | None = None) -> Route:
        guarded = pages.told(look), None if change is None else pages.told(change)
        return Route(f"{RECIPE}{path}", curators_only(state, *guarded), methods=["GET", "POST"])

    return [
        route("", pages.overview),
        route("/step", pages.step, pages.change_step),
        route("/text", pages.text, pages.change_text),
        route("/campaign", pages.campaign, pages.add_campaign),
        route("/apply", pages.overview, pages.apply),
        route("/drop", pages.overview, pages.drop),
        route("/run", pages.overview, pages.run),
        route("/close", pages.overview, pages.close),
        route("/reopen", pages.overview, pages.reopen),
        draft_route(f"{RECIPE}/draft", pages.keep_text),
    ]


class _RecipePages:
    def __init__(self, state: AppState) -> None:
        self._state = state

    def told(self, respond: Callable[[CuratorRequest, RecipeFile], Response]) -> Callable[[CuratorRequest], Response]:
        """Return a responder that passes on the recipe file, or reports why there is no recipe file."""

        def answer(asked: CuratorRequest) -> Response:
            try:
                file = read_recipe_file(self._state.workspace)
            except BenchwrightError as error:
                link = f'<a class="button" href="{NEW_BENCHMARK}">{escape(TEXTS["new_benchmark"])}</a>'
                return own_page(
                    TEXTS["recipe"],
                    f'<div class="buttons">{link}</div>',
                    here=RECIPE,
                    problem=message_of(error),
                    status=404,
                )
            try:
                return respond(asked, file)
            except BenchwrightError as error:
                return self._refused(message_of(error), file, asked)

        return answer

    def _refused(self, problem: str, file: RecipeFile, asked: CuratorRequest) -> Response:
        """Report a problem above the recipe's steps, or above its text if that is no longer a valid recipe."""
        try:
            return self.overview(asked, file, problem=problem, status=409)
        except BenchwrightError:
            return self._text_page(file.text, file, asked, problem=problem, status=409)

    def overview(self, asked: CuratorRequest, file: RecipeFile, **more: Any) -> Response:
        """Show the steps of the recipe, the open campaigns, and the running job."""
        recipe = file.parsed()
        campaigns = {campaign.name: campaign for campaign in self._state.store.campaigns()}
        running = self._state.jobs.running()
        job = running.id if running is not None else asked.query.get("job")
        typed = typed_fields(self._state.workspace, asked.account.name, _TEXT).get("text")
        draft = ""
        if typed is not None and typed.strip() != file.text.strip():
            link = f'<a href="{RECIPE}/text">{escape(TEXTS["change_text"])}</a>'
            draft = f'<p class="hint">{escape(TEXTS["text_waits"])} {link}</p>'
        run = (
            f'<form method="post" action="{RECIPE}/run">{hidden(TOKEN, asked.token)}'
            f'<button type="submit"{"" if running is None else " disabled"}>{escape(TEXTS["run"])}</button></form>'
        )
        body = (
            f"<p>{escape(TEXTS['recipe_why'])}</p>"
            f'<p class="hint"><bdi dir="ltr">{escape(str(file.path))}</bdi></p>{draft}'
            f"{job_panel(self._state, job, asked)}"
            f'<div class="buttons">{run}<a class="button quiet" href="{RECIPE}/text">{escape(TEXTS["change_text"])}</a>'
            f'<a class="button quiet" href="{RECIPE}/campaign">{escape(TEXTS["add_campaign"])}</a></div>'
            f"{steps_list(recipe, campaigns, asked)}"
        )
        notice = next((TEXTS[f"notice_{name}"] for name in _NOTICES if name in asked.query), "")
        return own_page(TEXTS["recipe"], body, here=RECIPE, notice=notice, **more)

    def step(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the form for a step; a query string such as `?entry=verify&votes=3` prefills fields."""
        form = self._form(file, asked.query.get("entry", ""))
        shown = form.shown()
        return self._step_page(
            form, {**shown, **{name: asked.query[name] for name in shown if name in asked.query}}, file, asked
        )

    def change_step(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the effect of changing settings of a step."""
        form = self._form(file, asked.query.get("entry", ""))
        try:
            self._check_digest(asked, file)
            text = form.edited(file.text, asked.fields, self._state.workspace, self._state.store)
            return self._preview(text, file, asked)
        except BenchwrightError as error:
            values = {**form.shown(), **asked.fields}
            return self._step_page(form, values, file, asked, problem=message_of(error), status=422)

    def text(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the text of the recipe, or the curator's unapplied draft of it."""
        typed = typed_fields(self._state.workspace, asked.account.name, _TEXT).get("text", file.text)
        return self._text_page(typed, file, asked)

    def change_text(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the effect of changing the text."""
        text = _with_last_break(asked.fields.get("text", ""))
        keep_typed(self._state.workspace, asked.account.name, _TEXT, {"text": text})
        try:
            self._check_digest(asked, file)
            return self._preview(text, file, asked)
        except BenchwrightError as error:
            return self._text_page(text, file, asked, problem=message_of(error), status=422)

    def campaign(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the form for an additional campaign."""
        return self._campaign_page({}, file, asked)

    def add_campaign(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Show the effect of an additional campaign."""
        sent = asked.fields
        try:
            self._check_digest(asked, file)
            recipe, after = file.parsed(), sent.get("after", "")
            if not after.isdecimal() or int(after) >= len(recipe.steps):
                raise BenchwrightError(TEXTS["no_such_step"])
            return self._preview(with_step(file.text, int(after), _campaign_step(sent)), file, asked)
        except BenchwrightError as error:
            return self._campaign_page(sent, file, asked, problem=message_of(error), status=422)

    def apply(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Apply a previewed change."""
        text = asked.fields.get("text", "")
        self._check_digest(asked, file)
        state, name = self._state, asked.account.name
        change = recipe_change(state.workspace, state.store, file, text)
        apply_change(state.workspace, state.store, change, by=name, now=clock())
        forget_typed(state.workspace, name, _TEXT)
        return RedirectResponse(f"{RECIPE}?applied=1", 303)

    def drop(self, asked: CuratorRequest, _file: RecipeFile) -> Response:
        """Remove an unapplied draft of the text."""
        forget_typed(self._state.workspace, asked.account.name, _TEXT)
        return RedirectResponse(f"{RECIPE}/text", 303)

    def run(self, asked: CuratorRequest, file: RecipeFile) -> Response:
        """Run the recipe, or resume its run."""
        job = self._state.jobs.start(RunJob(file.path, file.images), by=asked.account.name)
        return RedirectResponse(f"{RECIPE}?job={job.id}", 303)

    def close(self, asked: CuratorRequest, _file: RecipeFile) -> Response:
        """Close a campaign."""
        with self._state.store.writing(alone=True) as connection:
            close_campaign(connection, asked.fields.get("campaign", ""), by=asked.account.name, now=clock())
        return RedirectResponse(f"{RECIPE}?closed=1", 303)

    def reopen(self, asked: CuratorRequest, _file: RecipeFile) -> Response:
        """Reopen a campaign."""
        with self._state.store.writing(alone=True) as connection:
            reopen_campaign(connection, asked.fields.get("campaign", ""), by=asked.account.name, now=clock())
        return RedirectResponse(f"{RECIPE}?reopened=1", 303)

    def keep_text(self, name: str, fields: Mapping[str, str]) -> Response:
        """Store a draft of the text during typing."""
        keep_typed(self._state.workspace, name, _TEXT, {"text": fields.get("text", "")})
        return Response(status_code=204)

    def _form(self, file: RecipeFile, entry: str) -> StepForm:
        for number, (name, step) in enumerate(file.parsed().steps):
            if name == entry:
                return StepForm(number, name, step)
        raise BenchwrightError(TEXTS["no_such_step"])

    def _check_digest(self, asked: CuratorRequest, file: RecipeFile) -> None:
        if asked.fields.get("digest") != file.digest:
            raise BenchwrightError("the recipe has changed in the meantime; review it, and make your change again")

    def _preview(self, text: str, file: RecipeFile, asked: CuratorRequest) -> Response:
        if text == file.text:
            return RedirectResponse(f"{RECIPE}?same=1", 303)
        change = recipe_change(self._state.workspace, self._state.store, file, text)
        return own_page(TEXTS["change_title"], change_page(change, asked), here=RECIPE)

    def _step_page(
        self, form: StepForm, values: Mapping[str, str], file: RecipeFile, asked: CuratorRequest, **more: Any
    ) -> Response:
        body = step_form_page(form.entry, form.html(values, self._state.store), file, asked)
        return own_page(title_of(form.entry), body, here=RECIPE, **more)

    def _text_page(self, text: str, file: RecipeFile, asked: CuratorRequest, **more: Any) -> Response:
        return own_page(TEXTS["change_text"], text_form(text, file, asked), here=RECIPE, **more)

    def _campaign_page(self, sent: Mapping[str, str], file: RecipeFile, asked: CuratorRequest, **more: Any) -> Response:
        recipe = file.parsed()
        last = str(len(recipe.steps) - 1)
        usual = {"kind": OF_ITEMS[0], "as": "", "after": last, "opens_with": "", "part": "all", "part_of": "",
                 "votes": "2", "agree": "2"}  # fmt: skip
        return own_page(
            TEXTS["add_campaign"], campaign_form({**usual, **sent}, recipe, file, asked), here=RECIPE, **more
        )


def _campaign_step(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the step for an additional campaign in recipe form; reading it refuses invalid values."""
    kind, votes, agree = sent.get("kind", ""), sent.get("votes", ""), sent.get("agree", "")
    if not votes.isdecimal() or not agree.isdecimal():
        raise BenchwrightError(TEXTS["needs_number"].format(least="1", most="99", value=f"{votes}, {agree}"[:40]))
    step: dict[str, Any] = {"step": kind}
    if name := sent.get("as", "").strip():
        step["as"] = name
    if opens_with := sent.get("opens_with", ""):
        step["opens_with"] = opens_with
    if (part := _part(sent)) is not None:
        step["only"] = part
    if kind == "answer":
        step["annotators_per_item"] = int(votes)
    elif kind == "describe":
        step["annotators"] = int(votes)
    else:
        step["rule"] = f"at_least({agree}, of={votes})"
    return step


def _part(sent: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the part of the items for an additional campaign in recipe form, or None for all items."""
    names = [name.strip() for name in sent.get("part_of", "").split(",") if name.strip()]
    match sent.get("part", ""):
        case "rest":
            return {}
        case "tasks":
            return {"tasks": names}
        case "share":
            try:
                return {"share": [float(number) for number in names]}
            except ValueError:
                raise BenchwrightError(TEXTS["needs_share"]) from None
    return None


def _with_last_break(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
