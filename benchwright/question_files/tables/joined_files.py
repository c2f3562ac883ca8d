"""Which file was joined to which."""

from __future__ import annotations

from typing import Literal, NamedTuple

KEYS_DIFFER = "keys_differ"
"""Label of a question to which no key was joined, since its id stands for several keys or questions: why, in words."""


class JoinedFile(NamedTuple):
    """A file whose rows were joined to those of another.

    Args:
        path: Its path.
        questions: Path of the file with the questions.
        what: `keys`, `splits` or `pictures`.
    """

    path: str
    questions: str
    what: Literal["keys", "splits", "pictures"]
