"""Reports of changes, shown on the next page that the browser opens; stored by curator, in memory only."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from typing import NamedTuple

SHOWN_FOR = timedelta(minutes=10)


class ChangeReport(NamedTuple):
    """The report of a change.

    Attributes:
        words: A sentence on the change.
        secret: A new secret, which is not stored, for the curator to copy; empty if there is none.
    """

    words: str
    secret: str = ""


class ChangeReports:
    """The latest report of each curator and campaign.

    A report without a secret is shown once. A report with a secret is shown, even after a reload, until the curator's
    next change or for 10 minutes.
    """

    def __init__(self) -> None:
        self._reports: dict[tuple[str, str], tuple[datetime, ChangeReport]] = {}
        self._lock = threading.Lock()

    def put(self, curator: str, campaign: str, report: ChangeReport | None, *, now: datetime) -> None:
        """Replace the report for a curator; None removes the report."""
        with self._lock:
            self._reports.pop((curator, campaign), None)
            if report is not None:
                self._reports[curator, campaign] = (now, report)

    def show(self, curator: str, campaign: str, *, now: datetime) -> ChangeReport:
        """Return the report for a curator, or an empty report if there is none."""
        with self._lock:
            since, report = self._reports.get((curator, campaign), (now, ChangeReport("")))
            if not report.secret or now - since > SHOWN_FOR:
                self._reports.pop((curator, campaign), None)
            return report if now - since <= SHOWN_FOR else ChangeReport("")
