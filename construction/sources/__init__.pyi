from .emu import MAX_LINE_BYTES as MAX_LINE_BYTES
from .emu import read_emu as read_emu
from .facts import StatedFacts as StatedFacts
from .resolved_facts import resolved as resolved
