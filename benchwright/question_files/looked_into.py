"""The use of each file in a folder searched for questions, or the reason why the file is unused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from .tables.joined_files import JoinedFile

TakenAs = Literal["questions", "keys", "splits", "pictures", "replies"]


class LookedInto(NamedTuple):
    """A file searched for questions.

    Args:
        file: Path of the file below the folder.
        taken_as: What the file is used for; None if unused.
        why: Why the file is unused, or to which file its rows are joined.
    """

    file: str
    taken_as: TakenAs | None
    why: str = ""


def kept_out(keys: Iterable[str], joined: Iterable[JoinedFile]) -> list[LookedInto]:
    """Return the uses of files without questions in a folder with question files.

    Args:
        keys: Files with keys by id.
        joined: Files whose rows were joined to questions.
    """
    to: dict[str, dict[str, None]] = {}
    what: dict[str, TakenAs] = {}
    for file in joined:
        to.setdefault(file.path, {})[file.questions] = None
        what[file.path] = file.what
    by_id = [LookedInto(path, what[path], f"joined by id to {', '.join(list(of)[:3])}") for path, of in to.items()]
    why = "keys by id, but the questions already have keys, or have other ids"
    return by_id + [LookedInto(path, None, why) for path in keys if path not in to]


def settled(told: Iterable[LookedInto]) -> list[LookedInto]:
    """Return one outcome per file, sorted by path; a use takes precedence over no use."""
    by_path: dict[str, LookedInto] = {}
    for file in told:
        if file.file not in by_path or by_path[file.file].taken_as is None:
            by_path[file.file] = file
    return [by_path[path] for path in sorted(by_path)]
