"""Options that refer to other options: by letter (`both A and B`), or by position (`none of the above`).

In English, German, French, Spanish, Italian, Portuguese and Dutch, an option refers to others if it has such a letter
or position and its other words all concern options: this module lists the words, not the sentences. For Chinese and
Japanese, it has the usual forms.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from benchwright.records import Item
from benchwright.texts.normalization import counted

_WORD = re.compile(r"[^\W_]+")
_LETTERS = frozenset("ABCDEFGHJ")
"""Letters to which options refer; `I` is a word and a Roman numeral."""
_QUANTITIES = frozenset([
    "all", "both", "none", "neither", "either", "any", "each", "every", "everything", "nothing", "two", "three", "some",
    "most", "not", "no", "nor",
    "alle", "alles", "beide", "beides", "keine", "keiner", "keines", "keins", "nichts", "weder", "noch", "jede",
    "tous", "toutes", "tout", "aucun", "aucune", "ni",
    "todos", "todas", "todo", "ambos", "ambas", "ninguna", "ninguno", "ningún", "cualquiera",
    "tutti", "tutte", "tutto", "entrambi", "entrambe", "nessuno", "nessuna", "nenhum", "nenhuma", "né", "nem",
    "geen", "geenvan", "allebei",
])  # fmt: skip
_OPTIONS = frozenset([
    "option", "options", "choice", "choices", "answer", "answers", "alternative", "alternatives", "possibilities",
    "antwort", "antworten", "möglichkeit", "möglichkeiten", "optionen", "auswahl", "aussagen", "alternativen",
    "réponse", "réponses", "proposition", "propositions", "choix",
    "respuesta", "respuestas", "opción", "opciones", "alternativa", "alternativas",
    "risposta", "risposte", "opzione", "opzioni", "resposta", "respostas", "opção", "opções",
    "antwoord", "antwoorden", "optie", "opties",
])  # fmt: skip
_ABOVE = frozenset([
    "above", "previous", "preceding", "former", "aforementioned",
    "oben", "obige", "obigen", "obiges", "vorherige", "vorherigen", "vorige", "vorigen", "vorstehenden",
    "vorangehenden", "vorangegangenen", "dessus", "précédent", "précédente", "précédentes", "précédents",
    "anterior", "anteriores", "arriba", "precedente", "precedenti", "sopra", "acima", "bovenstaande", "vorige",
    "bovengenoemde",
])  # fmt: skip
_BELOW = frozenset([
    "below", "following", "latter", "next", "unten", "folgende", "folgenden", "nächste", "nächsten", "untenstehenden",
    "dessous", "suivant", "suivante", "suivantes", "siguiente", "siguientes", "seguente", "seguenti", "sotto",
    "seguinte", "seguintes", "abaixo", "volgende", "onderstaande",
])  # fmt: skip
_PLACES = frozenset(["first", "second", "third", "fourth", "fifth", "sixth", "last"])
_OTHER = frozenset(["other", "others", "anderen", "andere", "autres", "otras", "otros", "altre", "outras"])
_THESE = frozenset(["these", "those"])
_NAMED = frozenset([
    "mentioned", "listed", "named", "given", "genannten", "genannte", "aufgeführten", "mentionnées", "mencionadas",
])  # fmt: skip
"""Words that refer to options already read, which are those above: `keine der genannten`."""
_LIKENESS = frozenset([
    "same", "identical", "opposite", "reverse", "except", "excluding", "besides", "between", "like", "as", "see",
    "only",
    "gleiche", "dasselbe", "gleich", "gegenteil", "außer", "ausser", "zwischen", "wie", "siehe", "nur",
    "même", "pareil", "contraire", "inverse", "sauf", "entre", "comme", "voir", "seulement", "uniquement",
    "mismo", "igual", "contrario", "excepto", "salvo", "menos", "como", "véase", "sólo", "solo",
    "stesso", "uguale", "tranne", "eccetto", "tra", "come", "vedi", "mesmo", "exceto", "apenas", "zelfde", "behalve",
])  # fmt: skip
_AROUND = frozenset([
    "a", "an", "the", "of", "in", "is", "are", "to", "it", "they", "that", "what", "one", "ones", "and", "or", "but",
    "nor", "with", "together", "combined", "simultaneously", "also", "listed", "given", "mentioned", "named", "stated",
    "correct", "right", "true", "wrong", "false", "incorrect", "apply", "applies", "be", "can", "something",
    "somewhere", "exactly", "answers",
    "der", "die", "das", "den", "dem", "von", "ist", "sind", "stimmt", "stimmen", "richtig", "korrekt", "falsch",
    "zutreffend", "trifft", "treffen", "zu", "und", "oder", "sowohl", "als", "auch", "entweder", "aber", "genannt",
    "genannte", "genannten", "zusammen", "dieser", "etwas", "aufgeführten", "stehenden", "vom", "aus",
    "l", "d", "la", "le", "les", "des", "du", "de", "ces", "ci", "est", "sont", "à", "fois", "et", "ou", "mais",
    "correcte", "correctes", "exactes", "vraies", "justes", "bonne", "bonnes", "deux", "ensemble", "que", "qu",
    "mentionnées", "soit", "quelque", "chose",
    "lo", "el", "los", "las", "del", "y", "o", "e", "u", "es", "son", "tanto", "correcta", "correctas", "pero",
    "verdaderas", "juntas", "mencionadas", "al", "algo",
    "il", "i", "gli", "che", "delle", "dei", "della", "dell", "è", "sia", "ma", "corrette", "corretta", "vere",
    "giuste",
    "um", "os", "as", "das", "dos", "são", "corretas", "correta", "mas", "ambo", "quanto", "assim",
    "het", "van", "zowel", "en", "of", "zijn", "juist", "correct", "bij",
])  # fmt: skip
_SOME = frozenset(["two", "three", "some", "most", "any"])
_SPEAKS_OF_OPTIONS = _QUANTITIES | _OPTIONS | _LIKENESS | _OTHER | _AROUND
_SPEAKS_OF_PLACES = _SPEAKS_OF_OPTIONS | _ABOVE | _BELOW | _PLACES | _THESE
_BUT_OTHERWISE = re.compile(
    r"\s*[,;]?\s*\b(?:but|only|just|nur|aber|mais|pero|ma|però|mas|maar|alleen)\s+(?:\w+\s+)?\w+\s*\.?$", re.IGNORECASE
)
_LETTERS_OF_HAN = re.compile(
    r"(?:(?:选项|選項|答案|選択肢)?[A-HJ](?:选项|項)?(?:和|与|與|及|跟|或|、|と|か))+(?:选项|選項|答案|選択肢)?[A-HJ]"
    r"(?:选项|項)?(?:两者|兩者|二者|の)?(?:都|均|皆|全|両方)?(?:正确|正確|是|对|對|不对|不對|不正确|が正しい)?"
    r"|(?:与|和|同|跟|見|见|参见)?(?:选项|選項|答案)?(?P<one>[A-HJ])(?:选项)?(?:相同|一样|一樣|相反|以外都[对是])"
    r"|(?:见|同|除)?(?:选项|選項|答案)[A-HJ](?:以外都[对是])?|選択肢[A-HJ](?:と同じ|を参照)?"
)
_ABOVE_OF_HAN = re.compile(
    r"(?:以上|上述|前面|上面)的?(?:所有|各项|各項|几项|选项|選項|答案|全部|三者|两者|三项|两项)*(?:中)?(?:都|均|皆|全|全部)?"
    r"(?:没有)?(?:是|对|對|正确|正確|不是|不对|不對|不正确|不正確|错|非|有可能)?"
    r"|上記の?(?:すべて|全て|全部|いずれでもない|どれでもない|いずれも(?:正しく)?ない)|すべて上記"
)
_BELOW_OF_HAN = re.compile(
    r"(?:以下|下述|下面)的?(?:所有|选项|選項|答案|全部)*(?:都|均|皆|全)?(?:是|对|不是|不对|正确)?"
)
_BARE_PLACE_OF_HAN = len("以上")
_IS_LABEL = re.compile(r"(?:\w+ )?\(?[A-J]\)?\.?")
_STANDS_ALONE = re.compile(r"(?<![\w'’])(?:[B-HJ](?![\w'’])|A(?![\w'’]|\s+[a-z]))|(?<=[^\W\d_] )A(?![\w'’])")
"""A letter that names something; `A` before a lowercase word is an article."""


class PointingOption(NamedTuple):
    """An option that refers to others.

    Args:
        key: Letter of the option.
        fault: What is wrong with the option at its position; empty if it makes sense there and nowhere else.
        by_letter: Whether it names another option by letter or position, so that it makes sense only in this order.
        is_vague: Whether it contains `these`, which readers take for those above, and which may mean all the others.
    """

    key: str
    fault: str
    by_letter: bool
    is_vague: bool = False


def pointing_options(item: Item) -> list[PointingOption]:
    """Return the options that refer to others by letter or position (`both A and B`, `none of the above`).

    The result is empty if the letters are names used in the picture or by the subject, which wrong and right options
    share: then most options are letters, or the question or an option names one in a sentence.
    """
    pointing: list[PointingOption] = []
    keys = [choice.key for choice in item.choices]
    texts = [(choice.key, (choice.text or "").strip()) for choice in item.choices]
    named = {key: letters for key, text in texts if (letters := letters_pointed_at(text))}
    are_labels = 2 * len(named) > len(texts) or any(
        _IS_LABEL.fullmatch(text) or _STANDS_ALONE.search(text) for key, text in texts if text and key not in named
    )
    in_question = set(_STANDS_ALONE.findall(item.question))
    for place, (key, text) in enumerate(texts):
        letters = named.get(key, [])
        if letters and not are_labels and (_names_options(text) or not in_question.intersection(letters)):
            absent = [letter for letter in letters if letter not in keys]
            fault = (
                f"it names {' and '.join(absent)}, and there is no such option" if absent
                else f"it names {key}, which it is itself" if key in letters else ""
            )  # fmt: skip
            pointing.append(PointingOption(key, fault, by_letter=True))
        elif not letters and (found := _by_place(text, place, len(texts) - 1 - place, item.question)) is not None:
            pointing.append(found._replace(key=key))
    return pointing


def letters_pointed_at(text: str) -> Sequence[str]:
    """Return the letters of the options to which an option refers; empty if it has other content.

    Example:
        >>> letters_pointed_at("Sowohl A als auch C"), letters_pointed_at("A bird"), letters_pointed_at("Vitamin C")
        (['A', 'C'], [], [])
    """
    bare = text.strip().rstrip(".。")
    if _LETTERS_OF_HAN.fullmatch(re.sub(r"[\s()（）]", "", bare)):
        return [letter for letter in bare if letter in _LETTERS]
    otherwise = _BUT_OTHERWISE.search(bare)
    is_told_apart = otherwise is not None and _WORD.search(bare[: otherwise.start()]) is not None
    words = _WORD.findall(bare[: otherwise.start()] if is_told_apart and otherwise else bare)
    letters = [word for word in words if word in _LETTERS]
    rest = {word.casefold() for word in words if word not in _LETTERS}
    if not letters or not rest <= _SPEAKS_OF_OPTIONS:
        return []
    if len(set(letters)) > 1:
        return letters
    is_article = words[0] == "A" and len(words) > 1 and words[1].casefold() in _OPTIONS | _OTHER | _LIKENESS
    return letters if not is_article and (is_told_apart or rest & (_OPTIONS | _LIKENESS)) else []


def _names_options(text: str) -> bool:
    return not _OPTIONS.isdisjoint(_WORD.findall(text.casefold())) or any(sign in text for sign in ("选项", "選項"))


_Place = Literal["above", "below", "neighbour", "others", "these"]


def _by_place(text: str, before: int, after: int, question: str) -> PointingOption | None:
    """Return an option that refers to others by their positions, without its letter; None for other options."""
    place = _place_pointed_at(text, question)
    if place == "above":
        return PointingOption("", _above(before, after), by_letter=False)
    if place == "below":
        return PointingOption("", f"{_stand(before)} above it" if before else "", by_letter=False)
    if place == "neighbour":
        return PointingOption("", "", by_letter=True)
    if place == "others":
        return PointingOption("", "its meaning depends on the others, and several can be right", by_letter=False)
    if place == "these" and after:
        fault = f"{text.rsplit(maxsplit=1)[-1]!r} refers to those above it, but {_stand(after)} below it"
        return PointingOption("", fault, by_letter=False, is_vague=True)
    return None


def _place_pointed_at(text: str, question: str) -> _Place | None:
    """Return the options that an option refers to by position; None if it has other content."""
    compact = re.sub(r"[\s。.，,]", "", text)
    of_han: tuple[tuple[_Place, re.Pattern[str]], ...] = (("above", _ABOVE_OF_HAN), ("below", _BELOW_OF_HAN))
    for place, pattern in of_han:
        if len(compact) > _BARE_PLACE_OF_HAN and pattern.fullmatch(compact):
            return place
    words = _WORD.findall(text.casefold())
    said = set(words)
    if not said or not said <= _SPEAKS_OF_PLACES:
        return None
    is_several = not said.isdisjoint(_QUANTITIES) or words[:2] == ["one", "of"]
    names_options = not said.isdisjoint(_OPTIONS)
    if not is_several and (not names_options or _names_options(question)):
        return None  # `above`, `the one below`: places in a picture
    readings: tuple[tuple[_Place, bool], ...] = (
        ("above", is_several and not said.isdisjoint(_ABOVE)),
        ("below", is_several and not said.isdisjoint(_BELOW)),
        ("neighbour", names_options and not said.isdisjoint(_ABOVE | _BELOW | _PLACES)),
        ("others", names_options and not said.isdisjoint(_OTHER) and not said.isdisjoint(_SOME)),
        ("these", words[-1] in _THESE and "of" in said),
        ("these", is_several and words[-1] in _NAMED),
    )
    return next((place for place, holds in readings if holds), None)


def _above(before: int, after: int) -> str:
    if not after:
        return ""
    return "no option is above it" if not before else f"{_stand(after)} below it"


def _stand(options: int) -> str:
    return counted(options, "option is", "options are")
