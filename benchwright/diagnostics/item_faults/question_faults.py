"""Questions that break off, and questions that none of their options can answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from benchwright.errors import PrerequisiteError
from benchwright.texts.normalization import normal

from ..answer_kinds.option_kinds import kinds_of
from ..wording.number_words import NUMERALS
from ..wording.quantities import foreign_numeral, quantity
from ..wording.spelling import Spelling
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt
from .pictures import NEUTRAL_COLORS, is_color
from .unanswerable import unanswerable_faults

_ASKS = (
    r"(?:what|which|who|whom|whose|where|when|why|how|was|welche[rsmn]?|wer|wie|wo|wann|warum|quel(?:le)?s?|qui|où|quand|"
    r"combien|comment|pourquoi|qué|cuál(?:es)?|cuánt[oa]s?|quién|dónde|cuándo|cómo)"
)
_ALONE = re.compile(rf"\W*(?:(?:{_ASKS}|question|q|frage|pregunta|问题|题目)\W*)?", re.IGNORECASE)
"""A text with no words, or only one that begins a question."""
_QUESTION_BEGINS = re.compile(rf"(?:^|[.!?:;,]\s+|\band )(?:[¿\"'(]*){_ASKS}\b(?P<rest>[^.!?]*)$", re.IGNORECASE)
_CANNOT_END = re.compile(
    r"\b(?:the|a|an|of|and|or|between|from|into|your|their|its|is the|are the|has to|have to|"
    r"than|because|whether|while|very|does|did|can|will|would|should|my|our|every|this is|that is|there (?:is|are)|"
    r"(?<!what )(?:is|are|was|were) [b-hj-w]|"
    r"der|das|dem|den|des|ein|eine|einem|einen|und|oder|ist|sind|wird|werden|kann|hat|zum|zur|vom|beim|im|"
    r"le|la|les|du|une|et|est|sont|dans|pour|avec|au|aux|el|los|las|una|y|del|es|son|está|están|para|con|al|"
    r"il|lo|gli|dello|della|nel|nella|è|sono|um|uma|da|dos|das|são)\s*$",
    re.IGNORECASE,
)
_STRANDED = re.compile(
    r"\b(?!(?:the|an?|this|that|these|those|his|her|its|their)\s+(?:[a-z-]+\s+)?[a-z-]+\s+(?:of|from|into)$)"
    r"(?:made|consist\w*|composed|built|think\w*|thought|dream\w*|remind\w*|full|afraid|proud|tired|aware|fond|out|"
    r"tak(?:e|es|en|ing)|com(?:e|es|ing)|came|cut|drink\w*|eat\w*|look\w*|crash\w*|bump\w*|turn\w*|chang\w*|go|goes|"
    r"going|fall\w*|jump\w*|walk\w*|run\w*|pour\w*|bit(?:es?|ing)|borrow\w*|hang\w*|escap\w*|"
    r"differ\w*|suffer\w*|protect\w*)\s+(?:of|from|into)$",
    re.IGNORECASE,
)
"""A question about the object of its last preposition: `What is it made of`."""
_LACKS_NOUN = re.compile(
    r"\b(?:of|in|on|with|between|to|from|by|has|have|had) the "
    r"(?:most [a-z]+|[a-z]{3,}est|first|second|third|last|next)$"
    r"|\b(?:are|between|under|behind|beside|near) the (?:other )?(?:two|three|four|five)$"
    r"|\b(?:in|on|with|under|behind|to|at|near|beside) his$|\bin her$"
    r"|\b(?:that|which|who) (?:can|could|may|must|will|would|should) be$|\b(?:is|are|was|were) being$"
    r"|\b(?:by|of|from|for|to|beside|behind|near|under|than) (?:the|an?) [a-z]+ (?:with|in|on|at)$",
    re.IGNORECASE,
)
"""An end before the noun or the verb that the last words require."""
_LACKS_OBJECT = re.compile(
    rf"{_ASKS}(?: (?:many|much|of the))?(?: (?!(?:is|are|was|were)\b)[a-z]+){{0,2}} (?:is|are|was|were) "
    r"(?:wearing|holding|carrying|using|touching|wielding|showing)",
    re.IGNORECASE,
)
"""A question whose question word is the subject, so that the verb lacks its object: `How many people are wearing`."""
_SHOWN = r"(?:shown|seen|pictured|depicted|displayed|visible)"
_LACKS_VERB = re.compile(
    r"(?:which|what|how many)\b"
    r"(?!.*\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may)\b)"
    rf".*\b{_SHOWN} (?:in|on|at|by)",
    re.IGNORECASE,
)
_LACKS_PLACE = re.compile(rf"{_ASKS}\b.*\b(?:that|which) (?:is|are|was|were) {_SHOWN} (?:in|on|at|by)", re.IGNORECASE)
_LACKS_MAIN_CLAUSE = re.compile(
    r"(?:because|although|though|since|unless|whereas|while|if)\b[^,;:.?!]*\b(?:and|or|but|the|an?|of)", re.IGNORECASE
)
_LACKS_OWNED = re.compile(r"(?:why|where|when|how|what (?:is|are|was|were|does|do|did))\b.*[a-z]['’]s", re.IGNORECASE)
_OR_THE = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have|can)\b[^.!?]*\bor (?:(?:to|in|on|at|of) )?(?:the|an?)", re.I
)
_BREAKS_OFF = re.compile(r"(?:,|(?<=\w)\s*(?:\.\.\.|…))\s*$")
_LEAST_WORDS = 3
_WITHOUT_VERB = re.compile(
    r"(?:which|what|whose|how many|how much|welche[rsmn]?|wie viele|quel(?:le)?s?|combien d[e'’]|qué|cuánt[oa]s)"
    r"(?: (?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|of|fits?|it|this|that|these|those|"
    r"one|ones|about|else|if|now|next|then|ist|sind|hat|est|sont|es|son)\b)[^\W\d_]+){1,2}(?<!s)(?<!ed)",
    re.IGNORECASE,
)
"""A question that ends before its verb: `Which labeled part`."""
_END_OF_QUESTION = re.compile(r"(?!(?:what|which|who|how)\b)[a-zäöüß]\S*(?: \S+){0,2}[?]")
_BEGINNING_CUT = re.compile(r"[,;] [a-z]|(?:hich|ich (?:of|one)|hat (?:is|are|does)|ow (?:many|much)) ")
"""A question with a lost beginning: `ich of the`, `, which layer`."""
_LAST_LETTERS = re.compile(r"(?<=[a-z,] )([a-z]{2,})(?:\.\.\.|…)?$")
_LETTERS = re.compile(r"[^\W\d_]+")
_LEAST_WORDS_BEFORE = 5
_MOST_WORDS_OF_END = 3
_CHINESE = re.compile(r"(?=.*[\u4e00-\u9fff])[^\u3040-\u30ff\uac00-\ud7afA-Za-z?？。！!：:…_()（）“”\"']{2,12}")
_ASKS_IN_CHINESE = re.compile(r"什么|谁|哪|几|多少|吗|呢|怎|何|是否|请|选|判断|指出|找|比较|描述|说|求|计算|如")
_COMPLETED = re.compile(r"(?:是|为|有|叫|像|在|于|到|了|着|示|成|等|的|应|会|能|要|被|把|和|与)$")
"""Ends of Chinese sentences that options complete."""

_WEEKDAYS = frozenset([
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "montag", "dienstag", "mittwoch",
    "donnerstag", "freitag", "samstag", "sonntag", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi",
    "dimanche", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo",
])  # fmt: skip
_VERDICTS = frozenset(["yes", "no", "true", "false", "ja", "nein", "oui", "non", "sí", "是", "否", "不是"])
_PERSON = re.compile(
    r"(?:an? |the |ein |eine |un |une |una )?(?:doctor|dentist|nurse|teacher|baker|judge|cook|chef|waiter|waitress|"
    r"farmer|soldier|sailor|pilot|driver|painter|singer|dancer|actor|actress|writer|lawyer|butcher|tailor|plumber|gardener|"
    r"carpenter|firefighter|policeman|police officer|postman|engineer|scientist|student|librarian|photographer|barber|"
    r"hairdresser|fisherman|miner|priest|king|queen|arzt|ärztin|zahnarzt|lehrer|lehrerin|bäcker|richter|koch|köchin|kellner|"
    r"bauer|soldat|pilot|maler|fahrer|polizist|médecin|dentiste|professeur|boulanger|juge|cuisinier|serveur|agriculteur|"
    r"soldat|médico|dentista|profesora?|panadero|juez|cocinero|camarero|soldado|agricultor)"
)
_LOCATIONS = """
rome; madrid; london; paris; berlin; vienna; lisbon; athens; dublin; oslo; stockholm; helsinki; copenhagen;
warsaw; prague; budapest; brussels; amsterdam; moscow; kyiv; istanbul; cairo; tokyo; beijing; shanghai; seoul;
delhi; mumbai; bangkok; sydney; melbourne; toronto; montreal; chicago; boston; new york; los angeles; san
francisco; mexico city; rio de janeiro; buenos aires; lima; nairobi; lagos; munich; hamburg; milan; venice;
barcelona; geneva; zurich; germany; france; italy; spain; portugal; austria; switzerland; belgium;
netherlands; denmark; sweden; norway; finland; poland; greece; ireland; england; scotland; russia; ukraine;
egypt; kenya; nigeria; india; japan; brazil; argentina; canada; mexico; australia; rom; wien; mailand;
deutschland; frankreich; italien; spanien; londres; berlín; roma; alemania; francia; españa; italia;
allemagne; italie; espagne
"""
_LOCATION = frozenset(" ".join(place.split()) for place in _LOCATIONS.split(";"))
"""Cities and countries with unambiguous names; `China` and `Turkey` are not among them."""
_TIME = re.compile(r"(?:in the (?:morning|afternoon|evening)|at (?:night|noon|dawn|dusk|midnight|sunset|sunrise))")
_PLACE = re.compile(r"(?:in|on|at|under|behind|near|beside|above|below) (?:the |an? )?[a-z]+(?: [a-z]+)?")
_DIRECTION = re.compile(r"(?:to the )?(?:(?:north|south)(?:[- ]?(?:east|west))?|east|west)(?:wards?)?")
_RATE_OR_DURATION = re.compile(
    r"(?:about )?(?:\d+ times (?:a|per) [a-z]+|(?:an?|half an?|one|\d+) (?:hour|minute|second|day|week|month)s?)"
)
_FORMULA = re.compile(r"(?=[^A-Za-z]*[a-z][^A-Za-z]*$)(?=.*[-+/^=\d])[\w\s+*/^=().-]+")
_HAS_NUMBER = re.compile(
    r"\d|\b(?:none|no|all|many|few|fewer|more|less|most|some|several|equal|same|both|half|double|twice|once)\b|"
    r"[一二三四五六七八九十百两零]|没有|很多",
    re.IGNORECASE,
)
_BEFORE = r"(?:^|[.!?:,;]\s+)(?:according to [^,:]+[,:]\s*)?"
_WANTS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(cannot.split()))
    for pattern, cannot in (
        (_BEFORE + r"(?:how many|how much|wie ?viele?|combien|¿?cuánt[oa]s?|quant[ie]|quant[oa]s)\b|多少|"
         r"几[个只条张朵名位]",
         "color weekday verdict time place person location direction"),
        (_BEFORE + r"(?:what|which) colou?r\b|welche farbe|de quelle couleur|¿?de qué color|di che colore|de que cor|"
         r"什么颜色", "number amount weekday verdict time formula person location"),
        (_BEFORE + r"(?:is|are|does|do|did|has|have|can|was|were) (?!.*\b(?:or|than)\b)[^?]*\?\s*$",
         "number amount weekday color time formula person location"),
        (_BEFORE + r"(?:ist|sind|hat|haben|gibt es|war) (?!.*\b(?:oder|als)\b)[^?]*\?\s*$|^(?:est-ce qu[e'’]|y a-t-il)"
         r"(?!.*\bou\b)|¿(?:hay|está|están|es|son|tiene)\b(?!.*\bo\b)",
         "number amount weekday color time formula person"),
        (_BEFORE + r"(?:who\b(?! (?:won|wins|scored|leads|lost))|wer\b|¿?quién|quem\b)|是谁",
         "number amount weekday color time verdict formula"),
        (_BEFORE + r"how (?:far|tall|long|old|heavy|high|deep|fast)\b",
         "direction color weekday verdict person location"),
        (_BEFORE + r"which (?:fruit|vegetable|element|town|planet|organ|chamber|house|tree|metal|layer)\b"
         r"(?!.*\b(?:number|label))", "amount verdict weekday"),
        (_BEFORE + r"(?:why|warum|pourquoi|¿?por qué|perché)\b|为什么",
         "number amount weekday color verdict formula person"),
        (_BEFORE + r"where (?:was|were|is|are)\b.*\b(?:taken|photographed|filmed|born|from)\b|在哪里拍",
         "number amount weekday color time verdict formula person"),
        (_BEFORE + r"(?:where|wo|où|¿?dónde|dove|onde)\b", "amount weekday color time verdict formula person"),
        (_BEFORE + r"(?:when\b(?![^?]*, )|(?:at )?what time|wann|quand|¿?cuándo|um wie viel uhr|à quelle heure|"
         r"¿?a qué hora)\b|几点",
         "color verdict formula person location"),
        (_BEFORE + r"(?:(?:on )?(?:what|which)|an welchem|quel|¿?qué) (?:day|weekday|tag|wochentag|jour|día)\b",
         "color verdict formula person location place amount"),
        (_BEFORE + r"which (?:city|country|animal|person|bird|month|season|sport|plant|vehicle|fruit)\b",
         "amount color verdict time formula weekday"),
        (_BEFORE + r"what is the (?:temperature|price|length|height|weight|distance|speed|area|perimeter|volume)\b",
         "color weekday verdict place time person location"),
    )
)  # fmt: skip
"""Subjects of questions, with the kinds of options that cannot answer them."""
_NAMES_OPTIONS = re.compile(
    r"\b(?:true|correct|statement|following|label\w*|number(?:ed)?|letter|marked|code)\b", re.IGNORECASE
)


def _broken_off(facts: ItemFacts) -> Iterator[ItemFault]:
    question = facts.item.question.strip()
    if _ALONE.fullmatch(question):
        yield ItemFault(f"The question consists only of {question!r}.", {"question": question})
    elif _is_part(facts, question):
        yield ItemFault(f"The question is only a part of one: {question!r}.", {"question": question})
    elif any(sign in question for sign in ("__", "[blank]")):
        return
    elif _breaks_off(question):
        yield ItemFault(
            f"The question breaks off: {excerpt(question[-80:])!r}.", {"question": excerpt(question[-120:])}
        )


def _breaks_off(question: str) -> bool:
    """Return whether a question stops before the words that it needs."""
    undotted = question.rstrip(".… ")
    begins = _QUESTION_BEGINS.search(undotted)
    if begins is None:
        return _lacks_its_end(undotted)
    return (
        _lacks_its_end(begins.group().lstrip(" .!?:;,"))
        or (_CANNOT_END.search(begins["rest"]) is not None and _STRANDED.search(begins["rest"]) is None)
        or (_BREAKS_OFF.search(question) is not None and len(question.split()) >= _LEAST_WORDS)
    )


def _lacks_its_end(asked: str) -> bool:
    """Return whether a question without its end marks lacks the noun, verb or object that its last words need."""
    return any(
        pattern.fullmatch(asked)
        for pattern in (_LACKS_OBJECT, _LACKS_VERB, _LACKS_PLACE, _LACKS_MAIN_CLAUSE, _LACKS_OWNED, _OR_THE)
    ) or (re.match(rf"{_ASKS}\b", asked, re.IGNORECASE) is not None and _LACKS_NOUN.search(asked) is not None)


def _is_part(facts: ItemFacts, question: str) -> bool:
    """Return whether a question is the beginning of one without a verb, its end, or Chinese words that ask nothing."""
    if _WITHOUT_VERB.fullmatch(question):
        return True
    if _CHINESE.fullmatch(question):
        return not _ASKS_IN_CHINESE.search(question) and not _COMPLETED.search(question)
    if _BEGINNING_CUT.match(question) or _ends_within_word(question):
        return True
    is_end = _END_OF_QUESTION.fullmatch(question) and not re.search(rf"\b{_ASKS}\b", question, re.IGNORECASE)
    return bool(is_end) and not any(normal(str(choice.text)) in _VERDICTS for choice in facts.worded)


def _ends_within_word(question: str) -> bool:
    """Return whether an English question ends in letters that only begin a word."""
    match = _LAST_LETTERS.search(question)
    if match is None or len(words := _LETTERS.findall(question)[:-1]) < _LEAST_WORDS_BEFORE:
        return False
    try:
        spelling = _spelling()
    except PrerequisiteError:
        return False  # the check of spelling reports that the lists are missing
    if spelling.is_known(match[1]) or not spelling.begins_a_word(match[1]):
        return False
    return all(spelling.is_known(word) for word in words if word.islower())


@lru_cache(maxsize=1)
def _spelling() -> Spelling:
    return Spelling()


def sort_of_answer(text: str) -> str | None:
    """Return the kind of an option as an answer, such as `number`, `amount` or `color`; None if it is none of these."""
    words = normal(text)
    core = words.split()
    value = quantity(text)
    if _RATE_OR_DURATION.fullmatch(words):
        return "amount"
    if value is not None and value.of != "time of day":
        return "amount" if value.of else "number"
    for sort, has in (
        ("color", all(is_color(word) or word in NEUTRAL_COLORS or word in {"light", "dark", "and"} for word in core)),
        ("weekday", len(core) <= _LEAST_WORDS and core[-1:] and core[-1] in _WEEKDAYS),
        ("verdict", words in _VERDICTS),
        ("time", _TIME.fullmatch(words)),
        ("person", _PERSON.fullmatch(words)),
        ("location", words in _LOCATION),
        ("formula", _FORMULA.fullmatch(text.strip())),
        ("place", _PLACE.fullmatch(words)),
        ("direction", _DIRECTION.fullmatch(words)),
    ):
        if core and has:
            return sort
    return None


def _unanswerable(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if all options are of one kind, and the question asks for another."""
    texts = [str(choice.text) for choice in facts.worded]
    if found := list(unanswerable_faults(facts)):
        yield from found
        return
    if len(texts) < len(facts.item.choices) or _NAMES_OPTIONS.search(facts.item.question):
        return
    if any(kinds_of(text) & {"person", "profession"} for text in texts):
        return  # `Two women` names people, too
    sorts = {sort_of_answer(text) for text in texts}
    if sorts == {"amount", "formula"}:
        sorts = {"formula"}  # `2x` alone may be two of x
    asked = next(((match, cannot) for wants, cannot in _WANTS if (match := wants.search(facts.item.question))), None)
    if len(sorts) != 1 or asked is None or (sort := sorts.pop()) not in asked[1]:
        return
    if sort == "place" and any(_has_number(text) for text in texts):
        return
    yield ItemFault(
        f"No option can answer the question {excerpt(facts.item.question)!r}: each is a {sort}, such as {texts[0]!r}.",
        {"question": excerpt(facts.item.question), "options": texts[:8], "sort": sort},
    )


def _has_number(text: str) -> bool:
    return _HAS_NUMBER.search(text) is not None or any(
        word in NUMERALS or foreign_numeral(word) is not None for word in normal(text).split()
    )


RULES = (
    FaultRule(
        "question_breaks_off",
        "placeholders",
        "medium",
        "the question is empty, a single word, or only the end of one (`the drawing?`), or breaks off between words "
        "(`What is the area of the`, `Which labeled part`, `How many people are wearing`) or within an English word "
        "(`Which bird sits on the umbrel`); a sentence that options complete does not count",
        _broken_off,
    ),
    FaultRule(
        "options_answer_another_question",
        "options",
        "medium",
        "all options are of one sort, such as colors, weekdays, people, places or yes and no, and the question asks "
        "for another: `How many …?`; or at least two wrong ones, and at least half of them, are of such a sort "
        "(`2002` and `1994` next to two countries)",
        _unanswerable,
        ("options",),
        certainty="likely",
    ),
)
