"""A curator's unsaved text of a campaign's guidelines, stored in the workspace during typing."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...store.campaigns.guidelines import GuidelinesVersion
from ..own_pages.html_fields import whole_number
from ..own_pages.typed import forget_typed, keep_typed, typed_fields


class GuidelinesDraft(NamedTuple):
    """A text of guidelines on a curator's page.

    Attributes:
        text: The text.
        based_on: Number of the version that the curator edited; 0 for none.
        window: Random text that distinguishes the curator's windows.
    """

    text: str
    based_on: int
    window: str


class DraftPlace(NamedTuple):
    """Where a curator's draft for a campaign is stored.

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
        """Return the draft, or the newest version if there is no draft or it changes nothing.

        Args:
            versions: All versions of the campaign's guidelines, oldest first.
        """
        texts = {0: "", **{version.version: version.text for version in versions}}
        newest = GuidelinesDraft(texts[max(texts)], max(texts), secrets.token_hex(8))
        typed = typed_fields(self.workspace, self.curator, self._form)
        draft = GuidelinesDraft(
            typed.get("text", ""), whole_number(typed.get("based_on", "")), typed.get("window", newest.window)
        )
        if "text" not in typed or draft.text in {newest.text, texts.get(draft.based_on)}:
            return newest
        return draft

    def keep(self, draft: GuidelinesDraft) -> None:
        """Store a draft, completely or not at all."""
        keep_typed(self.workspace, self.curator, self._form, {**draft._asdict(), "based_on": str(draft.based_on)})

    def forget(self, draft: GuidelinesDraft) -> None:
        """Remove the draft of a window, but keep that of another window."""
        if typed_fields(self.workspace, self.curator, self._form).get("window") == draft.window:
            forget_typed(self.workspace, self.curator, self._form)
