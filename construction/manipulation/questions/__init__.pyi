from .distractors import says_the_same as says_the_same
from .endpoint import PairQuestions as PairQuestions
from .templates import from_template as from_template
