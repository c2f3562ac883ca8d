"""Column names in languages other than English: common names of the parts of a question.

One table of words for each field; a line adds a language. Comparison uses lower case without accents, and `_` for
spaces (`bare_name`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_WORDS: Mapping[str, tuple[str, ...]] = {
    "id": (
        "nr", "nr.", "nummer", "lfd. nr.", "lfd_nr", "frage-nr.", "fragennummer", "número", "núm.", "nº", "n°",
        "numéro", "numero", "identifiant", "identificador", "идентификатор", "номер", "№", "№ п/п", "п/п", "序号",
        "编号", "題號", "题号", "編號", "番号", "通し番号", "問題番号", "번호", "문항번호", "문제번호",
    ),
    "question": (
        "frage", "fragetext", "fragestellung", "aufgabe", "aufgabenstellung", "pregunta", "enunciado", "question posée",
        "énoncé", "intitulé", "pergunta", "questão", "domanda", "quesito", "вопрос", "текст вопроса", "问题", "問題",
        "题目", "題目", "题干", "質問", "設問", "問題文", "질문", "문제", "문항",
    ),
    "options": (
        "antwortmöglichkeiten", "antwortoptionen", "auswahlmöglichkeiten", "optionen", "opciones", "alternativas",
        "choix", "propositions", "opções", "opzioni", "scelte", "варианты", "варианты ответа", "варианты ответов",
        "选项", "選項", "选择", "候选答案", "選択肢", "선택지", "보기",
    ),
    "answer": (
        "richtige antwort", "korrekte antwort", "lösung", "antwort", "richtig", "respuesta correcta", "respuesta",
        "solución", "correcta", "bonne réponse", "réponse correcte", "réponse", "solution correcte", "resposta correta",
        "resposta certa", "resposta", "gabarito", "risposta corretta", "risposta esatta", "risposta", "soluzione",
        "правильный ответ", "верный ответ", "ответ", "正确答案", "正確答案", "答案", "正解", "解答", "答え", "正答",
        "정답", "답", "답안",
    ),
    "image": (
        "bild", "bilddatei", "bildpfad", "abbildung", "foto", "imagen", "fotografía", "image jointe", "photo", "imagem",
        "figura", "immagine", "изображение", "картинка", "рисунок", "фото", "файл изображения", "图片", "圖片", "图像",
        "影像", "图片路径", "画像", "写真", "画像ファイル", "이미지", "그림", "사진",
    ),
}  # fmt: skip
"""Column names by field, most likely first."""
_OPTION_WORDS = (
    "antwort", "antwortmöglichkeit", "option", "auswahl", "opción", "respuesta", "alternativa", "choix", "réponse",
    "proposition", "opção", "resposta", "opzione", "risposta", "scelta", "вариант", "вариант ответа", "ответ", "选项",
    "選項", "答案", "選択肢", "선택지", "보기", "선택",
)  # fmt: skip
"""Words that precede the letter or number in the name of an option column."""
LETTERS_OF_KEYS = ("АБВГДЕЖЗИК", "ΑΒΓΔΕΖΗΘΙΚ", "アイウエオカキクケコ", "甲乙丙丁戊己庚辛壬癸", "가나다라마바사아자차")
"""Letters that name options in order, for scripts other than Latin."""


def bare_name(name: str) -> str:
    """Return a name in lower case without accents, in the usual form of its characters, with `_` for spaces.

    Example:
        >>> bare_name("Opción A"), bare_name("選択肢\uff21")
        ('opcion_a', '選択肢a')
    """
    text = unicodedata.normalize("NFKC", name).strip()
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        # Drop marks of Latin letters; the two dots and the small circle of kana make other letters.
        plain = "".join(sign for sign in parts if not ("\u0300" <= sign <= "\u036f"))
        text = unicodedata.normalize("NFC", plain)
    return re.sub(r"[\s_]+", "_", text.casefold())


FOREIGN: Mapping[str, tuple[str, ...]] = {
    field: tuple(dict.fromkeys(map(bare_name, words))) for field, words in _WORDS.items()
}
"""Column names by field, in the form of `bare_name`."""
_OPTION = re.compile(
    "(?:" + "|".join(sorted((re.escape(bare_name(word)) for word in _OPTION_WORDS), key=len, reverse=True)) + ")"
    r"[ _-]?(?:([a-z])|(\d{1,2}))"
)


@lru_cache(maxsize=4096)
def foreign_option(name: str) -> tuple[str, int] | None:
    """Return the kind of letter or number that names an option column, and the option's index; None for other columns.

    Example:
        >>> foreign_option("Antwort C"), foreign_option("вариант 2"), foreign_option("В"), foreign_option("Antwort")
        (('a', 2), ('1', 2), ('АБВГДЕЖЗИК', 2), None)
    """
    bare = bare_name(name)
    if (match := _OPTION.fullmatch(bare)) is not None:
        return ("a", ord(match[1]) - ord("a")) if match[1] else ("1", int(match[2]))
    letter = bare.upper()[-1:]
    for letters in LETTERS_OF_KEYS:
        before = bare[:-1].rstrip("_-")
        if letter and letter in letters and (not before or before in _OPTION_NAMES):
            return letters, letters.index(letter)
    return None


def other_letter(name: str) -> tuple[str, int] | None:
    """Return the non-Latin letter that names an option, as its alphabet and its index."""
    found = None if name.isascii() else foreign_option(name)
    return found if found is not None and found[0] in LETTERS_OF_KEYS else None


_OPTION_NAMES = frozenset(map(bare_name, _OPTION_WORDS))


def is_option_name(name: str) -> bool:
    """Return whether a name is the word for an option without a letter or number."""
    return bare_name(name) in _OPTION_NAMES
