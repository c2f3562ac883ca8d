from .assignment import note_seen as note_seen
from .assignment import take_found as take_found
from .gold_schedule import GoldSchedule as GoldSchedule
from .next_task import FoundTask as FoundTask
from .next_task import find_next as find_next
