"""An act in a separate thread, next to an open transaction, on a PostgreSQL server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from benchwright.annotation.store.review_store import ReviewStore, open_store

_WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


class Beside:
    """An act that begins at once, through a store of its own; made, it has ended or waits for a lock.

    Args:
        url: Address of the store.
        act: What to do with it.
    """

    def __init__(self, url: str, act: Callable[[ReviewStore], object]) -> None:
        self._url, self._act = url, act
        self._result: object = None
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run)
        with open_store(url) as store:
            self._thread.start()
            until = time.monotonic() + 30
            while self._thread.is_alive() and not _waits(store):
                assert time.monotonic() < until
                time.sleep(0.002)
            self.waits = self._thread.is_alive()

    def result(self) -> Any:
        """Return what the act returned, or raise its error; call it when the other transaction has ended."""
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()
        if self._error is not None:
            raise self._error
        return self._result

    def _run(self) -> None:
        try:
            with open_store(self._url) as store:
                self._result = self._act(store)
        except Exception as error:  # noqa: BLE001 # raised again where the result is asked for
            self._error = error


def _waits(store: ReviewStore) -> bool:
    with store.reading() as connection:
        return bool(connection.execute(_WAITING).scalar_one())
