from .item_index import outlines_of as outlines_of
from .prompts import message_of as message_of
from .prompts import vanilla as vanilla
from .question import Question as Question
from .question import QuestionImage as QuestionImage
from .question import Reply as Reply
from .question import question_of as question_of
from .release_files import columns_of as columns_of
