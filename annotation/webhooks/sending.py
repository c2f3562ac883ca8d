"""Sends due deliveries to webhooks, from a thread of the app; failed ones are retried for three days.

The store holds all of the sender's state. Killed at any moment, it continues at the next start: an interrupted delivery
is sent again, with the same id, by which its receiver recognizes it.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import httpx2
import sqlalchemy as sa

import benchwright
from benchwright.errors import BenchwrightError

from ..store.integrations.webhooks import Delivery, Webhook, Webhooks
from ..store.review_store import ReviewStore
from .addresses import Target, resolved, target_of
from .events import note_events, text_of
from .signing import signed_headers

logger = logging.getLogger(__name__)
TIMEOUT_S = 15.0
_EVERY_S = 1.0
_AT_ONCE = 20
_THREADS = 4
_FAILED = (BenchwrightError, sa.exc.SQLAlchemyError)


class WebhookSender:
    """Sends deliveries until it is stopped.

    Args:
        store: Review store.
        allow_private: Whether webhooks may be in private networks.
        clock: Clock.
    """

    def __init__(
        self, store: ReviewStore, *, allow_private: bool = False, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._store = store
        self._allow_private = allow_private
        self._clock = clock or (lambda: datetime.now(UTC))
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, name="webhooks", daemon=True)

    def start(self) -> None:
        """Start sending deliveries."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the deliveries in progress."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join(TIMEOUT_S + 1)

    def send_due(self) -> int:
        """Record new events, send due deliveries, and return how many deliveries were attempted."""
        note_events(self._store)
        due = Webhooks(self._store).take_due(now=self._clock(), most=_AT_ONCE)
        if due:
            with ThreadPoolExecutor(_THREADS) as pool:
                list(pool.map(lambda each: self._send(*each), due))
        return len(due)

    def _work(self) -> None:
        while not self._is_over.is_set():
            try:
                tried = self.send_due()
            except _FAILED:
                logger.warning("webhooks were not sent, and will be tried again", exc_info=True)
                tried = 0
            if not tried:
                self._is_over.wait(_EVERY_S)

    def _send(self, webhook: Webhook, delivery: Delivery) -> None:
        status, error = None, None
        try:
            target = target_of(webhook.url, allow_private=self._allow_private)
            text = text_of(self._store, webhook, delivery)
            headers = signed_headers(webhook.secret, f"msg_{delivery.id}", int(time.time()), text)
            address = resolved(target, allow_private=self._allow_private)
            status = asyncio.run(_posted(target, address, headers, text))
            if not 200 <= status < 300:
                error = f"the receiver answered {status}"
        except (BenchwrightError, httpx2.HTTPError, OSError, ValueError) as failure:
            error = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
        Webhooks(self._store).note_sent(delivery, status=status, error=error, now=self._clock())


async def _posted(target: Target, address: str, headers: dict[str, str], text: str) -> int:
    """Post a text to a checked address, and return the status; the body of the answer is not read.

    The request goes to the address and names the host, whose certificate is checked. It follows no redirect, and uses
    no proxy of the environment, which would look the name up itself.
    """
    host = f"[{address}]" if ":" in address else address
    named = f"[{target.host}]" if ":" in target.host else target.host
    is_usual = target.port == (443 if target.scheme == "https" else 80)
    sent = {
        "Host": named if is_usual else f"{named}:{target.port}",
        "Content-Type": "application/json",
        "User-Agent": f"benchwright/{benchwright.__version__}",
        **headers,
    }
    async with (
        asyncio.timeout(TIMEOUT_S),  # for all of it, however slowly the receiver answers
        httpx2.AsyncClient(trust_env=False, follow_redirects=False, timeout=TIMEOUT_S) as client,
        client.stream(
            "POST",
            f"{target.scheme}://{host}:{target.port}{target.path}",
            content=text.encode(),
            headers=sent,
            extensions={"sni_hostname": target.host},
        ) as answer,
    ):
        return int(answer.status_code)
