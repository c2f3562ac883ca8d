"""German, French, Spanish, Italian and Portuguese grammar that separates the right option from the others.

The article before a blank has a gender and a number (`Das Bild zeigt eine ___`). A verb has a number (`Los objetos son
___`) and requires a form of the next verb (`est en train de ___`). A rule reports an item if only the right option fits
and the others are known not to, by their article, by lists of nouns or by their endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from benchwright.errors import PrerequisiteError

from ..wording.blanks import BLANK, with_blank
from ..wording.languages import language_of
from ..wording.noun_genders import LANGUAGES, Gender, NounForm, Number, form_of_noun
from .fault_rules import ItemFacts

Forms = frozenset[NounForm]


def _forms(spelled: str) -> Forms:
    """Return the forms written as `m s, f s`."""
    numbers: Mapping[str, Number] = {"s": "singular", "p": "plural"}
    genders: Mapping[str, Gender] = {"m": "m", "f": "f", "n": "n"}
    return frozenset(NounForm(genders[each[0]], numbers[each[1]]) for each in spelled.split())


_DETERMINERS: Mapping[str, tuple[tuple[str, Forms], ...]] = {
    language: tuple((rf"(?:{words})", _forms(forms)) for words, forms in of_language)
    for language, of_language in {
        "de": (
            ("eine|keine|meine|seine|diese|jede", "fs"), ("einen|keinen|diesen|jeden|welchen", "ms"),
            ("einem|keinem|diesem|dem|beim|zum|vom|im|am", "ms ns"), ("das|dieses|jedes|welches", "ns"),
            ("ein|kein|mein|sein", "ms ns"), ("einer|dieser|der", "ms fs"), ("die", "fs mp fp np"),
            ("zwei|drei|vier|fünf|viele|mehrere|einige|alle", "mp fp np"),
        ),
        "fr": (
            ("une|la|cette|ma|ta|sa|quelle|aucune|toute|de la|à la", "fs"),
            ("un|le|ce|cet|du|au|quel|aucun|tout", "ms"),
            ("les|des|ces|deux|trois|quatre|plusieurs|quelques|aux", "mp fp"),
        ),
        "es": (
            ("una|la|esta|esa|aquella|ninguna|otra", "fs"), ("un|el|este|ese|aquel|ningún|otro|del|al", "ms"),
            ("unas|las|estas|esas|muchas|varias|algunas|pocas|todas las", "fp"),
            ("unos|los|estos|esos|muchos|varios|algunos|pocos|todos los", "mp"), ("dos|tres|cuatro|cinco", "mp fp"),
        ),
        "it": (
            ("una|un['’]|la|questa|quella|della|nella|sulla|alla|dalla", "fs"),
            ("un|uno|il|lo|questo|quel|quello|del|dello|nel|sul|al|dal", "ms"),
            ("le|delle|queste|quelle|molte|alcune", "fp"), ("i|gli|dei|degli|questi|quei|molti|alcuni", "mp"),
        ),
        "pt": (
            ("uma|a|esta|essa|aquela|nenhuma|da|na|pela", "fs"), ("um|o|este|esse|aquele|nenhum|do|no|pelo|ao", "ms"),
            ("umas|as|estas|essas|muitas|várias|algumas|das|nas", "fp"),
            ("uns|os|estes|esses|muitos|vários|alguns|dos|nos", "mp"),
        ),
    }.items()
}  # fmt: skip
"""Words before a noun, with the forms of nouns that they fit."""
_ADJECTIVE: Mapping[str, str] = {
    "de": r"(?:(?:sehr|ganz|besonders)\s+)?(?!(?:waren?|wurden?|hatten?|haben|werden|sehen|sehe|habe|wäre|würde)\b)"
    r"[a-zäöüß]{2,}(?:e|en|er|es|em)",
    "fr": r"petite?s?|grande?s?|beaux?|bel|belles?|vieux|vieil|vieilles?|nouveaux?|nouvel|nouvelles?|jeunes?|jolie?s?|"
    r"gros|grosses?|bon|bons|bonnes?|autres?|première?s?|premiers?|longue?s?|même",
    "es": r"gran|grande|pequeñ[oa]s?|bell[oa]s?|bonit[oa]s?|nuev[oa]s?|viej[oa]s?|buen|buena|primer|primera|segund[oa]|"
    r"antigu[oa]s?|otr[oa]s?|únic[oa]|hermos[oa]s?|mism[oa]",
    "it": r"gran|grande|piccol[oaie]|bel|bella|bello|nuov[oaie]|vecchi[oae]|buon|buona|prim[oa]|second[oa]|antic[oa]|"
    r"altr[oaie]|unic[oa]|stess[oa]",
    "pt": r"grandes?|pequen[oa]s?|bel[oa]s?|bonit[oa]s?|nov[oa]s?|velh[oa]s?|bom|boa|primeir[oa]|segund[oa]|"
    r"antig[oa]s?|outr[oa]s?|únic[oa]|mesm[oa]",
}
"""Adjectives before nouns; for German, words with an adjective's ending."""
_BEFORE_BLANK: Mapping[str, re.Pattern[str]] = {
    language: re.compile(
        r"(?<![\w'’])(?:" + "|".join(f"(?P<d{n}>{words})" for n, (words, _) in enumerate(of_language))
        + rf")(?:\s+(?P<adjective>{_ADJECTIVE[language]}))?\s*{BLANK}",
        re.IGNORECASE,
    )
    for language, of_language in _DETERMINERS.items()
}  # fmt: skip
_AFTER_PREPOSITION = re.compile(
    r"\b(?:in|auf|an|aus|bei|mit|nach|von|zu|vor|hinter|über|unter|neben|zwischen|seit|gegenüber)\s+$", re.IGNORECASE
)
_ADJECTIVE_OF: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "de": {"ein": ("er", "es"), "kein": ("er", "es"), "mein": ("er", "es"), "sein": ("er", "es")},
}
"""German `ein schöner` is masculine, `ein schönes` neuter."""
_NUMBERED_VERBS: Mapping[str, Mapping[Number, str]] = {
    "de": {"singular": "ist|war", "plural": "sind|waren"}, "fr": {"singular": "est|était", "plural": "sont|étaient"},
    "es": {"singular": "es|era", "plural": "son|eran"}, "it": {"singular": "è|era", "plural": "sono|erano"},
    "pt": {"singular": "é|era", "plural": "são|eram"},
}  # fmt: skip
_SUBJECT_VERB: Mapping[str, Mapping[Number, re.Pattern[str]]] = {
    language: {number: re.compile(rf"\b(?:{verbs})\s+{BLANK}", re.IGNORECASE) for number, verbs in of_language.items()}
    for language, of_language in _NUMBERED_VERBS.items()
}
_SINGULAR_ARTICLE: Mapping[str, str] = {
    "de": "ein|eine|einen|der|das|dieser|dieses", "fr": "un|une|le|la|ce|cet|cette|l['’]",
    "es": "un|una|el|la|este|esta", "it": "un|uno|una|un['’]|il|lo|la|l['’]", "pt": "um|uma|o|a|este|esta",
}  # fmt: skip
_PLURAL_ARTICLE: Mapping[str, str] = {
    "de": "zwei|drei|vier|fünf|viele|mehrere|einige", "fr": "des|les|deux|trois|quatre|plusieurs|quelques",
    "es": "unos|unas|los|las|dos|tres|cuatro|varios|varias|muchos|muchas",
    "it": "i|gli|le|dei|degli|delle|due|tre|quattro", "pt": "uns|umas|os|as|dois|duas|três|vários|várias",
}  # fmt: skip
_PLACE_OF_VERB = {"de": -1, "fr": 0, "es": 0, "it": 0, "pt": 0}
_VERB_BEFORE: Mapping[str, tuple[tuple[str, str], ...]] = {
    "de": (
        ("infinitive", r"\b(?:wird|werden|kann|können|will|wollen|soll|muss|müssen|möchte|darf)\b"),
        ("participle", r"\b(?:hat|haben|wurde|wurden)\b"),
    ),
    "fr": (
        ("infinitive", r"\b(?:en train de|va|vont|peut|peuvent|veut|veulent|doit|doivent|vient de|commence à)\b"),
        ("participle", r"\b(?:a|ont|a été|ont été|vient d'être)\b"),
    ),
    "es": (
        ("gerund", r"\b(?:está|están|estaba|estaban)\b"),
        ("infinitive", r"\b(?:va a|van a|puede|pueden|quiere|quieren|debe|deben|acaba de|tiene que)\b"),
        ("participle", r"\b(?:ha|han|había|ha sido|han sido|fue|fueron)\b"),
    ),
    "it": (
        ("gerund", r"\b(?:sta|stanno|stava|stavano)\b"),
        ("infinitive", r"\b(?:sta per|può|possono|vuole|vogliono|deve|devono)\b"),
        ("participle", r"\b(?:ha|hanno|è stat[oa]|sono stat[ie])\b"),
    ),
    "pt": (
        ("gerund", r"\b(?:está|estão|estava|estavam)\b"),
        ("infinitive", r"\b(?:vai|vão|pode|podem|quer|querem|deve|devem|acaba de)\b"),
        ("participle", r"\b(?:foi|foram|tem sido|havia)\b"),
    ),
}  # fmt: skip
_BETWEEN = r"(?:\s+(?:gleich|gerade|jetzt|bald|schon|eben|nicht|déjà|bientôt|juste|ya|ahora|adesso|già|agora|já))*\s*"
_FORM_BEFORE_BLANK = {
    language: tuple((form, re.compile(words + _BETWEEN + BLANK, re.IGNORECASE)) for form, words in reversed(forms))
    for language, forms in _VERB_BEFORE.items()
}
_VERB_FORMS: Mapping[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    language: tuple((form, re.compile(pattern)) for form, pattern in forms)
    for language, forms in {
        "de": (
            ("participle", r"(?:[a-zäöü]{2,5})?ge[a-zäöüß]{2,}(?:t|en)|(?:be|ver|zer|er|ent)[a-zäöüß]{2,}t|"
             r"[a-zäöü]+iert"),
            ("infinitive", r"[a-zäöüß]{2,}(?:en|eln|ern)"),
        ),
        "fr": (
            ("infinitive", r"[\w'’]{2,}(?:er|ir|ire|dre|tre|oire)"), ("gerund", r"\w{2,}ant"),
            ("finite", r"\w{2,}(?:ait|aient|ent|era|ira)|tombe|mange|court|dort|boit|lit|écrit|saute|vole|joue|marche"),
            ("participle", r"\w{2,}(?:é|ée|és|ées|i|ie|is|ies|u|ue|us|ues)|pris|mis|fait|écrit|ouvert|bu|lu|vu"),
        ),
        "es": (
            ("gerund", r"\w{2,}(?:ando|iendo|yendo)"), ("participle", r"\w{2,}(?:ad[oa]s?|id[oa]s?)|rot[oa]|"
             r"escrit[oa]|abiert[oa]|hech[oa]|puest[oa]"),
            ("infinitive", r"\w{2,}(?:ar|er|ir)(?:se)?"), ("finite", r"\w{2,}(?:ó|aba|ían?|aron|ieron|ará|irá)"),
        ),
        "it": (
            ("gerund", r"\w{2,}(?:ando|endo)"),
            ("participle", r"\w{2,}(?:at|it|ut)[oaie]|rott[oa]|scritt[oa]|apert[oa]"),
            ("infinitive", r"\w{2,}(?:are|ere|ire|arsi|ersi|irsi)"), ("finite", r"\w{2,}(?:ava|eva|iva|ò|erà|irà)"),
        ),
        "pt": (
            ("gerund", r"\w{2,}(?:ando|endo|indo)"),
            ("participle", r"\w{2,}(?:ad[oa]s?|id[oa]s?)|escrit[oa]|abert[oa]"),
            ("infinitive", r"\w{2,}(?:ar|er|ir)(?:-se)?"), ("finite", r"\w{2,}(?:ou|eu|iu|ava|ia)"),
        ),
    }.items()
}  # fmt: skip
_LONGEST = 6
"""Largest number of words of an option that is examined."""


def language_of_question(facts: ItemFacts) -> str | None:
    """Return the language of a question if the gender of its nouns is checked here; None for others or if unclear."""
    return _language(with_blank(facts.item.question), tuple(str(choice.text) for choice in facts.worded))


@lru_cache(maxsize=1 << 10)
def _language(question: str, options: tuple[str, ...]) -> str | None:
    if BLANK not in question:
        return None
    words = question.replace(BLANK, " ")
    try:
        language = language_of(words) or language_of(" ".join((words, *options)))
    except PrerequisiteError:
        return None  # the check of languages reports that the lists are missing
    return language if language in LANGUAGES else None


def wanted_nouns(question: str, language: str) -> tuple[str, Forms] | None:
    """Return the words before a blank, and the genders and numbers that they fit; None if they fit any."""
    match = _BEFORE_BLANK[language].search(question)
    if match is None:
        return None
    place = next(n for n, _ in enumerate(_DETERMINERS[language]) if match[f"d{n}"])
    determiner, forms = match[f"d{place}"].casefold(), _DETERMINERS[language][place][1]
    adjective = match["adjective"] or ""
    if language == "de":
        if adjective[:1].isupper():
            return None  # a noun precedes the blank, which is for something else
        before = question[: match.start()]
        if determiner in {"der", "einer", "dieser"}:
            if _AFTER_PREPOSITION.search(before):
                forms = _forms("fs")
            elif before.strip(" \"'„«»(") == "" or before.rstrip()[-1:] in ".:!?" or not _ends_in_noun(before):
                forms = _forms("ms")
            else:
                return None  # `die Farbe der ___` and `ist der ___`
        endings = _ADJECTIVE_OF["de"].get(determiner)
        if endings and adjective.endswith(endings):
            forms = _forms("ms" if adjective.endswith("er") else "ns")
        if determiner == "die" and adjective.endswith("en"):
            forms = _forms("mp fp np")
    return match.group().strip(), forms


def _ends_in_noun(text: str) -> bool:
    return text.rsplit(maxsplit=1)[-1][:1].isupper()


def noun_of_option(text: str, language: str) -> NounForm | None:
    """Return the gender and number of a one-word option; None for other options, or if they are unknown."""
    word = text.strip().rstrip(".")
    return form_of_noun(word, language) if word.isalpha() and (language != "de" or word[0].isupper()) else None


def wanted_number(question: str, language: str) -> tuple[str, Number] | None:
    """Return the verb before a blank and its number; None if there is no such verb."""
    for number, pattern in _SUBJECT_VERB[language].items():
        if (match := pattern.search(question)) is not None:
            return match.group().strip(), number
    return None


def number_of_option(text: str, language: str) -> Number | None:
    """Return the number of an option; None if neither its article nor its noun shows it."""
    words = text.strip().rstrip(".").split()
    if not words or len(words) > _LONGEST:
        return None
    first = words[0]
    if re.match(rf"(?:{_SINGULAR_ARTICLE[language]})(?=\s|$)|l['’]", text.strip(), re.IGNORECASE):
        return "singular"
    if re.fullmatch(_PLURAL_ARTICLE[language], first, re.IGNORECASE):
        return "plural"
    form = noun_of_option(first, language) if len(words) == 1 or language != "de" else None
    return None if form is None else form.number


def wanted_verb(question: str, language: str) -> tuple[str, str] | None:
    """Return the words before a blank, and the form of the verb that must follow; None if any form can follow."""
    for form, pattern in _FORM_BEFORE_BLANK[language]:
        if (match := pattern.search(question)) is not None:
            rest = question[match.end() :].strip(" .")
            return None if rest else (match.group().strip(), form)
    return None


def verb_of_option(text: str, language: str) -> str | None:
    """Return the form of an option's verb, its last word in German, otherwise its first; None if there is no verb."""
    words = text.strip(" .").split()
    if not words or len(words) > _LONGEST:
        return None
    if language == "de" and (len(words) > 1 and words[-2] == "zu"):
        return "infinitive with zu"
    word = words[_PLACE_OF_VERB[language]]
    if language == "de" and word[:1].isupper():
        return "finite" if words[0][:1].islower() and len(words) > 1 else None
    return next((form for form, pattern in _VERB_FORMS[language] if pattern.fullmatch(word.casefold())), None)


def fitting_of_wanted(facts: ItemFacts) -> Iterator[tuple[str, str, list[int]]]:
    """Yield each grammatical clue: its rule, the words that give it, and the indices of the options that fit.

    Options with unknown forms count as fitting, except verbs: at least half of the wrong options must be known not to
    fit.
    """
    language = language_of_question(facts)
    if language is None:
        return
    texts = [str(choice.text) for choice in facts.worded]
    question = with_blank(facts.item.question)
    if (nouns := wanted_nouns(question, language)) is not None:
        known = [noun_of_option(text, language) for text in texts]
        numbers = [number_of_option(text, language) for text in texts]
        wants = {form.number for form in nouns[1]}
        fits = [
            n for n, (form, number) in enumerate(zip(known, numbers, strict=True))
            if (form in nouns[1] if form is not None else number is None or number in wants)
        ]  # fmt: skip
        with_article = [form is None and number is not None for form, number in zip(known, numbers, strict=True)]
        rule = "number" if any(with_article) or _differ_in_number(known) else "gender"
        yield rule, nouns[0], fits
    elif (verb := wanted_verb(question, language)) is not None:
        forms = [verb_of_option(text, language) for text in texts]
        others = [form for form in forms if form is not None and form != verb[1]]
        fits = [n for n, form in enumerate(forms) if form == verb[1]]
        if 2 * len(others) >= len(texts) - 1:
            yield "tense", verb[0], fits
    elif (number_of_verb := wanted_number(question, language)) is not None:
        numbers = [number_of_option(text, language) for text in texts]
        fits = [n for n, number in enumerate(numbers) if number in (number_of_verb[1], None)]
        yield "number", number_of_verb[0], fits


def _differ_in_number(forms: list[NounForm | None]) -> bool:
    return len({form.number for form in forms if form is not None}) > 1
