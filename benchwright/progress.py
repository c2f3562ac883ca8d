"""The interface for reporting the progress of long work; the command line displays it, the library prints nothing."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """A receiver of a run's progress."""

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        """Announce the start of work on `total` records; `unit` is their name in the plural."""

    def advance(self, records: int) -> None:
        """Report that `records` more records are finished."""

    def beside(self, text: str) -> None:
        """Report the current state in a few words, such as the cost so far, which replace the previous text."""

    def warn(self, message: str) -> None:
        """Report a fact for the user, on one line."""

    def another(self) -> Progress:
        """Return a receiver of the progress of other, concurrent work."""


class Silent:
    """A receiver that ignores all progress."""

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        """Do nothing."""

    def advance(self, records: int) -> None:
        """Do nothing."""

    def beside(self, text: str) -> None:
        """Do nothing."""

    def warn(self, message: str) -> None:
        """Do nothing."""

    def another(self) -> Silent:
        """Return this receiver."""
        return self
