"""Pictures that a text names but the item lacks, and questions about colors of gray pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.records import Item
from benchwright.texts.normalization import counted, normal

from .fault_rules import FaultRule, ItemFacts, ItemFault, SetFault, SetRule, excerpt

_MARK = re.compile(
    r"<\s*(?:image|img|picture|figure|photo)[ _-]?(\d{1,2})\s*>|\[(?:image|picture)[ _-]?(\d{1,2})\]", re.IGNORECASE
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_WORD = r"(?:image|picture|photo(?:graph)?)"
_NUMBERED = re.compile(
    rf"\b(?P<ordinal>{'|'.join(_ORDINALS[1:])}|[2-9](?:nd|rd|th))\s+(?:input |given |provided )?{_WORD}\b(?!\s+of\b)"
    rf"|(?<!\bthe )(?<!\bthis )\b{_WORD}\s+(?:no\. ?|number |#)?(?P<number>[2-9])\b(?!\s*[.,]\d|\s*%)",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:(?P<second>(?:zweite|dritte|vierte)[nsrm]?|deuxième|seconde?|troisième|quatrième|segund[ao]|tercer[ao]?|"
    r"cuart[ao]|terz[ao]|quart[ao])\s+(?:bild(?:es|er)?|foto(?:s|grafía)?|abbildung|images?|imagen|photo|fotografía|"
    r"immagine|imagem)|(?:bild|abbildung|imagen|immagine|imagem)\s+(?P<foreign>[2-9]))\b"
    r"|第(?P<chinese>[二三四五六2-6])[张幅个]?(?:图|照片|图片|图像)|(?P<below>图|圖)(?P<figure>[二三四2-6])(?![\d.])"
    r"|(?P<several>\b(?:beide[nr]?|die zwei|les deux|ambas|las dos|entrambe le)\s+"
    r"(?:bilder[n]?|fotos|images|imágenes|photos|immagini)\b|两[张幅](?:图|照片|图片))",
    re.IGNORECASE,
)
"""The second picture, or both, in German, French, Spanish, Italian, Portuguese and Chinese."""
_OF_SEVERAL = re.compile(
    r"\b(?:(?:first|last|left|right|middle|other|one|each|any|which) (?:one )?of (?:the|these|those) "
    rf"(?P<of>two|three|four|five|six|several) {_WORD}s"
    rf"|(?:given|compare|from|in|across|among) (?:the|these) (?P<given>two|three|four|five|six) {_WORD}s)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    rf"\b(?:both|the two|the three|the four|these two|these three|all (?:the )?(?:two|three|four)) {_WORD}s\b"
    rf"|\bbetween the {_WORD}s\b|\b(?:other|another) {_WORD}\b(?= (?:show|is|has|depict|contain))",
    re.IGNORECASE,
)
_IN_ONE = re.compile(
    r"\b(?:row|column|panel|sequence|left|right|top|bottom|grid|collage|comic|frame|middle|series|"
    r"juxtapos\w*|(?:in|within|of) (?:the|this) (?:image|picture|photo|cartoon|meme))\b",
    re.I,
)
"""Words for pictures within one file, such as the panels of a comic."""

COLORS = frozenset(
    [
        "red",
        "orange",
        "yellow",
        "green",
        "blue",
        "purple",
        "violet",
        "pink",
        "brown",
        "turquoise",
        "cyan",
        "magenta",
        "beige",
        "gold",
        "golden",
        "maroon",
        "navy",
        "teal",
        "lime",
        "olive",
        "crimson",
        "scarlet",
        "lavender",
        "tan",
    ]
)
"""Colors that a gray picture cannot show; it can show `black`, `white`, `gray` and `silver`."""
_COLOR_STEMS = re.compile(
    r"(?:(?:hell|dunkel|bordeaux|rosa)?(?:rot|gelb|grün|blau|braun|violett|lila|pink|orange)(?:e[nmrs]?)?"
    r"|rouges?|jaunes?|vert(?:es?|s)?|bleu(?:es?|s)?|violet(?:te)?s?|roses?|marron|brune?s?"
    r"|roj[oa]s?|amarill[oa]s?|verdes?|azul(?:es)?|morad[oa]s?|naranjas?|rosad[oa]s?|marrón|marrones"
    r"|ross[oaie]|giall[oaie]|verd[ei]|blu|azzurr[oaie]|viola|arancione|marrone"
    r"|vermelh[oa]s?|amarel[oa]s?|rox[oa]s?|laranjas?|castanh[oa]s?"
    r"|.?[红紅黄黃绿綠蓝藍紫粉棕褐橙]色?的?|赤い?|青い?|黄色い?|緑色?)"
)
"""Colors in German, French, Spanish, Italian, Portuguese, Chinese and Japanese, in lowercase."""
_YES_NO = frozenset(["yes", "no", "true", "false"])
_IS_IT = re.compile(rf"^(?:is|are|was|were|does|do)\b.*\b(?:{'|'.join(sorted(COLORS))})\b", re.IGNORECASE | re.DOTALL)
NEUTRAL_COLORS = frozenset([
    "black", "white", "grey", "gray", "silver", "schwarz", "weiß", "grau", "noir", "blanc", "gris", "negro", "blanco",
    "黑色", "白色", "灰色",
])  # fmt: skip
"""Colors that a gray picture shows."""
_ASKS_COLOR = re.compile(
    r"\b(?:colou?rs?|hues?|tints?|farben?|farbton|couleurs?|color(?:es)?|colore|colori|cor|cores)\b|颜色|顏色|什么色|何色",
    re.IGNORECASE,
)
_ASKS_WORDS = re.compile(
    r"\b(?:words?|written|write|says?|text|labell?ed|called|names?|named|team|bars?|sectors?|chart|entry|entries)\b",
    re.I,
)
"""Words of questions about names, which may equal those of colors."""
_OF_THINGS = re.compile(
    r"(?<![\w\"'“‘-])(?P<color>red|yellow|green|blue|purple|pink|orange|brown)(?= (?P<thing>[a-z]+)|\s*[?.,]|$)"
)
_NO_COLORED = frozenset([
    "blood", "cell", "cells", "wine", "card", "cross", "planet", "whale", "bear", "tea", "juice", "light", "house",
    "energy", "algae", "plant", "plants", "light", "lights", "rice", "sugar", "bread", "tree", "peel", "team", "line",
    "and", "or", "to", "in", "with",
])  # fmt: skip
"""Words that make a preceding color part of a name: `red blood cells`, `orange juice`."""


def _marked(facts: ItemFacts) -> Iterator[ItemFault]:
    shown = len(facts.pictures or ())
    for place, text in facts.texts:
        for match in _MARK.finditer(text):
            number = int(match[1] or match[2])
            if number > shown and place != "explanation":
                yield ItemFault(
                    f"The {place} names {match.group()}, but the item has {counted(shown, 'picture')}.",
                    {"text": excerpt(text, *match.span()), "pictures": shown},
                )
                return


def _worded(facts: ItemFacts) -> Iterator[ItemFault]:
    shown = len(facts.pictures or ())
    for place, text in facts.texts:
        if place == "explanation" or _MARK.search(text):
            continue
        for match in _NUMBERED.finditer(text):
            number = _number(match)
            if number > shown:
                yield _unseen(place, text, match, shown)
                return
        foreign = _FOREIGN.search(text) or _OF_SEVERAL.search(text)
        if foreign is not None and shown == 1:
            yield _unseen(place, text, foreign, shown)
            return
        match_of_several = _SEVERAL.search(text) if shown == 1 else None
        if match_of_several is not None:
            yield _unseen(place, text, match_of_several, shown)
            return


def _number(match: re.Match[str]) -> int:
    ordinal = match["ordinal"]
    if ordinal is None:
        return int(match["number"])
    return int(ordinal[0]) if ordinal[0].isdigit() else _ORDINALS.index(ordinal.casefold()) + 1


def _unseen(place: str, text: str, match: re.Match[str], shown: int) -> ItemFault:
    are_panels = _IN_ONE.search(text) is not None
    return ItemFault(
        f"The {place} mentions {match.group()!r}, but the item has {counted(shown, 'picture')}"
        + ("; they may be parts of one file." if shown == 1 else "."),
        {"text": excerpt(text, *match.span()), "pictures": shown},
        "low" if are_panels and shown == 1 else None,
    )


def is_color(text: str) -> bool:
    """Return whether a text, in any of eight languages, is or has a color that a gray picture cannot show."""
    words = normal(text).split()
    return any(word in COLORS or _COLOR_STEMS.fullmatch(word) for word in words)


def asks_for_color(item: Item) -> bool:
    """Return whether the right answer is a color, or whether an object has a given color."""
    texts = {choice.key: choice.text or "" for choice in item.choices}
    if item.kind == "yes_no" or {normal(text) for text in texts.values()} <= _YES_NO:
        return _names_color(item.question) or _IS_IT.search(item.question.strip()) is not None
    if _ASKS_COLOR.search(item.question) is None:
        are_colors = all(is_color(text) or normal(text) in NEUTRAL_COLORS for text in texts.values())
        if not are_colors or _ASKS_WORDS.search(item.question) is not None:
            return False
    right = texts.get(str(item.right_key))
    return is_color(right) if right is not None else any(map(is_color, texts.values()))


def _names_color(question: str) -> bool:
    """Return whether a question attributes a color to an object; `red blood cells` and names are ignored."""
    return any(match["thing"] not in _NO_COLORED for match in _OF_THINGS.finditer(question))


def _colors_of_grey(facts: ItemFacts) -> Iterator[ItemFault]:
    if not all(picture.is_grey for picture in facts.pictures or ()):
        return
    if any(image.prompts for image in facts.item.images):
        return  # marks are drawn in color over the picture
    if asks_for_color(facts.item):
        key = "" if facts.right is None or facts.item.kind == "yes_no" else f", and the key is {facts.right_text!r}"
        yield ItemFault(
            f"The question asks for a color{key}, but its picture is gray.",
            {"question": excerpt(facts.item.question)},
        )
    elif _names_color(facts.item.question):
        yield ItemFault(
            "The question names the color of a thing, but its picture is gray.",
            {"question": excerpt(facts.item.question)},
            "low",
            "possible",
        )


def _without_picture(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield one fault for the few items without a picture, if nearly all other items name one."""
    bare = [n for n, facts in enumerate(items) if not facts.pictures and not _may_name_one(facts.item)]
    with_picture = sum(bool(facts.pictures) for facts in items)
    if bare and with_picture >= max(_LEAST_WITH_PICTURE, _SHARE_WITH_PICTURE * len(items)):
        yield SetFault(
            bare,
            f"{counted(len(bare), 'item names', 'items name')} no picture, and {with_picture:,} of {len(items):,} have "
            f"one: {excerpt(items[bare[0]].item.question)!r}.",
            {"without": len(bare), "with": with_picture},
        )


def _may_name_one(item: Item) -> bool:
    """Return whether a column other than that of the pictures seems to name some for an item."""
    return any(value and _PICTURE_COLUMN.search(name) for name, value in item.attributes.items())


_PICTURE_COLUMN = re.compile(r"image|img|picture|photo|figure", re.IGNORECASE)
_LEAST_WITH_PICTURE, _SHARE_WITH_PICTURE = 10, 0.9
"""Smallest number of items with a picture, and their smallest share, at which an item without one is faulty rather than
of another kind."""

RULES: tuple[FaultRule | SetRule, ...] = (
    FaultRule(
        "marked_picture_not_there",
        "pictures",
        "high",
        "`<image 2>` in the question or an option of an item with one picture",
        _marked,
        ("pictures",),
        certainty="certain",
    ),
    FaultRule(
        "named_picture_not_there",
        "pictures",
        "medium",
        "`the second picture`, `image 3`, `both images`, `das zweite Bild`, but the item has fewer; low if the "
        "words place them in one file (`the second image in the top row`)",
        _worded,
        ("pictures",),
        certainty="possible",
    ),
    FaultRule(
        "color_of_grey_picture",
        "pictures",
        "medium",
        "the question asks for a color, in seven languages, but every picture of the item is gray; low if the "
        "question names one (`the red stripes`)",
        _colors_of_grey,
        ("colors",),
    ),
    SetRule(
        "picture_not_named",
        "pictures",
        "medium",
        "a few items name no picture, and nearly all others have one",
        _without_picture,
    ),
)
