from .campaigns import OpenedAudit as OpenedAudit
from .campaigns import check_workspace as check_workspace
from .campaigns import open_campaigns as open_campaigns
from .correcting import SetRight as SetRight
from .correcting import set_right as set_right
from .questions import ItemQuestion as ItemQuestion
from .questions import PairQuestion as PairQuestion
from .questions import questions_of as questions_of
