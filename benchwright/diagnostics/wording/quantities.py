"""Values of numbers with or without a unit: `Two` is 2, `1 km` is 1000 m, `50 %` and `half` are 1/2.

Ordinals (`3rd`), times of day (`half past three`), speeds, temperatures and sums of money also have values. Only
unambiguous texts are read; `1,5`, for example, is not.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

from .dates_and_rates import date_or_rate
from .formulas import formula_key
from .number_words import NUMERALS, ORDINALS, Quantity, number_in_words

FOREIGN_NUMERALS = {
    word: number
    for words in (
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "zéro une deux trois quatre cinq - sept huit neuf dix onze douze",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "zero uno due - quattro cinque sei sette otto nove dieci undici dodici",
        "零 一 二 三 四 五 六 七 八 九 十 十一 十二",
    )
    for number, word in enumerate(words.split())
    if word not in {"-", "null"}
} | {"两": 2, "ноль": 0, "один": 1, "два": 2, "три": 3, "четыре": 4, "пять": 5, "шесть": 6, "семь": 7, "восемь": 8,
     "девять": 9, "десять": 10}  # fmt: skip
"""Numbers up to twelve in German, French, Spanish, Italian, Chinese and Russian, without those that are English
words."""
_ROMAN = re.compile(r"(?=[IVX]{2})(X{0,3})(IX|IV|V?I{0,3})")
_OF_ROMAN = {"I": 1, "V": 5, "X": 10}
_ROUND_COMMA = re.compile(r"([-+]?\d+),0{1,2}")
_COMMA_WITH_UNIT = re.compile(r"([-+]?\d+),(\d{1,2})(?=\s*[^\W\d_])")
"""A decimal comma before a unit, or before zeros that are not thousands; in other places, `1,5` may be two numbers."""
_OF_PI = re.compile(r"(?:(\d+)\*?)?π(?:/(\d+))?(?:\s*rad(?:ians?)?)?|\(?(\d+)/(\d+)\)?\*?π")

_UNITS: dict[str, tuple[str, Fraction]] = {
    name: (dimension, Fraction(factor))
    for dimension, units in {
        "length": {"nm": "1/1000000000", "µm": "1/1000000", "mm": "1/1000", "cm": "1/100", "dm": "1/10", "m": "1",
                   "km": "1000", "millimeter": "1/1000", "centimeter": "1/100", "meter": "1", "kilometer": "1000"},
        "imperial length": {"in": "1", "inch": "1", "inches": "1", "ft": "12", "foot": "12", "feet": "12", "yd": "36",
                            "yard": "36", "mile": "63360"},
        "mass": {"mg": "1/1000", "g": "1", "kg": "1000", "gram": "1", "kilogram": "1000", "ton": "1000000",
        "tonne": "1000000",
                 "t": "1000000"},
        "imperial mass": {"oz": "1", "ounce": "1", "lb": "16", "pound": "16"},
        "time": {"ms": "1/1000", "s": "1", "sec": "1", "second": "1", "min": "60", "minute": "60", "h": "3600",
                 "hr": "3600", "hour": "3600", "day": "86400", "week": "604800"},
        "calendar": {"month": "1", "year": "12", "decade": "120", "century": "1200"},
        "volume": {"ml": "1/1000", "cl": "1/100", "dl": "1/10", "l": "1", "L": "1", "liter": "1",
                   "milliliter": "1/1000", "mm^3": "1/1000000", "cm^3": "1/1000", "dm^3": "1", "m^3": "1000"},
        "area": {"mm^2": "1/1000000", "cm^2": "1/10000", "m^2": "1", "km^2": "1000000", "ha": "10000",
                 "hectare": "10000"},
        "frequency": {"hz": "1", "khz": "1000", "mhz": "1000000", "ghz": "1000000000"},
        "speed": {"m/s": "1", "km/h": "5/18", "kmh": "5/18"},
        "data": {"byte": "1", "kb": "1000", "gb": "1000000000", "tb": "1000000000000"},
        "money in cents": {"cent": "1", "dollar": "100"},
        "money in pence": {"pence": "1"},
        "resistance": {"ohm": "1"},
        "angle": {"°": "1", "degree": "1"},
        "": {"%": "1/100", "percent": "1/100"},
    }.items()
    for name, factor in units.items()
}  # fmt: skip
_UNITS |= {
    name: _UNITS[unit]
    for name, unit in {
        "毫米": "mm", "厘米": "cm", "分米": "dm", "米": "m", "千米": "km", "公里": "km", "毫克": "mg", "克": "g",
        "千克": "kg", "公斤": "kg", "吨": "t", "秒": "s", "分钟": "min", "小时": "h", "毫升": "ml", "升": "l",
        "天": "day", "stunde": "h", "stunden": "h", "minuten": "min", "sekunden": "s", "heure": "h", "heures": "h",
        "hora": "h", "horas": "h", "minuto": "min", "minutos": "min", "litro": "l", "litros": "l", "metro": "m",
        "metros": "m",
    }.items()
}  # fmt: skip
_SYMBOLS: dict[str, tuple[str, Fraction]] = {
    f"{prefix}{symbol}": (dimension, Fraction(factor) * Fraction(base))
    for symbol, (dimension, base) in {
        "W": ("power", "1"), "J": ("energy", "1"), "Pa": ("pressure", "1"), "bar": ("pressure", "100000"),
        "N": ("force", "1"), "V": ("voltage", "1"), "A": ("current", "1"), "B": ("data", "1"), "Ω": ("resistance", "1"),
    }.items()
    for prefix, factor in {"": "1", "µ": "1/1000000", "m": "1/1000", "k": "1000", "M": "1000000",
                           "G": "1000000000"}.items()
    if (prefix, symbol) not in {("", "B"), ("m", "B"), ("µ", "B")}
}  # fmt: skip
"""Units whose prefixes differ only in case: `mW` and `MW`."""
_DEGREES = {
    name: (Fraction(factor), Fraction(shift))
    for names, factor, shift in (("°c|℃|degree celsius|degrees celsius", "1", "27315/100"),
                                 ("°f|℉|degree fahrenheit|degrees fahrenheit", "5/9", "45967/180"))
    for name in names.split("|")
}  # fmt: skip
"""Factor and offset for converting a temperature to kelvin."""
_MAGNITUDES = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_PARTS = {
    "half": 2,
    "halve": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "eighth": 8,
    "tenth": 10,
}
_PART = re.compile(r"(?:(a|one|two|three|four|five|seven) )?(" + "|".join(_PARTS) + r")s?(?: of (?:it|them|all))?\.?")
_ORDINAL = re.compile(r"(?:the )?(?:(\d+)(?:st|nd|rd|th)|(" + "|".join(ORDINALS) + r"))(?: ([a-z]+))?\.?")
_CLOCK = re.compile(r"(?:at )?(\d{1,2})(?::(\d\d))?(?: ?([ap])\.?m\.?)?(?: o'?clock)?\.?")
_PAST = re.compile(r"(?:at )?(half|a quarter|quarter|ten|twenty|five) (past|to) ([a-z]+|\d{1,2})\.?")
_MONEY = re.compile(r"([$£]) ?(\d+(?:\.\d\d)?)")
_IN_HUNDREDTHS = {"$": "money in cents", "£": "money in pence"}
_SUPERSCRIPT = re.compile(r"(?<=10)[⁻⁺]?[⁰¹²³⁴-⁹]+")
_VULGAR = re.compile(r"(\d+)? ?([¼-¾⅐-⅞])")
_ONE_IN = re.compile(r"([a-z]+|\d+) (?:in|out of)(?: every)? ([a-z]+|\d+)")
_TIME_OF = re.compile(r"(?P<time>.+?) (?P<half>in the morning|in the afternoon|in the evening|at night)")
_OCLOCK = re.compile(r"(?:at )?([a-z]+) o'?clock")
_NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 0}
_NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"({_NUMBER})(?:/(\d+))?\s*([^\W\d_][^\W\d_]*(?:\^[23]|/[sh])?|[%°]|°[CF]|degrees? (?:celsius|fahrenheit))?\.?",
    re.IGNORECASE,
)
_WORDS = re.compile(r"([a-z]+(?:[ -][a-z]+)?)(?: +([^\W\d_]+))?\.?", re.IGNORECASE)
_BRITISH = re.compile(r"(met|lit)re")
_SCIENTIFIC = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s*(?:×|x|\*|·|\\times)\s*10\s*\^?\s*\{?([-−]?\d{1,2})\}?(?![\d.])")
_PART_OF_UNIT = re.compile(r"(?:an? |one |three )?(half|quarters?|third) (?:of )?(?:an? )?([a-z]+)")
_AND_A_PART = re.compile(r"([a-z]+|\d+) and a (half|quarter) ([a-z]+)")
_ONE_UNIT = re.compile(r"an? ([a-z]+)")
_SUM_OF_UNITS = re.compile(r"(\d+) ?([a-z]+)(?:,| and)? (\d+) ?([a-z]+)")
DIMENSIONS = frozenset(dimension for dimension, _ in _UNITS.values() if dimension) - {
    "money in cents",
    "money in pence",
    "angle",
}
"""Dimensions whose units can follow `a` without a number: `an hour`."""
_MOST = 60
"""Largest number of characters in a number with its unit."""


@lru_cache(maxsize=1 << 15)
def quantity(text: str) -> Quantity | None:
    """Return the value of a number, with or without a unit; None if the text is not a number or is ambiguous.

    Example:
        >>> quantity("1.5 km") == quantity("1,500 m"), quantity("Two dogs") == quantity("2 dogs"), quantity("1,5")
        (True, True, None)
    """
    if len(text) > _MOST:
        return None
    text = _SCIENTIFIC.sub(_written_out, _in_plain_signs(text))
    if match := _MONEY.fullmatch(text.strip()):
        return Quantity(Fraction(match[2]) * 100, _IN_HUNDREDTHS[match[1]])
    bare = text.strip().rstrip(".")
    if (
        special := _several_parts(" ".join(bare.casefold().replace("-", " ").split()))
        or date_or_rate(bare)
        or _in_other_form(bare)
    ) is not None:
        return special
    text = _COMMA_WITH_UNIT.sub(r"\1.\2", text)
    plain = " ".join((formula_key(text) or text).replace("−", "-").split())
    if (match := _QUANTITY.fullmatch(plain)) and not _ORDINAL.fullmatch(plain.casefold()):
        number, divisor, unit = match.groups()
        if divisor is not None and int(divisor) == 0:
            return None
        value = Fraction(number.replace(",", "")) / int(divisor or 1)
        if not ((clock := _CLOCK.fullmatch(plain.casefold())) and clock[3]):
            return _with_unit(value, unit)
    small = plain.casefold()
    return _time_of_day(small) or _part_or_ordinal(small) or _share(small) or _in_words(small)


def _in_plain_signs(text: str) -> str:
    """Return a text with simple signs for fractions, powers of ten and units: `1½` is `3/2`, `10⁻⁷` is `10^-7`."""

    def fraction(match: re.Match[str]) -> str:
        value = int(match[1] or 0) + Fraction(unicodedata.numeric(match[2])).limit_denominator(10)
        return str(value)

    text = _VULGAR.sub(fraction, text.replace("μ", "µ").replace("Ω", "Ω"))
    return _SUPERSCRIPT.sub(lambda match: "^" + unicodedata.normalize("NFKC", match.group()).replace("−", "-"), text)


def _several_parts(text: str) -> Quantity | None:
    """Return the value of parts of a unit and of sums of units: `half a kilometer`, `1 h 30 min`, `a decade`."""
    if text == "a right angle":
        return Quantity(Fraction(90), "angle")
    if match := _PART_OF_UNIT.fullmatch(text):
        parts = {"half": "1/2", "quarter": "1/4", "third": "1/3"}
        times = 3 if text.startswith("three") else 1
        known = _with_unit(times * Fraction(parts[match[1].removesuffix("s")]), match[2])
        return known if known.of in DIMENSIONS or known.of == "money in cents" else None
    if match := _AND_A_PART.fullmatch(text):
        whole = NUMERALS.get(match[1], int(match[1]) if match[1].isdigit() else 1)
        known = _with_unit(whole + Fraction(1, 2 if match[2] == "half" else 4), match[3])
        return known if known.of in DIMENSIONS else None
    if match := _ONE_UNIT.fullmatch(text):
        known = _with_unit(Fraction(1), match[1])
        return known if known.of in DIMENSIONS else None
    if match := _SUM_OF_UNITS.fullmatch(text):
        first, second = (_with_unit(Fraction(match[n]), match[n + 1]) for n in (1, 3))
        is_finer = first.value * Fraction(match[3]) > second.value * Fraction(match[1])
        if first.of == second.of and first.of in DIMENSIONS and is_finer:
            return first._replace(value=first.value + second.value)
    return None


def _written_out(match: re.Match[str]) -> str:
    value = Fraction(match[1]) * Fraction(10) ** int(match[2].replace("−", "-"))
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.12f}".rstrip("0")


def foreign_numeral(word: str) -> int | None:
    """Return the value of a Roman numeral, or of a number word in a language other than English; None for any other
    text.

    Example:
        >>> foreign_numeral("sechs"), foreign_numeral("IV"), foreign_numeral("V")
        (6, 4, None)
    """
    if _ROMAN.fullmatch(word):
        values = [_OF_ROMAN[sign] for sign in word]
        return sum(-value if value < beside else value for value, beside in zip(values, [*values[1:], 0], strict=True))
    return FOREIGN_NUMERALS.get(word.casefold())


def _in_other_form(text: str) -> Quantity | None:
    """Return the value of numerals of other languages, `minus three`, `3,00`, dates, rates and of angles in radians."""
    if (number := foreign_numeral(text)) is not None:
        return Quantity(Fraction(number), "")
    if match := _ROUND_COMMA.fullmatch(text):
        return Quantity(Fraction(match[1]), "")
    if text.casefold().startswith(("minus ", "negative ")):
        below = quantity(text.split(" ", 1)[1])
        return None if below is None or below.value <= 0 else below._replace(value=-below.value)
    if "π" in text or "pi" in text:
        plain = (formula_key(text) or text).replace("pi", "π")
        if match := _OF_PI.fullmatch(plain):
            times, parts = int(match[1] or match[3] or 1), int(match[2] or match[4] or 1)
            return Quantity(Fraction(180 * times, parts), "angle") if parts else None
    return None


def _time_of_day(text: str) -> Quantity | None:
    """Return a time of day in minutes; None if a text is not a time of day, such as a bare number."""
    if (minutes := _NAMED_TIMES.get(text.removeprefix("at "))) is not None:
        return Quantity(Fraction(minutes), "time of day")
    if match := _TIME_OF.fullmatch(text):
        known = _time_of_day(match["time"])
        is_late = known is not None and match["half"] != "in the morning" and known.value < 720
        return known._replace(value=known.value + 720) if known is not None and is_late else known
    if (match := _OCLOCK.fullmatch(text)) and 1 <= NUMERALS.get(match[1], 0) <= 12:
        return Quantity(Fraction(60 * NUMERALS[match[1]]), "time of day")
    if (match := _CLOCK.fullmatch(text)) and (match[2] or match[3] or "clock" in text):
        hour, minute = int(match[1]), int(match[2] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3] == "p" else 0)
    elif match := _PAST.fullmatch(text):
        named = NUMERALS.get(match[3], int(match[3]) if match[3].isdigit() else 0)
        apart = {"half": 30, "quarter": 15, "a quarter": 15}.get(match[1]) or NUMERALS[match[1]]
        hour, minute = (named, apart) if match[2] == "past" else (named - 1, 60 - apart)
        if not 1 <= named <= 12:
            return None
    else:
        return None
    return Quantity(Fraction(60 * hour + minute), "time of day") if hour < 25 and minute < 60 else None


def _part_or_ordinal(text: str) -> Quantity | None:
    """Return the value of a part of a whole (`two thirds`) or of an ordinal; `third` alone is an ordinal."""
    part = _PART.fullmatch(text)
    if part is not None and (part[1] or part[2] in ("half", "quarter")):
        count = 1 if part[1] in (None, "a") else NUMERALS[part[1]]
        return Quantity(Fraction(count, _PARTS[part[2]]), "")
    if match := _ORDINAL.fullmatch(text):
        number = int(match[1]) if match[1] else ORDINALS[match[2]]
        return Quantity(Fraction(number), f"place {match[3] or ''}".strip())
    times = {"once": 1, "twice": 2}.get(text.rstrip("."))
    return None if times is None else Quantity(Fraction(times), "time")


def _share(text: str) -> Quantity | None:
    """Return the part of a whole that is named by `one in five` or `3 out of 4`."""
    if (match := _ONE_IN.fullmatch(text.rstrip("."))) is None:
        return None
    some, all_ = (NUMERALS.get(word, int(word) if word.isdigit() else 0) for word in match.groups())
    return Quantity(Fraction(some, all_), "") if 0 < some < all_ else None


def _in_words(text: str) -> Quantity | None:
    if (number := number_in_words(text.rstrip("."))) is not None:
        return Quantity(Fraction(number), "")
    match = _WORDS.fullmatch(text)
    if match is None:
        return None
    words = text.rstrip(".").split(" ")
    for size in (2, 1):
        number = NUMERALS.get(" ".join(words[:size]))
        if number is not None and len(words) - size <= 1:
            return _with_unit(Fraction(number), words[size] if len(words) > size else None)
    return None


def _with_unit(value: Fraction, unit: str | None) -> Quantity:
    if unit is None:
        return Quantity(value, "")
    folded = _BRITISH.sub(lambda match: {"met": "meter", "lit": "liter"}[match[1]], unit.casefold())
    if degrees := _DEGREES.get(folded):
        return Quantity(value * degrees[0] + degrees[1], "temperature")
    if magnitude := _MAGNITUDES.get(folded):
        return Quantity(value * magnitude, "")
    single = folded.removesuffix("s") if len(folded) > 3 else folded
    known = _SYMBOLS.get(unit) or (
        _UNITS.get(unit) if len(unit) == 1 else _UNITS.get(folded) or _UNITS.get(folded.removesuffix("s"))
    )
    if known is None:
        return Quantity(value, "time" if single == "time" else folded)
    return Quantity(value * known[1], known[0])
