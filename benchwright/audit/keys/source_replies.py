"""Replies that a source brings along beside its questions, read against the items of an audit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from benchwright.records import LETTERS

from .replies import NO_LETTER, KeyedItem, ModelReplies, letter_of
from .reply_files import ReplyRow

if TYPE_CHECKING:
    from benchwright.construction.imported import ModelReply

_LETTER_ALONE = re.compile(r"\W*([A-Z])\W*")
_SHOWN_CHARACTERS = 1000


def replies_of_source(replies: Iterable[ModelReply], items: Sequence[KeyedItem]) -> list[ModelReplies]:
    """Return the replies of each model, as options of the items.

    Where the source stores the letter that it took a reply for, that letter counts, since its published scores do; else
    the reply is read as `benchwright evaluate` reads it.

    Args:
        replies: Replies that stand beside the questions, those of one model after another.
        items: Items, by the ids that the replies name.
    """
    by_id = {item.item_id: item for item in items}
    read = []
    for model, of_model in groupby(replies, key=lambda reply: reply.model):
        letters: dict[str, int] = {}
        texts: dict[str, str] = {}
        elsewhere = 0
        for reply in of_model:
            item = by_id.get(reply.key)
            if item is None:
                elsewhere += 1
                continue
            letters[item.item_id] = _option_of(reply, item)
            if letters[item.item_id] == NO_LETTER:
                texts[item.item_id] = (reply.text or reply.choice or "")[:_SHOWN_CHARACTERS]
        if letters:
            read.append(ModelReplies(model, letters, texts, (), elsewhere))
    return read


def _option_of(reply: ModelReply, item: KeyedItem) -> int:
    """Return the place of the option that a reply gives; `NO_LETTER` where neither text nor choice names one."""
    stated = _LETTER_ALONE.fullmatch(reply.choice or "")
    if stated is not None and (place := LETTERS.index(stated.group(1))) < len(item.options):
        return place
    for text in (reply.text, reply.choice):
        given = letter_of(ReplyRow("", {}, text), item) if text else NO_LETTER
        if isinstance(given, int) and given != NO_LETTER:
            return given
    return NO_LETTER
