"""Content that ideas must not have unless a recipe allows it: named real persons, minors, gore.

MVP-Bench contains violent content and celebrities, warns of imitation and misinformation, and therefore restricts
access (ethics statement). Here such content is refused from the start and recorded. The rules examine only words and
err on the side of refusing: a name is two capitalized words in a row, or a title and one, unless they denote a place, a
shop or an invented figure, follow an article and precede no noun (the Mona Lisa hangs), or are the words on a sign.

For category I2, which must not show a real person, this module has invented public figures. Their names were composed
so that no well-known person bears them; an image model draws them from their descriptions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple


class Persona(NamedTuple):
    """An invented person who is famous in a fictional world."""

    name: str
    known_as: str
    looks: str


FICTIONAL: tuple[Persona, ...] = (
    Persona(
        "Orvo Kestrellin", "the president of the republic of Vastmark", "a tall man with a silver beard and a sash"
    ),
    Persona("Tamsine Quorrel", "the queen of the isle of Brannoch", "an old woman with a small crown and a blue cloak"),
    Persona("Dario Venn-Okada", "the world champion of ski flying", "a lean young man with bleached hair and goggles"),
    Persona("Liselka Marrowby", "the singer who fills every stadium", "a woman with green hair and a sequined jacket"),
    Persona("Bertrand Oxley-Finch", "the banker on trial for fraud", "a heavy man with a monocle and a striped suit"),
    Persona("Ysolde Tarrantine", "the general who led the coup of Corvane", "a stern woman in uniform with medals"),
    Persona("Haruno Belvedaire", "the film star of the space epics", "a man with a thin moustache and a white tuxedo"),
    Persona("Mirela Sandoquist", "the physicist with two great prizes", "a grey-haired woman with round glasses"),
    Persona("Kofi Albrandt", "the footballer of the century", "an athletic man in a golden jersey, number ten"),
    Persona("Rosamund Thackerel", "the chef with a show of her own", "a red-haired woman with a tall white hat"),
    Persona("Igor Melnichuk-Day", "the leader of the pirate party", "a man with an eye patch and a black coat"),
    Persona("Adaeze Winterbourne", "the astronaut who first walked on Mars", "a woman with a shaved head"),
)


def listed() -> str:
    """Return all figures as a prompt lists them, one per line."""
    return "\n".join(f"- {persona.name}, {persona.known_as}: {persona.looks}" for persona in FICTIONAL)


def names_one(text: str) -> bool:
    """Return whether a text names one of these figures."""
    return any(persona.name.casefold() in text.casefold() for persona in FICTIONAL)


Topic = Literal["real_persons", "minors", "gore"]

_MINORS = re.compile(
    r"\b(child(ren)?|kids?|bab(y|ies)|infants?|toddlers?|newborns?|minors?|boys?|girls?|teens?|teenagers?|teenaged?|"
    r"schoolboys?|schoolgirls?|pupils?|preschoolers?|kindergart\w+|adolescents?|juveniles?|under-?age)\b"
    r"|\b(1[0-7]|[0-9])[- ]years?[- ]olds?\b",
    re.IGNORECASE,
)
_GORE = re.compile(
    r"\b(gor(e|y)|blood(ied|y|stained|bath|shed)?|bleed(s|ing)?|corpses?|cadavers?|dead bod(y|ies)|decapitat\w+|"
    r"behead\w*|dismember\w*|mutilat\w+|disembowel\w*|entrails|intestines|severed|tortur\w+|massacr\w+|impal\w+|"
    r"lynch\w*|slaughter\w*|hanged)\b",
    re.IGNORECASE,
)

_CAPITAL = r"[A-Z][a-zà-öø-ÿ'’]+(?:-[A-Z][a-zà-öø-ÿ'’]+)*"
_PARTICLE = r"(?:van|von|de|del|der|da|di|bin|al|el|la|le|ten|ter)"
_INITIAL = r"(?:[A-Z]\.)+"
_NAME = re.compile(
    rf"\b{_CAPITAL}(?:\s+(?:{_INITIAL}|{_PARTICLE}))*(?:\s+{_CAPITAL})+|\b{_INITIAL}(?:\s*{_INITIAL})*\s+{_CAPITAL}"
)
_TITLED = re.compile(
    r"\b(?:[Pp]resident|[Cc]hancellor|[Pp]rime [Mm]inister|[Ss]enator|[Kk]ing|[Qq]ueen|[Pp]rince|[Pp]rincess|[Pp]ope|"
    rf"[Gg]eneral|[Mm]r\.?|[Mm]rs\.?|[Mm]s\.?|[Dd]r\.?|Sir|Dame|Saint)\s+({_CAPITAL})"
)
_KNOWN_BY_ONE = re.compile(
    r"\b(Trump|Biden|Obama|Putin|Zelensky\w*|Hitler|Stalin|Mussolini|Churchill|Gandhi|Mandela|Einstein|Newton|Darwin|"
    r"Napoleon|Beyonc[eé]|Madonna|Rihanna|Adele|Messi|Ronaldo|Neymar|Pel[eé]|Maradona|Oprah|Shakira|Picasso|Mozart|"
    r"Beethoven|Shakespeare|Thatcher|Merkel|Macron|Netanyahu|Dalai Lama|Erdo[gğ]an|Modi|Khomeini|Musk|Bezos)\b"
)
_PLACES_AND_DAYS = """
avenue bay beach bridge building canyon castle cathedral center centre channel church city college county desert empire
falls festival fest forest garden gardens gate harbor harbour hall hill house island islands isle lake league market
memorial monument mosque mountain mountains museum ocean olympics palace park plaza republic river road sea square
stadium state states station statue street temple theatre theater tower towers university valley village wall war world
zoo cup day eve year week parade airlines airport press news police department union nations army navy force agency
kingdom north south east west new san santa los las great grand united american british chinese french german italian
japanese korean indian african european asian russian spanish mexican renaissance baroque victorian roman greek monday
tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
november december mahal box shop store mart cafe restaurant pub inn hotel bank bakery pharmacy galleries cinema
supermarket boutique
"""
_OPENING = """
the a an is are was were does do did has have can could would will should what which who whose where when why how in on
at by for from with without before after behind under over near beside between among during while and or but this that
these those his her its their one two three several many some no not make turn change replace put add let remove give
show draw paint keep
"""
_AFTER_ARTICLE = re.compile(r"\bthe\s+$", re.IGNORECASE)
_NO_NOUN_FOLLOWS = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:in|at|on|of|by|with|from|behind|above|below|near|under|and|or|is|was|can|has|had|"
    r"stands?|stood|rises?|rose|hangs?|hung|lies|lay|appears?|shows?)\b)"
)
_WORDS_ON_A_SIGN = re.compile(r"\b(?:words?|letters|inscription|reads)\s+[\"'“‘]$")
_NO_PERSON, _OPENERS = frozenset(_PLACES_AND_DAYS.split()), frozenset(_OPENING.split())
_CHARACTERS = (
    "Sherlock Holmes", "Robin Hood", "Peter Pan", "Snow White", "Count Dracula", "King Arthur", "Santa Claus",
    "Mickey Mouse", "Donald Duck", "Daffy Duck", "Bugs Bunny", "Spider-Man", "Darth Vader", "Jack Sparrow",
    "Captain Jack Sparrow", "Harry Potter", "Super Mario", "Winnie-the-Pooh", "Puss in Boots", "Captain Hook",
    "Father Christmas",
)  # fmt: skip
"""Fictional figures that cannot be mistaken for real persons; ideas of category R3 may name them."""

_MADE_UP = tuple(sorted({*_CHARACTERS, *(persona.name for persona in FICTIONAL)}, key=len, reverse=True))


class IdeaRefusal(NamedTuple):
    """The reason why an idea or an image is not used.

    Args:
        reason: `policy_real_person`, `policy_minor` or `policy_gore`.
        found: The words that triggered it.
    """

    reason: str
    found: str


def refused(texts: Iterable[str], *, allow: Iterable[Topic] = ()) -> IdeaRefusal | None:
    """Return the reason why texts are refused, or None if they are not."""
    allowed = set(allow)
    for text in texts:
        if "minors" not in allowed and (minor := _MINORS.search(text)):
            return IdeaRefusal("policy_minor", minor[0])
        if "gore" not in allowed and (gore := _GORE.search(text)):
            return IdeaRefusal("policy_gore", gore[0])
        if "real_persons" not in allowed and (name := real_person(text)):
            return IdeaRefusal("policy_real_person", name)
    return None


def real_person(text: str) -> str | None:
    """Return the first name that looks like a real person's, or None if there is none.

    Example:
        >>> real_person("A speech by Jordan Ellery in the Grand Palace")
        'Jordan Ellery'
    """
    for name in _MADE_UP:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "somebody", text, flags=re.IGNORECASE)
    if found := _KNOWN_BY_ONE.search(text) or _TITLED.search(text):
        return found[0]
    for match in _NAME.finditer(text):
        words = match[0].split()
        while words and words[0].casefold() in _OPENERS:
            words = words[1:]
        name = " ".join(words)
        before = text[: match.end()].removesuffix(name)
        if (
            len(words) < 2
            or _NO_PERSON & {word.casefold() for word in words}
            or _is_a_thing(before, text[match.end() :])
        ):
            continue
        return name
    return None


def _is_a_thing(before: str, after: str) -> bool:
    """Return whether the text around capitalized words shows that they name a thing, or are all the words on a sign."""
    named = _AFTER_ARTICLE.search(before) and _NO_NOUN_FOLLOWS.match(after)
    return bool(named or (_WORDS_ON_A_SIGN.search(before) and after[:1] in tuple("\"'”’")))
