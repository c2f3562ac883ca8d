"""Questions that ask for several answers: `Select all that apply`, `Zwei Antworten sind richtig`, `多选题`."""

from __future__ import annotations

import re

_COUNT = r"(?:two|three|four|both|several|multiple|[2-4])"
_ANSWERS = (
    r"(?:answers?|options?|choices?|responses?|alternatives|solutions|statements|of them|of these|"
    r"of the following(?=[.:)]|$))"
)
_RIGHT = r"(?:correct |right |true |possible |best |fitting )?"
_VERB = r"(?:select|choose|pick|mark|tick|check|circle|name|give|indicate|identify)"
_ASKS = re.compile(
    "|".join((
        rf"\b{_VERB}\s+(?:all|every|any)\b[^.?!]{{0,40}}\b(?:that|which)\s+(?:apply|applies|are|fits?|hold)\b",
        r"\ball that apply\b",
        rf"\b{_VERB}\s+(?:all|every)\s+(?:of (?:them|these)|{_RIGHT}{_ANSWERS})\b",
        rf"\b{_VERB}\s+(?:exactly |at least |any |the |up to )?{_COUNT}\s*(?:{_RIGHT}{_ANSWERS}\b|(?=[.!)\]]|$))",
        rf"\b(?:more than one|{_COUNT}|(?<!how )many)\s+(?:of the )?{_RIGHT}{_ANSWERS}\s+"
        r"(?:is|are|may|can|could|apply|must|allowed)\b",
        rf"\b{_VERB}\s+(?:every|each) {_RIGHT}(?:{_ANSWERS}|statement)",
        rf"\b{_VERB}\s+(?:the )?{_COUNT} (?:that|which) (?:apply|are|fit|hold)\b",
        rf"\b{_VERB}\s+(?:one or (?:more|several)|as many as)\b",
        rf"[(\[]\s*{_COUNT}\s+{_ANSWERS}\s*[)\]]|\bthere (?:are|may be) {_COUNT} {_RIGHT}{_ANSWERS}",
        rf"\bmore than one {_RIGHT}{_ANSWERS}|\b(?:several|multiple|many) (?:selections?|choices?|marks?) (?:are |is )?"
        r"(?:possible|allowed|permitted)\b|(?:^|[.?!]\s+)(?:several|more than one|multiple) (?:may|can|could) "
        r"be (?:right|correct|true)\b",
        r"\b(?:name|list|give)\s+(?:all|two|three|four|[2-4]) [a-z]+s\b(?! (?:of|in) the (?:same|order))",
        r"\bmultiple[- ](?:answers?|responses?|select(?:ion)?)\b(?! is\b)",
        r"\bmehrfach(?:nennung|auswahl|antwort)\w*|\bmehrere antworten\b"
        r"|\b(?:zwei|drei|alle)\s+(?:richtigen? |zutreffenden |korrekten )?antworten\b",
        r"\b(?:wähle|kreuze|nenne|markiere)n?(?: sie)?\s+(?:genau |alle )?(?:zwei|drei|beide|alle|zutreffende)\b",
        r"\b(?:plusieurs|deux|trois)\s+(?:bonnes )?réponses\b"
        r"|\b(?:choisis|coche|sélectionne|indique)(?:sez|z)?\s+(?:les )?(?:deux|trois|toutes|plusieurs)\b",
        r"\b(?:varias|dos|tres|múltiples)\s+respuestas\b|\bmás de una respuesta\b"
        r"|\b(?:elig[ea]|elija|seleccion[ea]|mar[cq]u?[ea]|esco[gj][ea])n?\s+(?:las )?(?:dos|tres|todas|varias)\b",
        r"\b(?:più|due|tre)\s+risposte\b|\b(?:scegli|selezion[ai]|indica|segna)(?:te)?\s+(?:le )?(?:due|tre|tutte)\b",
        r"\b(?:várias|duas|três)\s+respostas\b|\bmais de uma resposta\b"
        r"|\b(?:escolha|selecione|marque|assinale)m?\s+(?:as )?(?:duas|três|todas|várias)\b",
        r"可?多选|多選|不定项|不定項|选(?:出|择)?(?:所有|全部|[两二三]个|[两二三]项)|複数選択|(?:すべて|全て|[二三2-4]つ)選",
    )),
    re.IGNORECASE,
)  # fmt: skip
_QUESTION_WORD = r"(?:what|which|who|whom|where|when|why|how)"
_ASKS_TWICE = re.compile(
    "|".join((
        rf"^{_QUESTION_WORD}\b[^?.!]*\?\s+(?:and )?{_QUESTION_WORD}\b[^?.!]*\?\s*$",
        rf"^{_QUESTION_WORD}\b[^?.!]*,? and (?:(?:in|on|by|from|to|at|with|through|for|of) )?"
        r"(?:what|which|who|when|why|how)\b[^?.!]*\?\s*$",
        r"^(?:give|state|name|calculate|compute|determine|find|specify) (?:both )?the [a-z-]+ and (?:the |its )?[a-z-]+"
        r"\b(?! (?:between|ratio|difference|sum)\b)",
        r"^(?:give|state|name|identify|find) the [a-z-]+ of the [a-z -]+ and the (?:[a-z-]+ )?[a-z-]+ of\b",
        rf"^{_VERB} [^?.!,]*\band (?:explain|justify|describe|say (?:why|how|what|where))\b",
    )),
    re.IGNORECASE,
)  # fmt: skip
"""Two questions in one, or a question that requests two answers."""
_ASKS_THINGS = re.compile(
    "|".join((
        r"^(?:which|what) (?:two|three|four|[2-4]) [a-z]+s\b(?! (?:of|in) common)",
        r"^(?:name|list|give) the (?:two|three|four|[2-4]) [a-z]+s\b",
        r"^(?:what|which) are the [a-z]+est and (?:the )?[a-z]+est\b",
        r"^which (?!of\b)[a-z]+s (?:are|were|have|lie|live|stand|eat|cost|show|grow|belong|border)\b",
    )),
    re.IGNORECASE,
)  # fmt: skip
"""A question that asks for several things."""
_MOST_WORDS_OF_ONE = 4
_ONE_THING = re.compile(
    r"(?:an? |the )?(?!(?:all|both|none|neither|either|each|every|only|sheep|deer|fish|people|children|men|women|mice|"
    r"feet|teeth|true|false|yes|no|cattle|police)\b)[^\W\d_]{3,}(?<!s)",
    re.IGNORECASE,
)
_SEVERAL_IN_ONE = re.compile(r"\b(?:and|und|et|y|e|both)\b|[,&+/、;和与]", re.IGNORECASE)


def asks_for_several(question: str, answer: str) -> str | None:
    """Return the words with which a question asks for several answers; None if it asks for one.

    Also None if the right option contains several answers: `Name both. - Salt and pepper`.

    Args:
        question: The question.
        answer: The right option.

    Example:
        >>> asks_for_several("What is shown? Select all that apply.", "a fox")
        'Select all that apply'
    """
    if _SEVERAL_IN_ONE.search(answer):
        return None
    asked = question.strip()
    match = _ASKS.search(asked)
    if match is None and len(answer.split()) <= _MOST_WORDS_OF_ONE:
        match = _ASKS_TWICE.search(asked)
    if match is None and _ONE_THING.fullmatch(answer.strip().rstrip(".")):
        match = _ASKS_THINGS.search(asked)
    return None if match is None else match.group().strip()
