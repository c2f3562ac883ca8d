"""The store of models' replies to steps, a workspace's `replies/steps.sqlite`, shared by workers and runs.

An answered request is not sent again, even if a run was killed, another worker has the same request, or a step runs
again. The key of a reply is the digest of the address and the request, with pictures represented by their SHA-256, so
different words, another temperature or another seed lead to a new request. The store contains only replies: no
failures, no pictures, no text of requests, and never an endpoint's key. An entry that does not match its digest is
reported and requested again.

The file also counts each model's requests and tokens over all runs, on which the budgets of steps depend. A killed
process loses no reply that it received, and each reply is on disk before anything depends on it. This takes one commit
per reply, 6 to 11 ms on the disk of a rented machine, during which no other worker can write. A budget adds a commit
before each request. Write-ahead logging would be faster, but does not work over a network.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.canonical import canonical_json, digest
from benchwright.errors import DataError
from benchwright.machine.file_locks import lock
from benchwright.machine.storage_faults import storage_fault
from benchwright.workspace.private_files import keep_private, make_private_file, make_private_folder
from benchwright.workspace.sealed import sealed, unsealed

from .completions import Completion
from .usage import Budget, Prices, Spending, Tokens

if TYPE_CHECKING:
    from .client import SentReply

logger = logging.getLogger(__name__)

VERSION = 1
_BUSY_S = 60.0
"""Seconds to wait while other workers are writing."""
_TABLES = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS spent (
        base_url TEXT, model TEXT, requests INTEGER, replies INTEGER,
        prompt INTEGER, completion INTEGER, reasoning INTEGER, PRIMARY KEY (base_url, model)
    ) WITHOUT ROWID;
    PRAGMA user_version = {VERSION};
    COMMIT;
"""
_ADD = """
    INSERT INTO spent VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (base_url, model) DO UPDATE SET
        requests = requests + excluded.requests, replies = replies + excluded.replies,
        prompt = prompt + excluded.prompt, completion = completion + excluded.completion,
        reasoning = reasoning + excluded.reasoning
"""


class ModelAccount(NamedTuple):
    """The model at an address, whose requests and tokens are counted together."""

    base_url: str
    model: str


def damaged_replies(path: Path) -> int:
    """Return the number of damaged replies in a store's file; 1 if it is not a readable database."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return sum(_read(key, data) is None for key, data in database.execute("SELECT key, data FROM reply"))
    except sqlite3.Error:
        return 1


def forget_damaged(path: Path) -> None:
    """Remove damaged replies from a store's file, so that runs request them again.

    Raises:
        DataError: The file is not a reply store.
        StorageError: The file cannot be written.
    """
    with closing(ReplyStore(path, tmp=path.parent)) as store, store.transaction() as database:
        rows = database.execute("SELECT key, data FROM reply").fetchall()
        database.executemany("DELETE FROM reply WHERE key = ?", [(key,) for key, data in rows if not _read(key, data)])


class ReplyStore:
    """An open store of replies; threads of one process share it, and each process opens its own.

    Args:
        path: Path of the file; the file and its folder are created if missing.
        tmp: Folder for locks, which may be emptied while nothing runs.

    Raises:
        DataError: The file is not a reply store, or a newer version made it.
        StorageError: The disk or the permissions do not allow it.
    """

    def __init__(self, path: Path, *, tmp: Path) -> None:
        self.path, self._tmp = path, tmp
        self._lock = threading.RLock()
        with self._faults_named():
            make_private_folder(path.parent)
            keep_private(path)
            make_private_file(path)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = TRUNCATE")  # takes half the time of deleting the journal
            [(version,)] = self._database.execute("PRAGMA user_version")
            if version == 0:
                self._database.executescript(_TABLES)
        if version > VERSION:
            self.close()
            raise DataError(f"{path} has version {version}, but this program reads {VERSION}; upgrade benchwright")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def reply_to(self, request: str) -> Completion | None:
        """Return the reply to a request, identified by the request's digest; None if missing or damaged.

        Replies without content, which an older program kept, count as missing.
        """
        with self._lock, self._faults_named():
            rows = self._database.execute("SELECT data FROM reply WHERE key = ?", (request,)).fetchall()
        if not rows:
            return None
        if (completion := _read(request, rows[0][0])) is None:
            logger.warning("%s: the reply %s is damaged; requesting it again", self.path, request[:12])
        return None if completion is None or completion.is_silent else completion

    def keep(self, request: str, account: ModelAccount, answer: SentReply, *, requests_counted: bool) -> Completion:
        """Count a reply, and keep it if it has content; return that reply, or the one that another worker has kept.

        Args:
            request: Digest of the request.
            account: Model that replied.
            answer: Reply, with the number of times that its request was sent.
            requests_counted: Whether these requests have already been counted.
        """
        completion, sent = answer
        entry = {**completion._asdict(), "request": request, "sent": sent, "answered_at_s": round(time.time(), 3)}
        data = canonical_json(sealed(entry)).encode("utf-8", "surrogatepass")
        with self.transaction() as database:
            replies, tokens = (0, Tokens(0, 0)) if completion.tokens is None else (1, completion.tokens)
            database.execute(_ADD, (*account, 0 if requests_counted else sent, replies, *tokens))
            if (known := self.reply_to(request)) is None and not completion.is_silent:
                database.execute("INSERT OR REPLACE INTO reply VALUES (?, ?)", (request, data))
        return known or completion

    def spent(self, account: ModelAccount) -> tuple[int, int, Tokens]:
        """Return the number of requests, of replies that state their tokens, and of those tokens, over all runs."""
        with self._lock, self._faults_named():
            counts = self._database.execute(
                "SELECT requests, replies, prompt, completion, reasoning FROM spent WHERE base_url = ? AND model = ?",
                account,
            ).fetchone()
        requests, replies, *tokens = counts or (0,) * 5
        return requests, replies, Tokens(*tokens)

    def count_request(self, account: ModelAccount) -> None:
        """Count a request that is about to be sent."""
        with self._lock, self._faults_named():
            self._database.execute(_ADD, (*account, 1, 0, 0, 0, 0))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Prevent all other workers from writing within the block."""
        with self._lock, self._faults_named():
            self._database.execute("BEGIN IMMEDIATE")
            with self._database:
                yield self._database

    @contextmanager
    def under_way(self, account: ModelAccount) -> Iterator[None]:
        """Signal to other workers that a request is in progress within the block."""
        handle = self._locked(account, shared=True)
        try:
            yield
        finally:
            os.close(handle)

    def wait_until_kept(self, account: ModelAccount) -> None:
        """Wait until no worker has a request to the model in progress; killed workers are ignored."""
        os.close(self._locked(account, shared=False))

    def _locked(self, account: ModelAccount, *, shared: bool) -> int:
        """Return the handle of the model's lock, which the kernel releases when the process ends for any reason."""
        self._tmp.mkdir(parents=True, exist_ok=True)
        path = self._tmp / f"asking-{digest(account)[:16]}"
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o660)
        lock(handle, path, shared=shared)
        return handle

    @contextmanager
    def _faults_named(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if (fault := storage_fault(error, path=self.path)) is not None:
                raise fault from error
            raise DataError(
                f"{self.path} cannot be used ({error}); restore a backup, or move it away to ask models again"
            ) from error


class SharedSpending(Spending):
    """Spending on a model by all workers over all runs of a workspace.

    With a budget, requests are counted exactly, but other workers' requests in progress may exceed the limits on money
    and tokens. Without a budget, requests are counted together with their replies, so failed requests are not counted.
    """

    def __init__(self, store: ReplyStore, account: ModelAccount, budget: Budget, prices: Prices | None) -> None:
        super().__init__(budget, prices)
        self._store, self._account = store, account
        self.requests, self.replies, self.tokens = store.spent(account)

    def sends(self, price_share: float = 1.0) -> bool:
        """Count a request before it is sent; return False, without counting it, if the budget forbids it."""
        if not self.is_limited:
            return super().sends(price_share)
        with self._store.transaction():
            self.requests, self.replies, self.tokens = self._store.spent(self._account)
            if not super().sends(price_share):
                return False
            self._store.count_request(self._account)
            return True


def _read(request: str, data: Any) -> Completion | None:
    """Return the reply in an entry; None if the entry is damaged or belongs to another request."""
    try:
        entry = unsealed(json.loads(data))
        tokens = None if entry["tokens"] is None else Tokens(*entry["tokens"])
        if entry["request"] != request:
            return None
        read = Completion.of(entry["text"], entry["finish"], tokens)  # the fields that an older program kept
        return read._replace(**{name: entry[name] for name in ("kind", "cause") if name in entry})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
