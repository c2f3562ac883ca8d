"""A curator's unsaved guideline texts for a campaign, stored in the workspace during typing, one per window.

A window that opens shows the latest text. Its first change replaces that text only if no other window changed it in the
meantime; otherwise both are kept, and each window shows the other's text.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...store.campaigns.guidelines import GuidelinesVersion
from ..own_pages.html_fields import whole_number
from ..own_pages.typed import forget_typed, keep_typed, typed_fields

_MOST = 20
"""Maximum number of texts of a curator and campaign; beyond it the oldest is removed."""
_CHANGES = threading.Lock()
"""Held while the texts of a curator are read and written again: windows save at the same time."""


class GuidelinesDraft(NamedTuple):
    """A guideline text on a curator's page.

    Attributes:
        text: The text.
        based_on: Number of the version that the curator edited; 0 for none.
        window: Random text that distinguishes the curator's windows.
        source: Window whose text this window showed at first; empty for none.
        shown: Digest of that text.
    """

    text: str
    based_on: int
    window: str
    source: str = ""
    shown: str = ""

    def continues(self, other: GuidelinesDraft) -> bool:
        """Return whether this window started from the other text in its present wording."""
        return other.window == self.source and _digest(other.text) == self.shown


class DraftPlace(NamedTuple):
    """The place where a curator's drafts for a campaign are stored.

    Attributes:
        workspace: Folder of the workspace.
        curator: Name of the curator.
        campaign: Name of the campaign.
    """

    workspace: Path
    curator: str
    campaign: str

    @property
    def _form(self) -> str:
        return f"guidelines-{hashlib.sha256(self.campaign.encode()).hexdigest()[:16]}"

    def read(self, versions: Sequence[GuidelinesVersion]) -> GuidelinesDraft:
        """Return the text for a new window: the latest draft, or the newest version if no draft differs from it.

        Args:
            versions: All versions of the campaign's guidelines, oldest first.
        """
        texts = _texts(versions)
        window = secrets.token_hex(8)
        drafts = [draft for draft in self._drafts() if _changes(draft, texts)]
        if not drafts:
            return GuidelinesDraft(texts[max(texts)], max(texts), window)
        latest = drafts[-1]
        return latest._replace(window=window, source=latest.window, shown=_digest(latest.text))

    def elsewhere(self, draft: GuidelinesDraft, versions: Sequence[GuidelinesVersion]) -> list[GuidelinesDraft]:
        """Return the texts in a curator's other windows that differ from this window's own, latest first.

        Args:
            draft: Text of the window.
            versions: All versions of the campaign's guidelines, oldest first.
        """
        texts = _texts(versions)
        return [
            other
            for other in reversed(self._drafts())
            if other.window != draft.window
            and not draft.continues(other)
            and other.text != draft.text
            and _changes(other, texts)
        ]

    def keep(self, draft: GuidelinesDraft) -> None:
        """Store a window's text as the latest, replacing the text that it continues."""
        with _CHANGES:
            self._write([*self._without(draft), draft])

    def forget(self, draft: GuidelinesDraft) -> None:
        """Remove a window's text and the text that it continues, but no other window's text."""
        with _CHANGES:
            self._write(self._without(draft))

    def _without(self, draft: GuidelinesDraft) -> list[GuidelinesDraft]:
        return [other for other in self._drafts() if other.window != draft.window and not draft.continues(other)]

    def _drafts(self) -> list[GuidelinesDraft]:
        """Return the stored texts, the latest last."""
        typed = typed_fields(self.workspace, self.curator, self._form)
        if "window" in typed:  # of a version that kept one text
            return [GuidelinesDraft(typed.get("text", ""), whole_number(typed.get("based_on", "")), typed["window"])]
        rows = [(window, json.loads(row)) for window, row in typed.items()]
        rows.sort(key=lambda entry: whole_number(entry[1]["turn"]))
        return [GuidelinesDraft(row["text"], whole_number(row["based_on"]), window) for window, row in rows]

    def _write(self, drafts: Iterable[GuidelinesDraft]) -> None:
        kept = list(drafts)[-_MOST:]
        if not kept:
            forget_typed(self.workspace, self.curator, self._form)
            return
        rows = {
            draft.window: json.dumps({"text": draft.text, "based_on": str(draft.based_on), "turn": str(turn)})
            for turn, draft in enumerate(kept)
        }
        keep_typed(self.workspace, self.curator, self._form, rows)


def _texts(versions: Sequence[GuidelinesVersion]) -> dict[int, str]:
    return {0: "", **{version.version: version.text for version in versions}}


def _changes(draft: GuidelinesDraft, texts: dict[int, str]) -> bool:
    """Return whether a text differs from the version that the curator edited and from all later versions.

    A page that is left while its text is being saved stores that text once more, so a draft may equal a saved version.
    """
    return all(draft.text != text for version, text in texts.items() if version >= draft.based_on)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
