"""Answers that a reply gives as a verdict, share or rank for each option, on lines, in a table or in a row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from .option_words import LATIN, ReadableOption, is_particle
from .polarity_phrases import RIGHT_SIGNS, WRONG_SIGNS
from .polarity_rows import SPACED, UNSPACED
from .reply_text import end_of, start_of


class Marking(NamedTuple):
    """A position in the text, the option (None if it is not in a single option), and the rule that found it."""

    place: int
    letter: str | None
    rule: str


_NOUN = (
    r"(?:(?:option|choice|image|picture|point|candidate|box|tile|punkt|punto|ponto|точка|点|點|النقطة|opción|opcion|opção|imagen|bild|вариант|"
    r"الخيار|विकल्प|选项|選項|选|選択肢|선택지)\s*)?"
)


@cache
def _verdict(field: str, signs: str) -> re.Pattern[str]:
    """Return the pattern of verdicts of one kind, in all languages."""
    spaced = "|".join(getattr(turns, field) for turns in SPACED.values())
    unspaced = "|".join(getattr(turns, field) for turns in UNSPACED.values())
    return re.compile(rf"(?:(?:{spaced})(?![^\W\d_])|(?:{unspaced})|[{signs}])", re.I)


def _call(text: str, place: int) -> bool | None:
    """Return whether the verdict at a position is "right"; None if there is no verdict."""
    if _verdict("wrong", WRONG_SIGNS).match(text, place):
        return False
    return True if _verdict("right", RIGHT_SIGNS).match(text, place) else None


@lru_cache(maxsize=1 << 8)
def _named(options: tuple[ReadableOption, ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return the pattern for a name of any option, by its label or its words, and the key of each name."""
    keys = {option.key: option.key for option in options}
    words = {
        form: option.key for option in options for form in option.forms if not is_particle(form) and not form.isdigit()
    }
    forms = sorted(words, key=lambda form: (-len(form), form))
    spelled = "|".join(
        start_of(form) + re.escape(form).replace(r"\ ", r"\s+").replace("ss", "(?:ss|ß)") + end_of(form)
        for form in forms
    )
    label = rf"[(\[]?(?<![{LATIN}])(?-i:[{''.join(keys)}])(?![{LATIN}'])[)\]]?" if keys else "(?!)"
    return re.compile(f"(?i:{label}|{spelled})" if spelled else label), {**words, **keys}


_OPENS = re.compile(
    rf"(?:\A|[;,|.!?][ \t]+|[;|])[ \t|*•-]*(?:\d[.)][ \t]*)?(?P<sign>[{RIGHT_SIGNS}{WRONG_SIGNS}])?[ \t]*"
    rf"(?i:(?:(?:is\s+it|could\s+it\s+be|what\s+about|how\s+about)\s+)?(?:the\s+)?{_NOUN})\Z"
)
_GAP = re.compile(
    rf"[.)]?[ \t]*[^\n|:?(=-]{{0,60}}?(?:[:?=,(|.→>]|\s-|->)[\s\"'(\[*|:?=,.→>-]*|[ "
    rf"\t]+(?=[{RIGHT_SIGNS}{WRONG_SIGNS}])"
)
"""Text between an option and the verdict on it: "A: yes", "(B) green - no", "C ✓", "Red? No"."""


_DOTTED = re.compile(r"\.[ \t]+\w+(?:\s-|\.|,|\Z)")
_ENDING = re.compile(r"(?:\s-|→|=>|->|:)\s+((?:(?:does|do|is|are|did)(?:n't|\s+not)\s+)?[^\W\d_]{2,12})[.!]?\s*\Z")
"""A verdict at the end of the line of an option: "B: the cloth - no"."""


def verdicts(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the only option that a list of verdicts calls right; yield None if there are several."""
    calls: dict[str, bool] = {}
    last = -1
    has_remark = 0
    for line_start, line in _entries(text):
        for key, right, place in _calls(line, options):
            has_remark += 1
            if key in calls and calls[key] != right and right:
                calls[key] = right
            calls.setdefault(key, right)
            last = line_start + place
    chosen = [key for key, right in calls.items() if right]
    if len(calls) > 1 and len(chosen) == 1:
        yield Marking(last, chosen[0], "verdicts")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    place = 0
    for line in text.split("\n"):
        if line.strip():
            yield place, line[:600]
        place += len(line) + 1


_INLINE = re.compile(r"(?<=[.;])\s+(?=(?i:option|choice)\s+[(\[]?[A-Z](?![A-Za-z]))")


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text, split where they list the options: "Option A: ... Option B: ..."."""
    for start, line in _lines(text):
        place = 0
        for entry in _INLINE.split(line):
            yield start + place, entry
            place += len(entry) + 1


def _calls(line: str, options: tuple[ReadableOption, ...]) -> Iterator[tuple[str, bool, int]]:
    pattern, key_of = _named(options)
    if line.count("|") > 1:
        yield from _row_call(line, pattern, key_of)
        return
    for match in pattern.finditer(line):
        opens = _OPENS.search(line, max(0, match.start() - 24), match.start())
        said = _key(match[0], key_of)
        if opens is None or said is None or (opens.start() == match.start() - 24 > 0 and opens[0][:1] not in ";,|.!?"):
            continue
        if opens["sign"]:
            yield said, opens["sign"] in RIGHT_SIGNS, match.start()
            continue
        gap = _GAP.match(line, match.end())
        call = _signed(line, match.end())
        call = _call(line, gap.end()) if call is None and gap else call
        if call is None and (match[0].endswith((")", "]")) or _DOTTED.match(line, match.end())):
            call = _call(line, len(line) - len(line[match.end() :].lstrip(" .")))
        if call is None and opens.start() == 0 and (ending := _ENDING.search(line, match.end())):
            call = _call(line, ending.start(1))
        if call is not None:
            yield said, call, match.start()


def _signed(line: str, place: int) -> bool | None:
    """Return the verdict expressed by the sign that follows an option or ends its line; None if there is none."""
    rest = line[place:].strip(" .):")
    sign = next((sign for sign in (rest[:1], rest[-1:]) if sign and sign in RIGHT_SIGNS + WRONG_SIGNS), None)
    return None if sign is None else sign in RIGHT_SIGNS


def _row_call(line: str, pattern: re.Pattern[str], key_of: dict[str, str]) -> Iterator[tuple[str, bool, int]]:
    """Yield the verdict in a row of a table, from its last cell with a verdict."""
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    heads = pattern.match(_NOUN_AHEAD.sub("", cells[0]))
    said = _key(heads[0], key_of) if heads else None
    if said is None:
        return
    for cell in reversed(cells[1:]):
        if (call := _call(cell, 0)) is not None:
            yield said, call, 0
            return


_NOUN_AHEAD = re.compile(rf"\A(?i:{_NOUN})")


_NOT = re.compile(r"(?:not|no|nicht|pas|non|não|не|不|非|no es)\s*", re.I)


def denied_cells(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the only option in a table whose last cell states what the last cells of all other options deny: "closest",
    "not closest".
    """
    pattern, key_of = _named(options)
    cells: dict[str, str] = {}
    last = 0
    for place, line in _lines(text):
        row = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.count("|") > 1 else []
        heads = pattern.match(_NOUN_AHEAD.sub("", row[0])) if row else None
        if heads and (key := _key(heads[0], key_of)):
            cells[key], last = row[-1].casefold(), place
    for key, cell in cells.items():
        others = [its for other, its in cells.items() if other != key]
        if cell and others and all((no := _NOT.match(its)) and its[no.end() :] == cell for its in others):
            yield Marking(last, key, "verdicts")


def columns(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the only option whose column in a table contains no verdict except "right"."""
    pattern, key_of = _named(options)
    heads: dict[int, str] = {}
    calls: dict[str, list[bool]] = {}
    last = 0
    for place, line in _lines(text):
        if line.count("|") < 2:
            continue
        cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if not heads:
            named = {number: pattern.fullmatch(_NOUN_AHEAD.sub("", cell)) for number, cell in enumerate(cells)}
            found = {number: _key(match[0], key_of) for number, match in named.items() if match}
            heads = {number: key for number, key in found.items() if key} if len(found) > 1 else {}
            continue
        for number, key in heads.items():
            if number < len(cells) and (call := _call(cells[number], 0)) is not None:
                calls.setdefault(key, []).append(call)
                last = place
    chosen = [key for key, its in calls.items() if all(its)]
    if len(calls) > 1 and len(chosen) == 1:
        yield Marking(last, chosen[0], "verdicts")


def _key(name: str, key_of: dict[str, str]) -> str | None:
    bare = " ".join(name.strip("()[] ").replace("ß", "ss").split())
    return key_of.get(bare) or key_of.get(bare.lower())


_NUMBER = (
    r"(?P<number>\d{1,3}(?:[.,]\d{1,4})?)\s*(?P<unit>%|\s*/\s*10{1,2}\b|\s*percent|\s*por\s+ciento|"
    r"\s*pour\s+cent|\s*Prozent)?"
)
_IS_SHARE = re.compile(
    r"%|\bP\s*\(|prob|confiden|likel|score|chance|certain|rating|percent|points\b|wahrsch|conf|puntu|punkte|"
    r"概率|置信|可能性|得分|评分|確率|点数|확률|점수|вероятн|оценк|балл|احتمال|संभावना|प्रायिकता|nota\b|pontua",
    re.I,
)


_SCORED = re.compile(
    r"score|rating|points\b|P\s*\(|puntu|punkte|得分|评分|点数|점수|оценк|балл|nota\b|pontua|0[.,]\d", re.I
)
"""Text before shares that may lack a sign such as "%"."""

_OF_CHART = re.compile(
    r"\b(?:charts?|graphs?|pie|diagram\w*|legend|segments?|slices?|population|sales|gráfico|graphique|grafico)\b|"
    r"\bsecond(?:\s+(?:largest|highest|most)|\b)|图表|饼图|グラフ|диаграмм",
    re.I,
)
"""Text that indicates shares in a chart rather than of the options."""

_SHARE_BEHIND = re.compile(
    r"(?:[^\d\n,;.()]{0,40}(?=\())?[^\w%\n]{0,6}(?:(?:is|at|has|with|about|around|approx\.?|roughly|es|ist|est|"
    r"gets|scores?|:|=|->)[^\w\n]{0,4}){0,2}" + _NUMBER + r"(?!\w)",
    re.I,
)
_SHARE_AHEAD = re.compile(
    _NUMBER + r"\s+(?:for|on|to|that\s+it(?:'s|\s+is)|chance\s+(?:of|for|that\s+it(?:'s|\s+is))|likely\s+(?:to\s+be)?|"
    r"probability\s+(?:of|for)|para|für|pour|por|"
    rf"sure\s+(?:of|it(?:'s|\s+is)|that\s+it(?:'s|\s+is)))\s+(?:(?:the|an?|la|el|die|der|das|le|o|a)\s+)?{_NOUN}\Z",
    re.I,
)


def shares(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the option with the largest share, probability or score; yield None for a tie."""
    if (
        not _IS_SHARE.search(text)
        or _OF_CHART.search(text)
        or any(re.fullmatch(r"[\d.,%\s]+", option.words) for option in options if option.words)
    ):
        return
    pattern, key_of = _named(options)
    found: dict[str, float] = {}
    last = -1
    for match in islice(pattern.finditer(text), _MOST):
        share = _SHARE_BEHIND.match(text, match.end()) or _SHARE_AHEAD.search(
            text, max(0, match.start() - 60), match.start()
        )
        if share and (share["unit"] or _SCORED.search(text)) and (key := _key(match[0], key_of)):
            found[key] = float(share["number"].replace(",", "."))
            last = match.start()
    if "%" in text and sum(found.values()) > _WHOLE:
        return
    if len(found) > 1 and not _may_be_beaten(found, options, text):
        most = [key for key, share in found.items() if share == max(found.values())]
        yield Marking(last, most[0] if len(most) == 1 else None, "shares")


_MOST = 400
"""Largest number of mentions of options to examine."""
_WHOLE = 103
"""Largest sum of the shares of a whole, in percent, allowing for rounding."""


def _may_be_beaten(found: dict[str, float], options: Sequence[ReadableOption], text: str) -> bool:
    """Return whether an option without a stated share could have the largest share."""
    return len(found) < len(options) and "%" in text and max(found.values()) <= 100 - sum(found.values())


_RANKS = re.compile(
    r"rank|order\s+of|(?:in|by)\s+(?:descending\s+)?order|most\s+(?:to\s+least|likely\s+to)|likelihood|"
    r"similarity|排序|排名|順位|순위|orden|classement|reihenfolge|rangfolge|ordem|порядк|रैंक|ترتيب|clasificaci",
    re.I,
)
_ASCENDING = re.compile(
    r"least\s+\w+\s*(?:\w+\s+)?to\s+(?:the\s+)?most|ascending|worst\s+to\s+best|von\s+(?:un|am\s+wenigsten)|"
    r"de\s+menos\s+a\s+m",
    re.I,
)


_STEP = re.compile(r"\s*(?P<sign>[>≻,]|->|→|<)\s*(?:(?:and|then)\s+)?(?:the\s+)?")


_FIRST_PLACE = re.compile(
    r"^[ \t*•-]*(?:1st|first|first\s+(?:place|choice)|top\s+choice|rank\s+1|"
    r"best(?:\s+match)?)\s*[:=-]\s*",
    re.I | re.M,
)
_SECOND_PLACE = re.compile(
    r"(?:^|[;,.]\s*)[ \t*•-]*(?:2nd|second(?:\s+(?:place|choice|best))?|rank\s+2|worst|next(?:\s+best)?)\s*[:=-]",
    re.I | re.M,
)


def first_places(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the option in first place of a ranking given line by line."""
    pattern, key_of = _named(options)
    for match in _FIRST_PLACE.finditer(text):
        named = pattern.match(text, match.end())
        if named and _SECOND_PLACE.search(text, named.end()):
            yield Marking(len(text), _key(named[0], key_of), "ranks")


def ranks(text: str, options: tuple[ReadableOption, ...]) -> Iterator[Marking]:
    """Yield the first option of a ranking that starts with the best option."""
    if not _RANKS.search(text):
        return
    pattern, key_of = _named(options)
    first: re.Match[str] | None = None
    ended, sign = -1, ""
    for match in pattern.finditer(text):
        step = _STEP.fullmatch(text, ended, match.start()) if first is not None else None
        if step is None:
            first, sign = match, ""
        elif first is not None and not sign:
            sign = step["sign"]
            before = text[max(0, first.start() - 90) : first.start()]
            if _RANKS.search(before) and not _ASCENDING.search(before) and sign != "<":
                yield Marking(first.start(), _key(first[0], key_of), "ranks")
        ended = match.end()


_SHORTEST = 8
"""Length, in characters, of the shortest list with verdicts on two options."""


def listed(text: str, options: Sequence[ReadableOption]) -> Iterator[Marking]:
    """Yield the answers of lists of verdicts, of shares and of rankings."""
    options = tuple(options)
    if len(text) < _SHORTEST:
        return
    if not any(is_particle(option.words) for option in options):  # otherwise "(A) yes" is an option, not a verdict
        yield from verdicts(text, options)
    yield from columns(text, options)
    yield from denied_cells(text, options)
    yield from shares(text, options)
    yield from ranks(text, options)
    yield from first_places(text, options)
