"""Pictures that a reply names by number in the words of some language: "das dritte Bild", "第二张图".

Benchmarks with several pictures have options such as "the second image", which replies name in many ways and languages.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .option_words import ReadableOption

PLACES = {
    word: place
    for place, words in {
        1: "first 1st one primera primer primero première premier erste ersten erster erstes primeira "
        "primeiro prima primo первый первая первое первого первой первому первым первом первую الأول "
        "الأولى पहला पहली पहले 一 첫 pierwszy pierwsza pierwsze pierwszym eerste pertama birinci ilk nhất",
        2: "second 2nd two segunda segundo deuxième second seconde zweite zweiten zweiter zweites seconda "
        "secondo второй вторая второе второго второму вторым втором вторую الثاني الثانية दूसरा दूसरी "
        "दूसरे 二 두 drugi druga drugie drugim kedua tweede ikinci hai",
        3: "third 3rd three tercera tercer tercero troisième dritte dritten dritter drittes terceira "
        "terceiro terza terzo третий третья третье третьего третьей третьему третьим третьем третью "
        "الثالث الثالثة तीसरा तीसरी तीसरे 三 세 trzeci trzecia trzecie trzecim ketiga derde üçüncü ba",
        4: "fourth 4th four cuarta cuarto quatrième vierte vierten vierter viertes quarta quarto четвёртый "
        "четвертый четвёртая четвертая четвёртое четвертое четвёртым четвёртом четвёртой الرابع الرابعة "
        "चौथा चौथी चौथे 四 네 czwarty czwarta czwarte czwartym keempat vierde dördüncü tư",
        5: "fifth 5th five quinta quinto cinquième fünfte fünften fünftes пятый пятая пятое الخامس الخامسة "
        "पाँचवाँ पांचवां 五 다섯 piąty piąta piąte kelima beşinci năm",
        -1: "last final última último dernière dernier letzte letzten letzter ultima последний последняя "
        "последним الأخير الأخيرة अंतिम आखिरी",
    }.items()
    for word in words.split()
}
"""Ordinals in many languages, with the number that they denote, from 1; -1 for the last."""

_NOUN = (
    r"(?:imagen|imagem|immagine|image|picture|photo(?:graph)?|foto(?:graf[íi]a|grafie)?|figura|figure|"
    r"bild(?:es|er|s)?|aufnahme|abbildung|изображени\w+|картин\w+|фото\w*|снимк?\w*|рисун\w+|obraz\w*|zdjęci\w*|gambar|foto|görsel\w*|görüntü\w*|"
    r"resi?m\w*|hình|ảnh|afbeelding(?:en)?|plaatje|hình ảnh|bức ảnh|"
    r"चित्र|छवि|तस्वीर|इमेज|फोटो|이미지|사진|그림|الصورة|صورة|للصورة|بالصورة|والصورة)"
)
_ENGLISH = re.compile(r"(?:the )?(\w+) (?:image|picture|photo|photograph)")
_SPACED = "|".join(
    sorted((word for word in PLACES if len(word) > 2 or word in {"세", "두", "네", "첫"}), key=len, reverse=True)
)
_BEHIND = "|".join(sorted((word for word in PLACES if word[0] in "اkpbht" or word == "năm"), key=len, reverse=True))
_ARTICLE = r"(?:the|la|el|le|il|lo|o|a|os|das|die|der|dem|de|het|den|des|l')"
_SHOWS = (
    r"(?:is|has|shows?|does|lacks|contains|matches|es|tiene|muestra|contiene|presenta|est|a|montre|présente|contient|"
    r"ist|hat|zeigt|enthält|passt|é|è|tem|mostra|contém|ha|mostra|apresenta|presenta|contiene|no|non|não|ne|n'|also|"
    r"reprend|partage|utilise|emploie|conserve|garde|continue|complète|retoma|comparte|usa|utiliza|mantiene|continúa|"
    r"completa|lleva|riprende|condivide|mantiene|mantém|compartilha|teilt|verwendet|ergänzt|behält|setzt|shares|keeps|"
    r"continues|completes|fits|looks|se|s'|sería|serait|wäre|seria|sarebbe|encaja|convient|"
    r"sí|sim|también|también|anche|também|aussi|corresponde|coincide|correspond|corrisponde|"
    r"and|or|as|y|und|et|e|o|ou|oder|une?|ein\w*|una|uno|uma?)"
)
_UNSPACED = (
    r"第?\s*([一二三四五1-5])\s*(?:张|張|幅)(?:图片|圖片|图像|圖像|图|圖|照片|画)?|第\s*([一二三四五1-5])\s*(?:个|個)(?:图片|图像|图|照片)|"
    r"(?:图片|圖片|图像|圖像|图|画像|写真)\s?([一二三四五1-5])(?![\d.])|"
    r"([一二三四五1-5])\s?(?:枚目|番目)(?:の?(?:画像|写真|絵画?|イメージ|作品))?|(첫|두|세|네|다섯)\s?번째\s?(?:이미지|사진|그림)"
)
_NAMED = re.compile(
    rf"(?<!\w)(?:{_ARTICLE}\s+)?({_SPACED})\s+{_NOUN}(?!\w)"
    rf"|(?<!\w){_NOUN}\s+(?:thứ\s+)?({_BEHIND})(?!\w)|(?<!\w){_NOUN}\s+(?:n[º°]\s?)?([1-5])(?![\w.,]\w|\w)"
    rf"|(?<!\w){_ARTICLE}\s+({_SPACED})(?=\s*(?:[,.;:)|\n]|\Z)|\s+{_SHOWS}(?!\w))"
    rf"|(?<=,\sа\sна\s)({_SPACED})(?=\s)"
    rf"|(?:^|(?<=^- )|(?<=^\d\. )|(?<=\| ))({_SPACED})(?=\s*[:|]|\s-\s)|(?<=\w\s-\s)({_SPACED})(?=[.;]|\Z)"
    rf"|{_UNSPACED}",
    re.I | re.M,
)
_HAN = {word: place for place, word in enumerate("一二三四五", start=1)}


def with_pictures_labelled(text: str, options: tuple[ReadableOption, ...]) -> str:
    """Return a text in which "option B" replaces the number of each picture that is an option.

    Mentions of pictures that are not options, such as a reference, are unchanged. So are English names of pictures,
    because they are among the words of such options.
    """
    key_of = _keys(options)
    if not key_of:
        return text

    def label(match: re.Match[str]) -> str:
        word = next(group for group in match.groups() if group).lower()
        place = int(word) if word.isdigit() else _HAN.get(word, PLACES.get(word, 0))
        own = place > 0 and _ENGLISH.fullmatch(match[0].lower()) is not None and match[0].isascii()
        return match[0] if own or place not in key_of else f"option {key_of[place]}"

    return _NAMED.sub(label, text)


@lru_cache(maxsize=1 << 8)
def _keys(options: tuple[ReadableOption, ...]) -> dict[int, str]:
    """Return the key of each option by the number of its picture; empty if the options are not such pictures."""
    key_of: dict[int, str] = {}
    for option in options:
        match = _NAMED.fullmatch(option.words)
        if match is None:
            return {}
        word = next(group for group in match.groups() if group)
        key_of[int(word) if word.isdigit() else _HAN.get(word, PLACES.get(word, 0))] = option.key
    if len(key_of) != len(options) or 0 in key_of:
        return {}
    return {-1: key_of[max(key_of)], **key_of}
