from .assignment import note_seen as note_seen
from .gold_schedule import GoldSchedule as GoldSchedule
