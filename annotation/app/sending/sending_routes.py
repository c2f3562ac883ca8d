"""Routes for curators' uploads of photographs: the page, and one request for each photograph."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from benchwright.errors import BenchwrightError

from ...jobs.sent_photographs import MOST_BYTES, SentPhotographs
from ..auth.known_pages import NEW_BENCHMARK, SEND
from ..base.state import AppState
from ..own_pages.curator_requests import CuratorRequest, curators_only, script_endpoint
from ..own_pages.html_fields import FieldWords, text_field
from ..own_pages.shell import own_page
from ..wording.own_page_texts import TEXTS
from ..wording.texts import message_of

_FILE = f"{SEND}/file"
_SCRIPT = '<script src="/own-pages/send.js" defer></script>'


def sending_routes(state: AppState) -> list[Route]:
    """Return the routes for the page; the session middleware has already identified the account."""
    sent = SentPhotographs(state.workspace)

    def show(asked: CuratorRequest) -> Response:
        return own_page(TEXTS["send_title"], _body(sent.folders(), asked.query.get("folder", "photographs")), here=SEND)

    def take(request: Request, body: bytes) -> Response:
        query = request.query_params
        try:
            is_new = sent.keep(query.get("folder", ""), query.get("path", ""), body)
        except BenchwrightError as error:
            return PlainTextResponse(f"{message_of(error)}\n", 422)
        return JSONResponse({"new": is_new})

    taking = script_endpoint(take, MOST_BYTES, too_large="send_large_photograph")
    return [Route(SEND, curators_only(state, show)), Route(_FILE, taking, methods=["PUT"])]


def _body(folders: dict[str, int], chosen: str) -> str:
    words = {name: escape(TEXTS[f"send_{name}"], quote=True) for name in ("under_way", "away", "done", "left_out")}
    told = "".join(f' data-{name.replace("_", "-")}="{text}"' for name, text in words.items())
    rows = "".join(
        f"<li><bdi>{escape(name)}</bdi>: {escape(TEXTS['send_holds'].format(count=count))}</li>"
        for name, count in folders.items()
    )
    here = f"<h2>{escape(TEXTS['send_here'])}</h2><ul>{rows}</ul>" if rows else ""
    picks = "".join(
        f'<div class="field"><label for="{name}">{escape(TEXTS[f"field_{name}"])}</label>'
        f'<input type="file" id="{name}" multiple{more} aria-describedby="send-words">'
        f'<p class="hint">{escape(TEXTS[f"hint_{name}"])}</p></div>'
        for name, more in (("send_files", ' accept="image/*"'), ("send_tree", " webkitdirectory"))
    )
    folder = text_field(
        "folder", chosen, FieldWords(TEXTS["field_send_folder"], TEXTS["hint_send_folder"]), more="maxlength=100"
    )
    return (
        f"<p>{escape(TEXTS['send_why'].format(most=MOST_BYTES >> 20))}</p>"
        f'<section class="card" data-send="{_FILE}"{told}>{folder}<div class="two">{picks}</div>'
        f'<progress value="0" max="1" aria-labelledby="send-words" hidden></progress>'
        f'<p id="send-words" role="status"></p><ul class="left-out"></ul></section>{here}'
        f'<div class="buttons"><a class="button quiet" href="{NEW_BENCHMARK}">{escape(TEXTS["new_benchmark"])}</a>'
        f"</div>{_SCRIPT}"
    )
