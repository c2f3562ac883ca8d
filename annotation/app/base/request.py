"""The arguments of every page: the account, the campaign, and a slot in the page's head."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...progress.overview import Overview
from ...store.accounts.accounts import Account
from ...store.database.records import Campaign
from ...workflow.task_queue import TaskQueue
from .state import AppState

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


@dataclass(frozen=True)
class PageRequest:
    """One run of a page.

    Attributes:
        state: State of the app.
        account: Signed-in account.
        campaign: Campaign that the page shows.
        head: Empty slot next to the campaign's name.
    """

    state: AppState
    account: Account
    campaign: Campaign
    head: DeltaGenerator

    @property
    def stamp(self) -> tuple[Hashable, ...]:
        """Return the prefix of a cache key, which changes with the campaign's decisions and tasks."""
        return (self.state.store.where, *Overview(self.state.store, self.campaign).stamp())

    @property
    def queue(self) -> TaskQueue:
        """Return the account's task queue in the campaign."""
        return TaskQueue(self.state.store, self.campaign, self.account.name)
