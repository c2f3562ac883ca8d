"""Jobs in serialized form: only the worker that runs a job needs its code, not the processes that pass it on."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchwright.engines.base import Attempt, Place
from benchwright.workspace.atomic import write_bytes


class SerializedContext:
    """A pickled object; pickling and unpickling this wrapper yields the object itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return pickle.loads, (self._data,)


@dataclass(frozen=True)
class SerializedJob:
    """A job as bytes, with the results of earlier attempts on other machines; its own result is bytes too.

    Args:
        name: Name of the job.
        size: Size of the job.
        data: The pickled job.
        singly: Whether to run record by record, because a worker of an earlier attempt ended at an unknown record.
        blamed: Records not to run, as in `Attempt`.
        note: File that names the running record, so that it is known even if the actor is lost.
    """

    name: str
    size: int
    data: bytes
    singly: bool = False
    blamed: Mapping[Place, str] = field(default_factory=dict)
    note: Path | None = None

    def run(self, worker: Any, attempt: Attempt) -> bytes:
        """Run the job; return its result, pickled."""
        job = pickle.loads(self.data)  # noqa: S301 - made by this run's main process and sent within the cluster

        def at(place: Place) -> None:
            if self.note is not None:
                write_bytes(self.note, json.dumps(place).encode())
            attempt.at(place)

        blamed = {**self.blamed, **attempt.blamed}
        result = job.run(worker, replace(attempt, at=at, singly=attempt.singly or self.singly, blamed=blamed))
        return pickle.dumps(result)


def noted_place(note: Path) -> Place | None:
    """Return the record at which a job's worker ended, and remove the note; None if it had not reached a record."""
    try:
        stage, record = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None
    note.unlink(missing_ok=True)
    return stage, record
