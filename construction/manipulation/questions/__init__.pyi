from .endpoint import PairQuestions as PairQuestions
from .templates import from_template as from_template
