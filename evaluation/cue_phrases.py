"""Phrases after which a reply names its answer, as data. More languages and turns of speech are added here."""

from __future__ import annotations

import re

_BEFORE, _AFTER = r"(?<![A-Za-z])", r"(?![A-Za-z])"
_IT_IS = r"(?:it|this|that)(?:'s|\s+(?:is|must\s+be|has\s+to\s+be|should\s+be|would\s+be))"

FIRM = re.compile(
    "|".join(
        [
            # "the answer is", "Final choice:", "my guess would be", "answer -> "
            rf"{_BEFORE}(?:answer|ans\.?|choice|option|selection|guess|conclusion|verdict|prediction|response|"
            r"(?:correct|right|best|matching|missing|chosen|corresponding|closest)\s+(?:one|letter|image|picture|tile|point|patch|candidate))"
            rf"(?:(?:\s+[a-z]{{2,12}}){{0,6}}?\s+(?:is|was|would\s+be|should\s+be|must\s+be|has\s+to\s+be|remains){_AFTER}\s*:?|"
            r"\s*(?:->|=>|→|:|=|-)|(?<=\.))",
            # "I choose", "we would go with", "I'd say", "I think it's"
            rf"{_BEFORE}(?:i|we)(?:'d|'ll)?(?:\s+(?:will|would|must|should|am|have\s+to|therefore|thus|finally|now))*\s+"
            r"(?:choose|pick|select|chose|picked|selected|go\s+(?:with|for)|going\s+with|went\s+with|vote\s+for|say|guess|"
            rf"answer|settle\s+on|(?:think|believe|conclude)\s+(?:that\s+)?(?:it(?:'s|\s+is))?){_AFTER}",
            # Spanish, French, German, Portuguese, Italian, Dutch
            rf"{_BEFORE}(?:respuesta|r[ée]ponse|antwort|resposta|risposta|lösung|antwoord)"
            rf"(?:\s+(?:correcta|correcte|correta|corretta|final|finale))?(?:\s+(?:es|est|ist|[ée]|è|is){_AFTER}\s*:?|\s*:)",
            # Russian, Chinese, Japanese, Korean, Arabic, Hindi
            r"(?:ответ|вариант)(?:\s+(?:это|является))?\s*[:-]?",
            r"(?:答案|选择|選擇|应选|應選|故选|故選|选|選)(?:应该|應該)?(?:是|为|為)?\s*:?",
            r"(?:答え|正解|回答)(?:は)?\s*:?",
            r"(?:정답|답)(?:은)?\s*:?",
            r"(?:الإجابة|الجواب)(?:\s+الصحيحة?)?(?:\s+(?:هي|هو))?\s*:?",
            r"उत्तर(?:\s+है)?\s*:?",
        ]
    ),
    re.I,
)
"""What follows is the answer, even where it turns out to be a list or no option at all."""

SOFT = re.compile(
    "|".join(
        [
            rf"(?:^|(?<=[.!?;,:\n]))\s*(?:so|therefore|thus|hence|in\s+conclusion|in\s+short){_AFTER}[\s,:]*(?:{_IT_IS})?",
            rf"{_BEFORE}(?:wait|actually|correction|scratch\s+that|on\s+second\s+thoughts?|i\s+mean|no|rather|instead)"
            rf"{_AFTER}[\s,.:;!-]*(?:no{_AFTER}[\s,.]*)?(?:{_IT_IS}|make\s+(?:that|it))?",
            rf"(?:^|\n)\s*(?:choose|pick|select|selected|correct|output|definitely|certainly|sure|okay|ok|yes){_AFTER}\s*[:.,!]?",
            rf"{_BEFORE}leaving{_AFTER}(?:\s+(?:only|just))?",
            rf"{_BEFORE}(?:probably|most\s+likely|looks\s+like|{_IT_IS}){_AFTER}",
        ]
    ),
    re.I,
)
"""What follows is the answer only if it is a letter and little else."""

CONDITION = re.compile(
    r"(?:\b(?:if|whether|suppose|supposing|assume|assuming|unless|maybe|perhaps|possibly|could|might|may)\b[^.!?,;\n]{0,40}"
    r"|\b(?:another|other|alternative)\s+(?:[a-z]+\s+)?|\bif\b[^.!?\n]{0,160},\s*then\s+(?:[a-z]+\s+)?"
    r"|\bnot\s+(?:the\s+)?(?:(?:correct|right|best)\s+)?)\Z",
    re.I,
)
"""Text right before a phrase that takes its force away."""

DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|eliminates?|excludes?|rules?\s+out|rejects?|instead\s+of|than|compared\s+(?:to|with)|unlike|except)\b|n't\b)"
    r"(?:(?!\bbut\b)[^.,;:\n]){0,24}\Z",
    re.I,
)
DENIED_AFTER = re.compile(
    r"\A[)\]\"'.,:]*\s*(?:,?\s*which\s+)?(?:(?:is|are|was|looks?|seems?|can|could|must)\s+)?"
    r"(?:(?:\w+ly|also|still)\s+)?(?:as\s+)?"
    r"(?:be\s+)?(?:not\b|n't|cannot\b|can't\b|isn't\b|doesn't\b|does\s+not\b|won't\b|wrong\b|incorrect\b|false\b|ruled\s+out\b|"
    r"eliminated\b|excluded\b|out\b|fails?\b|mismatch|less\b|unlikely\b|(?:a\s+)?possib(?:le|ility)\b|irrelevant\b)",
    re.I,
)
"""An option named here is named to be put aside."""

HEDGED_BEFORE = re.compile(
    r"\b(?:(?:maybe|perhaps|possibly|could|might|may|either|whether|if)\b[^.;:\n]{0,30}|between\b[^.,;:\n]{0,30})\Z",
    re.I,
)

REFUSAL = re.compile(
    r"\b(?:i\s*(?:'m|\s+am)\s+(?:sorry|unable|not\s+able|not\s+sure|uncertain)|sorry\b|i\s+apologi[sz]e|"
    r"(?:i|we)\s+(?:can\s*not|can't|could\s*not|couldn't|don't|do\s+not|won't|will\s+not|am\s+not)\s+(?:\w+\s+){0,2}?"
    r"(?:answer|determine|tell|help|assist|identify|know|see|provide|decide|view|comply|process|access|make\s+out)|"
    r"(?:cannot|can't|can\s+not|could\s+not|(?:impossible|not\s+possible)\s+to)\s+(?:be\s+)?(?:\w+ly\s+)?"
    r"(?:determined?|answer(?:ed)?|known?|tell|say|decided?)|"
    r"(?:not\s+enough|insufficient)\s+(?:information|context|detail|evidence)|unable\s+to\s+(?:answer|determine|see|view|identify)|"
    r"unanswerable|as\s+an\s+ai\b)"
    r"|无法(?:回答|确定|判断)|不知道|抱歉|対応できません|答えられません|わかりません|알\s*수\s*없|죄송",
    re.I,
)
"""A reply that declines."""

FAILURE = re.compile(
    r"\A\s*(?:<!doctype|<html|traceback\b|failed\s+to\s+(?:obtain|get|fetch|generate)|(?:api\s+|http\s+|server\s+|internal\s+)*"
    r"(?:error|exception)\s*(?::|code\b|\d)|\{\s*\"error\"|\d{3}\s+(?:too\s+many|internal|bad\s+gateway|service))",
    re.I,
)
"""Words of a program that failed, not of a model."""
