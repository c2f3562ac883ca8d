"""The log of a model's requests and replies, line by line, from which an interrupted run continues.

JSON Lines, appended only. The first line names the format; then, by `kind`:

- `run`: the beginning of a run on another release or with other settings than the previous one;
- `picture`: a picture as sent, by SHA-256, before the first request that shows it;
- `request`: a request in full, with pictures by their SHA-256, before it is sent for the first time;
- `reply`: the reply, with the server's reason for ending it and token counts; its kind, and the cause if it is not an
  answer; the batch's id if it came in a batch;
- `error`: the reason no usable reply was received.

Each line contains its own digest; lines without digests, from older versions, are used unchecked. A line that differs
from what was written is never used: the next run removes it, reports that, and repeats its request.

Each line reaches the operating system before the program relies on it, so a killed process loses none. It reaches the
disk within `_SYNC_S` seconds and at the end of a run; a power failure loses at most these seconds. A truncated last
line is removed and reported. Replies are found by request. Requests that ended in an error or an empty reply are sent
again.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from benchwright.canonical import canonical_json
from benchwright.errors import DataError
from benchwright.machine.file_locks import lock
from benchwright.models.endpoints.completions import Completion
from benchwright.models.endpoints.usage import Tokens
from benchwright.workspace.atomic import replacing
from benchwright.workspace.private_files import file_mode, keep_private, make_private_folder
from benchwright.workspace.sealed import SEAL, sealed, unsealed

logger = logging.getLogger(__name__)

FORMAT, VERSION = "benchwright/replies", 2
_HEAD = {"format": FORMAT, "version": VERSION}
LOG_NAME = "replies.jsonl"
_SYNC_S = 1.0
_NAMED = 5
"""Largest number of damaged lines that a message names."""


class DamagedHead(DataError):
    """Raised if the first line of a log, which describes the other lines, differs from what was written."""


class LogState(NamedTuple):
    """The condition of the lines in a log.

    Args:
        whole_bytes: Size of the complete lines, in bytes; the rest was cut off.
        damaged: Numbers of complete lines that differ from the lines written.
        without_digest: Number of lines from an older version, in which changes cannot be detected.
    """

    whole_bytes: int
    damaged: tuple[int, ...]
    without_digest: int

    @property
    def described(self) -> str:
        """Description of the damaged lines."""
        numbers = ", ".join(map(str, self.damaged[:_NAMED])) + (" and more" if len(self.damaged) > _NAMED else "")
        return f"line {numbers} is damaged" if len(self.damaged) == 1 else f"lines {numbers} are damaged"


class ReplyLog:
    """A log file that one process opens for appending; use it as a context manager. Without a path, nothing is stored.

    Args:
        path: Path of the file, which is created if necessary.
        release_id: Id of the release whose questions are asked.
        other_releases: Whether to continue the log of a different release, so that equal requests are not sent again.

    Raises:
        DataError: The file has a damaged first line, belongs to another version or release, or is in use.
    """

    def __init__(self, path: Path | None, *, release_id: str = "", other_releases: bool = True) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._answered: dict[str, Completion] = {}
        self._requests: set[str] = set()
        self._pictures: set[str] = set()
        self._run: dict[str, Any] = {}
        self._refused: dict[str, dict[str, str | None]] = {}
        self._picture_limits: dict[str, dict[str, int]] = {}
        self._handle: int | None = None
        self._synced = time.monotonic()
        if path is not None:
            self._open(path, release_id, other_releases=other_releases)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._handle is not None:
                os.fsync(self._handle)
                os.close(self._handle)
                self._handle = None

    def reply_to(self, request: str) -> Completion | None:
        """Return the reply that an earlier run received to exactly this request."""
        return self._answered.get(request)

    def refused(self, base_url: str) -> dict[str, str | None]:
        """Return the fields that this endpoint refused in earlier runs, each with its substitute."""
        return dict(self._refused.get(base_url, {}))

    def picture_limits(self, base_url: str) -> dict[str, int]:
        """Return the picture limits that earlier runs inferred from this endpoint's refusals."""
        return dict(self._picture_limits.get(base_url, {}))

    def run(self, release_id: str, content_id: str, settings: Mapping[str, Any]) -> None:
        """Record the beginning of a run if its release or settings differ from those of the previous run."""
        run = {"kind": "run", "release_id": release_id, "content_id": content_id, "settings": dict(settings)}
        if run != self._run:
            self._run = run
            self._append(**run)

    def picture(self, record: Mapping[str, Any]) -> None:
        """Record a picture unless it has already been recorded."""
        if record["sha256"] not in self._pictures:
            self._pictures.add(record["sha256"])
            self._append(kind="picture", **record)

    def request(self, request: str, item_id: str, body: Mapping[str, Any]) -> None:
        """Record a request unless it has already been recorded."""
        if request not in self._requests:
            self._requests.add(request)
            self._append(kind="request", request=request, item_id=item_id, body=body)

    def answered(self, request: str, item_id: str, reply: Completion, sent: int, **more: Any) -> bool:
        """Record a reply, the number of times that its request was sent, and the additional facts in `more`.

        Returns:
            Whether the reply was recorded: False if there already was a reply.
        """
        with self._lock:
            if request in self._answered:
                return False
            if not reply.is_silent:
                self._answered[request] = reply
        usage = None
        if reply.tokens is not None:
            usage = {name: n for name, n in reply.tokens._asdict().items() if n or name != "reasoning"}
        content: dict[str, Any] = {"reply": reply.text, "finish": reply.finish, "usage": usage}
        if reply.kind != "answered":
            content |= {"reply_kind": reply.kind, "cause": reply.cause}
        self._append(kind="reply", request=request, item_id=item_id, sent=sent, **content, **more)
        return True

    def failed(self, request: str, item_id: str, cause: str, sent: int, number: int = 1) -> None:
        """Record the cause of an error, and the number of the attempt in which it occurred."""
        self._append(kind="error", request=request, item_id=item_id, cause=cause, sent=sent, **{"try": number})

    def sync(self) -> None:
        """Flush lines to the disk if a flush is due; call this method regularly."""
        if self._handle is not None and time.monotonic() - self._synced >= _SYNC_S:
            os.fsync(self._handle)
            self._synced = time.monotonic()

    def _append(self, **entry: Any) -> None:
        line = _spelled(entry)
        with self._lock:
            if self._handle is not None:
                while line:
                    line = line[os.write(self._handle, line) :]

    def _open(self, path: Path, release_id: str, *, other_releases: bool) -> None:
        make_private_folder(path.parent)
        keep_private(path)
        handle = _locked(path)
        try:
            state = self._read(path)
            if self._run and self._run["release_id"] != release_id and not other_releases:
                raise DataError(
                    f"{path} contains replies to release {self._run['release_id']}, not {release_id}; give another "
                    "folder with --out"
                )
            if state.damaged:
                logger.warning("%s: %s; it is removed, and its request is sent again", path, state.described)
                _write_again(path, state)
                old, handle = handle, _locked(path)
                os.close(old)
            elif (whole := state.whole_bytes) < (size := os.fstat(handle).st_size):
                logger.warning(
                    "%s: the last line was cut off after %d bytes, as when a run is killed; it is removed, and its "
                    "request is sent again",
                    path,
                    size - whole,
                )
                # The next line must not be appended to a truncated one.
                os.ftruncate(handle, whole)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        if state.whole_bytes == 0:
            self._append(**_HEAD)

    def _read(self, path: Path) -> LogState:
        """Read the undamaged lines; return the condition of all lines."""
        whole_bytes, damaged, without_digest = 0, [], 0
        with path.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                if not line.endswith(b"\n") and not _is_entry(line[:-1]):
                    break
                whole_bytes += len(line)
                try:
                    document = json.loads(line)
                    entry = unsealed(document)
                    if number == 1:
                        _check_stamp(entry, path)
                    else:
                        self._take(entry)
                    without_digest += SEAL not in document
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                    if number == 1:
                        raise DamagedHead(
                            f"{path} is damaged in line 1 ({error}): put `{_spelled(_HEAD)[:-1].decode()}` in its "
                            "place, or move the file away to ask everything again"
                        ) from error
                    damaged.append(number)
        return LogState(whole_bytes, tuple(damaged), without_digest)

    def _take(self, entry: Mapping[str, Any]) -> None:
        kind = entry["kind"]
        if kind == "reply":
            usage = entry["usage"]
            tokens = None if usage is None else _tokens(usage)
            reply = Completion.of(str(entry["reply"]), entry["finish"], tokens)  # as far as an older program stored it
            if (of_kind := entry.get("reply_kind")) is not None:
                reply = reply._replace(kind=of_kind, cause=entry["cause"])
            reply = reply._replace(in_batch="batch" in entry)
            if not reply.is_silent:
                self._answered.setdefault(str(entry["request"]), reply)
        elif kind == "request":
            self._requests.add(str(entry["request"]))
        elif kind == "picture":
            self._pictures.add(str(entry["sha256"]))
        elif kind == "run":
            self._run = {name: entry[name] for name in ("kind", "release_id", "content_id", "settings")}
            refused = entry["settings"].get("refused")
            if refused:
                self._refused.setdefault(str(entry["settings"].get("base_url")), {}).update(refused)
            learned = entry["settings"].get("picture_limits_learned")
            if learned:
                limits = {name: size for name, size in learned.items() if type(size) is int and size > 0}
                self._picture_limits.setdefault(str(entry["settings"].get("base_url")), {}).update(limits)
        elif kind != "error":
            raise ValueError(f"its kind is {kind!a}")


def answered_requests(path: Path) -> frozenset[str]:
    """Return the requests for which a log contains replies, without changing the log.

    Raises:
        DataError: The file is not such a log or has an unknown version.
    """
    log = ReplyLog(None)
    log._read(path)
    return frozenset(log._answered)


def state_of(path: Path) -> LogState:
    """Read a log and return the condition of its lines.

    Raises:
        DamagedHead: The first line is damaged.
        DataError: The log has an unknown version.
    """
    return ReplyLog(None)._read(path)


def remove_damaged(path: Path) -> None:
    """Remove the damaged lines from a log, so that their requests are sent again.

    Raises:
        DataError: The log is in use, has an unknown version, or its first line is damaged.
        StorageError: The log cannot be written.
    """
    handle = _locked(path)
    try:
        _write_again(path, state_of(path))
    finally:
        os.close(handle)


def _write_again(path: Path, state: LogState) -> None:
    """Rewrite a log without its damaged lines and the truncated line at its end."""
    with replacing(path, private=True) as draft, draft.open("wb") as copy, path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if number not in state.damaged and line.endswith(b"\n"):
                copy.write(line)


def _locked(path: Path) -> int:
    """Open a log, creating it if necessary, and lock it for this process.

    Raises:
        DataError: Another run is using it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, file_mode(path))
    try:
        lock(handle, path, waits=False)
        if not os.path.samestat(os.fstat(handle), os.stat(path)):
            raise BlockingIOError  # another run has since replaced the file and holds the new one
    except OSError as error:
        os.close(handle)
        if not isinstance(error, BlockingIOError | FileNotFoundError):
            raise
        raise DataError(f"another run is using {path}; wait for it to finish, or give another --out") from error
    return handle


def _spelled(entry: Mapping[str, Any]) -> bytes:
    return canonical_json(sealed(entry)).encode("utf-8", "surrogatepass") + b"\n"


def _is_entry(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    return Tokens(int(usage["prompt"]), int(usage["completion"]), int(usage.get("reasoning", 0)))


def _check_stamp(entry: dict[str, Any], path: Path) -> None:
    name, version = entry["format"], entry["version"]
    if name != FORMAT or version > VERSION:
        raise DataError(
            f"{path} is {name!r} version {version}, but this program reads {FORMAT!r} version {VERSION}; upgrade "
            "benchwright or move the file away"
        )
    if version < VERSION:
        raise DataError(
            f"{path} has version {version}, which identifies requests differently: it sent all pictures as PNG. Move "
            "the file away, or give another --out, to ask the questions again"
        )
