from .model_options import JUDGE_OPTIONS as JUDGE_OPTIONS
from .model_options import MODEL_OPTIONS as MODEL_OPTIONS
