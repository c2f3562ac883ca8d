"""Adjectives and nouns in captions, found by word lists, endings and position in the phrase.

Captions are short and plain: the words between a determiner and the next small word are a noun phrase, its last word is
a noun, and the words before it are adjectives if a list or an ending says so, otherwise nouns. This needs no tagger,
and a caption yields the same words on every machine. Words that can be several parts of speech may be classified
wrongly.

The lists are our own, for English captions: closed word classes, common adjectives and common verbs. Use a tagger for
anything beyond.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP = _words("""
    a about above across after again against all along also although am among amid an and another any are around as at
    away back be because been before behind being below beneath beside besides between beyond both but by can could did
    do does doing done down during each either else ever every few for from front had has have having he her here hers
    him his how i if in inside into is it its itself just left less like many may me might mine more most much must my
    near neither next no none nor not now of off on once one only onto or other others our out outside over own past per
    right several shall she should side since so some somebody someone something such than that the their them then
    there these they this those though through to together too toward towards two three four five six seven eight nine
    ten under underneath until up upon us very via was we were what when where which while who whom whose why will with
    within without would yet you your
    s t
""")  # phrase: allowed
"""Words that do not describe a picture's content; they end a noun phrase."""

_OPENS_A_PHRASE = _words("a an the his her its their my our your this that these those some any every each no another")
"""Determiners and possessives: the words that follow one, up to the next stop word, form a noun phrase."""

_ADJECTIVES = _words("""
    aggressive angry anxious bad bare big black blue blurred bold bored brave brick bright broad broken brown busy calm
    casual cheerful classic clean clear close cold cool cosy crisp cruel damp dangerous dark dead deep dense different
    dim dirty distant dry dull dusty eager early elderly elegant empty evil faint fair famous fast fat female fierce
    fine flat fluffy formal free fresh friendly front full funny fuzzy gentle glad gloomy golden good grand gray great
    green grey grim guilty happy hard harsh heavy high hot huge human hungry icy important innocent irritated kind large
    last late lazy light little lone lonely long loose loud lovely low mad main male married mean modern muddy mute
    narrow nasty natural neat new nice noisy odd official old open orange ordinary outdoor indoor pale peaceful pink
    plain pleased poor pretty private proud public pure purple quick quiet rainy rare raw ready real red relaxed rich
    rough round rude rural sad safe same scared serious severe shaggy sharp shiny short shy sick silent silver simple
    single slim slow small smart smooth snowy social soft solemn stern still stormy strange strict striped strong sunny
    sure surprised suspicious sweet tall tame tender tense thick thin tidy tiny tired tough traditional ugly unhappy
    urban vast violent virtual warm weak wealthy well-dressed wet white whole wide wild wise wooden worried worn wrong
    yellow young
    african american asian british chinese european french german indian italian japanese korean russian
    flowing glowing smiling menacing threatening frightening charming exciting boring relaxing burning shining
    frustrated excited confused determined disappointed depressed crowded decorated polished armed masked uniformed
""")  # phrase: allowed
"""Common adjectives without a typical ending, and participles that usually describe."""

_VERBS = _words("""
    appear appears are attend attends be bring brings carry carries come comes cover covers dance dances draw draws
    drive drives eat eats enter enters face faces fall falls fight fights fill fills fly flies follow follows get
    gets give gives go goes grow grows hang hangs hide hides hold holds keep keeps kneel kneels know knows lead
    leads lean leans let lets lie lies live lives look looks lies make makes march marches meet meets mark marks
    move moves overlook overlooks paint paints play plays point points pose poses pour pours read reads rest rests
    ride rides rise rises run runs say says seem seems serve serves shake shakes shine shines show shows sing sings
    sit sits sleep sleeps smile smiles speak speaks stand stands stare stares suggest suggests surround surrounds
    take takes talk talks throw throws travel travels try tries turn turns use uses wait waits walk walks watch
    watches wave waves wear wears work works write writes began came drew drove flew gave held kept knelt lay led
    left made met ran rode rose sang sat saw shook showed slept spoke stood took taken told wore worn written
""")
"""Common verbs in the present and past; after a determiner such a word counts as a noun (`the play`, `a smile`)."""

_ADJECTIVE_ENDINGS = (
    "able", "ible", "ful", "less", "ous", "ious", "ish", "ical", "esque", "some", "like", "proof",
)  # fmt: skip
_NOUN_ENDINGS = ("tion", "sion", "ness", "ment", "ship", "hood", "ism", "ist", "ity", "ance", "ence", "er", "or", "age")
"""Endings that mark a noun even if the word resembles an adjective or verb."""

_NOUNS_IN_ING = _words("""
    building ceiling clothing drawing evening lightning meeting morning painting parking railing setting wedding
""")
"""Nouns that look like verbs."""

PLURALS = {"people": "people", "men": "man", "women": "woman", "children": "child", "police": "police", "feet": "foot",
           "teeth": "tooth", "mice": "mouse", "geese": "goose", "leaves": "leaf", "shelves": "shelf", "knives": "knife",
           "wolves": "wolf", "scarves": "scarf", "glasses": "glasses", "clothes": "clothes", "trousers": "trousers",
           "jeans": "jeans", "news": "news", "galaxies": "galaxy"}  # fmt: skip
"""Plurals whose ending does not reveal the singular, and words without a separate singular."""


Kind = Literal["adjective", "noun"]
_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|[^\w\s]|\d+", re.UNICODE)
_POSSESSIVE = re.compile(r"['’]s\b")
_SHORTEST = 2


class CaptionWords(NamedTuple):
    """The number of captions that contain each word, by kind of word."""

    adjectives: Counter[str]
    nouns: Counter[str]

    def top(self, kind: Kind, most: int) -> list[tuple[str, int]]:
        """Return the most frequent words with their counts, with ties in alphabetical order."""
        counts = self.adjectives if kind == "adjective" else self.nouns
        return sorted(counts.items(), key=lambda count: (-count[1], count[0]))[:most]


def count_words(captions: Iterable[str]) -> CaptionWords:
    """Count the adjectives and nouns in captions; a word that occurs twice in a caption is counted once."""
    words = CaptionWords(Counter(), Counter())
    for caption in captions:
        for kind, word in set(words_of(caption)):
            (words.adjectives if kind == "adjective" else words.nouns)[word] += 1
    return words


def words_of(caption: str) -> Iterator[tuple[Kind, str]]:
    """Yield the adjectives and nouns of a caption in order, in lower case, nouns in the singular.

    Example:
        >>> list(words_of("An angry man holds two red flags in front of the old station."))
        [('adjective', 'angry'), ('noun', 'man'), ('adjective', 'red'), ('noun', 'flag'), ('adjective', 'old'),
         ('noun', 'station')]
    """
    for words in _phrases(caption):
        for place, word in enumerate(words):
            is_head = place == len(words) - 1 and len(words) > 1
            if word in _ADJECTIVES or (not is_head and _describes(word)):
                yield "adjective", word
            elif len(word) >= _SHORTEST and (is_head or not word.endswith("ly")):  # else an adverb
                yield "noun", singular(word)


def _phrases(caption: str) -> Iterator[list[str]]:
    """Yield runs of content words; verbs, function words, numbers and punctuation end a run."""
    words: list[str] = []
    is_opened = False
    for token in (*_TOKEN.findall(_POSSESSIVE.sub("", caption).lower()), "."):
        if token in STOP or not token[0].isalpha() or _is_verb(token, words, is_opened):
            if words:
                yield words
            words, is_opened = [], token in _OPENS_A_PHRASE
        else:
            words.append(token)


def _is_verb(word: str, before: list[str], is_opened: bool) -> bool:
    """Return whether a word is a verb form rather than a name or description."""
    if is_opened and not before:
        return False
    if word in _ADJECTIVES:
        return False
    if word in _VERBS:
        return True
    return word.endswith("ing") and len(word) > 5 and word not in _NOUNS_IN_ING


def _describes(word: str) -> bool:
    """Return whether a word looks like an adjective; as the last word of a phrase, it still counts as a noun."""
    return len(word) > 5 and word.endswith(_ADJECTIVE_ENDINGS) and not word.endswith(_NOUN_ENDINGS)


def singular(noun: str) -> str:
    """Return a noun's singular, if its ending reveals it."""
    if noun in PLURALS:
        return PLURALS[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3:
        return noun[:-1]
    return noun
