"""Notes that authors and reviewers wrote to one another into a text, and labels that stand where a text should.

`[needs a better distractor]`, `(too easy?)`, `// rewrite`, `<!-- fix me -->`, `to be filled in`, `Option C` among
options in words. A note stands in brackets, after `//` or in a comment of HTML; of what stands in brackets only what
speaks of work on the text is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ASIDE = re.compile(
    r"\[(?P<square>[^\[\]\n]{2,120})\]|\((?P<round>[^()\n]{2,120})\)|(?<![:/])//+\s*(?P<slashes>\w[^\n]{1,100})$"
    r"|<!--(?P<comment>[^\n]{1,120}?)-->|\{(?P<braces>[^{}\\$\n]{4,80})\}|/\*(?P<code>[^\n]{1,120}?)\*/"
    r"|【(?P<corners>[^【】\n]{2,60})】|（(?P<wide>[^（）\n]{2,60})）"
)
_WORK = re.compile(
    r"^\W*(?:to ?do|fix ?me|wip|xxx+)\b"
    r"|^\W*(?:please |pls )?(?:re-?)?(?:check|verify|review|confirm|rewrite|reword|rephrase|replace|revise|"
    r"double[- ]check|"
    r"proofread|fix|clarify)(?:\W*$|\W+(?:with|by|before|after|this|these|it|the|again|later|wording|spelling|"
    r"key|answer|"
    r"option|distractors?|me|source|translation|needed|picture|image|license|licence|against)\b)"
    r"|^\W*(?:needs?|requires?|wants?|missing|add|insert|find|write|use)\W+(?:an? |the |some |more |another |other |"
    r"better |new |good |fourth |third |real |proper |final |to be )*(?:distractors?|options?|answers?|wording|"
    r"rewording|rewrite|revision|review|work|check(?:ing|ed)?|contexts?|sources?|explanations?|questions?|text|"
    r"captions?|"
    r"choices?|references?|translations?|fix(?:ing|ed)?|written|replaced|better|filled)\b"
    r"|^\W*to be (?:filled(?: in)?|written|added|done|completed|translated|decided|determined|checked|replaced|"
    r"confirmed|revised|continued)\b"
    r"|^\W*(?:first |old |rough )?(?:draft|work in progress)(?:\W*$|\W+(?:v(?:ersion)? ?\d|by|of|only|do not|don't)\b)"
    r"|^\W*(?:reviewer|annotator|editor|curator|author|rater)(?:'s note)?\W*(?:\d|[a-z]\b|:|s?\W+(?:says?|"
    r"asks?|note|comment|disagrees?))"
    r"|^\W*(?:see|as per|cf\.?|per)\W+(?:the |my |your )?(?:comments?|notes?|remarks?|review|ticket|issue|"
    r"discussion|email|"
    r"slack|thread)\b|^\W*(?:note|comment|remark|question)s? (?:to|for|from|by) (?:self|the |[A-Z]|reviewers?|authors?)"
    r"|\b(?:too (?:easy|hard|difficult|long|obvious|similar|vague)|ambiguous|unclear|not sure|unsure|is this right|"
    r"correct answer)\s*\?+\s*$|^\W*(?:too (?:easy|hard|similar)|not sure|unsure|ambiguous|unclear)\W*$"
    r"|^\W*(?:maybe|perhaps|better|should we|can we|shall we)\W+(?:re-?\w+|drop|delete|remove|change|use|cut|"
    r"split|merge|"
    r"shorten|skip)\b|\bbefore (?:the )?(?:release|publication|publishing|freeze)\b"
    r"|^\W*(?:nb|q for \w+|todo|tbc|ed(?:itor)?|comment(?: \w+)?|remark|ask \w+)\W*[:?]|^\W*(?:ask|tell) "
    r"[A-Z][a-z]+\W*$"
    r"|\b(?:question|answer|options?|image|picture|key|caption|text|translation|source) (?:needed|missing|to "
    r"improve|pending)\b"
    r"|^\W*(?:temp|tmp|wip|tbc|sic|wording|key|source|answer|spelling|typo|\?{2,})\W*\?\W*$|^\W*(?:temp|tmp|tbc|"
    r"old version)\W*$"
    r"|^\W*(?:duplicate of|same as|copy of)\b.{1,20}\?\W*$|\b(?:options?|distractors?|question|answer|text) "
    r"(?:is |are )?too "
    r"(?:long|short|easy|hard|similar|obvious)\b|^\W*(?:maybe|perhaps|probably|still|bit) too (?:easy|hard|long|"
    r"obvious|similar)\b"
    r"|\b(?:better|new|other|more) distractors?\b|\bdistractors? (?:to|too|is|are)\b|\bnot (?:yet )?(?:final|"
    r"finished|reviewed)\b"
    r"|^\W*\?{2,}\W*$"
    r"|^\W*(?:delete|remove|drop|change|shorten|keep|move)(?: (?:this|me|it|later|before|or)\b|\W*$)"
    r"|^\W*(?:your|some|any|enter|type|put|insert|fill in)\W+(?:the |a |an |your )?(?:question|answer|option|"
    r"text|distractor|"
    r"caption|name|choice|here)\b|^\W*(?:wrong|right|correct|incorrect|false|other|another|"
    r"possible)\W+(?:answer|option|choice|"
    r"distractor)s?\W*(?:\d|[a-z]\b)?\W*$|^\W*(?:distractor|placeholder|dummy)\W*(?:\d|[a-z]\b)?\W*$"
    r"|^\W*(?:(?:noch |bitte )?(?:prüfen|ändern|korrigieren|überarbeiten|ergänzen|übersetzen|ersetzen|"
    r"umformulieren|nachsehen)|"
    r"entwurf|zu leicht|"
    r"unklar|falsche antwort \d|à (?:vérifier|corriger|revoir|compléter|traduire|relire)|brouillon|trop facile|"
    r"corregir|revisar|"
    r"por (?:revisar|completar|traducir|hacer)|pendiente|borrador|demasiado fácil|da (?:rivedere|verificare|"
    r"completare)|"
    r"bozza|rascunho)\b"
    r"|^\W*(?:check|verify|confirm)\W+(?:the |this |that )?(?:number|value|count|date|name|year|unit|figure|"
    r"colou?r)s?\b"
    r"|^\W*(?:same|similar) (?:picture|image|photo|question|item|figure) as (?:in |for )?(?:item|question|"
    r"number|no|q|#)"
    r"|\b(?:weak|bad|poor|silly|easy) (?:distractor|option)s?\b|\b(?:answer|key) (?:was|used to be) [A-H]\b"
    r"|\bbefore re-?(?:ordering|shuffling|numbering)\b"
    r"|\b(?:is|are) (?:it|this|these) (?:arguable|debatable|ambiguous|disputed|disputable)\b"
    r"|^\W*(?:待[定补审改填]|请(?:检查|核对|确认|修改)|需要?(?:修改|检查|核对|补充)|太(?:简单|容易)|草稿|要確認|要修正|下書き|仮)",
    re.IGNORECASE,
)
_UNBRACKETED = re.compile(
    r"^\W*(?:wip|draft|entwurf|brouillon|borrador|note to self|old version)\s*(?::|-|–|—)\s"
    r"|(?:^|\s)@\w+[:,]? (?:please|pls|can you|check|fix)\b|(?:^|\s)#(?:todo|fixme|wip|check)\b|(?:^|"
    r"\s)(?:#{2,}|\*{2,})\s*"
    r"(?:check|fix|todo|rewrite|reword|review|replace|note)\b|(?:<-+|←)\s*(?:better|fix|check|rewrite|replace|"
    r"change|too|needs?)\b"
    r"|<\s*(?:insert|add|enter|fill in|put)\b[^<>\n]{1,60}>|\?{2,}\s+(?:ask|check|see|maybe|or|not|is|to)\b"
    r"|(?:->|→|=>)\s*(?:ask|check|fix|find|licen[cs]e|source|todo|too)\b"
    r"|(?:[?!.]|\s[-–—]+)\s*(?:(?:source|reference|citation|licen[cs]e|credit) (?:needed|missing|unclear|pending)"
    r"|(?:maybe |still )?too (?:easy|hard|obvious|similar)\s*\?|ask [A-Z][a-z]+ (?:what|whether|if|about|for|again)\b"
    r"|(?:delete|remove|drop|replace|rewrite|swap) (?:this |it )?(?:if|unless|when|before|later|once)\b)"
    r"|^\W*(?:(?:an)?other|some) (?:colou?r|number|animal|name|place|word|value|option|answer|thing|object) here\W*$"
    r"|^\W*see (?:the )?(?:old|new|previous|other|last) version\b|[.?!]\s+NB: no\b|\bI think it['’]?s \w+,? but\b"
    r"|\s[-–—]+\s*(?:tbc|tbd|todo|check(?: this| key| me)?|rewrite|reword|needs \w+)\W*$|^\W*(?:tbc|tbd|to do|wip)\W*$",
    re.IGNORECASE,
)
"""Notes without brackets: `WIP: …`, `@anna please check`, `#todo`, `### check key`, `… - TBC`."""
_WHOLE = re.compile(
    r"<\s*(?:question|answer|option|choice|text|caption|explanation|distractor|image|picture|name|title|prompt|hint)"
    r"[ _]?(?:\d|[a-z]|text|here)?\s*>",
    re.IGNORECASE,
)
"""A text that is the name of its field."""
_LABEL = re.compile(
    r"[<\[(]?\s*(?:(?:wrong|right|correct|incorrect)[ _-])?(?:option|choice|answer|distractor|alternative|"
    r"antwort|réponse|"
    r"respuesta|opción|opcion|选项|答案)[ _-]?(?:\d{1,2}|[a-z])\s*[>\])]?\.?",
    re.IGNORECASE,
)
_LEAST_OTHERS = 2
_SAYS_NOTHING = re.compile(r"[\s.?!;:,_*\-‐-―\"'`´“”‘’„«»…~#|\\¿¡。，；：？！、·•]*")


def authors_note(text: str) -> tuple[int, int] | None:
    """Return where a note of authors stands in a text; None where none does.

    Example:
        >>> authors_note("a fox (too easy?)"), authors_note("a fox (in winter)")
        ((6, 17), None)
    """
    if (match := _WHOLE.fullmatch(text.strip())) is not None:
        return 0, len(text)
    if (match := _UNBRACKETED.search(text)) is not None:
        return match.span()
    for match in _ASIDE.finditer(text):
        words = next(group for group in match.groups() if group is not None).strip()
        if _WORK.search(words) and "$" not in words:
            return match.span()
    return None


def labels_for_texts(texts: Sequence[str]) -> list[int]:
    """Return the places of options that are a label, such as `Option C`, where two others or more are none.

    Where all are labels, they stand for what a picture shows.
    """
    labels = [n for n, text in enumerate(texts) if _LABEL.fullmatch(text.strip())]
    return labels if len(texts) - len(labels) >= max(_LEAST_OTHERS, len(labels)) else []


def texts_without_words(texts: Sequence[str]) -> list[int]:
    """Return the places of options that are empty or a mark such as `-`, where two others or more say something.

    Where several are marks, as where one of them is asked for, none is at fault.
    """
    said = [_SAYS_NOTHING.fullmatch(text) is None for text in texts]
    in_words = sum(any(sign.isalnum() for sign in text) for text in texts)
    empty = [n for n, says in enumerate(said) if not says]
    return empty if len(empty) == len(texts) - in_words and in_words >= max(_LEAST_OTHERS, 2 * len(empty)) else []
