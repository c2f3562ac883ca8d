"""Batches of requests at half the price: OpenAI's Batch API, Anthropic's Message Batches and Gemini's batch mode.

A batch is submitted as a whole and answered within a day. Each vendor has a class that formats requests for a batch,
and submits, finds, watches and collects batches through the vendor's own client (`vendor_clients.py`). Errors are those
of that module, and `UnusableReply` for responses that no vendor documents.

Sources: OpenAI, "Batch API" and its reference; Anthropic, "Batch processing" and its reference; Google, "Batch API" of
the Gemini API.
"""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final, NamedTuple, Protocol

import httpx2

from .failures import UnusableReply
from .reply_kinds import error_in_words
from .vendor_clients import AnthropicClient, GeminiClient, OpenAIClient

MOST_REQUESTS: Final = 5_000
"""Largest number of requests in a batch, below the vendors' limits (50,000 and 100,000) to keep reply files small."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Largest size of a batch with its pictures, in bytes: OpenAI accepts 200 MB, Anthropic 256 MB and Gemini 2 GB."""

_MARK = "benchwright"
"""Name of the metadata field that identifies a batch at OpenAI."""
_CLOCKS_S = 600
"""Number of seconds by which the clocks of this machine and of a vendor may differ."""


class BatchState(NamedTuple):
    """The progress of a batch.

    Args:
        is_over: Whether none of its requests is still in progress.
        words: The vendor's name for the status, with the cause if the batch failed as a whole.
        has_results: Whether any results are ready to collect.
    """

    is_over: bool
    words: str
    has_results: bool = True


class BatchResult(NamedTuple):
    """The outcome of a request in a batch.

    Args:
        request: Name of the request.
        response: Response, in the same form as for a single request; None if there is none.
        cause: Explanation of a missing response.
    """

    request: str
    response: Any = None
    cause: str = ""


class BatchApi(Protocol):
    """The batch API of a vendor."""

    def line(self, request: str, body: bytes) -> bytes:
        """Return the line that represents a request in a batch, as JSON.

        Args:
            request: Name of the request: letters, digits and underscores, 64 at most.
            body: Body of the request when sent alone.
        """

    async def submit(self, name: str, lines: Sequence[bytes]) -> str:
        """Submit a batch and return its id at the vendor; from then on it costs money."""

    async def find(self, name: str, number: int, since_s: float, known: Collection[str]) -> str | None:
        """Return the id of a submitted batch for which no id was received; None if there is no such batch.

        Args:
            name: Name of the batch at submission.
            number: Number of requests in the batch.
            since_s: Time before its submission, in seconds since 1970.
            known: Ids of other batches.
        """

    async def state(self, batch_id: str) -> BatchState:
        """Return the progress of a batch."""

    async def results(self, batch_id: str) -> list[BatchResult]:
        """Return the outcomes of a batch's requests, in any order; those without an outcome were never answered."""


def batch_api(client: OpenAIClient | AnthropicClient | GeminiClient) -> BatchApi:
    """Return the batch API of a client's vendor."""
    if isinstance(client, GeminiClient):
        return _GeminiBatches(client)
    return _AnthropicBatches(client) if isinstance(client, AnthropicClient) else _OpenAIBatches(client)


class _OpenAIBatches:
    """Batches of chat completions or Responses: one file is uploaded; files of replies and of errors are returned."""

    _OVER = frozenset({"completed", "failed", "expired", "cancelled"})

    def __init__(self, client: OpenAIClient) -> None:
        self._sdk = client.sdk
        self._endpoint = f"/v1{client.path}"

    def line(self, request: str, body: bytes) -> bytes:
        head = f'{{"custom_id":"{request}","method":"POST","url":"{self._endpoint}","body":'
        return head.encode("ascii") + body + b"}"

    async def submit(self, name: str, lines: Sequence[bytes]) -> str:
        file = await self._sdk.files.create(file=(f"{name}.jsonl", b"\n".join(lines) + b"\n"), purpose="batch")
        wanted = {
            "input_file_id": _text(getattr(file, "id", None)),
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {_MARK: name},
        }
        created = await self._sdk.post("/batches", body=wanted, cast_to=httpx2.Response)
        return _text(_document(created.content).get("id"))

    async def find(self, name: str, number: int, since_s: float, known: Collection[str]) -> str | None:
        del number, since_s, known
        for batch in _entries(await self._get("/batches?limit=100"), "data"):
            metadata = batch.get("metadata")
            if isinstance(metadata, Mapping) and metadata.get(_MARK) == name:
                return _text(batch.get("id"))
        return None

    async def state(self, batch_id: str) -> BatchState:
        batch = _document(await self._get(f"/batches/{batch_id}"))
        status = _text(batch.get("status"))
        errors = batch.get("errors")
        causes = [error_in_words(error) for error in _entries(errors, "data")] if isinstance(errors, Mapping) else []
        return BatchState(status in self._OVER, "; ".join([status, *causes[:3]]), status != "failed")

    async def results(self, batch_id: str) -> list[BatchResult]:
        batch = _document(await self._get(f"/batches/{batch_id}"))
        files = [batch[name] for name in ("output_file_id", "error_file_id") if batch.get(name)]
        results = []
        for file in files:
            for line in _lines(await self._get(f"/files/{_text(file)}/content"), "custom_id"):
                response = line.get("response")
                status: Any = None
                body = line.get("error")
                if isinstance(response, Mapping):
                    status, body = response.get("status_code"), response.get("body")
                if status == 200:
                    results.append(BatchResult(line["custom_id"], body))
                    continue
                said = error_in_words(body.get("error", body) if isinstance(body, Mapping) else body)
                results.append(BatchResult(line["custom_id"], cause=f"HTTP {status}: {said}" if status else said))
        return results

    async def _get(self, path: str) -> bytes:
        response = await self._sdk.get(path, cast_to=httpx2.Response)
        return response.content


class _AnthropicBatches:
    """Message Batches: requests are sent in one body, and results arrive as lines of JSON. A batch has no name."""

    _PATH = "/v1/messages/batches"

    def __init__(self, client: AnthropicClient) -> None:
        self._client = client

    def line(self, request: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{request}","params":'.encode("ascii") + body + b"}"

    async def submit(self, name: str, lines: Sequence[bytes]) -> str:
        del name
        created = await self._client.post(b'{"requests":[' + b",".join(lines) + b"]}", self._PATH)
        return _text(_document(created).get("id"))

    async def find(self, name: str, number: int, since_s: float, known: Collection[str]) -> str | None:
        """Return the id of the oldest unknown batch of a given size since a given time; results identify its owner."""
        del name
        ids = []
        for batch in _entries(await self._client.get(f"{self._PATH}?limit=100"), "data"):
            counts = batch.get("request_counts")
            total = sum(n for n in counts.values() if type(n) is int) if isinstance(counts, Mapping) else None
            if total == number and _time_s(batch.get("created_at")) >= since_s - _CLOCKS_S:
                ids.append(_text(batch.get("id")))
        return next((batch_id for batch_id in reversed(ids) if batch_id not in known), None)

    async def state(self, batch_id: str) -> BatchState:
        status = _text(_document(await self._client.get(f"{self._PATH}/{batch_id}")).get("processing_status"))
        return BatchState(status == "ended", status)

    async def results(self, batch_id: str) -> list[BatchResult]:
        # Benchwright ignores the address that a batch states for its results: the key goes only to the user's address.
        lines = _lines(await self._client.get(f"{self._PATH}/{batch_id}/results"), "custom_id")
        return [self._result(line["custom_id"], line.get("result")) for line in lines]

    @staticmethod
    def _result(request: str, result: Any) -> BatchResult:
        kind = result.get("type") if isinstance(result, Mapping) else None
        if kind == "succeeded":
            return BatchResult(request, result.get("message"))
        if kind != "errored":
            return BatchResult(request, cause=f"{kind} in the batch")
        error = result.get("error")
        return BatchResult(
            request, cause=error_in_words(error.get("error", error) if isinstance(error, Mapping) else None)
        )


class _GeminiBatches:
    """Gemini's batch jobs: a file of requests is uploaded, and a file of responses is returned."""

    def __init__(self, client: GeminiClient) -> None:
        self._client = client

    def line(self, request: str, body: bytes) -> bytes:
        return f'{{"key":"{request}","request":'.encode("ascii") + body + b"}"

    async def submit(self, name: str, lines: Sequence[bytes]) -> str:
        with self._checked():
            sdk = self._client.sdk
            settings = {"mime_type": "application/jsonl", "display_name": name}
            file = await sdk.files.upload(file=io.BytesIO(b"\n".join(lines) + b"\n"), config=settings)
            job = await sdk.batches.create(
                model=self._client.model, src=_text(file.name), config={"display_name": name}
            )
            return _text(job.name)

    async def find(self, name: str, number: int, since_s: float, known: Collection[str]) -> str | None:
        del number, since_s, known
        with self._checked():
            page = await self._client.sdk.batches.list(config={"page_size": 100})
            return next((_text(job.name) for job in page.page if job.display_name == name), None)

    async def state(self, batch_id: str) -> BatchState:
        job = await self._job(batch_id)
        state = "" if job.state is None else str(job.state.name)
        cause = f": {job.error.message}" if getattr(job.error, "message", None) else ""
        words = state.removeprefix("JOB_STATE_").lower() + cause
        return BatchState(bool(job.done), words, bool(job.dest is not None and job.dest.file_name))

    async def results(self, batch_id: str) -> list[BatchResult]:
        job = await self._job(batch_id)
        with self._checked():
            data = await self._client.sdk.files.download(file=_text(job.dest.file_name))
        results = []
        for line in _lines(data, "key"):
            if isinstance(response := line.get("response"), Mapping):
                results.append(BatchResult(line["key"], response))
            else:
                results.append(BatchResult(line["key"], cause=error_in_words(line.get("error") or line.get("status"))))
        return results

    async def _job(self, batch_id: str) -> Any:
        with self._checked():
            return await self._client.sdk.batches.get(name=batch_id)

    @contextmanager
    def _checked(self) -> Iterator[None]:
        """Turn the client's errors about unexpected responses within the block into an `UnusableReply`."""
        try:
            with self._client.errors():
                yield
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise UnusableReply(f"not a batch response: {error}") from error


def _document(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnusableReply(f"not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UnusableReply(f"not an object: {ascii(document)[:80]}")
    return document


def _entries(listing: bytes | Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list of a document."""
    entries = (_document(listing) if isinstance(listing, bytes) else listing).get(name)
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _lines(data: bytes, name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in lines of JSON that have a string under this name."""
    for line in data.splitlines():
        if line.strip():
            document = _document(line)
            if not isinstance(document.get(name), str):
                raise UnusableReply(f"a line of results without {name}: {ascii(line)[:80]}")
            yield document


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise UnusableReply(f"{ascii(value)[:80]} is in place of a batch's name or state")
    return value


def _time_s(value: Any) -> float:
    """Return an RFC 3339 time as seconds since 1970; 0 for anything else."""
    try:
        return datetime.fromisoformat(value).timestamp()
    except (TypeError, ValueError):
        return 0.0
