"""Jobs that travel as bytes: whoever passes them on needs none of their code, only the worker that runs them does."""

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
    """Something pickled; pickled once more and unpickled it is the thing itself."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __reduce__(self) -> tuple[Callable[[bytes], Any], tuple[bytes]]:
        return pickle.loads, (self._data,)


@dataclass(frozen=True)
class SerializedJob:
    """A job as bytes, with what earlier attempts on other machines taught; its result is bytes too.

    Args:
        name: Name of the job.
        size: Size of the job.
        data: The job, pickled.
        singly: Run record by record, because a worker of an earlier attempt ended and nobody knows where it was.
        blamed: Records not to be run, as in `Attempt`.
        note: File that always says which record is being run, so that it is known when the whole worker is gone.
    """

    name: str
    size: int
    data: bytes
    singly: bool = False
    blamed: Mapping[Place, str] = field(default_factory=dict)
    note: Path | None = None

    def run(self, worker: Any, attempt: Attempt) -> bytes:
        """Run the job; return its result, pickled."""
        job = pickle.loads(self.data)  # noqa: S301 - made by this run's main process, sent inside the cluster

        def at(place: Place) -> None:
            if self.note is not None:
                write_bytes(self.note, json.dumps(place).encode())
            attempt.at(place)

        blamed = {**self.blamed, **attempt.blamed}
        result = job.run(worker, replace(attempt, at=at, singly=attempt.singly or self.singly, blamed=blamed))
        return pickle.dumps(result)


def noted_place(note: Path) -> Place | None:
    """Return where the worker of a job was when it ended, and remove the note; None if it had not reached a record."""
    try:
        stage, record = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None
    note.unlink(missing_ok=True)
    return stage, record
