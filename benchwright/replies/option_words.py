"""Recognition of options by their words: the option with which a text starts, and the options that it mentions.

The module also recognizes other spellings of options: yes and no in many languages, numbers in words, missing articles,
and hyphens.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .reply_text import end_of, folded
from .translated_words import translations_of

_YES = """
yes yeah yep yup sí si oui ja jawohl sim sì tak да так ano kyllä igen evet có vâng đúng ya iya ναι כן ใช่ بله آری نعم أجل
हाँ हां জি হ্যাঁ 是 是的 對 对 对的 對的 有 有的 はい ええ うん 예 네 그렇습니다
"""
_NO = """
no nope nah non nein não nie нет ні nej nee hayır không tidak bukan όχι לא ไม่ ไม่ใช่ ไม่มี نه خیر لا كلا नहीं না
否 不 不是 不是的 没有 沒有 不对 不對 いいえ いや ううん 아니요 아니오 아뇨 아니
"""
YES, NO = frozenset(_YES.split()) | {"जी हाँ", "জি হ্যাঁ"}, frozenset(_NO.split()) | {"जी नहीं"}
"""Words for yes or no, folded. They name an option only if the options are one of each."""

_IN_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_UNITS = _IN_WORDS.split()
_NUMBERS = {str(number): word for number, word in enumerate(_UNITS)}
_ARTICLE = re.compile(
    r"\A(?:the|an?|le|la|les|un|une|el|los|las|una|der|die|das|ein|eine|il|lo|gli|uma?|os|as|de|het|een|en|"
    r"ett)\s+(?=\w)"
    r"|\A[ld]'(?=\w)"
)


_LANDMARK = re.compile(
    r"((?:directly\s+)?(?:behind|in front of|under|underneath|below|beneath|above|over|"
    r"beside|next to|inside|on top of|near|outside))"
    r" (?:the|an?|his|her) \w+(?: \w+)?"
)
"""An option that describes a position by an object, which a reply may have named before: "behind it"."""
_VERB_AND_OBJECT = re.compile(
    "[骑騎开開打踢弹彈坐看读讀吃喝穿拿拉写寫唱跳洗做买買放][\u4e00-\u9fff]{1,2}[\u4e00-\u9fff]"
)
"""A Chinese verb with an object of two or three characters, which replies shorten to the last: "骑自行车" is "骑车"."""
PLACE_HEAD = re.compile(
    r"(.*\b(?:left|right|top|bottom|links|rechts|izquierda|derecha|gauche|droite|esquerda|direita|sinistra|destra|слева|справа))"
    r"(?:\s+side)?\s+(?:of|from|vom|von|de|del|du|da|do|di|del|dello|della|dell'\w+|от)(?!\w)"
)
"""An option that names a side of an object, for which a reply may name only the side."""
_ORDINALS = ("zeroth", "first", "second", "third", "fourth", "fifth", "sixth")
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
COUNTED_PICTURE = re.compile(
    rf"(?:the )?({'|'.join(_ORDINALS)}) (image|picture|photo|photograph|one|tile|option|figure|frame)"
)
"""An option that names a picture by number, as in BLINK, which replies spell in many ways."""


def _forms_of(words: str, *, has_article: bool) -> frozenset[str]:
    """Return the folded words of an option and alternative spellings of them."""
    if not words:
        return frozenset()
    forms = {words, _ARTICLE.sub("", words) if has_article else words}
    forms |= {form.replace(" ", "-") for form in forms if form.count(" ") == 1} | {
        form.replace("-", " ") for form in forms
    }
    forms |= translations_of(words)
    if head := PLACE_HEAD.match(words):
        forms |= {head[1], _ARTICLE.sub("", head[1])}
        if head[1] in {"links", "rechts"}:
            forms |= {f"{head[1]} {behind}" for behind in ("von ihm", "von ihr", "von ihnen", "davon")}
    if beside := _LANDMARK.fullmatch(words):
        forms |= {f"{beside[1]} {it}" for it in ("it", "him", "her", "them")}
    if _VERB_AND_OBJECT.fullmatch(words):
        forms.add(words[0] + words[-1])
    if words in {"left", "right"}:
        forms |= {f"{words}ward", f"{words}wards"}
    if words in _NUMBERS:
        forms.add(_NUMBERS[words])
    elif words in _UNITS:
        forms.add(str(_UNITS.index(words)))
    if counted := COUNTED_PICTURE.fullmatch(words):
        place = _ORDINALS.index(counted[1])
        for noun in (
            "image",
            "picture",
            "photo",
            "one",
            *([] if counted[2] in {"image", "picture", "photo"} else [counted[2]]),
        ):
            forms |= {
                f"{counted[1]} {noun}",
                f"{place}{_ENDINGS.get(place, 'th')} {noun}",
                f"{noun} {place}",
                f"{noun} {_UNITS[place]}",
            }
    return frozenset(form for form in forms if form)


def _polar_forms(words: list[str]) -> list[frozenset[str]] | None:
    """Return the forms of two options that are yes and no, in either order; None for any other options."""
    if len(words) != 2:
        return None
    for yes, no in ((0, 1), (1, 0)):
        if words[yes] in YES and words[no] in NO:
            return [YES | {"true"} if place == yes else NO | {"false"} for place in (0, 1)]
    return None


LATIN = "A-Za-z0-9À-ɏḀ-ỿ"

_PARTICLES = YES | NO | {"true", "false", "none", "both", "neither", "all", "not"}
"""Words with many other uses, which are accepted only at the start of a reply or as its last sentence."""

_EVERYDAY = frozenset({"left", "right", "same", "one", "on", "in"})
"""Words that are accepted only at the end of a reply."""


class ReadableOption(NamedTuple):
    """An option in the form that the reader uses; `words` is empty for a picture and for a single letter.

    Args:
        key: Letter of the option.
        words: Text of the option, folded.
        forms: All spellings of the words that no other option shares, the longest first.
    """

    key: str
    words: str
    forms: tuple[str, ...]


def options_of(texts: Sequence[tuple[str, str | None]]) -> tuple[ReadableOption, ...]:
    """Return options from (key, text) pairs, with texts folded for comparison.

    Words that two options share, or a lone letter, which looks like a label, are ambiguous and become empty.
    """
    return _options_of(tuple(texts))


@lru_cache(maxsize=1 << 12)
def _options_of(texts: tuple[tuple[str, str | None], ...]) -> tuple[ReadableOption, ...]:
    plain_texts = [folded(text or "") for _, text in texts]
    telling = [words if plain_texts.count(words) == 1 and not _lone_letter(words) else "" for words in plain_texts]
    tails = Counter(words[2:] for words in telling if words[1:2] == " ")  # "A is closer" and "B is closer"
    forms = _polar_forms(telling) or [
        _forms_of(words, has_article=tails[words[2:]] < 2 or words[1:2] != " ") for words in telling
    ]
    counted = Counter(form for of_one in forms for form in of_one)
    return tuple(
        ReadableOption(
            key, words, tuple(sorted((form for form in its if counted[form] == 1), key=lambda form: (-len(form), form)))
        )
        for (key, _), words, its in zip(texts, telling, forms, strict=True)
    )


_ALIAS = re.compile(
    rf"[(\[]([A-Z])[)\]][ \t]+[\"']?(the (?:{'|'.join(_ORDINALS)}) (?:image|picture|photo))(?![^\W_])|(the "
    rf"(?:{'|'.join(_ORDINALS)}) (?:image|picture|photo))[\"']? [(\[]([A-Z])[)\]]",
    re.I,
)


def as_called(choices: Sequence[tuple[str, str | None]], text: str) -> Sequence[tuple[str, str | None]]:
    """Return choices in which pictures have the words that replies use for them: "(A) the second image"."""
    if any(words for _, words in choices):
        return choices
    called: dict[str, set[str]] = {}
    for match in _ALIAS.finditer(text):
        called.setdefault(match[1] or match[4], set()).add((match[2] or match[3]).lower())
    words = [next(iter(its)) for its in called.values() if len(its) == 1]
    if len(words) != len(called) or len(set(words)) != len(words):
        return choices
    return [(key, next(iter(called[key])) if key in called else None) for key, _ in choices]


def without_own_letters(text: str, choices: Sequence[tuple[str, str | None]]) -> str:
    """Return a text in which "D. C" becomes "D." if C is not a label but the text of option D.

    Options may be letters, such as those that mark points of a picture. Such a letter only repeats the label before it,
    if the label opens the line or the letter ends the clause.
    """
    for key, words in choices:
        letter = (words or "").strip()
        if _lone_letter(letter) and letter.upper() != key:
            mark = rf"(?:[(\[]{key}[)\]]|(?<![{LATIN}'])(?:{key}[.):]|{key}\s+-))"
            again = rf"[ \t]*[(\[\"']?{letter.upper()}(?![{LATIN}'])[)\]\"']?"
            ended = r"(?=[ \t]*(?:[.,;!]|\n|\Z))"
            text = re.sub(rf"^([ \t]*{mark}){again}|({mark}){again}{ended}", r"\1\2", text, flags=re.M)
    return text


class LeadingOption(NamedTuple):
    """The option with which a text starts, the words that matched, and the folded text after them."""

    key: str
    words: str
    rest: str


def option_at_start(content: str, options: Sequence[ReadableOption]) -> LeadingOption | None:
    """Return the only option whose words begin the content, after an optional article; the longest match wins."""
    words = folded(content)
    leading: list[LeadingOption] = []
    for text in (words, re.sub(r"\A(?:the|an?|is|it's) (?=\w)", "", words)):
        leading += [
            LeadingOption(o.key, form, text[len(form) :]) for o in options for form in o.forms if _begins(text, form)
        ]
    return min(leading, key=lambda start: len(start.rest), default=None)


def is_particle(words: str) -> bool:
    """Return whether words are like yes and no: independent of the text after them, which cannot negate the words."""
    return words in _PARTICLES


def is_everyday(words: str) -> bool:
    """Return whether words are so common that they are accepted only at the ends of a reply and as positions."""
    return words in _EVERYDAY


def option_alone(text: str, options: Sequence[ReadableOption]) -> str | None:
    """Return the only option whose words make up the whole text."""
    words = folded(text)
    same = [o.key for o in options if words and words in o.forms]
    return same[0] if len(same) == 1 else None


def _lone_letter(words: str) -> bool:
    return len(words) == 1 and words.isascii() and words.isalpha()


def _begins(text: str, words: str) -> bool:
    """Return whether a text starts with the given words; after a particle, the clause must end or a new one start."""
    if not text.startswith(words) or re.match(end_of(words), text[len(words) :]) is None:
        return False
    rest = text[len(words) :]
    if re.match(r"[.,]\d|-\w|'|\?", rest):
        return False
    if words in _EVERYDAY:
        return re.match(r"\Z|[.,:]|\s(?:because|since)\b", rest) is not None
    return (
        words not in _PARTICLES
        or re.match(
            r"\Z|[.,:]|\s?(?:です|である|だ|입니다|है|हैं)(?!\w)|\s-\s|"
            r"\s(?:it|there|they|he|she|this|that|because|since)\b",
            rest,
        )
        is not None
    )
