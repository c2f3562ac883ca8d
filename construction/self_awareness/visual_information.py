"""Kinds of basic visual information that questions ask about (MM-SAP, section 3.2 and figure 7).

The paper mentions eight kinds and shows six: action, color, counting, objects, position and OCR. The two others here,
shape and scene, are our own: section 3.1 lists shape as basic visual information, and VQAv2 often asks about rooms,
weather and places.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from benchwright.texts.normalization import normal

VisualInformation = Literal["action", "color", "counting", "object", "position", "ocr", "shape", "scene"]
KINDS: tuple[VisualInformation, ...] = get_args(VisualInformation)
_OF_THE_PAPER: tuple[VisualInformation, ...] = ("action", "color", "counting", "object", "position", "ocr")
"""Kinds that figure 7 of the paper shows; the others are our own."""

_THINGS = (
    "animal|fruit|vegetable|vehicle|food|bird|flower|tree|object|thing|item|furniture|toy|instrument|utensil|appliance"
    "|device|hat|drink|boat|bag|shoe"
)
_AT = "on|in|under|behind|above|beside|next to|near|inside|around|hanging|sitting|lying|standing"
_WITH = "holding|wearing|eating|riding|carrying|drinking|using|sitting on|standing on|lying on|looking at|made of"
_BY_WORDS: tuple[tuple[VisualInformation, tuple[str, ...]], ...] = (
    ("counting", (r"^how many\b",)),
    ("color", (r"^(?:what|which) colou?rs?\b", r"\bwhat (?:is|are) the colou?rs? of\b")),
    ("shape", (r"^(?:what|which) shapes?\b", r"\bwhat is the shape of\b", r"\bshaped like what\b")),
    (
        "ocr",
        (
            r"\bwhat (?:does|do) (?:the|this|that|his|her) .*\b(?:say|read|spell)\b",
            r"\bwhat (?:is|are) (?:written|printed|spelled)\b",
            r"^(?:what|which) (?:word|letter|number|numeral|text|name|brand name|digit)s? (?:is|are)\b.*\b(?:on|in)\b",
            r"\bwhat is the (?:number|word|name) on\b",
            r"^what time (?:is it|does the clock)",
        ),
    ),
    (
        "action",
        (
            r"^what (?:is|are|was|were) .*\bdoing\b",
            r"^what (?:sport|activity|action|game|exercise)\b",
            r"^how (?:is|are) .*\bmoving\b",
        ),
    ),
    (
        "scene",
        (
            r"^(?:what|which) (?:kind of |type of )?(?:room|place|season|weather|location|environment)\b",
            r"^(?:what|which) time of (?:day|year)\b",
            r"\b(?:is|was) the weather\b",
            r"^where (?:was|is) (?:this|the) (?:picture|photo|photograph|image) taken\b",
            r"^where (?:is|was) this(?: (?:place|scene|taken))?\b",
        ),
    ),
    (
        "position",
        (r"^where (?:is|are|was|were|does|do)\b", r"^(?:on )?(?:what|which) side\b", r"^in which direction\b"),
    ),
    (
        "object",
        (
            rf"^what (?:kind|type|sort|breed) of (?:{_THINGS})s?\b",
            rf"^(?:what|which) (?:{_THINGS})s?\b",
            rf"^what (?:is|are) (?:{_AT})\b",
            rf"^what (?:is|are) (?:the|this|that|he|she|they|these) .*\b(?:{_WITH})\b",
            rf"^what (?:is|are) the (?:object|thing|animal|item)s? (?:{_AT})\b",
        ),
    ),
)
_RULES = tuple((kind, re.compile("|".join(words))) for kind, words in _BY_WORDS)
_NUMBER = re.compile(r"\d{1,3}")
_NO_CONTENT = frozenset(
    {"yes", "no", "unknown", "none", "nothing", "maybe", "not sure", "unsure", "n a", "many", "lots"}
)


def kind_of(question: str, answer: str) -> VisualInformation | None:
    """Return the kind of basic visual information that an English question asks about, judged by its words and its
    answer.

    Returns None for questions of other kinds (why, who, how old, yes and no), and for answers without such information:
    a count that is not a number, or *unknown*. The first matching kind in the list is returned: *what color is the
    sign* asks about a color. The rules favor few wrong assignments over completeness.
    """
    words, answer_words = normal(question), normal(answer)
    if answer_words in _NO_CONTENT:
        return None
    for kind, rule in _RULES:
        if rule.search(words):
            return kind if (kind == "counting") == bool(_NUMBER.fullmatch(answer_words)) or kind == "ocr" else None
    return None
