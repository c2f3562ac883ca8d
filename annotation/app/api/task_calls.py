"""Operations for annotators: waiting tasks, and decisions on them, through the functions of the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response

from ...store.campaigns.guidelines import Guidelines
from ...store.database.records import RefusedError
from ...store.database.schema import annotators, slots, tasks
from ...workflow.practising import PracticeQueue
from ...workflow.task_queue import TaskQueue, is_id
from ..base.shown_pictures import etag
from ..routes.picture_response import picture_response
from ..routes.tasks import TaskImages
from ..task_card.card import Card
from ..task_card.card_event import CardEvent, event_of
from ..viewer import ViewerPicture
from ..workbench.annotating import AnnotatorWork
from ..workbench.work import WorkTask, require_shown
from .models import (
    CampaignReply,
    CampaignsReply,
    ClaimBody,
    DecidedReply,
    DecisionBody,
    OwnTasksQuery,
    PictureReply,
    ProgressReply,
    TaskReply,
    TasksReply,
    WordsBody,
)
from .operation import ANNOTATORS, BOTH, ApiCall, ApiOperation
from .pages import page_of
from .problems import ApiProblem

_TASK = "/campaigns/{campaign}/tasks/{task:number}"


def own_campaign(call: ApiCall, progress: dict[str, Any] | None = None) -> CampaignReply:
    """Return the token's campaign as its annotator sees it."""
    queue = TaskQueue(call.store, call.campaign, call.account.name)
    own = queue.progress(now=call.now)
    guidelines = Guidelines(call.store).newest(call.campaign)
    return CampaignReply(
        name=call.campaign.name,
        kind=call.campaign.kind,
        is_open=not call.campaign.is_closed,
        decided=own.decided,
        left=0 if call.campaign.is_closed else own.left,
        is_paused=queue.is_paused,
        is_qualified=PracticeQueue(call.store, call.campaign, call.account.name).is_qualified,
        guidelines=None if guidelines is None else guidelines.text,
        progress=progress,
    )


def _require_qualified(call: ApiCall) -> None:
    if not PracticeQueue(call.store, call.campaign, call.account.name).is_qualified:
        raise ApiProblem("refused", f"{call.account.name!r} has not passed the practice that this campaign requires")


def _work(call: ApiCall) -> AnnotatorWork:
    return AnnotatorWork(call.state, call.account, call.campaign)


def _task_id(call: ApiCall) -> int:
    task_id = int(call.path["task"])
    if not is_id(task_id):
        raise _no_task()
    return task_id


def _no_task() -> ApiProblem:
    return ApiProblem("not_found", "this task is not yours, or no longer is; claim the next one")


def _own_task(call: ApiCall, task_id: int) -> TaskReply:
    try:
        return task_reply(call, _work(call).task(task_id))
    except RefusedError:
        raise _no_task() from None


def task_reply(call: ApiCall, task: WorkTask) -> TaskReply:
    """Return a task built from the card that the page would show, so that a program learns no more than a browser."""
    card = task.card
    return TaskReply(
        task=task.task_id,
        mode=card.mode,
        question=card.question,
        choices=[dict(choice) for choice in card.choices],
        right=card.right,
        pictures=pictures_reply(call, task.task_id, task.pictures),
        beside=[dict(text) for text in card.beside],
        takes=takes_of(call, card),
        said=None if card.said is None else dict(card.said),
        version=card.version,
        is_current=card.is_current,
        remarks=[dict(remark) for remark in card.remarks or ()],
    )


def takes_of(call: ApiCall, card: Card) -> dict[str, Any]:
    """Return the fields of a decision on a card."""
    form = call.campaign.form
    letters = [choice["key"] for choice in card.choices]
    return {
        "decisions": letters if card.mode == "answer" or form.takes_choices else list(form.decisions),
        "reasons": [dict(reason) for reason in card.reasons],
        "needs_reason": list(card.needs_reason),
        "needs_note": list(card.needs_note),
        "fields": [dict(field) for field in card.fields],
        "editable": card.editable,
    }


def pictures_reply(call: ApiCall, task_id: int, pictures: Sequence[ViewerPicture]) -> list[PictureReply]:
    """Return the pictures of a task, with the paths from which a token can retrieve them."""
    base = f"{call.base_path}/tasks/{task_id}/pictures"
    return [
        PictureReply(
            url=f"{base}/{place}",
            marks=f"{base}/{place}/marks" if picture.marks else None,
            width=picture.width,
            height=picture.height,
            caption=picture.caption,
            letter=picture.letter,
        )
        for place, picture in enumerate(pictures)
    ]


def _campaigns(call: ApiCall) -> CampaignsReply:
    return CampaignsReply(items=[_campaign(call)])


def _campaign(call: ApiCall) -> CampaignReply:
    if call.token.scope != "curator":
        return own_campaign(call)
    from ...progress.status_document import status_document

    return own_campaign(call, status_document(call.store, call.campaign.name, now=call.now))


def _own_tasks(call: ApiCall) -> TasksReply:
    query: OwnTasksQuery = call.query

    def rows(after: int, most: int) -> list[tuple[int, int]]:
        is_wanted = slots.c.submitted_at.is_not(None) if query.state == "decided" else slots.c.lease_until > call.now
        listed = (
            sa.select(slots.c.id, slots.c.task_id)
            .select_from(slots.join(tasks, slots.c.task_id == tasks.c.id).join(annotators))
            .where(annotators.c.name == call.account.name, tasks.c.campaign_id == call.campaign.id)
            .where(is_wanted, slots.c.id > after)
            .order_by(slots.c.id)
            .limit(most)
        )
        with call.store.reading() as connection:
            return [(row.id, row.task_id) for row in connection.execute(listed)]

    items, cursor = page_of(rows, query, lambda task_id: _own_task(call, task_id))
    return TasksReply(items=items, next=cursor)


def _claim(call: ApiCall) -> TasksReply:
    _require_qualified(call)
    body: ClaimBody = call.body
    queue = TaskQueue(call.store, call.campaign, call.account.name)
    return TasksReply(items=[_own_task(call, task_id) for task_id in queue.hold(body.most, now=call.now)], next=None)


def _task(call: ApiCall) -> TaskReply:
    return _own_task(call, _task_id(call))


def _look_at_pictures(call: ApiCall) -> None:
    """Decode a task's pictures before a transaction begins, because other requests wait until a transaction ends."""
    task_id = _task_id(call)
    if _work(call).has(task_id):
        require_shown(call.state, task_id)


def _event(call: ApiCall, does: str, **sent: Any) -> CardEvent:
    task_id = _task_id(call)
    if not _work(call).has(task_id):
        raise _no_task()
    event = {"task": task_id, "does": does, "decision": "", "note": "", "reasons": [], **sent}
    return event_of(event)


def _decide(call: ApiCall) -> DecidedReply:
    _require_qualified(call)
    body: DecisionBody = call.body
    sent = body.model_dump(exclude={"version"}) | {"note": body.note or ""}
    if body.version is not None:
        if not _work(call).has(_task_id(call)):
            raise _no_task()
        revision = TaskQueue(call.store, call.campaign, call.account.name).task(_task_id(call), now=call.now).revision
        sent |= {"version": body.version, "revision": revision}
    work = _work(call)
    result = work.carry_out(_event(call, "decide", **sent))
    own = TaskQueue(call.store, call.campaign, call.account.name).progress(now=call.now)
    return DecidedReply(
        task=None if result.task_id is None else _own_task(call, result.task_id),
        words=result.words,
        notice=list(result.notice),
        decided=own.decided,
        left=own.left,
    )


def _skip(call: ApiCall) -> ProgressReply:
    _work(call).carry_out(_event(call, "skip"))
    own = TaskQueue(call.store, call.campaign, call.account.name).progress(now=call.now)
    return ProgressReply(decided=own.decided, left=own.left)


def _flag(call: ApiCall) -> TaskReply:
    return _remark(call, "flag")


def _comment(call: ApiCall) -> TaskReply:
    return _remark(call, "comment")


def _remark(call: ApiCall, does: str) -> TaskReply:
    body: WordsBody = call.body
    _work(call).carry_out(_event(call, does, note=body.words))
    return _own_task(call, _task_id(call))


def _picture(call: ApiCall) -> Response:
    return _shown(call, is_layer=False)


def _marks(call: ApiCall) -> Response:
    return _shown(call, is_layer=True)


def _shown(call: ApiCall, *, is_layer: bool) -> Response:
    """Return a picture, or its marks, of a task in the token's campaign, if the page would show it to the account."""
    place, campaign = int(call.path["place"]), call.store.campaign_of(_task_id(call))
    images = (
        TaskImages(call.state).of(call.request) if campaign is not None and campaign.id == call.campaign.id else None
    )
    image = images[place] if images is not None and 0 <= place < len(images) else None
    if image is None or (is_layer and not image.prompts):
        raise ApiProblem("not_found", "there is no such picture for you")
    if is_layer:
        return picture_response(call.request, etag(image, "marks"), lambda: call.state.pictures.marks(image))
    return picture_response(call.request, etag(image), lambda: call.state.pictures.picture(image))


TASK_OPERATIONS = (
    ApiOperation(
        "GET",
        "/campaigns",
        "listCampaigns",
        "List the campaigns that the token opens, with progress.",
        BOTH,
        _campaigns,
        CampaignsReply,
    ),
    ApiOperation(
        "GET",
        "/campaigns/{campaign}",
        "readCampaign",
        "Read the campaign: what is left, guidelines, progress.",
        BOTH,
        _campaign,
        CampaignReply,
    ),
    ApiOperation(
        "GET",
        "/campaigns/{campaign}/tasks",
        "listOwnTasks",
        "List tasks that you hold or decided.",
        ANNOTATORS,
        _own_tasks,
        TasksReply,
        query=OwnTasksQuery,
    ),
    ApiOperation(
        "POST",
        "/campaigns/{campaign}/claims",
        "claimTasks",
        "Take the next tasks, up to `most` at once.",
        ANNOTATORS,
        _claim,
        TasksReply,
        body=ClaimBody,
        about="Tasks that you hold come first, with their leases renewed. Empty when nothing is left for you.",
    ),
    ApiOperation("GET", _TASK, "readTask", "Read one of your own tasks.", ANNOTATORS, _task, TaskReply),
    ApiOperation(
        "POST",
        f"{_TASK}/decision",
        "decide",
        "Decide a task, or change your decision.",
        ANNOTATORS,
        _decide,
        DecidedReply,
        body=DecisionBody,
        before=_look_at_pictures,
        about="If the campaign asks for an answer before it shows the key, the first call gives the answer, and the "
        "reply's `task` holds the next part. Repeating a decision changes nothing.",
    ),
    ApiOperation(
        "POST",
        f"{_TASK}/skip",
        "skipTask",
        "Return a task; it comes back when no other task is left.",
        ANNOTATORS,
        _skip,
        ProgressReply,
    ),
    ApiOperation(
        "POST", f"{_TASK}/flag", "flagTask", "Flag a task for a curator.", ANNOTATORS, _flag, TaskReply, body=WordsBody
    ),
    ApiOperation(
        "POST",
        f"{_TASK}/comment",
        "commentOnTask",
        "Comment on a task.",
        ANNOTATORS,
        _comment,
        TaskReply,
        body=WordsBody,
    ),
    ApiOperation(
        "GET",
        f"{_TASK}/pictures/{{place:number}}",
        "readPicture",
        "Get a picture of a task.",
        BOTH,
        _picture,
        returns="image/*",
    ),
    ApiOperation(
        "GET",
        f"{_TASK}/pictures/{{place:number}}/marks",
        "readMarks",
        "Get the marks over a picture.",
        BOTH,
        _marks,
        returns="image/png",
    ),
)
