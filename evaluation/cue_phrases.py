"""Phrases after which a reply names its answer, as data. More languages and turns of speech are added here."""

from __future__ import annotations

import re

from .cue_languages import DENIED_WORDS_AFTER, DENIED_WORDS_BEFORE

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
            rf"{_BEFORE}(?:i|we|you|one)(?:'d|'ll|'m|'re)?"
            r"(?:\s+(?:will|would|must|should|am|are|have\s+to|going\s+to|therefore|thus|finally|now))*\s+"
            r"(?:choose|pick|select|chose|picked|selected|go\s+(?:with|for)|going\s+with|went\s+with|vote\s+for|say|guess|"
            rf"answer|settle\s+on|(?:think|believe|conclude)\s+(?:that\s+)?(?:it(?:'s|\s+is))?){_AFTER}",
            # "I change my answer to", "we are left with"
            rf"{_BEFORE}(?:change|switch|revise|correct|update)\s+(?:(?:my|the)\s+)?(?:final\s+)?(?:answer|choice|selection)\s+to{_AFTER}",
            rf"{_BEFORE}(?:left\s+with|narrows?\s+(?:it|this)\s+down\s+to){_AFTER}",
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
            rf"{_AFTER}[\s,.:;!-]*(?:no{_AFTER}[\s,.]+(?=\w))?(?:{_IT_IS}|make\s+(?:that|it))?",
            rf"(?:^|\n)\s*(?:choose|pick|select|selected|correct|output|definitely|certainly|sure|okay|ok|yes){_AFTER}\s*[:.,!]?",
            rf"(?:^|\n)\s*(?:return|print){_AFTER}[\s(]*(?=[\"'])",
            rf"{_BEFORE}(?:leaving|(?:that|this|which|it)\s+leaves){_AFTER}(?:\s+(?:us\s+with|only|just))*",
            rf"{_BEFORE}(?:probably|most\s+likely|looks\s+like|{_IT_IS}){_AFTER}",
        ]
    ),
    re.I,
)
"""What follows is the answer only if it is a letter and little else."""

CONDITION = re.compile(
    r"(?:\b(?:if|whether|suppose|supposing|assume|assuming|unless|maybe|perhaps|possibly|could|might|may)\b[^.!?,;\n]{0,40}"
    r"|\b(?:another|other|alternative)\s+(?:[a-z]+\s+)?|\bif\b[^.!?\n]{0,160},\s*then\s+(?:[a-z]+\s+)?"
    r"|\bnot\s+(?:the\s+)?(?:(?:correct|right|best)\s+)?"
    r"|(?:(?:n't|\b(?:not|never))\s+(?:\w+\s+)?(?:think|believe|say|see|feel)|\bdoubt)\b[^.!?,;\n]{0,40})\Z",
    re.I,
)
"""Text right before a phrase that takes its force away."""

DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|eliminates?|excludes?|rules?\s+out|rejects?|instead\s+of|than|compared\s+(?:to|with)|unlike|except)\b|n't\b|"
    rf"{DENIED_WORDS_BEFORE})"
    r"(?:(?!\bbut\b)[^.,;:\n]){0,24}\Z",
    re.I,
)
DENIED_AFTER = re.compile(
    r"\A[)\]\"'.,:;]*\s*(?:,?\s*which\s+|(?:but\s+)?that(?:'s|\s+is|\s+was)\s+)?(?:(?:is|are|was|looks?|seems?|can|could|must)\s+)?"
    r"(?:(?:\w+ly|also|still)\s+)?(?:as\s+)?"
    r"(?:be\s+)?(?:not\b|n't|cannot\b|can't\b|isn't\b|doesn't\b|does\s+not\b|won't\b|wrong\b|incorrect\b|false\b|ruled\s+out\b|"
    r"eliminated\b|excluded\b|out\b|fails?\b|mismatch|less\b|unlikely\b|(?:a\s+)?possib(?:le|ility)\b|irrelevant\b)"
    rf"|\A[)\]\"'.,:]*(?:{DENIED_WORDS_AFTER})",
    re.I,
)
"""An option named here is named to be put aside."""

HEDGED_BEFORE = re.compile(
    r"\b(?:(?:maybe|perhaps|possibly|could|might|may|either|whether|if)\b[^.;:\n]{0,30}|between\b[^.,;:\n]{0,30})\Z",
    re.I,
)
