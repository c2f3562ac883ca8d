"""Similarity in the list of items: the searched picture, the basis of comparison, and the missing vectors."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from benchwright.errors import BenchwrightError, UnreadableImage
from benchwright.images import decode_luma, hashes
from benchwright.images.perceptual_hash import HASHED_AT_LEAST_PX
from benchwright.workspace.workspace import Workspace

from ...items.item_search import FoundRecord, Hits, ItemQuery, has_hashes
from ...items.likeness import LikenessBy, comparable
from ...items.vector_file import VectorFile, VectorKind, kept_models
from ...jobs.commands import LikenessJob
from ...store.accounts.accounts import Account
from ..base.state import AppState
from ..languages.language import chosen_language
from ..wording.conversation_texts import TEXTS as VIEW_TEXTS
from ..wording.curator_texts import TEXTS
from ..wording.directed_text import inert
from ..wording.texts import message_of

_LIKE_MB = 20


def picture_to_look_for(state: AppState, query: ItemQuery) -> str:
    """Let a curator upload a picture to search for, and return its hash as `like`; without one, the query's `like`."""
    if not state.items.reading(has_hashes):
        st.caption(TEXTS["no_hashes"])
        return query.like
    uploaded = st.file_uploader(
        TEXTS["like_file"], help=TEXTS["like_why"], max_upload_size=_LIKE_MB, key=f"like-{query.like}"
    )
    if uploaded is None:
        return query.like
    try:
        code = hashes(decode_luma(uploaded.getvalue(), at_least_px=HASHED_AT_LEAST_PX)).phash
    except UnreadableImage as error:
        st.error(TEXTS["not_a_picture"].format(why=inert(error.reason)))
        return query.like
    return f"hash-{code:016x}"


def without_likeness(query: ItemQuery) -> ItemQuery | None:
    """Show a button that removes a similarity search's target, and return the query without it once pressed."""
    like_is = VIEW_TEXTS["like_question_is"] if query.alike == "question" else TEXTS["like_is"]
    meaning_is = TEXTS["take_off"].format(label=VIEW_TEXTS["by_meaning"], value=inert(query.meaning))
    words = meaning_is if query.meaning else like_is
    if query.is_by_likeness and st.button(words, key="off-like", icon=":material/close:"):
        return replace(query, like="", alike="pictures", meaning="")
    return None


def likeness_words(record: FoundRecord, by: LikenessBy) -> str:
    """Return a text that states a record's similarity; empty if it has no similarity."""
    if record.value is None:
        return ""
    if by == "picture_hashes":
        return TEXTS["bits"].format(bits=record.value)
    return VIEW_TEXTS["likeness_of"].format(share=chosen_language().number(record.value, ".0%"))


def show_compared(state: AppState, account: Account, query: ItemQuery, hits: Hits) -> None:
    """Show the basis of comparison and the number of records left out, and offer to make vectors for these.

    Args:
        state: State of the app.
        account: Account of the curator.
        query: The query.
        hits: The records that the query found.
    """
    if hits.by is None:
        return
    kind: VectorKind = "pictures" if hits.by.startswith("picture") else "words"
    models, counts = state.items.reading(lambda connection: (kept_models(connection), comparable(connection)))
    model = models[kind].folder.parts if kind in models else ()
    st.caption(VIEW_TEXTS[f"compared_{hits.by}"].format(model=inert(_model_name(model))))
    have, of = counts[:2] if kind == "pictures" else counts[2:]
    if have == of or query.like.startswith("hash-"):
        return
    if kind in models:
        st.caption(VIEW_TEXTS[f"without_vectors_{kind}"].format(count=of - have, total=of))
    _offer_vectors(state, account, kind)


def _model_name(parts: tuple[str, ...]) -> str:
    """Return a model's name from the parts of its folder: its repository if the folder is in a cache of the Hub."""
    repository = next((part for part in reversed(parts) if part.startswith("models--")), None)
    return parts[-1] if parts and repository is None else (repository or "").removeprefix("models--").replace("--", "/")


def _offer_vectors(state: AppState, account: Account, kind: VectorKind) -> None:
    """Let a curator make the missing vectors if this machine has a model, or else explain how to."""
    from ...items.vector_making import models_for

    if kind not in models_for(VectorFile(Workspace(state.workspace).cache), {}):
        st.caption(VIEW_TEXTS[f"no_model_{kind}"])
        return
    if (running := state.jobs.running()) is not None and running.kind == "likeness":
        st.caption(VIEW_TEXTS["embedding_now"])
    elif st.button(VIEW_TEXTS["embed_now"], disabled=running is not None, key="embed-now"):
        try:
            state.jobs.start(LikenessJob(), by=account.name)
        except BenchwrightError as error:
            st.error(inert(message_of(error)))
            return
        st.rerun()
