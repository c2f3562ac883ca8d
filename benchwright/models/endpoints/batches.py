"""The connection for batches: a vendor's batches (`vendors/batch_apis.py`) with retries that never pay twice.

The connection retries transient failures. If a submission got no response, it looks for the batch at the vendor before
it submits the batch again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import TypeVar

import openai

from benchwright.errors import BenchwrightError, RequestFailed
from benchwright.machine.this_machine import client_settings, naming_proxies

from .endpoint import BoundedClient
from .vendors.batch_apis import BatchResult, BatchState, batch_api
from .vendors.failures import FailedTry, ModelAddress, UnusableReply, classify
from .vendors.vendor_clients import vendor_client

_MOST_RESULT_BYTES = 256 * 1024 * 1024
_TRANSFER_S = 900.0
"""Smallest time limit for one transfer, in seconds, because a batch may have many megabytes."""
_LONGEST_BACKOFF_S = 60.0

T = TypeVar("T")


class BatchEndpoint:
    """The batches of one model's vendor.

    Args:
        address: Address of the model, with the key.
        timeout_s: Time limit for one transfer, in seconds; at least 15 minutes.
        retries: Number of retries after transient failures.
        backoff_s: Seconds before the first retry; the delay doubles each time, up to 60.

    Raises:
        PrerequisiteError: A proxy cannot be used, or the package of the API's client is not installed.
    """

    def __init__(self, address: ModelAddress, *, timeout_s: float, retries: int, backoff_s: float) -> None:
        self.address = address
        self._timeout_s = max(timeout_s, _TRANSFER_S)
        self._retries, self._backoff_s = retries, backoff_s
        with naming_proxies(address.base_url):
            http_client = BoundedClient(_MOST_RESULT_BYTES, **client_settings(address.base_url))
        self._client = vendor_client(address, http_client)
        self._api = batch_api(self._client)

    def line(self, request: str, body: bytes) -> bytes:
        """Return the line that represents a request in a batch."""
        return self._api.line(request, body)

    async def submit(self, name: str, lines: Sequence[bytes], known: Collection[str]) -> str:
        """Submit a batch and return its id.

        Args:
            name: Unique name.
            lines: Requests of the batch, as returned by `line`.
            known: Ids of other batches, to exclude.

        Raises:
            BenchwrightError: The vendor refuses the batch.
        """
        began_s = time.time()

        async def submitted() -> str:
            return await self._api.submit(name, lines)

        async def looked_for() -> str | None:
            return await self._api.find(name, len(lines), began_s, known)

        return await self._tried(submitted, "a batch", first=looked_for)

    async def find(self, name: str, number: int, since_s: float, known: Collection[str]) -> str | None:
        """Return the id of a batch whose submission was interrupted; None if the vendor has no such batch."""
        return await self._tried(lambda: self._api.find(name, number, since_s, known), "its batches")

    async def state(self, batch_id: str) -> BatchState:
        """Return the state of a batch.

        Raises:
            BenchwrightError: The vendor does not know the batch, or remains unreachable.
        """
        return await self._tried(lambda: self._api.state(batch_id), f"the batch {batch_id}")

    async def results(self, batch_id: str) -> list[BatchResult]:
        """Return the results of a batch; raises the same errors as `state`."""
        return await self._tried(lambda: self._api.results(batch_id), f"the results of the batch {batch_id}")

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _tried(
        self, ask: Callable[[], Awaitable[T]], what: str, first: Callable[[], Awaitable[T | None]] | None = None
    ) -> T:
        """Return the answer, retrying after transient failures; a retry first calls `first` and returns any result."""
        for number in range(1, self._retries + 2):
            try:
                async with asyncio.timeout(self._timeout_s):
                    if first is not None and number > 1 and (there := await first()) is not None:
                        return there
                    return await ask()
            except (TimeoutError, UnusableReply, openai.APIError) as error:
                if getattr(error, "status_code", None) == 404:
                    raise BenchwrightError(f"{self.address.name} does not know {what}, or has no batches") from error
                failed = classify(error, self.address, self._timeout_s)
                if failed.reason == "refused" or number > self._retries:
                    raise RequestFailed(
                        failed.reason,
                        f"{self.address.name} did not respond when asked about {what}: {failed.detail}",
                        sent=number,
                        status=failed.status,
                    ) from error
            await asyncio.sleep(self._pause_s(failed, number))
        raise AssertionError("the last try raises")

    def _pause_s(self, failed: FailedTry, number: int) -> float:
        if failed.pause_s is not None:
            return min(failed.pause_s, 10 * _LONGEST_BACKOFF_S)
        return min(self._backoff_s * 2.0 ** min(number - 1, 30), _LONGEST_BACKOFF_S)
