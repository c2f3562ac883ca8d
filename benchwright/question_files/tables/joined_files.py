"""Which file was joined to which."""

from __future__ import annotations

from typing import NamedTuple


class JoinedFile(NamedTuple):
    """A file whose rows were joined to those of another.

    Args:
        path: Its path.
        questions: Path of the file with the questions.
        what: `keys` or `splits`.
    """

    path: str
    questions: str
    what: str
