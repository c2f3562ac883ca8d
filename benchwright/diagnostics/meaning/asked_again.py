"""Questions about one picture that ask the same thing in other words or in another language.

Three methods find them, each with the result `perhaps`:

- A WordNet: content words of both questions mean the same, and so do their right options.
- Languages: questions in two languages have options with the same meanings, and the same option is right. Options are
  compared by equal numbers and names, words of closed classes (colors, sides, seasons), and words that look alike
  (`Francium`, `Francio`).
- The user's sentence model: the vectors of both questions are closer than those of questions about different pictures.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchwright.records import Item
from benchwright.replies.translated_words import translations_of
from benchwright.texts.normalization import normal

from ..wording.languages import language_of
from ..wording.quantities import quantity
from ..wording.repeated_questions import pictures_shown, right_option
from .likely_pairs import likely_pairs
from .phrases import is_kind_of, phrase_of, relation, words_relation
from .same_question import ask_the_same
from .wordnet import WordNet

Way = Literal["words", "languages", "sentences"]
SentenceVectors = Callable[[Sequence[str]], NDArray[np.float32]]
"""Function from texts to vectors of length 1, of shape (texts, dimensions)."""

_MOST_ABOUT_ONE = 60
"""Largest number of questions about one picture that are compared with each other."""
_LEAST_SHARED = 0.66
"""Smallest proportion of content words, 0-1, that must mean the same in both questions."""
_LEAST_COSINE = 0.75
_QUANTILE = 0.999
"""Quantile of the cosines of questions about different pictures above which two questions ask the same thing."""
_MOST_STRANGERS = 2000
_ALIKE, _LEAST_LETTERS = 0.55, 4
"""Similarity of letters above which words in two languages with the same beginning may be one word, such as
`Orangensaft` and `orange juice`, and number of letters below which they are not compared."""
_ARTICLES = frozenset([
    "a", "an", "the", "der", "die", "das", "ein", "eine", "einen", "le", "la", "les", "l", "un", "une", "des", "d",
    "du", "de", "el", "los", "las", "una", "unos", "il", "lo", "gli", "i", "uno", "o", "os", "as", "um", "uma",
])  # fmt: skip
_ASKS = (
    (re.compile(r"\bhow (?:many|much)\b|\bnumber of\b|\bcount\b"), " number "),
    (re.compile(r"\bwhere\b|\b(?:at|in|on|to) (?:what|which) place\b"), " place "),
    (re.compile(r"\bwhen\b|\bwhat time\b"), " time "),
    (re.compile(r"\bwho(?:m|se)?\b|\bwhich person\b|\bpeople\b|\bpersons\b"), " person "),
)
_SAYS_LITTLE = frozenset([
    "what", "which", "how", "do", "doing", "does", "did", "is", "are", "was", "were", "be", "been", "being", "have",
    "has", "had", "can", "could", "will", "there", "it", "this", "that", "these", "those", "a", "an", "the",
    "in", "on", "at", "of", "to", "for", "with", "from", "by", "into", "and", "or", "you", "we", "they", "he",
    "she", "his", "her", "its", "their", "picture", "image", "photo", "photograph", "figure", "scene", "see",
    "seen", "show", "shown", "shows", "depict", "depicted", "visible", "thing", "object", "item", "find",
    "present", "appear", "following", "please", "given", "like"
])  # fmt: skip
"""Words that occur in questions about any picture."""


class AskedAgain(NamedTuple):
    """Two questions about one picture that perhaps ask the same thing.

    Args:
        items: Ids of both items, in order.
        way: Method that found the pair.
        likeness: Proportion of content words, or cosine, 0-1; None between languages.
        languages: Languages of both questions, if they differ.
    """

    items: tuple[str, str]
    way: Way
    likeness: float | None = None
    languages: tuple[str, str] | None = None


def asked_again(
    items: Sequence[Item],
    *,
    wordnet: WordNet | None = None,
    vectors: SentenceVectors | None = None,
    without_pictures: Collection[str] = (),
) -> Iterator[AskedAgain]:
    """Yield, once each, the pairs of questions about one picture that perhaps ask the same thing.

    Questions without pictures may all be about the same thing, so all of them are compared by their words. Sets that
    ask the same question with several keys are excluded: they are about pictures that the source lacks.

    Args:
        items: The items; those without a key or a picture are not compared.
        wordnet: A WordNet; if None, no words are compared.
        vectors: A sentence model; if None, no vectors are compared.
        without_pictures: Ids of the items whose source names no picture.
    """
    about: defaultdict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.item_id):
        if item.images and item.item_id not in without_pictures and right_option(item) is not None:
            about[pictures_shown(item)].append(item)
    pairs = [pair for same in about.values() for pair in combinations(same[:_MOST_ABOUT_ONE], 2)]
    of_model = {} if vectors is None else _by_vectors(pairs, list(about.values()), vectors)
    for first, second in pairs:
        ids = first.item_id, second.item_id
        if normal(first.question) == normal(second.question):
            continue
        if (languages := _in_two_languages(first, second)) is not None:
            yield AskedAgain(ids, "languages", None, languages)
        elif wordnet is not None and (shared := _by_words(first, second, wordnet)) is not None:
            yield AskedAgain(ids, "words", round(shared, 4))
        elif (cosine := of_model.get(ids)) is not None:
            yield AskedAgain(ids, "sentences", round(cosine, 4))
    if wordnet is not None and without_pictures:
        bare = [item for item in items if item.item_id in without_pictures and right_option(item) is not None]
        for first, second in likely_pairs(sorted(bare, key=lambda item: item.item_id), wordnet):
            if (shared := ask_the_same(first, second, wordnet)) is not None:
                yield AskedAgain((first.item_id, second.item_id), "words", round(shared, 4))


def _by_words(first: Item, second: Item, wordnet: WordNet) -> float | None:
    shared = _in_other_words(first, second, wordnet)
    return ask_the_same(first, second, wordnet) if shared is None else shared


def _in_two_languages(first: Item, second: Item) -> tuple[str, str] | None:
    """Return the languages of two questions if they differ and the options mean the same; otherwise None."""
    texts, others = _texts(first), _texts(second)
    if texts is None or others is None or len(texts) != len(others):
        return None
    language, other = language_of(first.question), language_of(second.question)
    if language is None or other is None or language == other:
        return None
    right, other_right = texts.index(_right_text(first)), others.index(_right_text(second))
    return (language, other) if _say_the_same(texts, others, right, other_right) else None


def _texts(item: Item) -> list[str] | None:
    texts = [choice.text for choice in item.choices]
    return None if None in texts or len(texts) < 2 else [str(text) for text in texts]


def _say_the_same(texts: Sequence[str], others: Sequence[str], right: int, other_right: int) -> bool:
    """Return whether the right options form one of the pairs of similar options, or the pair that is left over.

    Numbers must be equal; half of the words must be similar, or all but the right one.
    """
    numbers, beside = (any(quantity(text) is not None for text in each) for each in (texts, others))
    if numbers != beside:
        return False
    likeness = np.array([[_likeness_across(text, other) for other in others] for text in texts])
    best, best_of_other = likeness.argmax(axis=1), likeness.argmax(axis=0)
    pairs = {
        (row, int(column)): float(likeness[row, column])
        for row, column in enumerate(best)
        if likeness[row, column] >= _ALIKE and best_of_other[column] == row
    }
    if len(texts) == 2 and not numbers:
        return False  # `Yes` and `No` answer any question
    if numbers:
        return len(pairs) == len(texts) and min(pairs.values()) == 1 and (right, other_right) in pairs
    if (right, other_right) in pairs:
        return 2 * len(pairs) >= len(texts)
    is_left_over = right not in {row for row, _ in pairs} and other_right not in {column for _, column in pairs}
    return is_left_over and len(pairs) == len(texts) - 1


def _likeness_across(text: str, other: str) -> float:
    """Return the similarity of two options in two languages, 0-1: 1 for equal numbers, names and known words."""
    value, beside = quantity(text), quantity(other)
    if value is not None or beside is not None:
        return float(value == beside)
    words, others = normal(text), normal(other)
    if words == others or not _said_in_any(words).isdisjoint(_said_in_any(others)):
        return 1.0
    plain, beside_plain = _plain(words), _plain(others)
    if plain[:1] != beside_plain[:1] or len(plain) < _LEAST_LETTERS:
        return 0.0  # `Löffel` and `coffee` share most letters, too
    return SequenceMatcher(None, plain, beside_plain, autojunk=False).ratio()


def _said_in_any(words: str) -> frozenset[str]:
    return translations_of(words) | {words}


def _plain(words: str) -> str:
    """Return words without articles, accents and spaces."""
    bare = [word for word in words.split() if word not in _ARTICLES]
    return "".join(sign for sign in unicodedata.normalize("NFKD", "".join(bare)) if not unicodedata.combining(sign))


def _in_other_words(first: Item, second: Item, wordnet: WordNet) -> float | None:
    """Return the share of content words that mean the same, if the right options and the questions also mean the same;
    otherwise None.
    """
    if not _right_means_same(first, second, wordnet):
        return None
    words, others = (_content(item, wordnet) for item in (first, second))
    if not words and not others:  # `which animal is in the picture` asks only for the kind of its right option
        words, others = (_content(item, wordnet, with_kind=True) for item in (first, second))
    if not words or not others or _signs(first.question) != _signs(second.question):
        return None
    left = list(others)
    places = []
    alone = []
    for word in words:
        match = next((other for other in left if _same(word, other, wordnet)), None)
        if match is None:
            alone.append(word)
        else:
            places.append(others.index(match))
            left.remove(match)
    if not places or (alone and left) or not all(_is_verb(word, wordnet) for word in (*alone, *left)):
        return None  # `the dog sits` and `the cat sits`, `the color of the dog` and `the color of its eyes`
    shared = 2 * len(places) / (len(words) + len(others))
    is_yes_no = first.kind == "yes_no" or len(first.choices) == 2
    if is_yes_no and (shared < 1 or places != sorted(places)):
        return None  # `is the man left of the car` and `is the car left of the man`
    return shared if shared >= _LEAST_SHARED else None


def _is_verb(word: str, wordnet: WordNet) -> bool:
    verbs = len(wordnet.senses(word, "verb"))
    return verbs > 0 and verbs >= len(wordnet.senses(word, "noun"))


def _right_means_same(first: Item, second: Item, wordnet: WordNet) -> bool:
    if right_option(first) == right_option(second):
        return True
    one, two = _right_text(first), _right_text(second)
    if (value := quantity(one)) is not None or quantity(two) is not None:
        return value == quantity(two)
    related = relation(phrase_of(one, wordnet), phrase_of(two, wordnet), wordnet)
    return related is not None and related[0] == "same"


def _right_text(item: Item) -> str:
    return next((choice.text or "" for choice in item.choices if choice.key == item.right_key), "")


def _content(item: Item, wordnet: WordNet, *, with_kind: bool = False) -> list[str]:
    """Return the subject words of a question, without the kind of its right option (`which food`: soup)."""
    text = normal(item.question)
    for asks, meant in _ASKS:
        text = asks.sub(meant, text)
    right = phrase_of(_right_text(item), wordnet)
    head = right.words[right.head] if right.words else ""
    return [
        word
        for word in phrase_of(text, wordnet).words
        if word not in _SAYS_LITTLE and len(word) > 1 and (with_kind or not is_kind_of(head, word, wordnet))
    ]


def _signs(question: str) -> frozenset[str]:
    """Return the parts that must be equal: numbers, and single letters that name something."""
    words = normal(question).split()
    return frozenset(
        word for word in words if any(sign.isdigit() for sign in word) or (len(word) == 1 and word not in "aist")
    )


def _same(word: str, other: str, wordnet: WordNet) -> bool:
    return word == other or phrase_of(word, wordnet).lemmas == phrase_of(other, wordnet).lemmas or (
        words_relation(word, other, wordnet) == "same"
    )  # fmt: skip


def _by_vectors(
    pairs: Sequence[tuple[Item, Item]], about: Sequence[Sequence[Item]], vectors: SentenceVectors
) -> Mapping[tuple[str, str], float]:
    """Return the cosine of each pair that is closer than questions about different pictures are."""
    questions = list(dict.fromkeys(item.question for same in about for item in same))
    if not pairs:
        return {}
    place = {question: at for at, question in enumerate(questions)}
    found = vectors(questions)
    firsts = found[[place[same[0].question] for same in about][:_MOST_STRANGERS]]
    strangers = (firsts @ firsts.T)[np.triu_indices(len(firsts), 1)]
    strangers = strangers[strangers < 1 - 1e-6]  # one template asks the same of many pictures
    bound = max(_LEAST_COSINE, float(np.quantile(strangers, _QUANTILE)) if len(strangers) else 0.0)
    close = {}
    for first, second in pairs:
        cosine = float(found[place[first.question]] @ found[place[second.question]])
        if cosine > bound and _may_be_equal(first, second, vectors):
            close[first.item_id, second.item_id] = min(1.0, cosine)
    return close


def _may_be_equal(first: Item, second: Item, vectors: SentenceVectors) -> bool:
    """Return whether right options are equal, or their vectors are as close as those of questions must be."""
    texts = [_right_text(first), _right_text(second)]
    if normal(texts[0]) == normal(texts[1]):
        return True
    if any(quantity(text) is not None for text in texts):
        return quantity(texts[0]) == quantity(texts[1])
    one, two = vectors(texts)
    return float(one @ two) > _LEAST_COSINE
