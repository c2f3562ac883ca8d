"""Single words of another language among English words: options such as `Wadenbein` or `Rouge`, and questions.

A word is foreign if English lists lack it and a list of another language has it, or if it consists of two German words,
or has letters that English lacks. English lists contain loan words, and this module lists some loan phrases.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from benchwright.replies.translated_words import translations_of

from .languages import english_correction, foreign_words, has_word, is_english, is_frequent, is_function_word
from .number_words import NUMERALS
from .quantities import FOREIGN_NUMERALS
from .word_forms import is_listed

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOAN = re.compile(
    r"hors d['’]oeuvres?|pas de deux|déjà vu|faux pas|film noir|art nouveau|art deco|coup d['’]état|cul-de-sac|"
    r"crème (?:brûlée|fraîche|caramel)|café au lait|au pair|nom de (?:guerre|plume)|trompe l['’]oeil|tour de \w+|"
    r"fait accompli|"
    r"en (?:passant|route|masse|garde|pointe)|a cappella|al dente|pro bono|habeas corpus|latte macchiato|.*ma non "
    r"troppo|"
    r"prima donna|alter ego|dolce vita|carte blanche|chaise longue|eau de \w+|filet mignon|haute couture|papier-mâché|"
    r"petits? fours?|vis-à-vis|mardi gras|fleur[- ]de[- ]lis|foie gras|bas[- ]relief|avant[- ]garde|château|.*du "
    r"jour|viola da gamba|"
    r"à la carte|.* à la .*|de facto|ad hoc|persona non grata|zen .*|terra cotta|pot-au-feu|.*con carne|.*al fresco|"
    r"cor anglais|"
    r"piñata|jalapeños?|crêpes?|soufflé|sauté|café|fiancée?|résumé|naïve|façade|über",
    re.IGNORECASE,
)
_ENGLISH_LETTERS = re.compile(r"[a-z'’-]*", re.IGNORECASE)
_YES_OR_NO = {"oui": "fr", "ja": "de", "nein": "de", "sí": "es", "si": "es", "non": "fr", "sì": "it", "não": "pt",
"sim": "pt",
              "nee": "nl", "да": "ru", "нет": "ru", "tak": "pl", "nie": "pl", "はい": "ja", "いいえ": "ja", "是": "zh",
              "否": "zh",
              "不是": "zh"}  # fmt: skip
_CLOSED = frozenset(["left", "right", "red", "blue", "green", "yellow", "black", "white", "brown", "gray", "grey",
                     "spring",
                     "summer", "autumn", "fall", "winter", "morning", "night", "orange", "purple", "pink"])  # fmt: skip
_SHORTEST, _PART = 4, 4
_LEAST_OTHERS = 2
_IN_LOANS = frozenset(["de", "la", "le", "el", "en", "et", "al", "du", "des", "von", "van", "di", "da", "per",
                       "via", "vs", "ad",
                       "il", "che", "los", "las", "les", "der", "die", "das", "del", "les", "don", "san", "dos", "mon",
                       "sur", "sans", "non", "sin", "mit", "una", "uno", "ten", "ben", "met", "bei",
                       "las"])  # fmt: skip
"""Function words that occur in names and loan phrases."""


def foreign_option(texts: Sequence[str]) -> tuple[int, str] | None:
    """Return the index and language of the only option in a language other than English; None if there is none.

    All other options must be words in English dictionaries, so that names do not count as foreign words.

    Args:
        texts: All options.

    Raises:
        PrerequisiteError: The package with the lists is not installed.

    Example:
        >>> foreign_option(["Collarbone", "Shin bone", "Wadenbein", "Thigh bone"])
        (2, 'de')
        >>> foreign_option(["Leeds", "Zürich", "Lisbon"])
    """
    if (closed := _of_closed_class(texts)) is not None:
        return closed
    if len(texts) <= _LEAST_OTHERS:
        return None
    are_capitals = all(map(str.isupper, texts))
    found = [
        (place, language)
        for place, text in enumerate(texts)
        if (are_capitals or not text.isupper()) and (language := _language(text)) is not None  # TODO is not Spanish
    ]
    if len(found) != 1:
        return None
    place = found[0][0]
    others = [text for at, text in enumerate(texts) if at != place]
    return found[0] if all(map(_is_plain_english, others)) else None


def _of_closed_class(texts: Sequence[str]) -> tuple[int, str] | None:
    """Return the option that is a `yes`, a color, a side or a number in a language other than that of all others."""
    plain = [" ".join(text.casefold().strip(" .").split()) for text in texts]
    odd = [place for place, text in enumerate(plain) if text in _YES_OR_NO and text not in ("yes", "no")]
    if len(odd) == 1 and len(texts) > 1 and {text for at, text in enumerate(plain) if at != odd[0]} <= _VERDICTS:
        return odd[0], _YES_OR_NO[plain[odd[0]]]
    return _other_of(plain, _CLOSED, _says_closed) or _other_of(plain, frozenset(NUMERALS), _is_numeral)


def _other_of(plain: Sequence[str], known: frozenset[str], is_foreign: Callable[[str], bool]) -> tuple[int, str] | None:
    odd = [place for place, text in enumerate(plain) if is_foreign(text)]
    others = [text for at, text in enumerate(plain) if at not in odd]
    is_odd = len(odd) == 1 and len(others) >= _LEAST_OTHERS and 2 * sum(text in known for text in others) >= len(others)
    return (odd[0], "another") if is_odd else None


def _says_closed(text: str) -> bool:
    return text not in _CLOSED and not translations_of(text).isdisjoint(_CLOSED)


def _is_numeral(text: str) -> bool:
    return text in FOREIGN_NUMERALS and text not in NUMERALS


_VERDICTS = frozenset(["yes", "no", "maybe", "not sure", "cannot tell"])


@lru_cache(maxsize=1 << 13)
def _language(text: str) -> str | None:
    """Return the language of an option in Latin letters that cannot be English; None for any other option."""
    words = [match.group() for match in _WORD.finditer(text)]
    if not words or len(words) > 4 or re.search(r"[\d\\$^=_{}<>]", text) or _LOAN.fullmatch(text.strip(" .")):
        return None
    folded = [word.casefold() for word in words]
    if any(not is_latin(word) for word in words):
        return None
    tells = [
        word.casefold() for word in words
        if not word.isupper() and is_function_word(word.casefold()) and not is_english(word)
    ]  # fmt: skip
    if len(words) > 1:
        rest = [word for word in folded if word not in tells]
        are_native = [word for word in rest if len(word) > 3 and is_listed(word)]
        is_sure = (
            bool(tells) and (set(tells) - _IN_LOANS or not are_native) and any(word.islower() for word in words[1:])
        )
        if is_sure or (tells and not are_native and not all(word[:1].isupper() for word in words)):
            return (foreign_words(" ".join(folded), "en") or ("another", []))[0]
        foreign = [word for word in rest if _foreign(word) is not None]
        return _foreign(foreign[0]) if foreign and len(foreign) == len(rest) and len(rest) > 0 else None
    return _foreign(folded[0])


@lru_cache(maxsize=1 << 13)
def _foreign(word: str) -> str | None:
    if len(word) < _SHORTEST or is_english(word) or is_english(_bare(word)) or _LOAN.fullmatch(word):
        return None
    for language in ("de", "fr", "es", "it", "pt", "nl"):
        if is_frequent(language, word) or has_word(language, word) or has_word(language, word.removesuffix("s")):
            return language
    if any(_is_compound(word, at) for at in range(_PART, len(word) - _PART + 1)):
        return "de"
    return "another" if not _ENGLISH_LETTERS.fullmatch(word) else None


def _is_compound(word: str, at: int) -> bool:
    first, second = word[:at], word[at:]
    return has_word("de", second) and any(
        has_word("de", part) for part in (first, first.removesuffix("s"), first + "e")
    )


def _bare(word: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKD", word) if not unicodedata.combining(sign))


def is_latin(word: str) -> bool:
    """Return whether all letters of a word are Latin."""
    return all("LATIN" in unicodedata.name(sign, "") for sign in word if sign.isalpha())


def is_loan(text: str) -> bool:
    """Return whether an option is a foreign phrase that English has adopted: `pas de deux`."""
    return _LOAN.fullmatch(text.strip(" .")) is not None


def _is_plain_english(text: str) -> bool:
    words = [match.group().casefold() for match in _WORD.finditer(text)]
    if any(map(is_function_word, words)):
        return False
    return any(map(is_listed, words)) and all(len(word) < 3 or is_listed(word) or is_english(word) for word in words)


def foreign_words_of_question(question: str) -> str | None:
    """Return individual words of another language in an English question: `Wo steht the woman`.

    Capitalized words count as names and are skipped; so are words that differ from an English word in one letter.

    Raises:
        PrerequisiteError: The package with the lists is not installed.
    """
    if "¿" in question or "¡" in question:
        return question[question.find("¿") :].split(maxsplit=1)[0] if "¿" in question else "¡"
    matches = list(_WORD.finditer(question))
    native = sum(is_english(match.group()) for match in matches)
    if not matches or 2 * native < len(matches) or len(matches) < 4:
        return None
    for place, match in enumerate(matches):
        word = match.group()
        if (word[:1].isupper() and place) or not is_latin(word) or is_english(word.casefold()):
            continue
        folded = word.casefold()
        has_sign = not _ENGLISH_LETTERS.fullmatch(word) and not is_english(_bare(folded))
        is_function = is_function_word(folded) and folded not in _IN_LOANS and len(folded) > 1
        is_verb = len(folded) >= _SHORTEST and any(
            is_frequent(language, folded) for language in ("de", "fr", "es", "it")
        )
        beside = matches[place + 1].group() if place + 1 < len(matches) else ""
        if (
            (has_sign and is_verb)
            or (is_function and not beside[:1].isupper())
            or (is_verb and not _has_correction(folded))
        ):
            return word
    return None


def _has_correction(word: str) -> bool:
    return english_correction(word) is not None
