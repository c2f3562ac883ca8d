from .card import CARD_VERSION as CARD_VERSION
from .card import CardFacts as CardFacts
from .card import card as card
from .card import funnel_rows as funnel_rows
from .citation import CITATION as CITATION
from .citation import citation as citation
from .image_sources import IMAGE_SOURCES as IMAGE_SOURCES
from .image_sources import image_source_lines as image_source_lines
