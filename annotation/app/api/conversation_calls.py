"""Operations on conversations: curators' messages to annotators, and discussions of closed items."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

import sqlalchemy as sa

from ...store.campaigns.adjudications import note_seen
from ...store.conversations.discussions import (
    add_post,
    decisions_on,
    discussed_task,
    may_be_discussed,
    posts_on,
)
from ...store.conversations.messages import (
    confirm_message,
    send_message,
    sent_messages,
    unread_messages,
    withdraw_message,
)
from ...store.database.schema import tasks
from .models import AnnouncementBody, DiscussionReply, ListReply, PostBody
from .operation import ANNOTATORS, BOTH, CURATORS, ApiCall, ApiOperation
from .problems import ApiProblem

_CAMPAIGN = "/campaigns/{campaign}"
_ANNOUNCEMENTS = f"{_CAMPAIGN}/announcements"
_DISCUSSION = f"{_CAMPAIGN}/tasks/{{task:number}}/discussion"


def _list(call: ApiCall) -> ListReply:
    with call.store.reading() as connection:
        if call.token.scope == "curator":
            return ListReply(items=[message.to_json() for message in sent_messages(connection, call.campaign)])
        unread = unread_messages(connection, [call.campaign], call.account.name)
    return ListReply(items=[_for_annotator(message.to_json()) for message in unread])


def _for_annotator(message: dict[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("id", "words", "sent_at", "sent_by")}


def _send(call: ApiCall) -> ListReply:
    body: AnnouncementBody = call.body
    with call.store.writing() as connection:
        send_message(
            connection, call.campaign.name, body.words, recipient=body.recipient, by=call.account.name, now=call.now
        )
    return _list(call)


def _withdraw(call: ApiCall) -> None:
    with call.store.writing() as connection:
        withdraw_message(connection, call.campaign.name, int(call.path["message"]), by=call.account.name, now=call.now)


def _confirm(call: ApiCall) -> None:
    with call.store.writing() as connection:
        confirm_message(connection, int(call.path["message"]), call.account.name, now=call.now)


class _Discussed(NamedTuple):
    """The item under discussion, and the task whose pictures, question and key the discussion shows."""

    item_id: str
    task: int


def _discussed(call: ApiCall) -> _Discussed:
    """Return the item of the task that a request names, if the account may discuss that item."""
    named, of = int(call.path["task"]), call.account.name if call.token.scope == "annotator" else None
    of_campaign = sa.select(tasks.c.item_id).where(tasks.c.id == named, tasks.c.campaign_id == call.campaign.id)
    with call.store.reading() as connection:
        item_id = connection.execute(of_campaign).scalar_one_or_none()
        if item_id is not None and may_be_discussed(connection, call.campaign, item_id):
            task = discussed_task(connection, call.campaign, item_id, of=of)
            if task is not None:
                return _Discussed(item_id, task)
    raise ApiProblem("not_found", "there is no such task whose item you can discuss now")


def _read(call: ApiCall) -> DiscussionReply:
    item_id, task = _discussed(call)
    with call.store.writing() as connection:
        note_seen(connection, task, call.account.name, now=call.now)
        posts = posts_on(connection, call.campaign, item_id)
        decisions = decisions_on(connection, task)
    listed = [asdict(post) | {"posted_at": post.posted_at.isoformat()} for post in posts]
    return DiscussionReply(task=task, decisions=decisions, posts=listed)


def _post(call: ApiCall) -> DiscussionReply:
    body: PostBody = call.body
    with call.store.writing() as connection:
        add_post(
            connection, call.campaign, _discussed(call).item_id, body.words, author=call.account.name, now=call.now
        )
    return _read(call)


CONVERSATION_OPERATIONS = (
    ApiOperation(
        "GET",
        _ANNOUNCEMENTS,
        "listAnnouncements",
        "List messages to annotators.",
        BOTH,
        _list,
        ListReply,
        about="A curator's token lists all messages and their readers; an annotator's token lists the messages that "
        "the annotator has yet to confirm.",
    ),
    ApiOperation(
        "POST",
        _ANNOUNCEMENTS,
        "sendAnnouncement",
        "Send a message to all annotators, or to one.",
        CURATORS,
        _send,
        ListReply,
        body=AnnouncementBody,
        status=201,
    ),
    ApiOperation(
        "DELETE",
        f"{_ANNOUNCEMENTS}/{{message:number}}",
        "withdrawAnnouncement",
        "Withdraw a message.",
        CURATORS,
        _withdraw,
        status=204,
    ),
    ApiOperation(
        "POST",
        f"{_ANNOUNCEMENTS}/{{message:number}}/read",
        "confirmAnnouncement",
        "Confirm that you have read a message.",
        ANNOTATORS,
        _confirm,
        status=204,
    ),
    ApiOperation(
        "POST",
        f"{_DISCUSSION}/open",
        "openDiscussion",
        "Open the discussion of an item, which the store records.",
        BOTH,
        _read,
        DiscussionReply,
        about="This works only once the item can no longer be judged. An annotator who opens the discussion no "
        "longer judges the item.",
    ),
    ApiOperation(
        "POST",
        f"{_DISCUSSION}/posts",
        "postToDiscussion",
        "Write to the discussion of an item.",
        BOTH,
        _post,
        DiscussionReply,
        body=PostBody,
        status=201,
    ),
)
