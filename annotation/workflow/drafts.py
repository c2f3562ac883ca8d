"""Drafts: what an annotator is typing about a task, saved while they type, also from several windows.

A window says what it had before it: which version of the decision, and which revision of the draft. One that is behind
overwrites nothing: what it wrote is kept beside what is there, and shown with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

WINDOW, OTHER = "window", "other"
"""Keys of a draft: which window wrote it, and what was written in another one."""
_WRITTEN = ("decision", "reasons", "note", "fields", "edits")


class SeenDraft(NamedTuple):
    """The versions that a window showed.

    Args:
        version: Version of the annotator's decision; 0 without one.
        revision: Revision of the draft; 0 without one.
    """

    version: int
    revision: int


class KeptDraft(NamedTuple):
    """A draft in the store.

    Args:
        draft: The draft as JSON values.
        revision: Revision of the draft; a later one is higher.
    """

    draft: Mapping[str, Any]
    revision: int


def revision_of(saved_at: datetime | None) -> int:
    """Return the revision of a draft that was saved then: microseconds, so that later ones are higher; 0 for none."""
    if saved_at is None:
        return 0
    since = saved_at - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def merged(kept: KeptDraft | None, draft: Mapping[str, Any], *, is_behind: bool) -> dict[str, Any]:
    """Return what is kept once a window sends its draft.

    Args:
        kept: The draft in the store; None without one.
        draft: The draft that the window sends.
        is_behind: Whether it had something older before it; then the draft that is there stays, and this one beside it.
    """
    if kept is None:
        return dict(draft)
    if is_behind:
        from_other_window = written(draft)
        return {**kept.draft, OTHER: from_other_window} if from_other_window else dict(kept.draft)
    carried = {OTHER: kept.draft[OTHER]} if OTHER in kept.draft and OTHER not in draft else {}
    return {**draft, **carried}


def written(draft: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts and choices of a draft, without the keys that say which window wrote it."""
    return {name: draft[name] for name in _WRITTEN if draft.get(name)}


def is_behind(kept: KeptDraft | None, draft: Mapping[str, Any], seen: SeenDraft) -> bool:
    """Return whether a window sends a draft without having had before it the one that is there, from another window."""
    if kept is None or kept.revision == seen.revision or written(kept.draft) == written(draft):
        return False
    return kept.draft.get(WINDOW) is None or kept.draft.get(WINDOW) != draft.get(WINDOW)


def read_draft(body: str | None, saved_at: datetime | None) -> KeptDraft | None:
    """Return a draft from its row in the store; None without one."""
    return None if body is None else KeptDraft(json.loads(body), revision_of(saved_at))
