"""English words in questions: plurals and articles of object names."""

from __future__ import annotations

import re

from .wordings import Wordings

_COUNTED = Wordings(
    "How many {things} are there in the picture?",
    "How many {things} does the picture show?",
    "How many {things} can you count in the picture?",
)
_OUR_COUNT = re.compile(re.escape(_COUNTED.of_number(1)).replace(r"\{things\}", r"(?P<things>.+)"))

_IRREGULAR = {
    "calf": "calves", "child": "children", "foot": "feet", "goose": "geese", "half": "halves", "hoof": "hooves",
    "knife": "knives", "leaf": "leaves", "life": "lives", "loaf": "loaves", "man": "men", "mouse": "mice", "ox": "oxen",
    "person": "people", "scarf": "scarves", "shelf": "shelves", "thief": "thieves", "tooth": "teeth", "wife": "wives",
    "wolf": "wolves", "woman": "women", "potato": "potatoes", "tomato": "tomatoes", "hero": "heroes",
}  # fmt: skip
_UNCHANGED = frozenset(
    {"aircraft", "deer", "fish", "sheep", "species", "spacecraft", "swine", "scissors", "pants", "trousers", "glasses",
     "jeans", "shorts", "tongs", "binoculars", "people", "children", "men", "women", "feet", "teeth", "mice", "geese",
     "leaves", "knives"}
)  # fmt: skip
_OF = re.compile(r" (?:of|in|on|with|for|at) ")


def plural(words: str) -> str:
    """Return the plural of an object's name: of the noun before `of`, `with` and the like, otherwise of the last word.

    Example:
        >>> plural("wine glass"), plural("slice of bread"), plural("person"), plural("sheep"), plural("berry")
        ('wine glasses', 'slices of bread', 'people', 'sheep', 'berries')
    """
    preposition = _OF.search(words)
    head, rest = (words, "") if preposition is None else (words[: preposition.start()], words[preposition.start() :])
    before, space, noun = head.rpartition(" ")
    return f"{before}{space}{_plural_noun(noun)}{rest}"


def _plural_noun(noun: str) -> str:
    lower = noun.lower()
    if lower in _UNCHANGED:
        return noun
    for singular, many in _IRREGULAR.items():
        if lower == singular or (
            len(singular) > 2 and lower in (f"wo{singular}", f"police{singular}", f"fire{singular}")
        ):
            return noun[: len(noun) - len(singular)] + many
    if re.search(r"[^aeiou]y$", lower):
        return f"{noun[:-1]}ies"
    if re.search(r"(s|x|z|ch|sh)$", lower):
        return f"{noun}es"
    return f"{noun}s"


_SEVERAL = re.compile(r"^(?:the |both |all )?(?:two|three|four|five|six|several|many|both) |\band\b", re.IGNORECASE)
_NO_PLURAL_ENDING = ("ss", "us", "is", "ens")


def names_several(words: str) -> bool:
    """Return whether an object's name is a plural, as far as its words reveal.

    Example:
        >>> names_several("the two men"), names_several("the cups on the table"), names_several("the cup on its saucer")
        (True, True, False)
    """
    if _SEVERAL.search(words):
        return True
    noun = _OF.split(words, maxsplit=1)[0].split(" ")[-1].lower()
    if noun in _UNCHANGED or noun in _IRREGULAR.values() or noun == "police":
        return noun not in {"aircraft", "deer", "fish", "sheep", "species", "spacecraft", "swine"}
    return noun.endswith("s") and len(noun) > 3 and not noun.endswith(_NO_PLURAL_ENDING)


def without_article(words: str) -> str:
    """Return an object's name without its leading article."""
    return re.sub(r"^(?:the|a|an)\s+", "", " ".join(words.replace("_", " ").split()), flags=re.IGNORECASE)


def with_article(words: str) -> str:
    """Return an object's name with a leading `a` or `an`, unless it already has an article.

    Example:
        >>> with_article("aeroplane"), with_article("the cup"), with_article("horse")
        ('an aeroplane', 'the cup', 'a horse')
    """
    if re.match(r"(?:the|a|an)\s", words, flags=re.IGNORECASE):
        return words
    return f"{'an' if words[:1].lower() in tuple('aeiou') else 'a'} {words}"


def count_question(thing: str) -> str:
    """Return the question that asks how many of a named object there are; a leading article of the name is dropped.

    Example:
        >>> count_question("wine glass")
        'How many wine glasses are there in the picture?'
    """
    return _COUNTED.filled(things=plural(thing)).of_number(1)


def count_wordings(question: str) -> Wordings | None:
    """Return the wordings of a question made by `count_question`, or None for any other question."""
    ours = _OUR_COUNT.fullmatch(question)
    return None if ours is None else _COUNTED.filled(things=ours["things"])
