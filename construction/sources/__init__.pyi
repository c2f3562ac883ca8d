from .emu import MAX_LINE_BYTES as MAX_LINE_BYTES
from .emu import read_emu as read_emu
from .facts import StatedFacts as StatedFacts
from .facts_file import parse_facts as parse_facts
from .facts_file import read_facts as read_facts
from .idea_facts import LOOKS as LOOKS
from .resolved_facts import resolved as resolved
