from .key_sheet import key_sheet as key_sheet
from .option_letters import captions as captions
from .option_letters import question_in_words as question_in_words
from .shown_pictures import ShownPictures as ShownPictures
from .state import clock as clock
from .state import open_app_state as open_app_state
