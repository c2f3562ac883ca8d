from .cards import legible as legible
from .label_sums import labelled as labelled
from .reference_points import kind_of as kind_of
from .reference_points import read_cheats as read_cheats
from .score_table import board_of as board_of
