"""The only option whose noun shares no kind with the others in a WordNet: `biceps` among bones, `trombone` among coins.

All other options must share a specific kind, such as `bone` or `disease`. The odd option must be in another field of
the WordNet in each of its senses, so that no sense of it is near.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from benchwright.texts.normalization import normal

from ..answer_kinds.asked_kinds import asks_for_words
from ..answer_kinds.mismatches import CannotAnswer
from ..sentence_gaps.phrase_forms import PREPOSITIONS
from ..wording.odd_options import gives_no_answer
from ..wording.quantities import quantity
from .phrases import is_open, phrase_of
from .wordnet import Synset, WordNet

_SENSES, _MAIN = 4, 3
_TOPS = 3
"""Field of the most general nouns in a WordNet."""
_LEAST_OTHERS = 2
_LONGEST = 4
_TOO_GENERAL = frozenset([
    "entity", "physical entity", "abstraction", "object", "whole", "thing", "matter", "artifact", "living thing",
    "organism", "causal agent", "substance", "attribute", "state", "event", "act", "group", "location", "region",
    "psychological feature", "communication", "relation", "measure", "instrumentality", "device", "part", "unit",
    "process", "cognition", "content", "material", "activity", "being", "structure", "property", "condition", "quality",
    "construction", "body", "collection", "concept", "idea", "area", "body part", "signal", "message", "container",
    "definite quantity", "system", "equipment", "covering", "surface", "happening", "change", "way", "person", "mortal",
    "abstract entity", "physical object", "unit of measurement", "chemical", "fluid", "solid", "point", "line",
    "implement", "commodity", "creation", "product", "relative", "worker", "name", "language unit",
    "written communication",
])  # fmt: skip
"""Kinds that the options of most questions share."""
OWN_FIELDS = frozenset([15, 28])
"""Fields, such as places and times, whose kinds a WordNet covers completely."""
_NEAR_FIELDS = (
    frozenset([5, 13, 20]),  # animals, food, plants
    frozenset([6, 27]),  # artifacts, substances
    frozenset([13, 27]),
    frozenset([4, 11, 22]),  # acts, events, processes
    frozenset([7, 9, 12, 26]),  # attributes, cognition, feelings, states
    frozenset([15, 17, 6]),  # places, natural things, buildings
    frozenset([14, 18]),  # groups, people
    frozenset([19, 11, 22]),
    frozenset([10, 9, 6]),  # communication, and its media
    frozenset([21, 23, 24]),
)


@lru_cache(maxsize=1 << 13)
def _senses_of(text: str, wordnet: WordNet) -> tuple[Synset, ...]:
    """Return the senses of an option's noun, or of the whole option if the WordNet has it; empty for longer phrases."""
    whole = normal(text)
    for plain in (whole, whole.removeprefix("the ").removeprefix("an ").removeprefix("a ")):
        if senses := wordnet.senses(plain, "noun"):
            return senses[:_SENSES]
    phrase = phrase_of(text, wordnet)
    if not phrase.words or len(phrase.words) > _LONGEST:
        return ()
    words = [word for word in phrase.words[: phrase.head + 1] if word not in PREPOSITIONS]
    head = words[-1] if words else ""
    return wordnet.senses(head, "noun")[:_SENSES] if is_open(head) and len(head) > 1 else ()


@lru_cache(maxsize=1 << 13)
def _kinds(text: str, wordnet: WordNet) -> frozenset[Synset]:
    senses = _senses_of(text, wordnet)
    return frozenset(senses).union(*(wordnet.more_general(sense) for sense in senses))


@lru_cache(maxsize=1 << 13)
def _main_kinds(text: str, wordnet: WordNet) -> frozenset[Synset]:
    """Return the kinds of the two main senses of an option, without those too general to distinguish options."""
    senses = _senses_of(text, wordnet)[:2]
    above = frozenset(senses).union(*(wordnet.more_general(sense) for sense in senses))
    return frozenset(kind for kind in above if kind.field != _TOPS and _TOO_GENERAL.isdisjoint(kind.words))


def option_apart(texts: Sequence[str], wordnet: WordNet) -> tuple[int, str] | None:
    """Return the index of the option outside the kind that all others share, and that kind; None if there is none.

    Args:
        texts: All options.
        wordnet: A WordNet.
    """
    if len(texts) <= _LEAST_OTHERS or any(gives_no_answer(text) for text in texts):
        return None
    if any(len(text.strip()) == 1 or not is_open(text.strip().casefold()) for text in texts):
        return None
    if any(text.casefold().split()[:1] and text.casefold().split()[0] in PREPOSITIONS for text in texts):
        return None
    kinds = [_kinds(text, wordnet) for text in texts]
    unknown = [place for place, of in enumerate(kinds) if not of]
    if len(unknown) > (len(texts) > _LEAST_OTHERS + 1) or any(quantity(text) is not None for text in texts):
        return None
    found = []
    for place, text in enumerate(texts):
        if not kinds[place] or not is_one_thing(text, wordnet):
            continue
        others = [at for at, of in enumerate(kinds) if at != place and of]
        shared = list(frozenset.intersection(*(_main_kinds(texts[at], wordnet) for at in others)))
        if shared and _is_apart(text, kinds[place], shared, wordnet):
            found.append((place, max(shared, key=lambda kind: len(wordnet.more_general(kind))).words[0]))
        elif not shared and _is_of_other_world(text, [texts[at] for at in others], wordnet):
            found.append((place, "thing"))
    return found[0] if len(found) == 1 else None


def _is_of_other_world(text: str, others: Sequence[str], wordnet: WordNet) -> bool:
    """Return whether an option is an idea in each of its senses and all others are mainly things, or the reverse."""
    mine = {sense.field for sense in _senses_of(text, wordnet)}
    theirs = {_senses_of(other, wordnet)[0].field for other in others}
    return any(mine <= one and theirs <= other for one, other in ((_IDEAS, _THINGS), (_THINGS, _FEELINGS)))


_THINGS = frozenset([5, 6, 8, 13, 17, 18, 20, 27])
_IDEAS = frozenset([7, 9, 12, 14, 16, 21, 22, 24, 26, 28])
_FEELINGS = frozenset([7, 12, 26])


def is_one_thing(text: str, wordnet: WordNet) -> bool:
    """Return whether an option is primarily a noun rather than a verb or an adjective."""
    word = normal(text).split()[-1:] or [""]
    nouns = len(wordnet.senses(word[0], "noun"))
    return nouns > 0 and nouns >= len(wordnet.senses(word[0], "verb"))


def _is_apart(text: str, kinds: frozenset[Synset], shared: Sequence[Synset], wordnet: WordNet) -> bool:
    if not kinds.isdisjoint(shared):
        return False
    fields = {sense.field for sense in _senses_of(text, wordnet)[:_MAIN]}
    if fields <= OWN_FIELDS and {kind.field for kind in shared} == fields:
        return True  # a country among cities
    return all(fields.isdisjoint(fields_near(kind.field)) for kind in shared)


def fields_near(field: int) -> frozenset[int]:
    """Return a field of a WordNet, and those whose words may be options of the same question."""
    return frozenset([field]).union(*(row for row in _NEAR_FIELDS if field in row))


_ASKED_NOUN = re.compile(
    r"\b(?:which|what)(?: (?:kind|type|sort|species|breed)s? of)? ([a-z]+)(?= (?:is|are|was|were|does|do|did|has|"
    r"have|can|will|"
    r"lies?|stands?|sits?|borders?|hosted|leads?|won|wins?|grows?|lives?|painted|wrote|appears?|in|on|at|of)\b)"
    r"|(?:^|[.!?:;] )(?:name|identify|pick|select|choose) the (?:[a-z]+est )?([a-z]+)\b",
    re.IGNORECASE,
)
_SAY_LITTLE = frozenset([
    "thing", "object", "item", "one", "part", "option", "statement", "side", "way", "word", "label", "number", "letter",
    "symbol", "sign", "picture", "image", "figure", "shape", "activity", "feature", "element", "area", "point", "area",
    "answer", "term", "name", "title", "message", "event", "topic", "subject", "aspect", "detail", "role", "purpose",
    "function", "group", "concept", "effect", "result", "action", "factor", "type", "kind", "line", "bar", "category",
    "color", "colour", "place", "location", "scene", "process", "method", "step", "theme", "expression", "following",
    "song", "movie", "film", "book", "company", "brand", "team", "band", "model", "character", "flag", "logo",
    "country",
    "time", "position", "direction", "year", "value", "pair", "set", "order", "rule", "phrase", "sentence",
    "conclusion",
    "meaning", "idea", "emotion", "style", "property", "characteristic", "trait", "quality", "reason", "cause",
    "factor",
    "product", "brand", "ship", "horse", "street", "game", "track", "material", "pattern",
])  # fmt: skip
"""Nouns whose answers may be in many fields, or have names that are words of other fields."""
_NO_NUMBERS = frozenset([5, 8, 13, 20, 27])
"""Fields that contain no numbers: animals, bodies, food, plants, substances."""


def far_from_asked(
    question: str, texts: Sequence[str], right: int, wordnet: WordNet
) -> tuple[CannotAnswer, list[int]] | None:
    """Return why at least half of the wrong options, two or more, are not what is asked for; otherwise None.

    The question must name what it asks for (`which organ`), and an option counts if no sense of its noun is in a field
    near the field of that noun.

    Args:
        question: The question.
        texts: All options.
        right: Index of the right option.
        wordnet: A WordNet.
    """
    match = _ASKED_NOUN.search(question)
    if match is None or asks_for_words(question) or any(gives_no_answer(text) for text in texts):
        return None
    noun = (match[1] or match[2]).casefold()
    asked = wordnet.senses(noun, "noun")
    if not asked or noun in _SAY_LITTLE or asked[0].words[0] in _SAY_LITTLE:
        return None
    near = frozenset[int]().union(*(fields_near(sense.field) for sense in asked[:3]))
    far = [place for place in range(len(texts)) if _is_far_from(texts[place], asked[0].field, near, wordnet)]
    wrong = len(texts) - 1
    if right in far or len(far) < _LEAST_OTHERS or 2 * len(far) < wrong:
        return None
    return CannotAnswer(f"which {noun}", "another kind"), far


def _is_far_from(text: str, field: int, near: frozenset[int], wordnet: WordNet) -> bool:
    if quantity(text) is not None:
        return field in _NO_NUMBERS
    senses = _senses_of(text, wordnet)
    is_name = text[:1].isupper() and " " in text.strip()
    return bool(senses) and not is_name and all(sense.field not in near for sense in senses)
