"""Findings of a verification: problems, one line each, and the result of checking the rows.

The process that starts the check imports only this module, which loads neither Arrow nor picture decoders.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_MAX_PROBLEMS = 200


class Problems:
    """A bounded list of problems; further ones are only counted, since a hostile folder can have any number of them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._left_out = 0

    def add(self, line: str) -> None:
        """Add one problem; the line begins with the file."""
        if len(self._lines) < _MAX_PROBLEMS - 1:
            self._lines.append(line)
        else:
            self._left_out += 1

    @property
    def found(self) -> bool:
        """Return whether any problem was found."""
        return bool(self._lines)

    def all(self) -> list[str]:
        """Return at most `_MAX_PROBLEMS` lines."""
        return [*self._lines, *([f"and {self._left_out} more problems"] if self._left_out else [])]


@dataclass(frozen=True)
class ReleaseContents:
    """The result of checking the rows.

    Args:
        content_id: Root hash of the current items; None if some could not be read.
        problems: Problems, one line each, beginning with the file.
        proven: What the comparison of the card proves.
        not_proven: Parts of the card for which there is nothing to compare.
    """

    content_id: str | None
    problems: list[str]
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)
