"""Answers that a reply marks rather than states: a ticked box, a table cell, an option named by number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from benchwright.records import LETTERS

from .answer_values import known, value_of
from .counted_pictures import PLACES
from .option_words import LATIN, ReadableOption
from .reply_text import folded

_TICKED = re.compile(rf"^[ \t]*[-*+]?[ \t]*(?:\[[xX✓✔✗]\]|[☑☒✅✔✓◉🔘👉])[ \t]*[(\[]?([A-Z])(?![{LATIN}])", re.M)
_ROW = re.compile(r"\|(.*)\|")
_RULE = re.compile(r"[\s|:-]+")
_ANSWER_NAMES = frozenset(
    {
        "answer", "final answer", "correct answer", "my answer", "choice", "selected option", "correct option",
        "prediction", "答案", "答え", "정답", "ответ", "respuesta", "réponse", "antwort",
    }
)  # fmt: skip

_ORDINAL = "|".join(sorted((re.escape(word) for word in PLACES if len(word) > 1), key=lambda word: (-len(word), word)))
_ARABIC_ORDINAL = "|".join(word for word in PLACES if "\u0600" < word[0] < "\u06ff")
_NOUN = (
    "(?:answer\\s+)?(?:option|choice|alternative)|candidate(?:\\s+(?:image|picture|photo|tile|patch|piece|option|answer))?|"
    "candidat[oa]?|kandidat(?:en)?|кандидат|opción|opcion|alternativa|opcao|opção|opzione|möglichkeit|"
    "antwortmöglichkeit|antwort|proposition|réponse|respuesta|resposta|"
    "вариант(?:ом|а|у)?|विकल्प|الخيار"
)
_PLACED = re.compile(
    rf"(?<!\w)(?<!my )(?:(?:the|la|le|die|a|il|el|der|den|o)\s+)?({_ORDINAL})\s+(?:(?:of|из|de|von|der|das|dos|"
    rf"des)\s+(?:the\s+|las\s+|los\s+)?(?:\w+\s+)?)?(?:{_NOUN})s?(?!\w)"
    rf"|(?<!\w)(?:{_NOUN})\s+({_ARABIC_ORDINAL})(?!\w)"
    rf"|(?<!\w)(?:{_NOUN})\s+(?:number\s+|no\.\s*|#)?([1-9]|one|two|three|four|five)(?![\w.,]\w|\w)"
    rf"|(?:(?<=answer is )|(?<=choice is )|(?<=answer: )|(?<=go with )|(?<=going with )|(?<=choose )|(?<=pick )|"
    rf"(?<=select )|(?<=say ))the\s+({_ORDINAL})\s+one(?!\s+(?:in|of)\b)(?!\w)"
    rf"|(?<!\w)the\s+({_ORDINAL})\s+(?:one|item|entry)\s+(?:in|on|of|from)\s+the\s+(?:list|options|choices|"
    rf"listed)(?!\w)"
    r"|(?:(?<=\bis )|(?<=\bbe )|(?<=: )|(?<=\bpick )|(?<=\bchoose )|(?<=\bwith ))number\s+([1-9]|one|two|three|"
    r"four|five)(?![\w.,]\w|\w)(?!\s+of)"
    rf"|(?<!\w)(?:number|no\.)\s+([1-9]|one|two|three|four|five)(?![\w.,]\w|\w)(?=[^.\n]{{0,30}}\b(?:describes|"
    rf"fits|matches|is\s+(?:the\s+)?(?:best|correct|right|answer)))"
    r"|(?<=[是选选择為为])第\s*([一二三四五1-5])\s*(?:个|個|项|項)(?![图圖张張幅])"
    r"|第\s*([一二三四五1-9])\s*(?:个|個)?\s*(?:选项|選項|答案|候选(?:图片|图像|图|项)?)|([一二三四五1-9])\s*(?:番目|つ目)の(?:選択肢|候補(?:画像)?)|(첫|"
    r"두|세|네|다섯)\s*번째\s*(?:선택지|보기|옵션|선택)|([1-5])번\s*(?:선택지|보기)",
    re.I,
)
_ANSWER_PLACED = re.compile(
    r"(?<!\w)((?:réponse|respuesta|risposta|resposta|antwort|answer|ответ)\s+(?:\w+\s+){0,2}?(?:est|es|è|é|ist|is|-)\s+"
    rf"(?:(?:donc|quindi|portanto|also|daher|por\s+tanto)\s+)?)(?:la|le|el|il|a|o|die|der|the)\s+({_ORDINAL})(?=[.,;]|\s*\Z)",
    re.I,
)
_PLACED_NOUN = re.compile(rf"{_NOUN}|第|\bone\b|item|entry|number|选项|選項|答案|選択肢|번째|候选|候補", re.I)


def with_labels(text: str, options: Sequence[ReadableOption]) -> str:
    """Return a text in which "option C" replaces "the third option" and "option 3".

    Only words for an option are replaced, because the third picture need not be the third option. A number that is also
    the text of another option is ambiguous and is not replaced.
    """

    def label(match: re.Match[str]) -> str:
        words = next(group for group in match.groups() if group).lower()
        place = int(words) if words.isdigit() else PLACES[words]
        place = place - 1 if place > 0 else len(options) - 1
        by_words = [option.key for option in options if folded(words) in option.forms]
        if by_words and by_words != [options[place].key if place < len(options) else ""]:
            return "several options"
        if place >= len(options):
            return match[0]
        return f"option {options[place].key}"

    if _PLACED_NOUN.search(text) is None:
        return text
    if options and options[0].key in LETTERS:
        text = _ANSWER_PLACED.sub(
            lambda match: match[1] + f"option {options[min(PLACES[match[2].lower()], len(options)) - 1].key}", text
        )
    taken = any(_PLACED.search(option.words) for option in options if option.words)
    return text if taken or not options or options[0].key not in LETTERS else _PLACED.sub(label, text)


def marked(text: str, options: Sequence[ReadableOption]) -> Iterator[tuple[int, str | None, str]]:
    """Yield index, letter and rule of ticked labels and of a table's answer; for several ticks, the letter is None."""
    ticks = list(_TICKED.finditer(text))
    if ticks:
        letters = {tick[1] for tick in ticks}
        yield ticks[-1].start(), known(ticks[-1][1], options) if len(letters) == 1 else None, "ticked"
    place = 0
    lines: list[tuple[int, str]] = []
    for line in text.split("\n"):
        lines.append((place, line.strip()))
        place += len(line) + 1
    for is_table, group in groupby(lines, key=lambda line: _ROW.fullmatch(line[1]) is not None):
        if is_table:
            yield from _tabled(list(group), options)


def _tabled(rows: list[tuple[int, str]], options: Sequence[ReadableOption]) -> Iterator[tuple[int, str | None, str]]:
    """Yield the answer in a table: the cell next to the word "answer", or the one below it if there is only one row."""
    cells = [
        (place, [cell.strip() for cell in row.strip("|").split("|")]) for place, row in rows if not _RULE.fullmatch(row)
    ]
    for place, row in cells:
        if len(row) > 1 and folded(row[0]) in _ANSWER_NAMES and (value := value_of(row[1], options, whole=True)):
            yield place, value.letter, "table"
    names = [folded(name) for name in cells[0][1]] if cells else []
    columns = [number for number, name in enumerate(names) if name in _ANSWER_NAMES]
    if len(cells) == 2 and len(columns) == 1 and columns[0] < len(cells[1][1]):
        place, row = cells[1]
        if value := value_of(row[columns[0]], options, whole=True):
            yield place, value.letter, "table"
