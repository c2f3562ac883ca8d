"""What a server was asked and said, line by line, so that a run that ended early goes on where it was.

JSON Lines, appended only: `request` (SHA-256 of everything that was sent), `item_id`, `state` and `reply` or `cause`.
Only answered requests are taken from it; an error is asked again.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchwright.canonical import canonical_json
from benchwright.errors import DataError

FORMAT, VERSION = "benchwright/replies", 1


class ReplyLog:
    """One log file, open for appending; use it as a context manager. Without a path it keeps nothing."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._answered: dict[str, str] = {}
        self._handle = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            keep = self._read(path) if path.exists() else 0
            self._handle = path.open("ab")
            # A killed run may leave half a line; what follows must not be glued to it.
            self._handle.truncate(keep)
            if keep == 0:
                self._append({"format": FORMAT, "version": VERSION})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is not None:
            self._handle.close()

    def reply_to(self, request: str) -> str | None:
        """Return what an earlier run was answered to exactly this request."""
        return self._answered.get(request)

    def answered(self, request: str, item_id: str, reply: str, finish: str | None) -> None:
        """Keep a reply; `finish` is the server's reason for ending it."""
        self._append({"request": request, "item_id": item_id, "state": "answered", "reply": reply, "finish": finish})

    def failed(self, request: str, item_id: str, cause: str) -> None:
        """Keep the cause of an error."""
        self._append({"request": request, "item_id": item_id, "state": "error", "cause": cause})

    def _append(self, entry: dict[str, Any]) -> None:
        with self._lock:
            if self._handle is not None and not self._handle.closed:
                self._handle.write(canonical_json(entry).encode("utf-8", "surrogatepass") + b"\n")
                self._handle.flush()

    def _read(self, path: Path) -> int:
        """Take in the finished lines and return how many bytes they are."""
        end = 0
        with path.open("rb") as handle:
            for number, line in enumerate(handle, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    entry = json.loads(line)
                    if number == 1:
                        _check_stamp(entry, path)
                    elif entry["state"] == "answered":
                        self._answered[str(entry["request"])] = str(entry["reply"])
                except (ValueError, KeyError, TypeError, RecursionError) as error:
                    raise DataError(
                        f"{path}: line {number} is damaged ({error}); remove that line and run again"
                    ) from error
                end += len(line)
        return end


def _check_stamp(entry: dict[str, Any], path: Path) -> None:
    if entry["format"] != FORMAT or entry["version"] > VERSION:
        raise DataError(
            f"{path} is {entry['format']!r} version {entry['version']}, this program reads {FORMAT!r} up to {VERSION}; "
            "upgrade benchwright or move the file away"
        )
