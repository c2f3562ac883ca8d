"""The review store: campaigns, tasks, slots and annotations in one database."""

from ..hand_out import LEASE_S
from .accounts import ROLES, Account, Accounts, Role
from .campaigns import SIMULATED
from .forms import CHOICES, decisions_of, fields_of
from .handout import BLIND
from .overriding import Decided, Overriding
from .payloads import about_in, beside_in, item_in, payload_with
from .records import Annotation, Campaign, CampaignStatus, Lease, RefusedError, StaleError, Task, Upserted, Work
from .review_store import ReviewStore, open_store, store_exists
from .uploads import Uploads

__all__ = [
    "BLIND",
    "CHOICES",
    "LEASE_S",
    "ROLES",
    "SIMULATED",
    "Account",
    "Accounts",
    "Annotation",
    "Campaign",
    "CampaignStatus",
    "Decided",
    "Lease",
    "Overriding",
    "RefusedError",
    "ReviewStore",
    "Role",
    "StaleError",
    "Task",
    "Uploads",
    "Upserted",
    "Work",
    "about_in",
    "beside_in",
    "decisions_of",
    "fields_of",
    "item_in",
    "open_store",
    "payload_with",
    "store_exists",
]
