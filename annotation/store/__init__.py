"""The review store: campaigns, tasks, slots and annotations in one database."""

from .accounts import ROLES, Account, Accounts, Role
from .campaigns import SIMULATED
from .forms import CHOICES, decisions_of, fields_of
from .handout import BLIND
from .overriding import Decided, Overriding
from .records import Annotation, Campaign, CampaignStatus, Lease, RefusedError, StaleError, Task, Upserted
from .review_store import ReviewStore, open_store, store_exists
from .uploads import Uploads

__all__ = [
    "BLIND",
    "CHOICES",
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
    "decisions_of",
    "fields_of",
    "open_store",
    "store_exists",
]
