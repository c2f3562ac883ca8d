"""What each file of a folder was taken for when questions were looked for in it, or why it was not taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from .tables.joined_files import JoinedFile

TakenAs = Literal["questions", "keys", "splits", "pictures", "replies"]


class LookedInto(NamedTuple):
    """A file in which questions were looked for.

    Args:
        file: Its path below the folder.
        taken_as: What it was taken for; None where it was not taken.
        why: Why it was not taken, or to which file its rows are joined.
    """

    file: str
    taken_as: TakenAs | None
    why: str = ""


def kept_out(keys: Iterable[str], joined: Iterable[JoinedFile]) -> list[LookedInto]:
    """Return what became of files that hold no questions, beside files that do.

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
    why = "keys by id: the questions have keys of their own, or other ids"
    return by_id + [LookedInto(path, None, why) for path in keys if path not in to]


def settled(told: Iterable[LookedInto]) -> list[LookedInto]:
    """Return one outcome for each file, sorted by path: that it was taken goes before that it was not."""
    by_path: dict[str, LookedInto] = {}
    for file in told:
        if file.file not in by_path or by_path[file.file].taken_as is None:
            by_path[file.file] = file
    return [by_path[path] for path in sorted(by_path)]
