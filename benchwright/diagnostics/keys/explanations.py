"""Explanations that name an option other than the key as the right one.

There are only a few rules. An explanation is used if it explicitly states the right option ("the answer is B", "(B) is
correct", "the correct answer is a red cat", "Hence B"), always names the same option, and never states that the key is
right. Discussing an option does not count, and an explanation that states no option is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchwright.records import LETTERS
from benchwright.replies.answers import read_answer
from benchwright.replies.reply_text import plain

_COMMITTING_RULES = frozenset({"phrase", "boxed", "tag", "json"})
"""Rules of the answer reader by which a text states the right option; a label or a mention is not enough."""

_ENDS_WITH_ANSWER = re.compile(
    r"\b(?:answer|option|choice|response)\s*(?:is|:)\s*(?:option\s+|choice\s+)?[(\[]?[A-Z][)\]]?\Z|"
    r"(?<!\w)[(\[]?[A-Z][)\]]?\s+is\s+(?:the\s+)?(?:correct|right|best)(?:\s+(?:answer|option|choice|one))?\Z",
    re.I,
)
"""A sentence that ends with the right option, whichever rule matches it."""

_LEAST_STATING, _MOST_CONTRADICTING = 10, 0.3
"""Smallest number of explanations that name an option, and the share of contradictions among them above which their
letters are taken to refer to another order of the options, so that single items are not reported."""

_SAYS_RIGHT = re.compile(
    r"(?:correct|right|best|final|proper)\s+(?:answer|option|choice|response)|answer\s*(?:is|:)|(?:option|choice)?\s*"
    r"[(\[]?[A-Z][)\]]?\s+is\s+(?:the\s+)?(?:correct|right|best|answer)|\\boxed|answer\s*[>\]\"']",
    re.I,
)
_DENIES = re.compile(
    r"\b(?:not|never|cannot|isn't|wrong|incorrect|mistaken(?:ly)?|tempting|at\s+first|might|may|could|would|seems?|"
    r"misread|confus\w+|if|unless|although|though|rather\s+than|instead|erroneous\w*|key|but)\b|n't\b",
    re.I,
)
"""Words in a sentence that may reject the option that it calls right; such a sentence is ignored."""

_CONCLUDES = re.compile(
    r"(?:\b(?:hence|therefore|thus|so|consequently|accordingly|(?:which|this|that) leaves|leaving|daher|somit|"
    r"folglich|donc|ainsi|por (?:lo )?tanto|luego|quindi|dunque|portanto)\b[,:]?"
    r"\s*(?:only\s+)?(?:option\s+|choice\s+|answer\s+)?"
    r"|\b(?:richtige?|korrekte?)\s+(?:antwort|lösung)\s+(?:ist|lautet)\s+(?:die\s+)?(?:antwort\s+)?"
    r"|\b(?:richtig|korrekt)\s+ist\s+(?:nur\s+|also\s+)?(?:die\s+)?(?:antwort\s+|option\s+)?"
    r"|\b(?:(?:bonne|juste)\s+réponse|réponse\s+(?:correcte|exacte|juste))\s+est\s+(?:la\s+)?(?:réponse\s+)?"
    r"|\brespuesta\s+(?:correcta\s+)?es\s+(?:la\s+)?(?:opción\s+)?"
    r"|\brisposta\s+(?:corretta|esatta|giusta)\s+è\s+(?:la\s+)?|\bresposta\s+(?:correta|certa)\s+é\s+(?:a\s+)?)"
    r"[(\[]?(?-i:(?P<latin>[A-J]))[)\]]?(?=\s*(?:[.!;,]|\Z))"
    r"|(?:(?:正确)?答案(?:应)?(?:是|为|為|選|选|[:：])|(?:故|应|應|因此|所以)(?:本题|该)?[选選]|正解は)\s*[(（]?"
    r"(?-i:(?P<han>[A-J]))(?![A-Za-z])"
    r"|\A\s*(?:option\s+|choice\s+|answer\s+)?[(\[]?(?-i:(?P<reasoned>[A-J]))[)\]]?\s+is\s+(?:the\s+)?(?:correct|right)"
    r"(?:\s+(?:answer|option|choice|one))?,?\s+(?:because|since)\b",
    re.IGNORECASE,
)
"""Conclusions with a letter: `Hence A.`, `which leaves D`, `故选A`, `La respuesta correcta es la C`, `Richtig ist B`;
or a letter with a reason: `C is correct because …`."""

_IS_CONDITION = re.compile(r"\b(?:if|unless|not|never|wrong|would|falls|wenn|si|se)\b|n't\b|如果", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;]+(?=\s|\Z)|\n+")


class ExplainedKey(NamedTuple):
    """A text that explains the right answer of an item.

    Args:
        item_id: Id of the item.
        explanation: The text.
        options: Text of each option; None for a picture.
        key: Index of the option that the benchmark calls right.
    """

    item_id: str
    explanation: str
    options: tuple[str | None, ...]
    key: int


class Contradiction(NamedTuple):
    """An explanation that calls another option right.

    Args:
        item_id: Id of the item.
        key: Index of the option that the benchmark calls right.
        stated: Index of the option that the explanation calls right.
        sentence: The sentence with this statement.
    """

    item_id: str
    key: int
    stated: int
    sentence: str


class Contradictions(NamedTuple):
    """The explanations that contradict keys.

    Args:
        stating: Number of explanations that call one option right.
        found: Contradictions, in the order of the items.
        is_other_order: Whether so many explanations contradict their keys that their letters must refer to another
            order of the options.
    """

    stating: int
    found: tuple[Contradiction, ...]
    is_other_order: bool


class StatedKey(NamedTuple):
    """A key, and the option that its explanation calls right.

    Args:
        item_id: Id of the item.
        key: Index of the option that the key calls right.
        stated: Index of the option that the explanation calls right, with its sentence; None if it names none.
    """

    item_id: str
    key: int
    stated: tuple[int, str] | None


def stated_key(item: ExplainedKey) -> StatedKey:
    """Return a key with the option that its explanation calls right."""
    return StatedKey(item.item_id, item.key, stated_option(item.explanation, item.options))


def contradictions(statements: Iterable[StatedKey]) -> Contradictions:
    """Return the explanations that call an option other than the key right."""
    stating = 0
    found = []
    for item in statements:
        if item.stated is None:
            continue
        stating += 1
        place, sentence = item.stated
        if place != item.key:
            found.append(Contradiction(item.item_id, item.key, place, sentence))
    other_order = stating >= _LEAST_STATING and len(found) > _MOST_CONTRADICTING * stating
    return Contradictions(stating, tuple(found), other_order)


def stated_option(explanation: str, options: Sequence[str | None]) -> tuple[int, str] | None:
    """Return the index of the only option that an explanation calls right, with the sentence; None if there is none.

    Also None if different sentences call different options right.

    Example:
        >>> stated_option("Two dogs are seen. So the correct answer is (B).", ("one", "two"))
        (1, 'So the correct answer is (B)')
    """
    choices = list(zip(LETTERS, options, strict=False))
    found: dict[str, str] = {}
    for sentence in _SENTENCE.split(plain(explanation)):
        concluded = _CONCLUDES.search(sentence)
        if concluded is not None and not _IS_CONDITION.search(sentence):
            letter = concluded["latin"] or concluded["han"] or concluded["reasoned"]
            if LETTERS.index(letter) < len(options):
                found.setdefault(letter, sentence.strip())
                continue
        if not _SAYS_RIGHT.search(sentence) or _DENIES.search(sentence):
            continue
        reading = read_answer(sentence.strip(), choices)
        commits = reading.rule in _COMMITTING_RULES or (_ENDS_WITH_ANSWER.search(sentence.rstrip()) is not None)
        if reading.letter is not None and commits:
            if not _mentions_another(sentence, LETTERS.index(reading.letter), options):
                found.setdefault(reading.letter, sentence.strip())
        elif reading.letter is None and reading.rule != "nothing":
            return None
    if len(found) != 1:
        return None
    ((letter, sentence),) = found.items()
    return LETTERS.index(letter), sentence[:500]


def _mentions_another(sentence: str, stated: int, options: Sequence[str | None]) -> bool:
    """Return whether a sentence contains words of another option that are not part of the stated option's words."""
    words = plain(sentence).casefold()
    own = plain(options[stated] or "").casefold()
    others = (plain(text or "").casefold() for place, text in enumerate(options) if place != stated)
    return any(len(other) > 2 and other not in own and other in words.replace(own, " ") for other in others)
