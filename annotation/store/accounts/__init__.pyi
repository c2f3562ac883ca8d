from .accounts import Identities as Identities
from .accounts import Identity as Identity
from .accounts import hash_of as hash_of
from .campaign_access import AccessControl as AccessControl
from .campaign_access import CampaignAccess as CampaignAccess
from .forgetting import Forgotten as Forgotten
from .forgetting import forget_person as forget_person
