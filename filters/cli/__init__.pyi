from .contact_sheet import PER_PAGE as PER_PAGE
from .contact_sheet import RED as RED
from .contact_sheet import SheetOutline as SheetOutline
from .contact_sheet import Tile as Tile
from .contact_sheet import write_sheets as write_sheets
from .contamination import hashes as hashes
from .contamination import leakage as leakage
from .text import text_ratio as text_ratio
