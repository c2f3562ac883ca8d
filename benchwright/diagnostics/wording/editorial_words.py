"""Words in which authors and reviewers speak about a text, and where in it a remark of theirs may stand.

`authors_notes` knows what notes look like word by word. Here remarks are told by their vocabulary, in whatever
sentence:
what stands apart from a question or an option (in brackets, behind a dash, an arrow or a slash, between stars) and
speaks
of distractors, wording, keys, drafts, checks, or in the first person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_APART = re.compile(
    r"\[\[?(?P<square>[^\[\]\n]{3,140})\]|\((?P<round>[^()\n]{3,140})\)|\{(?P<braces>[^{}\\$\n]{4,120})\}"
    r"|<<(?P<angles>[^<>\n]{3,120})>>|<(?P<tag>[a-z]+)>(?P<tagged>[^<>\n]{3,100})</(?P=tag)>"
    r"|(?P<star>\*{1,3}|_{1,2}|#{2,3}|~~)(?P<stars>[^*_#~\n]{3,120}?)(?P=star)(?!\w)"
    r"|(?:\s(?:--+|[-–—~%|]|<-+|->|=>|→|←|//+|\\\\)\s*|\s/(?=\w))(?P<behind>[^\n]{3,140}?)/?$"
)
"""What stands apart from the rest of a text; the last alternative up to its end."""
_WORK = re.compile(
    r"(?i:\b(?:distractors?|re-?word\w*|re-?phras\w*|re-?writ\w*|proof-?read\w*|typos?|reviewers?|annotators?|"
    r"to-?do|fix-?me|wip|"
    r"tb[acd]|placeholders?|(?:citation|source|reference)s? needed|needs? (?:an? |the |some |more |to be |"
    r"another |native )*"
    r"(?:citations?|sources?|check\w*|fix\w*|work|review\w*|edit\w*|rewrite|replac\w*|better|answers?|options?|images?|"
    r"wrong|speakers?|confirm\w*|clarif\w*)|(?:double|re|fact|spell|cross)[ -]?check\w*|un(?:confirmed|verified)|"
    r"verif(?:y|ied)|not (?:yet )?(?:final|finished|reviewed|verified|sure|happy|convinced)|unsure|outdated|"
    r"plausible|ambiguous|debatable|disputed|arguabl[ey]|too (?:easy|hard|similar|obvious|silly|long|vague|"
    r"close|difficult)|"
    r"(?:is|are|isn't) (?:this|that|it) (?:one )?(?:fair|ok|okay|right|correct|even|still|really|too|clear)|"
    r"(?:answer )?keys? (?:is |was |says?|wrong|unclear|disputed|changed)|answer key|pls|plz|"
    r"(?:image|picture|photo|crop|licen[cs]e|copyright|source|caption|wording|label)s? (?:is |"
    r"are )?(?:still )?(?:unclear|missing|"
    r"pending|blurry|too \w+|unknown|expired|to be|tbd|not)|pending|awaiting|before (?:launch|release|"
    r"publication|the freeze)|"
    r"(?:after|in|until|from|for) (?:the )?(?:merge|pilot|next (?:round|version|release)|(?:first|second|third|"
    r"final) pass|"
    r"v\d|batch \w+|set [a-z0-9]\b)|(?:first|second|third) pass|(?:same|see|as|cf\.?|like) (?:as |in |for |image as )?"
    r"(?:q|item|question|no\.?|#) ?\d+|item \d+|v\d(?:\.\d)?\b|to be (?:\w+ )?(?:replaced|confirmed|written|"
    r"filled|added|"
    r"checked|changed|removed|decided|translated|discussed|updated|continued)|(?:numbers?|values?|dates?) to be|"
    r"ran out of|one more (?:wrong )?(?:answer|option)|change to|swap(?:ped)?\b|moved (?:from|to)|majority|"
    r"legal\b|(?:clearer|better|new|higher|another) (?:crop|image|picture|photo|scan|option|wording|distractor|"
    r"resolution)|"
    r"transcribe exactly|(?:\d(?:st|nd|rd|th) |first |second |third |last |fourth )(?:option|distractor|"
    r"choice) (?:is|seems|looks|too)|"
    r"(?:drop|delete|remove|replace|keep|discard|skip|cut|merge|split) (?:this|it|me|one|if|before|after|later|"
    r"with|or|both)\b|"
    r"count again|check (?:again|with|source|the|this|against|recording|spelling|key|licen[cs]e|image|it|"
    r"translation|unit|date)|"
    r"keys?: \w+|do not change|reviewer \d|key disputed|moved from|leak\w*)\b)|\bask [A-Z]\w+"
    r"|\b(?:I|i) (?:get|think|say|guess|counted|see|don't|do not|would|wonder|believe|changed|am|made|took|"
    r"found|ran|can't|cannot)\b"
    r"|\bI'(?:m|d|ve|ll)\b|\bto me\b|\b(?:we|We) (?:should|need|could|must|may|can|have|might|want|agreed|had|"
    r"still|get|show)\b"
    r"|\b(?:can|could|may|should|shall|do) we\b|\blet's\b|\bsays? it's\b|\bok(?:ay)?\?|^ok to\b|\?{2,}",
)
"""Words by which a remark that stands apart is one of authors."""
_SURELY = re.compile(
    r"(?i:\b(?:distractors?|re-?word(?:ed|ing)?|re-?phrase[ds]?|proof-?read|fixme|"
    r"(?:should|must|please) double[- ]check|answer key|needs? (?:a )?(?:native speaker|citation|rewrite|rewording)|"
    r"citation needed|this (?:question|item|option|one) (?:is|may|might|should|could|can|needs?|was|if)|"
    r"(?:delete|drop|remove|replace|keep|skip) this (?:one|item|question|option)|not happy with|better distractor|"
    r"(?:wrong|correct) answer here|options? to be (?:replaced|changed|written|added)|ran out of ideas|"
    r"but I think it's|(?:key|answer key) says)\b)"
    r"|(?i:\b(?:reviewers?|annotators?)(?: \d+)?:|\bto-?do:)"
    r"|(?<!\w)(?:NOTE|NB|Nb|N\.B\.|PS|P\.S\.|Comment|Remark|Editor|Ed\.|Review|Internal|"
    r"Author)\b[:.]? (?=.*\b(?:check|should|need|leak|"
    r"verify|confirm|change|replace|review|might|must|maybe|reword)\b)|(?<=[?.!] )@[a-z]{3,}\b(?!\.)"
)
"""Words that no question for readers has, wherever they stand."""
_FOR_READERS = re.compile(
    r"^\W*(?:please )?(?:choose|select|mark|tick|circle|pick|look|see (?:fig|table|page)|assume|round|note that|"
    r"hint|give|use|"
    r"enter|not (?:drawn )?to scale|read|answer in)\b",
    re.IGNORECASE,
)
_NO_WORDS = re.compile(r"[=^\\_{}$]")


def remark_in(text: str) -> tuple[int, int] | None:
    """Return where a remark of authors about a text stands in it; None where none does.

    Example:
        >>> remark_in("Which dish is it? (I say stew)"), remark_in("Which dish is it? (Choose one.)")
        ((18, 30), None)
    """
    if (match := _SURELY.search(text)) is not None:
        return match.span()
    for start, stop, words in _apart(text):
        if _WORK.search(words) and not _FOR_READERS.match(words) and not _NO_WORDS.search(words):
            return start, stop
    return None


def _apart(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _APART.finditer(text):
        words = next((match[name] for name in _PARTS if match[name] is not None), "")
        yield match.start(), match.end(), words.strip()


_PARTS = ("square", "round", "braces", "angles", "tagged", "stars", "behind")
