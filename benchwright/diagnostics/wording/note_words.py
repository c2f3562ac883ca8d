"""Words that distinguish notes of authors or reviewers from text for readers.

`authors_notes` defines where such words are considered: in text set apart, or anywhere.
"""

from __future__ import annotations

import re

OPENS_A_NOTE = re.compile(
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
"""Beginnings of notes in brackets or a comment: `needs a better distractor`, `too easy?`."""

STANDS_ALONE = re.compile(
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

SPEAKS_OF_WORK = re.compile(
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
    r"(?:q|item|question|no\.?|#) ?\d+|item \d+|(?-i:(?<!\w)v\d(?:\.\d)?\b(?!-))|to be (?:\w+ )?(?:replaced|"
    r"confirmed|written|"
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
"""Words that show that a separate remark is an author's."""

ONLY_AUTHORS_SAY = re.compile(
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
"""Words that never occur in questions for readers, wherever they are."""

SAYS_OF_ITEM = re.compile(
    r"(?i:^\W*(?:(?:difficulty|level|skill|tags?|status|author|batch|version|old (?:version|wording|question)|new "
    r"wording|alt(?:ernative)?"
    r"|was|formerly|previously|original(?:ly)?|answer|ans\.?|key|correct(?: answer)?|solution)\s*[:=]\s*\S"
    r"|(?:too |very |quite |rather )?(?:easy|hard|difficult|tricky|medium|advanced|beginner)(?: (?:one|item|"
    r"question))?\W*$"
    r"|trick question|(?:ans|answer)\.? [A-H]\b|(?:the )?(?:key|right one|correct one|correct answer)\W*$"
    r"|duplicates?\b|(?:re-?)?count(?:ed)?(?: (?:again|this|them))?\W*$|(?:copied|taken|adapted|borrowed|moved|"
    r"reused|translated|imported) from\b"
    r"|(?:option|distractor|answer|image|picture|item|text) (?:removed|deleted|replaced|missing|changed|dropped)\b"
    r"|(?:variant|version|copy|rewrite|paraphrase) of\b|(?:good|weak|obvious|nice|filler|lame|dummy)(?: (?:wrong "
    r")?(?:distractor|option|answer))?\W*$"
    r"|(?:obviously|clearly|definitely) (?:wrong|false|right|correct)|(?:swap|replace|crop|update|resize|move|split|"
    r"merge|unify)\b))"
    r"|(?i:\b(?:nobody|no one|no-one|everyone|everybody) (?:picks?|chooses?|takes?|gets?|will (?:pick|choose))\b"
    r"|\b(?:may|might|could|seems?|is|looks) (?:be )?(?:flipped|mirrored|cropped|mislabel\w*|outdated|a duplicate|"
    r"duplicated)\b"
    r"|\b(?:change|fix|check|update|swap|replace|reword|recheck|redo|rewrite|shorten) (?:the |this |these "
    r")?(?:numbers?|names?|"
    r"spelling|wording|image|picture|photo|option|options|distractors?|key|answer|source|unit|units|colou?rs?|phrasing)\b"
    r"|\b(?:need|needs|add|write|find) (?:a |an |one |another |more |better )*(?:\d(?:th|rd|nd)|fourth|third|fifth|"
    r"another) (?:option|"
    r"distractor|answer)\b|\b(?:answer|key) should be\b|\bto (?:be )?(?:replace|review|redo|recheck)[d]?\b"
    r"|\bcheck with [A-Z]\w+|\bnot sure (?:about|if|whether|of)\b|\b(?:harder|easier|better|clearer|newer) (?:photo|"
    r"image|picture|"
    r"version|wording|option|question)\b|\bneeds? review\b|\bnote to self\b|\bNB to self\b|\bre-?check\b)"
)
"""Authors' remarks about an item or an option in an aside: its difficulty, key, source, older wording."""

REFERS_TO_ITEMS = re.compile(
    r"^\W*(?:(?:same|similar|identical) (?:as|to)|see|cf\.?|like|duplicate of|variant of|copy of|follow-?up (?:to|"
    r"of)|compare|as in) "
    r"(?:also )?(?:Q|q|question|item|no\.?|#|quest\.) ?#?\d+\b|^\W*(?:Q|q|item) ?\d+ ?(?:b|bis|alt|v\d)\b\s*[:.)]"
    r"|^\W*(?:DRAFT|OLD|NEW|COPY|UNUSED|RETIRED|DELETE|SKIP|REVIEW|HOLD|PENDING|DUPLICATE)\b\s*[-–—:|]"
)
"""References to other items and labels of a draft before a question."""

TRAILS = re.compile(
    r"(?<=[?.!])\s*(?:NB|N\.B\.|PS|P\.S\.|Note|NOTE|Comment|Remark|Reviewer|Editor|Author|Todo|Difficulty|Level|Skill|Tags?|Source|Status|"
    r"Version|Answer|Ans|Key|Distractors?)\b(?: to self| for editors?)?\s*:\s*(?P<said>.+)$"
    r"|(?<=[?!.])\s+(?P<version>v\d(?:\.\d)?|draft|old|final|copy|dup)\s*$"
)
"""A label with a colon after a question, and its value."""
_KEEPS = re.compile(
    r"\b(?:scale|drawn|round|choose|select|assume|units?|give|use|figure|answers? (?:are|is|in)|pictures? (?:is|"
    r"are) not)\b",
    re.I,
)


def trails_a_question(text: str) -> re.Match[str] | None:
    """Return the text after a question that is not for readers, such as `Difficulty: 2/5`; None if there is none."""
    match = TRAILS.search(text)
    return None if match is None or (match["said"] and _KEEPS.search(match["said"])) else match


FOR_READERS = re.compile(
    r"^\W*(?:please )?(?:choose|select|mark|tick|circle|pick|look|see (?:fig|table|page)|assume|round|note that|"
    r"hint|give|use|"
    r"enter|not (?:drawn )?to scale|read|answer in)\b",
    re.IGNORECASE,
)
