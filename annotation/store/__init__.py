"""The review store: campaigns, tasks, slots and annotations in one database."""

from .accounts import ROLES, Account, Accounts, Role
from .campaigns import SIMULATED
from .records import Annotation, Campaign, CampaignStatus, Lease, RefusedError, Task, Upserted, Work
from .review_store import LEASE_S, ReviewStore, open_store

__all__ = [
    "LEASE_S",
    "ROLES",
    "SIMULATED",
    "Account",
    "Accounts",
    "Annotation",
    "Campaign",
    "CampaignStatus",
    "Lease",
    "RefusedError",
    "ReviewStore",
    "Role",
    "Task",
    "Upserted",
    "Work",
    "open_store",
]
