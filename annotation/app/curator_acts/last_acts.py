"""The last change that each curator made on each page, to report it and to take it back, in memory only."""

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
        at: Time of the change.
        words: Sentences on it.
        overrides: Decisions by hand that it made; empty for none.
        assigned: Tasks that it assigned; None for none.
    """

    at: datetime
    words: Sequence[str]
    overrides: Sequence[Override] = ()
    assigned: AssignedTasks | None = None

    @property
    def mark(self) -> str:
        """Return the text by which the form that takes the change back names it."""
        return self.at.isoformat()

    @property
    def can_be_taken_back(self) -> bool:
        """Return whether a button may take the change back."""
        return bool(self.overrides) or (self.assigned is not None and bool(self.assigned.leases))


class LastActs:
    """The last changes, by curator and place: the id of a record on its page, or empty on the list.

    A report shows once; one of a change that can be taken back shows for 10 minutes, after a reload too.
    """

    def __init__(self) -> None:
        self._acts: dict[tuple[str, str], LastAct] = {}
        self._lock = threading.Lock()

    def put(self, curator: str, place: str, act: LastAct) -> None:
        """Replace the report of a place."""
        with self._lock:
            self._acts = {where: kept for where, kept in self._acts.items() if act.at - kept.at <= SHOWN_FOR}
            self._acts[curator, place] = act

    def get(self, curator: str, place: str, *, now: datetime) -> LastAct | None:
        """Return the report of a place, or None if there is none or its time is over."""
        with self._lock:
            act = self._acts.get((curator, place))
        return act if act is not None and now - act.at <= SHOWN_FOR else None

    def drop(self, curator: str, place: str, act: LastAct) -> None:
        """Forget the report of a place, unless a newer one has replaced it."""
        with self._lock:
            if self._acts.get((curator, place)) == act:
                del self._acts[curator, place]

    def show(self, curator: str, place: str, *, now: datetime) -> LastAct | None:
        """Return the report of a place as `get` does, and forget it unless its change can be taken back."""
        act = self.get(curator, place, now=now)
        if act is not None and not act.can_be_taken_back:
            self.drop(curator, place, act)
        return act
