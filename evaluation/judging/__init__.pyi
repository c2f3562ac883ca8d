from .judge import Judge as Judge
from .judge import JudgeVerdict as JudgeVerdict
from .judge import judge_words as judge_words
from .judge import verdict_in as verdict_in
