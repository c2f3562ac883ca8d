"""Drafts of an annotator's decision on a task, saved during typing, possibly from several windows.

A window states what it showed: the version of the decision, and the revision of the draft. A window that is out of date
overwrites nothing: the store keeps its draft next to the present one, and shows both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..forms.campaign_form import CampaignForm
from ..forms.fields.region_values import MAX_REGION_BYTES

MAX_DRAFT_BYTES = 64 * 1024
"""Maximum size in bytes of a draft that contains texts and choices."""
WINDOW, _OTHER = "window", "other"
"""Keys of a draft: the window that wrote it, and the draft from another window."""
_WRITTEN = ("decision", "reasons", "note", "fields", "edits")


class SeenDraft(NamedTuple):
    """The versions of the decision and of the draft that a window has shown.

    Args:
        version: Version of the annotator's decision; 0 if there is none.
        revision: Revision of the draft; 0 if there is none.
    """

    version: int
    revision: int


class KeptDraft(NamedTuple):
    """A draft in the store.

    Args:
        draft: The draft as JSON values.
        revision: Revision of the draft; later ones are higher.
    """

    draft: Mapping[str, Any]
    revision: int


def revision_of(saved_at: datetime | None) -> int:
    """Return the time when a draft was saved, in microseconds, which serves as its increasing revision; 0 for None."""
    if saved_at is None:
        return 0
    since = saved_at - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def most_draft_bytes(form: CampaignForm) -> int:
    """Return the maximum size in bytes of a draft in a campaign, which is larger if drafts include regions."""
    return MAX_DRAFT_BYTES + (MAX_REGION_BYTES if form.region_fields else 0)


def merged(kept: KeptDraft | None, draft: Mapping[str, Any], *, is_behind: bool) -> dict[str, Any]:
    """Return the draft to store when a window sends a draft.

    Args:
        kept: The draft in the store, or None if there is none.
        draft: The window's draft.
        is_behind: Whether the window showed an older draft; if so, the stored draft is kept and the new one is added
            next to it.
    """
    if kept is None:
        return dict(draft)
    if is_behind:
        from_other_window = written(draft)
        return {**kept.draft, _OTHER: from_other_window} if from_other_window else dict(kept.draft)
    carried = {_OTHER: kept.draft[_OTHER]} if _OTHER in kept.draft and _OTHER not in draft else {}
    return {**draft, **carried}


def written(draft: Mapping[str, Any]) -> dict[str, Any]:
    """Return the texts and choices in a draft, without the keys that identify its window."""
    return {name: draft[name] for name in _WRITTEN if draft.get(name)}


def is_behind(kept: KeptDraft | None, draft: Mapping[str, Any], seen: SeenDraft) -> bool:
    """Return whether a window sends a draft without having shown the stored draft, which is from another window."""
    if kept is None or kept.revision == seen.revision or written(kept.draft) == written(draft):
        return False
    return kept.draft.get(WINDOW) is None or kept.draft.get(WINDOW) != draft.get(WINDOW)


def read_draft(body: str | None, saved_at: datetime | None) -> KeptDraft | None:
    """Return the draft in a row of the store, or None if there is no draft."""
    return None if body is None else KeptDraft(json.loads(body), revision_of(saved_at))
