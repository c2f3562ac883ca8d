"""Other ways of writing an option's words: yes and no in many languages, numbers in words, no article, hyphens."""

from __future__ import annotations

import re

_YES = """
yes yeah yep yup sí si oui ja jawohl sim sì tak да так ano kyllä igen evet có vâng đúng ya iya ναι כן ใช่ بله آری نعم أجل
हाँ हां জি হ্যাঁ 是 是的 對 对 对的 對的 有 有的 はい ええ うん 예 네 그렇습니다
"""
_NO = """
no nope nah non nein não nie нет ні nej nee hayır không tidak bukan όχι לא ไม่ ไม่ใช่ ไม่มี نه خیر لا كلا नहीं না
否 不 不是 不是的 没有 沒有 不对 不對 いいえ いや ううん 아니요 아니오 아뇨 아니
"""
YES, NO = frozenset(_YES.split()) | {"जी हाँ", "জি হ্যাঁ"}, frozenset(_NO.split()) | {"जी नहीं"}
"""Words that say yes or no, folded. They stand for an option only where the options are one of each."""

_IN_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty
"""
_UNITS = _IN_WORDS.split()
_NUMBERS = {str(number): word for number, word in enumerate(_UNITS)}
_ARTICLE = re.compile(
    r"\A(?:the|an?|le|la|les|un|une|el|los|las|una|der|die|das|ein|eine|il|lo|gli|uma?|os|as|de|het|een|en|ett)\s+(?=\w)"
    r"|\A[ld]'(?=\w)"
)


def forms_of(words: str) -> frozenset[str]:
    """Return the words of an option, folded, and other ways to write the same."""
    if not words:
        return frozenset()
    forms = {words, _ARTICLE.sub("", words)}
    forms |= {form.replace(" ", "-") for form in forms if form.count(" ") == 1} | {
        form.replace("-", " ") for form in forms
    }
    if words in _NUMBERS:
        forms.add(_NUMBERS[words])
    elif words in _UNITS:
        forms.add(str(_UNITS.index(words)))
    return frozenset(form for form in forms if form)


def polar_forms(words: list[str]) -> list[frozenset[str]] | None:
    """Return the forms of two options that are yes and no, in this order or the other; None where they are not."""
    if len(words) != 2:
        return None
    for yes, no in ((0, 1), (1, 0)):
        if words[yes] in YES and words[no] in NO:
            return [YES | {"true"} if place == yes else NO | {"false"} for place in (0, 1)]
    return None
