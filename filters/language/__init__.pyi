from .grammar import grammar_faults as grammar_faults
from .spelling import Spelling as Spelling
from .step import Language as Language
from .text_checks import Fault as Fault
from .text_checks import end_mark_fault as end_mark_fault
from .text_checks import is_english as is_english
from .text_checks import names_answer as names_answer
