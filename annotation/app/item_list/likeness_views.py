"""Similarity in the list of items: the searched picture, the basis of comparison, and the missing vectors."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from benchwright.errors import UnreadableImage
from benchwright.images import decode_luma, hashes
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX
from benchwright.workspace.workspace import Workspace

from ...items.item_search import FoundRecord, Hits, ItemQuery, has_hashes
from ...items.likeness import LikenessBy, comparable
from ...items.vector_file import VectorFile, VectorKind, kept_models
from ..auth.known_pages import ITEMS
from ..base.state import AppState
from ..languages.language import chosen_language
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import hidden
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import TEXTS
from .list_query import list_address, query_in, query_line

PICTURE = f"{ITEMS}/picture"
"""Path to which the script sends a picture to compare with."""
MOST_PICTURE_BYTES = 20 << 20
"""Maximum size of such a picture in bytes."""
_CODE, _EMPHASIS = re.compile(r"`([^`]+)`"), re.compile(r"\*([^*]+)\*")


def picture_field(state: AppState) -> str:
    """Return the field for a picture to search for, or the reason why pictures cannot be compared."""
    title = escape(TEXTS["like_file"])
    if not state.items.reading(has_hashes):
        return f'<details id="items-picture"><summary>{title}</summary>{_hints([TEXTS["no_hashes"]])}</details>'
    away = escape(TEXTS["trial_away"], quote=True)
    return (
        f'<details id="items-picture"><summary>{title}</summary><div class="field">'
        f'<input type="file" id="like-file" accept="image/*" data-compares="{PICTURE}" aria-label="{title}"'
        f' aria-describedby="like-why like-words"><p class="hint" id="like-why">{escape(TEXTS["like_why"])}</p>'
        f'<p class="problem" id="like-words" role="status" data-away="{away}"></p></div></details>'
    )


def compared_picture(request: Request, body: bytes) -> Response:
    """Answer a picture with the address of the list of what looks like it."""
    try:
        code = hashes(decode_luma(body, at_least_px=HASHED_AT_LEAST_PX)).phash
    except UnreadableImage as error:
        return PlainTextResponse(TEXTS["not_a_picture"].format(why=error.reason) + "\n", 422)
    query = replace(
        query_in(dict(request.query_params)), meaning="", like=f"hash-{code:016x}", alike="pictures", page=1
    )
    return JSONResponse({"address": list_address(query)})


def likeness_words(record: FoundRecord, by: LikenessBy) -> str:
    """Return a text that states a record's similarity; empty if it has no similarity."""
    if record.value is None:
        return ""
    if by == "picture_hashes":
        return TEXTS["bits"].format(bits=record.value)
    return VIEW_TEXTS["likeness_of"].format(share=chosen_language().number(record.value, ".0%"))


def compared_by(state: AppState, query: ItemQuery, hits: Hits, asked: CuratorRequest) -> str:
    """Return the basis of comparison, the number of records left out, and a form that makes vectors for these.

    Args:
        state: State of the app.
        query: The query.
        hits: The records that the query found.
        asked: The curator's request.
    """
    if hits.by is None:
        return ""
    kind: VectorKind = "pictures" if hits.by.startswith("picture") else "words"
    models, counts = state.items.reading(lambda connection: (kept_models(connection), comparable(connection)))
    model = models[kind].folder.parts if kind in models else ()
    lines = [VIEW_TEXTS[f"compared_{hits.by}"].format(model=_model_name(model))]
    have, of = counts[:2] if kind == "pictures" else counts[2:]
    if have == of or query.like.startswith("hash-"):
        return _hints(lines)
    if kind in models:
        lines.append(VIEW_TEXTS[f"without_vectors_{kind}"].format(count=of - have, total=of))
    return _hints(lines) + _vectors_form(state, kind, query, asked)


def _hints(lines: list[str]) -> str:
    """Return lines as hints, with commands and names of pages set apart."""
    texts = (_EMPHASIS.sub(r"<em>\1</em>", _CODE.sub(r'<code dir="ltr">\1</code>', escape(line))) for line in lines)
    return "".join(f'<p class="hint">{text}</p>' for text in texts)


def _model_name(parts: tuple[str, ...]) -> str:
    """Return a model's name from the parts of its folder: its repository if the folder is in a cache of the Hub."""
    repository = next((part for part in reversed(parts) if part.startswith("models--")), None)
    return parts[-1] if parts and repository is None else (repository or "").removeprefix("models--").replace("--", "/")


def _vectors_form(state: AppState, kind: VectorKind, query: ItemQuery, asked: CuratorRequest) -> str:
    """Return a form that makes the missing vectors if this machine has a model, or else a hint on how to."""
    from ...items.vector_making import models_for

    if kind not in models_for(VectorFile(Workspace(state.workspace).cache), {}):
        return _hints([VIEW_TEXTS[f"no_model_{kind}"]])
    if (running := state.jobs.running()) is not None and running.kind == "likeness":
        return _hints([VIEW_TEXTS["embedding_now"]])
    is_busy = " disabled" if running is not None else ""
    carried = hidden(TOKEN, asked.token) + hidden("list", query_line(query))
    return (
        f'<form method="post" action="{ITEMS}/vectors" data-row>{carried}<div class="buttons">'
        f'<button class="quiet" type="submit" id="embed-now"{is_busy}>{escape(VIEW_TEXTS["embed_now"])}</button>'
        "</div></form>"
    )
