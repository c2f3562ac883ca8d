"""Kinds of answers for which an English question asks, determined from its question word, its noun and its verb."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .option_kinds import BESIDE_LISTS
from .word_lists import KINDS


class AskedKinds(NamedTuple):
    """The kinds of answers for which a question asks.

    Args:
        words: The words of the question that show what it asks for.
        fits: Kinds of options that can answer it.
    """

    words: str
    fits: frozenset[str]


def _of(kinds: str) -> frozenset[str]:
    return frozenset(kinds.split())


_ALL = KINDS | BESIDE_LISTS
_THINGS = _of(
    "animal food drink vehicle furniture clothing jewelry instrument tool kitchenware household plant building room "
    "thing body profession person"
)
_COUNTS = _of("number amount year")
_PLACES = _of("place room building landscape city country continent planet direction")
_PEOPLE = frozenset(["artist", "painter", "author", "writer", "composer", "philosopher", "poet", "scientist",
                     "musician",
                     "singer", "actor", "actress", "director", "sculptor", "architect", "king", "queen",
                     "president", "emperor",
                     "mathematician", "physicist", "inventor", "team", "person"])  # fmt: skip
_KIND_OF_NOUN = {
    noun: _of(kinds)
    for nouns, kinds in (
        ("animal creature pet mammal bird insect breed species fish reptile wildlife beast", "animal"),
        ("color colour colors colours hue shade", "color pattern"),
        ("pattern", "pattern color shape"),
        ("material substance fabric metal", "material food drink plant"),
        ("season", "season month"),
        ("month", "month"),
        ("weekday", "weekday"),
        ("day", "weekday number event daytime month year"),
        ("shape figure", "shape direction animal"),
        ("sport game activity", "sport game action instrument household"),
        ("emotion feeling mood", "emotion weather manner color abstract"),
        ("expression", "emotion action body size abstract"),
        ("instrument", "instrument tool household kitchenware"),
        ("profession job occupation", "profession person action sport"),
        ("artist painter author writer composer philosopher poet scientist musician singer actor actress director "
            "sculptor "
         "architect king queen president emperor mathematician physicist inventor", "person profession country"),
        ("medication medicine drug disease illness",
         "material food plant body animal abstract event emotion household kitchenware"),
        ("bone muscle", "body shape tool instrument"),
        ("team", "person country city animal color profession weather material abstract plant"),
        ("person", "profession person color number clothing direction animal"),
        ("relationship", "person profession event abstract action animal"),
        ("vehicle transportation transport", "vehicle transport animal"),
        ("weather", "weather season event"),
        ("city town capital", "city country"),
        ("country nation", "country continent"),
        ("continent", "continent"),
        ("language", "language"),
        ("planet", "planet"),
        ("river lake ocean mountain sea island", "landscape country city continent direction color plant animal"),
        ("building", "building room place household landscape number color person profession direction"),
        ("fruit vegetable food dish meal snack dessert ingredient flavor flavour", "food drink animal plant"),
        ("drink beverage", "drink food"),
        ("tool utensil", "tool kitchenware household instrument"),
        ("furniture", "furniture household"),
        ("garment clothing", "clothing jewelry color"),
        ("tree flower plant", "plant food color"),
        ("organ", "body instrument"),
        ("hand foot", "direction color place number size body"),
        ("room", "room building number color"),
        ("direction", "direction place city country landscape"),
        ("year", "year number"),
        ("time", "clock daytime season month weekday year number amount"),
        ("age", "amount number person"),
        ("hobby", "action sport game instrument abstract food"),
    )
    for noun in nouns.split()
}  # fmt: skip
"""Nouns that name what a question asks for, with the kinds of things that they denote."""
_MEASURE = re.compile(
    "temperature|price|cost|length|height|weight|distance|speed|area|perimeter|volume|width|depth|diameter|radius|"
    "circumference|population"
)
_STRICT_NUMBER = re.compile(
    r"(?:^|[.!?:;,]\s+)(?:(?:at|in|by|to) )?(?:what|which) (?P<noun>time(?! (?:period|zone|signature|of (?:the "
    r")?(?:year|day)|scale"
    r"|span))|temperature|year|percentage|price|age|page number|score)\b(?! (?:scale|difference|range|change|sensor|"
    r"zone|group))"
    r"|(?:^|[.!?:;,]\s+)how much (?:does|do|did|is|are|was|were) [^?]* (?:cost|weigh)"
)
_TIMES_AND_NUMBERS = {
    "time": _of("clock daytime number amount"),
    "year": _of("year number"),
    "age": _of("number amount"),
}
_OF_NUMBER = _of("number value score total sum percentage amount time period year digit")
_NOUN_ASKED = re.compile(
    r"\b(?:what|which)(?:'s| is| are| was| were)?(?: the| this| that| these| those)?"
    r"(?: (?:main|most likely|likely|dominant|primary|current|exact|(?:kind|type|sort|piece|species|breed)s? of|"
    r"name of the|shape of the))* (?P<noun>[a-z]+)(?P<rest>\b[^?]*)"
)
_VERB_FOLLOWS = re.compile(r" ([a-z]+) (?:is|are|was|were|does|do|did|has|have|can|will)\b")
_COMPOUND = re.compile(
    r"'s|s'|-| (?!(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|on|in|at|of|to|with|that|it|"
    r"this|the|fits?|lives?|stands?|sits?|belongs?|appears?|best|most|might|may|must|for|from|by|you|we|they|he|she|"
    r"below|above)\b)(?![a-z]+(?:ing|ed|s)\b)[a-z]+"
)
"""Forms that make a noun part of a compound: `color scheme`, `country's flag`, `side-length`."""
_BEGINNING = r"(?:^|[.!?:,;]\s+|\b(?:in|on|at|of|from|for|to|with|by|and) )"
_SUBJECT = "(?:the |an? |this |that )?[a-z' ]+"
_BY_WORD: tuple[tuple[str, frozenset[str]], ...] = (
    (r"how (?:many|much)\b", _COUNTS | {"often"}),
    (
        r"how (?:tall|long|old|heavy|high|deep|wide|big|large|thick|far|fast)\b",
        _COUNTS | _of("size clock manner weather often thing animal household emotion shape season place vehicle tool "
                      "reason building landscape city"),
    ),
    (r"how often\b", _COUNTS | _of("often manner verdict weekday daytime month season")),
    (
        rf"how (?:does|do|did|will|can|is|are) {_SUBJECT} (?:travel|get to|go to|commute|arrive|move)\b",
        _of("vehicle transport action manner animal size agent means reason household thing place direction"),
    ),
    (
        rf"how (?:does|do|did|is|are) {_SUBJECT} feel(?:ing)?\b",
        _of("emotion weather size manner material thing action reason abstract"),
    ),
    (
        r"(?:how (?:is|was)|what (?:is|was)) the weather\b|what (?:is|was) (?:it|the weather) like\b",
        _of("weather season event size thing manner amount"),
    ),
    (r"what does the sign (?:forbid|prohibit|warn)\b", _ALL - {"verdict"}),
    (
        r"how (?:is|are|was|were|does|do|did|can)\b",
        _ALL - _of("weekday month city country language planet profession clock verdict sport"),
    ),
    (
        r"who(?:m)?\b(?!.*\b(?:w[oi]n|wins|winning|scored?|leads?|leading|ahead|lost|first|team)\b)",
        _of("person profession animal thing agent country clothing building planet plant household abstract"),
    ),
    (
        r"where (?:was|were|is|are)\b.*\b(?:taken|photographed|filmed|born|located|situated)\b",
        _PLACES | _of("thing household vehicle furniture event plant body material kitchenware"),
    ),
    (
        r"where\b(?![^?]*, )",
        _ALL - _of("color weekday month season weather emotion action verdict manner animal sport profession shape "
                   "language amount daytime clock food instrument means size reason abstract agent drink pattern "
                   "purpose"),
    ),
    (
        r"(?:when\b(?![^?]*, )|(?:at |by )?what time|(?:in |since )?(?:what|which) (?:year|century|decade))\b",
        _COUNTS | _of("weekday month season daytime clock event reason weather often manner direction action purpose"),
    ),
    (r"whose\b", _of("person profession animal agent country thing color clothing")),
    (r"why\b", _of("reason purpose weather event emotion action abstract person thing agent manner animal size")),
)  # fmt: skip
_POLAR = re.compile(
    r"^(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should) "
    r"(?!.*\b(?:or|than|which|what)\b)[^?,:_]+\?\s*$"
)
_VERB = re.compile(
    r"\bwhat (?:else )?(?:is|are|was|were|does|do|did|has|have|can|could|will)\b[^?.]*?\b"
    r"(?P<verb>holding|carrying|wearing|eating|drinking|riding|driving|playing|doing|(?:made|built) (?:of|from|out of)|"
    r"hold|carry|wear|eat|drink|ride|drive|feel)\b(?P<rest>[^?]*)"
)
_OF_VERB = {
    verb: _of(kinds)
    for verbs, kinds in (
        ("holding carrying hold carry",
         " ".join(_THINGS) + " shape event material number color sport size landscape pattern game place"),
        ("wearing wear",
         "clothing jewelry color material thing pattern household tool profession plant body animal food shape"),
        ("eating eat", "food drink animal plant thing kitchenware material"),
        ("drinking drink", "drink food thing kitchenware household"),
        ("riding ride driving drive", "vehicle animal thing household sport furniture person"),
        ("playing", "sport instrument game thing household action person profession animal direction place abstract "
                    "event kitchenware"),
        ("doing", "action sport game purpose manner thing emotion verdict abstract event reason direction place season "
                  "weather tool body often"),
        ("made built", "material food plant thing body animal household drink weather color clothing furniture"),
        ("feel", "emotion weather material thing abstract body action size manner"),
    )
    for verb in verbs.split()
}  # fmt: skip
_NAME_OF = re.compile(
    r"\bwhat is (?:the |this |that )?[a-z' ]*\b(?:name|title|nickname) of\b|\bwhat is [a-z' ]+ (?:called|named)\b"
)
_SUPERLATIVE = re.compile(
    r"\bwhat is the (?:tallest|largest|biggest|smallest|highest|oldest|longest|nearest|closest|farthest|brightest) "
    r"(?P<noun>[a-z]+)(?= (?:in|of|on|at|shown|visible|here|to|from)\b|\?)"
)
_ASKS_WHAT = re.compile(
    r"(?:^|[.!:;]\s+)(?P<asks>what (?:is|are|was|were|does|do|did|has|have)|which [a-z]+|what kind|what type) "
    r"(?!.*\b(?:or|if|when|how)\b)[^?]*\?\s*$"
)
_OF_TIME = re.compile(
    r"\b(?:time|day|days|week|month|year|date|calendar|schedule|often|answer|option|response|happens?)\b"
)
_NO_NAMES = _of("amount clock verdict manner action often transport agent means reason")
_NO_THINGS = _of(
    "amount clock verdict manner action often weekday month season emotion weather transport agent means reason purpose"
)
_NO_ANSWERS = _of("manner verdict often clock year transport agent means weekday")
_NOT_CHOSEN = _of("verdict manner often transport agent means reason purpose")
"""Kinds that are neither names nor things and that cannot answer a question with `what` or `which`."""
_SAYS_ANYTHING = re.compile(
    r"\b(?:true|correct|statements?|following|label\w*|numbered|letters?|marked|code|represents?|stands? for|"
    r"symboli[sz]es?|associated|mascot|signs? says?|written|caption|titles?|words?|spelled|logo|brand|nicknames?|"
    r"refer\w*|mean\w*)\b"
)
_ASIDE = re.compile(
    r",? (?:according to|judging by|based on|as shown (?:in|by)|given) (?:the |its |this |that |his |her )?[\w' "
    r"-]+(?=[?.,]|$)"
    r"|^(?:according to|judging by|based on|in|on|from) (?:the |its |this |that )?[\w' -]+, ",
    re.IGNORECASE,
)
"""Words that state where to look rather than what the question asks for."""
_NAME_THE = re.compile(
    r"(?:^|[.!?:;]\s+)(?:name|identify|pick|select|choose) the (?:[a-z]+est )?(?P<noun>[a-z]+)(?= (?:that|which|who|"
    r"in|on|of|"
    r"at|whose|with|shown|holding|for|by)\b|[.?]|$)"
)
_CHOICE = re.compile(
    r"^(?:is|are|was|were) (?:the|this|that|his|her) [a-z' -]+ (?P<first>[a-z]+) or (?P<second>[a-z]+)\?\s*$"
)
_QUOTED = re.compile(r"[\"“”„«][^\"“”„«»]*[\"“”»]")


def kinds_asked_for(question: str) -> AskedKinds | None:
    """Return the kinds for which a question asks; None if its words do not show them.

    Example:
        >>> asked = kinds_asked_for("What breed is the dog?")
        >>> asked.words, sorted(asked.fits)
        ('what breed', ['animal', 'thing'])
        >>> kinds_asked_for("The picture shows an apple.")
    """
    text = " ".join(_ASIDE.sub("", _QUOTED.sub(" it ", question)).casefold().replace("’", "'").split())
    if _SAYS_ANYTHING.search(text):
        return None
    return next((asked for find in _WAYS if (asked := find(text)) is not None), None)


def asks_for_words(question: str) -> bool:
    """Return whether a question asks for the words, meaning or name of something, so that any kind can answer it."""
    return _SAYS_ANYTHING.search(" ".join(_ASIDE.sub("", question).casefold().split())) is not None


_A_WORD = re.compile(
    r"\b(?:what|which) words?\b|\bse llaman?\b|\bheißt\b|\bs['’]appelle\b|\bsi chiama\b|\bse chama\b", re.IGNORECASE
)


def asks_for_a_word(question: str) -> bool:
    """Return whether a question asks for a word or a name in another language: both can be of any kind."""
    return _A_WORD.search(question) is not None


def _by_form(text: str) -> AskedKinds | None:
    match = _POLAR.match(text)
    return None if match is None else AskedKinds(match.group().split()[0], frozenset(["verdict"]))


def _by_choice(text: str) -> AskedKinds | None:
    """Return the kinds that a question about one of two asks for: yes or no cannot answer `is it red or green`."""
    match = _CHOICE.match(text)
    if match is None or match["second"] == "not":
        return None
    return AskedKinds(f"{match['first']} or {match['second']}", _ALL - {"verdict"})


def _by_strict_number(text: str) -> AskedKinds | None:
    if (match := _STRICT_NUMBER.search(text)) is None:
        return None
    noun = match["noun"]
    return AskedKinds(f"what {noun}" if noun else "how much", _TIMES_AND_NUMBERS.get(noun, _of("number amount")))


def _by_name_the(text: str) -> AskedKinds | None:
    match = _NAME_THE.search(text)
    if match is None or match["noun"] in ("figure", "shape", "picture", "image"):
        return None  # figures often have numbers as names
    fits = _KIND_OF_NOUN.get(match["noun"])
    return None if fits is None else AskedKinds(f"name the {match['noun']}", fits | {"thing"})


def _by_verb(text: str) -> AskedKinds | None:
    match = _VERB.search(text)
    if match is None or (match["verb"] == "hold" and "together" in match["rest"]):
        return None
    return AskedKinds(f"what … {match['verb']}", _OF_VERB[match["verb"].split()[0]])


def _by_owner(text: str) -> AskedKinds | None:
    match = re.search(r"\b(?:which|what) (country|city)'s\b", text)
    return AskedKinds(f"which {match[1]}", _KIND_OF_NOUN[match[1]] | {"thing"}) if match else None


def _by_measure(text: str) -> AskedKinds | None:
    match = _NOUN_ASKED.search(text)
    if match is None or not _MEASURE.fullmatch(match["noun"]) or match.group().startswith("which"):
        return None
    return AskedKinds(f"what {match['noun']}", _COUNTS | _of("size weather manner shape thing verdict"))


def _by_noun(text: str) -> AskedKinds | None:
    match = _NOUN_ASKED.search(text)
    if match is None:
        return None
    noun, after = match["noun"], _VERB_FOLLOWS.match(match["rest"])
    if _COMPOUND.match(match["rest"]):
        noun = after[1] if after else ""
    if noun in _PEOPLE and " the " in match.group():
        return None  # `what is the actor taking off`
    fits = _KIND_OF_NOUN.get(noun) or _KIND_OF_NOUN.get(noun.removesuffix("s"))
    return None if fits is None else AskedKinds(f"what {noun}", fits | {"thing"})


def _by_name(text: str) -> AskedKinds | None:
    if match := _NAME_OF.search(text):
        return AskedKinds(match.group(), _ALL - _NO_NAMES)
    match = _SUPERLATIVE.search(text)
    if match is None or _MEASURE.fullmatch(match["noun"]) or match["noun"] in _OF_NUMBER:
        return None
    return AskedKinds(match.group(), _ALL - _NO_THINGS)


def _by_question_word(text: str) -> AskedKinds | None:
    for pattern, fits in _BY_WORD:
        if match := re.search(_BEGINNING + f"(?P<asks>{pattern})", text):
            return AskedKinds(match["asks"][:40], fits)
    return None


def _by_beginning(text: str) -> AskedKinds | None:
    """Return the kinds that an open question asks for: these exclude manner, verdict, means and time of day."""
    if (match := _ASKS_WHAT.search(text)) is None or _OF_TIME.search(text):
        return None
    return AskedKinds(match["asks"], _ALL - (_NOT_CHOSEN if match["asks"].startswith("which") else _NO_ANSWERS))


_WAYS: tuple[Callable[[str], AskedKinds | None], ...] = (
    _by_form, _by_choice, _by_strict_number, _by_name_the, _by_verb, _by_owner, _by_measure, _by_noun, _by_name,
    _by_question_word, _by_beginning,
)  # fmt: skip
"""Rules from the most to the least specific."""
