"""What every page gets: who is there, of which campaign, and the place in the page's head that is left for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...store import Account, Campaign
from ...workflow.task_queue import TaskQueue
from .state import AppState

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


@dataclass(frozen=True)
class PageRequest:
    """One run of a page.

    Attributes:
        site: What the app serves.
        account: Who has the session.
        campaign: Which is looked at.
        head: Free place beside the campaign's name.
    """

    site: AppState
    account: Account
    campaign: Campaign
    head: DeltaGenerator

    @property
    def desk(self) -> TaskQueue:
        """Return the visitor's desk in the campaign."""
        return TaskQueue(self.site.store, self.campaign, self.account.name)
