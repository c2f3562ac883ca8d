from .attacks import AttackSettings as AttackSettings
from .draft_descriptions import DraftDescriptions as DraftDescriptions
from .draft_questions import DraftQuestions as DraftQuestions
from .draft_translations import DraftTranslations as DraftTranslations
from .prompts import drafting_prompt as drafting_prompt
from .templates import templated_questions as templated_questions
