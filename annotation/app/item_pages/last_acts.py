"""The last change that each curator made to each record, to report it and to take it back, in memory only."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from benchwright.overrides import Override

from ...items.curator_acts import AssignedTasks
from ..own_pages.once_shown import SHOWN_FOR


class LastAct(NamedTuple):
    """The report of a change.

    Attributes:
        words: Sentences on it.
        overrides: Decisions by hand that it made; empty for none.
        assigned: Tasks that it assigned; None for none.
    """

    words: Sequence[str]
    overrides: Sequence[Override] = ()
    assigned: AssignedTasks | None = None

    @property
    def can_be_taken_back(self) -> bool:
        """Return whether a button may take the change back."""
        return bool(self.overrides) or (self.assigned is not None and bool(self.assigned.leases))


class LastActs:
    """The last changes, by curator and record.

    A report shows once; one of a change that can be taken back shows for 10 minutes, after a reload too.
    """

    def __init__(self) -> None:
        self._acts: dict[tuple[str, str], tuple[datetime, LastAct]] = {}
        self._lock = threading.Lock()

    def put(self, curator: str, record_id: str, act: LastAct | None, *, now: datetime) -> None:
        """Replace the report about a record; None removes it."""
        with self._lock:
            self._acts = {place: kept for place, kept in self._acts.items() if now - kept[0] <= SHOWN_FOR}
            self._acts.pop((curator, record_id), None)
            if act is not None:
                self._acts[curator, record_id] = (now, act)

    def get(self, curator: str, record_id: str, *, now: datetime) -> LastAct | None:
        """Return the report about a record, or None if there is none or its time is over."""
        with self._lock:
            since, act = self._acts.get((curator, record_id), (now, None))
            return act if now - since <= SHOWN_FOR else None

    def show(self, curator: str, record_id: str, *, now: datetime) -> LastAct | None:
        """Return the report about a record as `get` does, and forget it unless its change can be taken back."""
        act = self.get(curator, record_id, now=now)
        if act is not None and not act.can_be_taken_back:
            self.put(curator, record_id, None, now=now)
        return act
