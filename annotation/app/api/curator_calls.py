"""Operations for curators on a campaign's items: lists, decision export and import, adjudication, closing and jobs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import sqlalchemy as sa
from starlette.responses import Response, StreamingResponse

from benchwright.errors import BenchwrightError

from ...exchange.decision_file import import_decisions
from ...exchange.export.work_tables import annotations_of
from ...forms.payloads import item_in
from ...items.item_search import ItemQuery, search
from ...jobs.commands import ExportJob, FreezeJob, RunJob
from ...jobs.job_records import JobRecord
from ...jobs.question_tables import add_table
from ...store.campaigns.gold import IS_LISTED
from ...store.campaigns.open_and_closed import close_campaign, reopen_campaign
from ...store.database.records import RefusedError
from ...store.database.schema import annotators, tasks
from ...workflow.adjudication import AdjudicationQueue
from ..routes.downloads import EXPORT, download_response
from ..task_card.card_event import event_of
from ..workbench.adjudicating import AdjudicatorWork
from .models import (
    AddedReply,
    AlikeQuery,
    AlikeReply,
    CaseReply,
    DecisionBody,
    ExportBody,
    FreezeBody,
    ImportReply,
    ItemsQuery,
    JobReply,
    ListReply,
    PagedReply,
    ProgressReply,
    StateReply,
)
from .operation import CURATORS, LINES, ApiCall, ApiOperation
from .pages import page_of
from .problems import ApiProblem
from .task_calls import pictures_reply

_AS_JSON = ("reasons", "fields", "edits")
"""Columns of decisions with JSON values."""
_CAMPAIGN = "/campaigns/{campaign}"
_CASE = "/campaigns/{campaign}/adjudications/{task:number}"


def _items(call: ApiCall) -> PagedReply:
    query: ItemsQuery = call.query

    def rows(after: int, most: int) -> list[tuple[int, Any]]:
        columns = (tasks.c.id, tasks.c.item_id, tasks.c.content_hash, tasks.c.round, tasks.c.state, tasks.c.payload)
        listed = sa.select(*columns).where(tasks.c.campaign_id == call.campaign.id, tasks.c.id > after, IS_LISTED)
        listed = listed if query.state is None else listed.where(tasks.c.state == query.state)
        with call.store.reading() as connection:
            return [(row.id, row) for row in connection.execute(listed.order_by(tasks.c.id).limit(most))]

    items, cursor = page_of(rows, query, _item)
    return PagedReply(items=items, next=cursor)


def _item(row: Any) -> dict[str, Any]:
    item = item_in(json.loads(row.payload))
    about = {name: getattr(row, name) for name in ("item_id", "content_hash", "round", "state")}
    return {"task": row.id, **about, "item": item}


def _alike(call: ApiCall) -> AlikeReply:
    query: AlikeQuery = call.query
    if bool(query.item) == bool(query.meaning):
        raise ApiProblem(
            "invalid", "give either `item`, the id of an item, or `meaning`, words that describe what to look for"
        )
    index, wanted = (
        call.state.items,
        ItemQuery(campaign=call.campaign.name, like=query.item, alike=query.by, meaning=query.meaning),
    )
    index.refresh()
    hits = index.reading(lambda connection: search(connection, wanted, page_size=query.limit))
    items = [
        {"item_id": record.record_id, "question": record.question, "state": record.state, "likeness": record.value}
        for record in hits.records
    ]
    assert hits.by is not None, "one of both was given"
    return AlikeReply(by=hits.by, items=items)


def _decisions(call: ApiCall) -> Response:
    """Return every version of every decision as JSON lines, streamed one line at a time."""

    def lines() -> Iterator[str]:
        with call.store.snapshot() as connection:
            names = {name: name for name in connection.execute(sa.select(annotators.c.name)).scalars()}
            table = annotations_of(connection, [call.campaign.id], names)
            for row in table.rows:
                values = dict(zip(table.columns, row, strict=True))
                values |= {name: json.loads(values[name]) for name in _AS_JSON if values[name] is not None}
                yield json.dumps(values, default=_moment) + "\n"

    call.store.record_read("exported", actor=call.account.name, now=call.now, campaign=call.campaign.name)
    return StreamingResponse(lines(), media_type=LINES, headers={"Cache-Control": "no-store"})


def _moment(value: datetime) -> str:
    return value.isoformat()


def _import(call: ApiCall) -> ImportReply:
    if not call.body:
        raise ApiProblem("invalid", "the body is empty; send a table with the columns that `review export` writes")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(call.body)
        try:
            done = import_decisions(call.store, call.campaign.name, path, now=call.now)
        except BenchwrightError as error:
            raise ApiProblem("refused", str(error).replace(str(path), "the table")) from None
    about = {"campaign": call.campaign.name, "new": done.new, "refused": len(done.refused)}
    call.store.record("imported", actor=call.account.name, now=call.now, **about)
    return ImportReply(**done.to_json())


def _add_items(call: ApiCall) -> AddedReply:
    if not call.body:
        raise ApiProblem("invalid", "the body is empty; send a table of questions, as the step `items` reads them")
    if call.state.jobs.running() is not None:
        raise ApiProblem("refused", "a command is already running; its job says when it is done")
    added = add_table(call.state.workspace, call.body)
    job = call.state.jobs.start(RunJob(added.source.recipe, added.source.images), by=call.account.name)
    about = {"campaign": call.campaign.name, "file": added.file, "items": added.items}
    call.store.record("questions_added", actor=call.account.name, now=call.now, **about)
    return AddedReply(file=added.file, items=added.items, left_out=added.left_out, job=_job_reply(call, job))


def _cases(call: ApiCall) -> ListReply:
    queue = AdjudicationQueue(call.store, call.campaign, call.account.name)
    return ListReply(
        items=[{"task": case.task_id, "waits": case.waits, "divided": round(case.divided, 3)} for case in queue.queue()]
    )


def _case_work(call: ApiCall) -> AdjudicatorWork:
    if not AdjudicationQueue(call.store, call.campaign, call.account.name).is_open:
        raise ApiProblem("refused", f"the rule {call.campaign.rule!r} of this campaign names no adjudicator")
    return AdjudicatorWork(call.state, call.account, call.campaign)


def _open_case(call: ApiCall) -> CaseReply:
    try:
        case = _case_work(call).task(int(call.path["task"]))
    except RefusedError as error:
        raise ApiProblem("not_found", str(error)) from None
    card = case.card
    return CaseReply(
        task=case.task_id,
        question=card.question,
        choices=[dict(choice) for choice in card.choices],
        right=card.right,
        answers=[dict(answer) for answer in card.answers],
        pictures=pictures_reply(call, case.task_id, case.pictures),
        takes={
            "decisions": ["accept", "reject", "send_back", *(["revise"] if card.editable else [])],
            "reasons": [dict(reason) for reason in card.reasons],
            "needs_note": list(card.needs_note),
            "fields": [dict(field) for field in card.fields],
            "editable": card.editable,
        },
        about=case.about,
    )


def _decide_case(call: ApiCall) -> ProgressReply:
    body: DecisionBody = call.body
    sent = body.model_dump(exclude={"version"}) | {"note": body.note or ""}
    work = _case_work(call)
    work.carry_out(event_of({"task": int(call.path["task"]), "does": "decide", **sent}))
    queue = AdjudicationQueue(call.store, call.campaign, call.account.name)
    return ProgressReply(decided=len(queue.decided()), left=len(queue.queue()))


def _messages(call: ApiCall) -> ListReply:
    return ListReply(items=[comment.to_json() for comment in call.store.remarks(call.campaign.name, settled=True)])


def _settle(call: ApiCall) -> None:
    try:
        call.store.settle_remark(call.campaign.name, int(call.path["message"]), by=call.account.name, now=call.now)
    except RefusedError:
        raise
    except BenchwrightError as error:
        raise ApiProblem("not_found", str(error)) from None


def _close(call: ApiCall) -> StateReply:
    with call.store.writing(alone=True) as connection:
        close_campaign(connection, call.campaign.name, by=call.account.name, now=call.now)
    return StateReply(is_open=False)


def _reopen(call: ApiCall) -> StateReply:
    with call.store.writing(alone=True) as connection:
        reopen_campaign(connection, call.campaign.name, by=call.account.name, now=call.now)
    return StateReply(is_open=True)


def _freeze(call: ApiCall) -> JobReply:
    body: FreezeBody = call.body
    return _job_reply(call, call.state.jobs.start(FreezeJob(body.name, body.version), by=call.account.name))


def _export(call: ApiCall) -> JobReply:
    body: ExportBody = call.body
    job = ExportJob(is_pseudonymous=body.pseudonyms, campaign=call.campaign.name)
    return _job_reply(call, call.state.jobs.start(job, by=call.account.name))


def _job_reply(call: ApiCall, record: JobRecord) -> JobReply:
    is_download = record.kind == "export" and record.state == "done"
    path = f"{call.base_path}/jobs/{record.id}/download"
    return JobReply(
        id=record.id,
        kind=record.kind,
        state=record.state,
        started_at=record.started_at.isoformat(),
        ended_at=None if record.ended_at is None else record.ended_at.isoformat(),
        download=path if is_download else None,
    )


def _own_job(call: ApiCall) -> JobRecord:
    """Return a job that a token for the campaign may see: a run, a freeze, or an export of this campaign only."""
    record = call.state.jobs.job(str(call.path["job"]))
    is_own = record is not None and (
        record.kind in {"freeze", "run"}
        or (record.kind == "export" and f"--campaign={call.campaign.name}" in record.arguments)
    )
    if record is None or not is_own:
        raise ApiProblem("not_found", "there is no such job of this campaign")
    return record


def _job(call: ApiCall) -> JobReply:
    return _job_reply(call, _own_job(call))


def _download(call: ApiCall) -> Response:
    record = _own_job(call)
    response = download_response(call.state, EXPORT, record.id) if record.kind == "export" else None
    if response is None:
        raise ApiProblem("not_found", "this job has nothing to download, or not yet")
    return response


CURATOR_OPERATIONS = (
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/items",
        "listItems",
        "List items with their keys, page by page.",
        CURATORS,
        _items,
        PagedReply,
        query=ItemsQuery,
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/items",
        "addItems",
        "Add a table of questions, and run the recipe.",
        CURATORS,
        _add_items,
        AddedReply,
        body=bytes,
        status=202,
        in_store=False,
        about="The table is CSV in the form that the step `items` reads, and is added to the folder that this step "
        "of the recipe names. A table that gives no items is refused.",
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/alike",
        "findAlike",
        "Find items similar to an item, or about a subject.",
        CURATORS,
        _alike,
        AlikeReply,
        query=AlikeQuery,
        about="Pictures and questions are compared by the vectors that `review likeness` made; without vectors, by "
        "perceptual hashes and shared words. `by` names the method.",
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/decisions",
        "readDecisions",
        "Stream every version of every decision.",
        CURATORS,
        _decisions,
        returns=LINES,
        about="The columns are those of `annotations` in `review export --all`.",
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/decisions",
        "importDecisions",
        "Import decisions from a CSV table.",
        CURATORS,
        _import,
        ImportReply,
        body=bytes,
        about="`review export` writes the table, and annotators fill it in; it must not name photographs. Rows are "
        "accepted or refused one by one.",
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/adjudications",
        "listCases",
        "List cases waiting for an adjudicator.",
        CURATORS,
        _cases,
        ListReply,
    ),
    ApiOperation(
        "POST", f"{_CASE}/open", "openCase", "Open a case, which the store records.", CURATORS, _open_case, CaseReply
    ),
    ApiOperation(
        "POST",
        f"{_CASE}/decision",
        "decideCase",
        "Decide a case that you opened.",
        CURATORS,
        _decide_case,
        ProgressReply,
        body=DecisionBody,
    ),
    ApiOperation(
        "GET", f"{_CAMPAIGN}/messages", "listMessages", "List flags and comments.", CURATORS, _messages, ListReply
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/messages/{{message:number}}/settle",
        "settleMessage",
        "Settle a flag or comment.",
        CURATORS,
        _settle,
        status=204,
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/close",
        "closeCampaign",
        "Close the campaign, so that it hands out no more tasks.",
        CURATORS,
        _close,
        StateReply,
    ),
    ApiOperation(
        "POST", f"{_CAMPAIGN}/reopen", "reopenCampaign", "Reopen the campaign.", CURATORS, _reopen, StateReply
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/freeze",
        "freezeRelease",
        "Start freezing a release.",
        CURATORS,
        _freeze,
        JobReply,
        body=FreezeBody,
        status=202,
        in_store=False,
        about="This freezes what the workspace's recipe made, as the page *Build* does. Only one job runs at a time.",
    ),
    ApiOperation(
        "POST",
        f"{_CAMPAIGN}/export",
        "exportTables",
        "Start exporting the campaign as tables.",
        CURATORS,
        _export,
        JobReply,
        body=ExportBody,
        status=202,
        in_store=False,
    ),
    ApiOperation(
        "GET", f"{_CAMPAIGN}/jobs/{{job}}", "readJob", "Read the progress of a job.", CURATORS, _job, JobReply
    ),
    ApiOperation(
        "GET",
        f"{_CAMPAIGN}/jobs/{{job}}/download",
        "downloadExport",
        "Download an export as a ZIP file.",
        CURATORS,
        _download,
        returns="application/zip",
    ),
)
