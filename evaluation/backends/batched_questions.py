"""Questions asked in batches, at half the price, before the run that reads their replies.

The record of a batch is a file in the folder `batches` next to the log of replies. It is written before the batch is
submitted, gets the vendor's id afterwards, and is marked once the replies are in the log. An interrupted run therefore
finds its batches again, and no request is in two batches. The run then sends unanswered requests one by one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError, RequestFailed
from benchwright.files.bounded_json import bounded_json
from benchwright.models.endpoints.batches import BatchEndpoint
from benchwright.models.endpoints.completions import completion_of
from benchwright.models.endpoints.usage import PRICE_SHARE
from benchwright.models.endpoints.vendors.batch_apis import MOST_BYTES, MOST_REQUESTS, BatchResult
from benchwright.models.endpoints.vendors.failures import UnusableReply
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import replacing
from benchwright.workspace.private_files import make_private_folder

if TYPE_CHECKING:
    from benchwright.models.endpoints.event_loop import EventLoop
    from benchwright.models.endpoints.usage import Spending

    from .reply_log import ReplyLog

logger = logging.getLogger(__name__)

FOLDER = "batches"
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 5.0, 60.0
"""Seconds between the first two polls of the batches, and the longest interval between two polls."""


class BatchRecord(BaseModel):
    """The record of a batch, as stored in its file.

    Args:
        name: Unique name.
        base_url: Base URL to which it was submitted.
        begun_at_s: Time before submission, in seconds since 1970.
        requests: The requests in it, each with the item it asks about.
        batch_id: Id assigned by the vendor; None until it is known.
        is_over: Whether nothing remains to be collected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["benchwright/batch"] = "benchwright/batch"
    version: Literal[1] = 1
    name: str
    base_url: str
    begun_at_s: float
    requests: dict[str, str]
    batch_id: str | None = None
    is_over: bool = False


class BatchedRequest(NamedTuple):
    """A request to include in a batch.

    Args:
        item_id: Id of the item it asks about.
        key: SHA-256 of the whole request.
        body: Body of the request, including pictures.
    """

    item_id: str
    key: str
    body: bytes


@dataclass
class BatchedQuestions:
    """Requests to one model that are sent in batches.

    Args:
        endpoint: The vendor's batch endpoint.
        loop: Event loop on which requests to the endpoint run.
        log: Log to which replies are added.
        folder: Folder of the batch records.
        spending: Budget to which the cost of each request is charged.
        pause_s: Seconds between the first two polls; they double, up to a minute.
        tell: Receiver of progress messages.

    Raises:
        DataError: A record is damaged.
    """

    endpoint: BatchEndpoint
    loop: EventLoop
    log: ReplyLog
    folder: Path
    spending: Spending
    pause_s: float
    tell: Callable[[str], None]
    _open: dict[str, BatchRecord] = field(default_factory=dict)
    _known: set[str] = field(default_factory=set)
    _waiting: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        here = [record for record in _records(self.folder) if record.base_url == self.endpoint.address.base_url]
        self._known = {record.batch_id for record in here if record.batch_id is not None}
        for record in here:
            if not record.is_over:
                self._open[record.name] = record
                self._waiting |= record.requests.keys()
                self.spending.resumes(len(record.requests))

    def is_under_way(self, request: str) -> bool:
        """Return whether a submitted batch contains a request."""
        return request in self._waiting

    def resume(self) -> None:
        """Recover the ids of batches that an earlier run submitted without learning them; requests that were never
        submitted are asked again.
        """
        for record in [record for record in self._open.values() if record.batch_id is None]:
            number, since_s = len(record.requests), record.begun_at_s
            try:
                batch_id = self.loop.run(self.endpoint.find(record.name, number, since_s, self._known))
            except RequestFailed as failure:
                raise _for_the_run(failure, self.folder) from failure
            if batch_id is not None:
                self._handed_in(record, batch_id)
                continue
            self._path(record).unlink(missing_ok=True)
            self._open.pop(record.name)
            self._waiting -= record.requests.keys()
            for _ in record.requests:
                self.spending.ended(None, answered=False)

    def ask(self, requests: Iterable[BatchedRequest]) -> None:
        """Submit as many requests as the budget allows, and collect their results and the results of earlier batches.

        Args:
            requests: Requests that are not yet in any batch; consumed one by one.

        Raises:
            BenchwrightError: The vendor accepts no batches, or answered none of the requests in one; the log contains
                all answers received.
        """
        for lines, items in self._batches(requests):
            self._submit(lines, items)
        while self._open:
            self._look()

    def _batches(self, requests: Iterable[BatchedRequest]) -> Iterator[tuple[list[bytes], dict[str, str]]]:
        """Yield batches within the limits, each as its lines and a mapping from requests to items."""
        lines: list[bytes] = []
        items: dict[str, str] = {}
        size = 0
        for item_id, key, body in requests:
            if not self.spending.sends(PRICE_SHARE):
                break
            line = self.endpoint.line(key, body)
            if lines and (len(lines) == MOST_REQUESTS or size + len(line) > MOST_BYTES):
                yield lines, items
                lines, items, size = [], {}, 0
            lines.append(line)
            items[key] = item_id
            size += len(line) + 1
            self._waiting.add(key)
        if lines:
            yield lines, items

    def _submit(self, lines: list[bytes], items: dict[str, str]) -> None:
        now_s = time.time()
        name = f"benchwright-{digest([sorted(items), now_s])[:16]}"
        record = BatchRecord(name=name, base_url=self.endpoint.address.base_url, begun_at_s=now_s, requests=items)
        self._keep(record)
        try:
            batch_id = self.loop.run(self.endpoint.submit(name, lines, self._known))
        except RequestFailed as failure:
            if failure.reason == "refused":  # no vendor has it
                self._path(record).unlink(missing_ok=True)
                self._open.pop(record.name)
            raise _for_the_run(failure, self.folder) from failure
        self._handed_in(record, batch_id)

    def _handed_in(self, record: BatchRecord, batch_id: str) -> None:
        self._known.add(batch_id)
        self._keep(record.model_copy(update={"batch_id": batch_id}))
        logger.warning(
            "the batch %s with %s is at %s; after an interruption, the same command continues with it",
            batch_id, counted(len(record.requests), "request"), self.endpoint.address.name,
        )  # fmt: skip

    def _look(self) -> None:
        """Collect the finished batches; wait if none is finished."""
        states = []
        for record in list(self._open.values()):
            batch_id = record.batch_id or ""
            try:
                state = self.loop.run(self.endpoint.state(batch_id))
                if not state.is_over:
                    states.append(f"{batch_id}: {state.words}")
                    continue
                results = self.loop.run(self.endpoint.results(batch_id)) if state.has_results else []
            except RequestFailed as failure:
                raise _for_the_run(failure, self.folder) from failure
            except BenchwrightError as error:
                raise BenchwrightError(f"{error}; remove {self._path(record)} to ask its requests again") from error
            self._take(record, results, state.words)
        if self._open:
            self.tell(f"{counted(len(self._open), 'batch', 'batches')} under way ({'; '.join(states[:2])})")
            self.loop.run(asyncio.sleep(self.pause_s))
            self.pause_s = min(2 * self.pause_s, _LONGEST_PAUSE_S)

    def _take(self, record: BatchRecord, results: Iterable[BatchResult], words: str) -> None:
        """Store the results of a batch's requests in the log, and mark the batch as complete."""
        answered: set[str] = set()
        causes: dict[str, str] = {}
        for result in results:
            request = result.request
            if request not in record.requests or request in answered:
                continue
            cause = self._kept(request, record, result)
            if cause is None:
                answered.add(request)
            else:
                causes[request] = cause
        for request in record.requests.keys() - answered:
            cause = causes.get(request, f"no result ({words})")
            self.spending.ended(None, answered=False)
            self.log.failed(request, record.requests[request], f"batch {record.batch_id}: {cause}", 1)
        self._keep(record.model_copy(update={"is_over": True}))
        self._waiting -= record.requests.keys()
        left = len(record.requests) - len(answered)
        first = next(iter(causes.values()), words)
        if not answered:
            raise BenchwrightError(
                f"the batch {record.batch_id} answered none of its {counted(left, 'request')} ({first}); the same "
                "command submits them again, and without --batch asks them one by one"
            )
        if left:
            logger.warning(
                "the batch %s left %s unanswered (%s); the run asks each alone, at the full price",
                record.batch_id, counted(left, "request"), first,
            )  # fmt: skip

    def _kept(self, request: str, record: BatchRecord, result: BatchResult) -> str | None:
        """Add a reply to the log; if there is no usable reply, return the reason."""
        address = self.endpoint.address
        if result.response is None:
            return address.clean(result.cause)
        try:
            completion = completion_of(result.response)
        except UnusableReply as error:
            return address.clean(str(error))
        cause = None if completion.cause is None else address.clean(completion.cause)
        kept = completion._replace(text=address.without_key(completion.text), cause=cause, in_batch=True)
        self.spending.ended(kept.tokens, answered=True, price_share=PRICE_SHARE)
        self.log.answered(request, record.requests[request], kept, 1, batch=record.batch_id)
        return None

    def _keep(self, record: BatchRecord) -> None:
        if record.is_over:
            self._open.pop(record.name, None)
        else:
            self._open[record.name] = record
        make_private_folder(self.folder)
        with replacing(self._path(record), private=True) as draft:
            draft.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")

    def _path(self, record: BatchRecord) -> Path:
        return self.folder / f"{record.name}.json"


def _records(folder: Path) -> Iterator[BatchRecord]:
    for path in sorted(folder.glob("*.json")):
        try:
            yield BatchRecord.model_validate(bounded_json(path.read_bytes()))
        except (OSError, ValueError, ValidationError) as error:
            raise DataError(
                f"{path} is not the record of a batch ({str(error).splitlines()[0]}); check with the vendor whether "
                "a batch is under way, then remove the file to ask its requests again"
            ) from error


def _for_the_run(failure: RequestFailed, folder: Path) -> BenchwrightError:
    return BenchwrightError(
        f"{failure.detail}; the submitted batches are on record in {folder}, and the same command continues with them"
    )
