"""Records of files that are joined to other files."""

from __future__ import annotations

from typing import Literal, NamedTuple

KEYS_DIFFER = "keys_differ"
"""Label with the reason why a question got no key, for example because its id has several keys or questions."""


class JoinedFile(NamedTuple):
    """A file whose rows were joined to those of another.

    Args:
        path: Path of the file.
        questions: Path of the file with the questions.
        what: `keys`, `splits` or `pictures`.
    """

    path: str
    questions: str
    what: Literal["keys", "splits", "pictures"]
