"""Problems of a release: one line each, up to a number."""

from __future__ import annotations

MAX_PROBLEMS = 200


class Problems:
    """Lines for people; a hostile folder can have any number of wrong files, so the rest is counted."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left_out = 0

    def add(self, line: str) -> None:
        """Note one problem; the line begins with the file."""
        if len(self._lines) < MAX_PROBLEMS - 1:
            self._lines.append(line)
        else:
            self._left_out += 1

    @property
    def found(self) -> bool:
        """Return whether there is any."""
        return bool(self._lines)

    def all(self) -> list[str]:
        """Return the lines, at most `MAX_PROBLEMS`."""
        return [*self._lines, *([f"and {self._left_out} more problems"] if self._left_out else [])]
