"""The review store: campaigns, tasks, slots and annotations in one database."""

from .accounts.accounts import ROLES, Account, Accounts, Role
from .campaigns.overrides import Overrides, StoredOverride
from .campaigns.tasks import SIMULATED
from .database.records import Annotation, Campaign, CampaignStatus, Lease, RefusedError, StaleError, Task, UpsertCounts
from .review_store import ReviewStore, open_store, store_exists
from .submissions.form_checks import decisions_of, normalized
from .submissions.photo_uploads import Uploads

__all__ = [
    "ROLES",
    "SIMULATED",
    "Account",
    "Accounts",
    "Annotation",
    "Campaign",
    "CampaignStatus",
    "Lease",
    "Overrides",
    "RefusedError",
    "ReviewStore",
    "Role",
    "StaleError",
    "StoredOverride",
    "Task",
    "Uploads",
    "UpsertCounts",
    "decisions_of",
    "normalized",
    "open_store",
    "store_exists",
]
