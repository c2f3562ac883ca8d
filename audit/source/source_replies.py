"""Replies that a source stores next to its questions, matched to the items of an audit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from benchwright.records import LETTERS
from benchwright.replies.model_replies import NO_LETTER, KeyedItem, ModelReplies, letter_of
from benchwright.replies.reply_files import ReplyRow, UnreadReply

if TYPE_CHECKING:
    from benchwright.question_files.questions.asked_question import ModelReply

_LETTER_ALONE = re.compile(r"\W*([A-Z])\W*")
_SHOWN_CHARACTERS = 1000


def replies_of_source(
    replies: Iterable[ModelReply],
    items: Sequence[KeyedItem],
    unread: Iterable[tuple[str, UnreadReply]] = (),
) -> list[ModelReplies]:
    """Return the replies of each model, as options of the items.

    If the source stores the letter that it read from a reply, that letter is used, since its published scores rely on
    it; otherwise the reply is read as by `benchwright evaluate`.

    Args:
        replies: Replies next to the questions, those of one model after another.
        items: Items, by the ids that the replies name.
        unread: Unusable rows of reply files, each with the model that its file names; it also refers to a model whose
            name is part of that name. Rows of models without replies are left out.
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
    by_model: dict[str, list[UnreadReply]] = {replies.model: [] for replies in read}
    for named, row in unread:
        if held := [model for model in by_model if model in named]:
            by_model[max(held, key=len)].append(row)
    return [replies._replace(unread=tuple(by_model[replies.model])) for replies in read]


def letter_alone(text: str | None) -> int | None:
    """Return the index of the option that is meant by a text such as `(B)` without further words; None for other texts.

    Example:
        >>> letter_alone("(B)")
        1
        >>> letter_alone("B or C") is None
        True
    """
    match = _LETTER_ALONE.fullmatch(text or "")
    return None if match is None else LETTERS.index(match.group(1))


def _option_of(reply: ModelReply, item: KeyedItem) -> int:
    """Return the index of the option that a reply gives, or `NO_LETTER` if neither text nor choice names an option."""
    stated = letter_alone(reply.choice)
    if stated is not None and stated < len(item.options):
        return stated
    for text in (reply.text, reply.choice):
        given = letter_of(ReplyRow("", {}, text), item) if text else NO_LETTER
        if isinstance(given, int) and given != NO_LETTER:
            return given
    return NO_LETTER
