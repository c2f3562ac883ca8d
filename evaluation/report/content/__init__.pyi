from .cards import legible as legible
from .label_sums import labelled as labelled
from .score_table import board_of as board_of
