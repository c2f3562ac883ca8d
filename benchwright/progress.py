"""Progress of long work, as an interface; the command line draws it, the library stays silent."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Who wants to know how far a run is."""

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        """Say that work on `total` records begins; `unit` is their name in the plural."""

    def advance(self, records: int) -> None:
        """Say that so many records more are finished."""

    def beside(self, text: str) -> None:
        """Say how things stand, such as the cost so far; a few words that replace those before."""

    def warn(self, message: str) -> None:
        """Say something that a user should know; one line."""


class Silent:
    """A progress that nobody looks at."""

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        """Do nothing."""

    def advance(self, records: int) -> None:
        """Do nothing."""

    def beside(self, text: str) -> None:
        """Do nothing."""

    def warn(self, message: str) -> None:
        """Do nothing."""
