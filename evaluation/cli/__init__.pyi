from .model_options import JUDGE as JUDGE
from .model_options import JUDGE_OPTIONS as JUDGE_OPTIONS
from .model_options import MODEL_OPTIONS as MODEL_OPTIONS
from .model_options import describe as describe
from .model_options import flag_of as flag_of
