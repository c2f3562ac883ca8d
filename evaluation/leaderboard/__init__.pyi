from .board import Leaderboard as Leaderboard
from .board import leaderboard_of as leaderboard_of
from .page import write_leaderboard as write_leaderboard
from .scoring import LIMIT as LIMIT
from .scoring import log_path as log_path
from .scoring import score_answers as score_answers
