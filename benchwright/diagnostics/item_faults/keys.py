"""Keys contradicted by an explanation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from benchwright.records import LETTERS
from benchwright.texts.normalization import normal

from ..keys.explanations import Contradictions, contradictions
from ..wording.item_texts import without_articles
from ..wording.number_words import NUMERALS
from .fault_rules import FaultRule, ItemFacts, ItemFault, SetFault, SetRule, excerpt

_PUT_ASIDE = re.compile(
    r"\b(?:not|no|never|neither|nor|unlike|rather|instead|although|though|while|whereas|other|others|wrong|incorrect|"
    r"false|than|compared|however|but|without|except|cannot|would|could|may|might|if|unless|seems?)\b|n't\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_CONCLUDES = re.compile(r"\W*(?:so|therefore|thus|hence|in conclusion|accordingly)\b", re.IGNORECASE)
_SPEAKS_FOR = re.compile(
    r"\b(?:supports?|speaks? for|points? to|confirms?|matches|(?:what|all that) remains is|can only be|must be|"
    r"leaves)\b"
)
_CLAUSE = re.compile(r"(?<=[.!?;])\s+|\n+")
_EXCLUDED = (
    r"(?:can|could|must|should|may|has to)\s+be\s+(?:excluded|ruled out|eliminated|discarded|rejected)|"
    r"(?:is|are|was|would be)\s+(?:excluded|ruled out|eliminated|wrong|incorrect|false|a mistake)"
)
_RULED_OUT = re.compile(
    r"\b(?:rule[sd]?|ruling) out\s+(?P<letters>\(?[A-J]\)?(?:\s*(?:,|and|&|, and)\s*\(?[A-J]\)?)*)(?![\w'’])"
)
_RESULT = re.compile(r"=\s*([^=\n]{1,40}?)\s*[.!]?\s*(?=\n|\Z)")
_ANSWERS_FIRST = re.compile(r"^\W*(yes|no|true|false)\b\s*[,.;:!–-]", re.IGNORECASE)
_VERDICTS = frozenset({"yes", "no", "true", "false", "correct", "incorrect"})
_STEM = 5
"""Number of initial letters that words must share to have related meanings: `increase`, `increasing`."""


def _contradictions(items: Sequence[ItemFacts]) -> Contradictions:
    return contradictions(facts.stated_key._replace(item_id=str(place)) for place, facts in enumerate(items))


def _look(facts: ItemFacts) -> object:
    return facts.stated_key


def _contradicted(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield one fault for each contradiction, or one for all if explanations use another order of options."""
    result = _contradictions(items)
    if result.is_other_order:
        return
    for each in result.found:
        yield SetFault(
            [int(each.item_id)],
            f"The key is {LETTERS[each.key]}, but the explanation calls {LETTERS[each.stated]} right.",
            {"key": LETTERS[each.key], "stated": LETTERS[each.stated], "sentence": each.sentence},
        )


def _of_another_order(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    result = _contradictions(items)
    if result.is_other_order:
        yield SetFault(
            [int(each.item_id) for each in result.found],
            f"{len(result.found):,} of the {result.stating:,} explanations that name an option name one other than "
            "the key: their letters belong to another order of options, or rows are mixed up.",
            {"stating": result.stating, "contradicting": len(result.found)},
        )


def _names_a_wrong_one(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if an explanation concludes with a wrong option, or names one and never the right one."""
    explanation, right = facts.item.explanation or "", facts.right_text
    cores = {choice.key: _core(choice.text or "") for choice in facts.worded}
    if right is None or set(cores.values()) <= _VERDICTS or facts.stated_key.stated is not None:
        return
    if re.search(rf"\b(?:answer|option|choice)\s+(?:is\s+)?\(?{facts.item.right_key}\b", explanation, re.IGNORECASE):
        return
    named = _named_in(explanation, cores)
    if named is not None and named != facts.item.right_key:
        own = [word for word in cores[str(facts.item.right_key)].split() if word not in cores[named].split()]
        words = _core(explanation)
        sentences = [each for each in _SENTENCE.split(explanation) if _named_in(each, cores) == named]
        if not own or any(_speaks_of(word, words) for word in own):
            sentences = []
    else:
        sentences = [each for each in _SENTENCE.split(explanation) if _CONCLUDES.match(each)]
    concluded = {_named_in(sentence, cores) for sentence in sentences} - {None}
    if len(concluded) != 1 or any(_PUT_ASIDE.search(sentence) for sentence in sentences):
        return
    (key,) = concluded
    if key is not None and key != facts.item.right_key:
        text = next(choice.text for choice in facts.worded if choice.key == key)
        yield ItemFault(
            f"The key is {facts.item.right_key} ({right!r}), but the explanation supports {key} ({text!r}).",
            {"key": facts.item.right_key, "named": key, "sentence": excerpt(sentences[-1].strip())},
        )


def _speaks_against(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if an explanation excludes the key, or reaches another result."""
    explanation, right = facts.item.explanation or "", facts.item.right_key or ""
    if facts.right_text is None or facts.stated_key.stated is not None:
        return
    texts = {choice.key: normal(choice.text or "") for choice in facts.worded}
    cores = {choice.key: _core(choice.text or "") for choice in facts.worded}
    excluded = re.search(rf"(?<!\w)(?:{right}|{re.escape(facts.right_text)})[\"'”’)]*\s+(?:{_EXCLUDED})\b", explanation)
    ruled_out = [match for match in _RULED_OUT.finditer(explanation) if right in match["letters"]]
    said: str | None = None
    if any(_CONCLUDES.match(each) and _named_in(each, cores) == right for each in _CLAUSE.split(explanation)):
        return
    if excluded is not None or ruled_out:
        clauses = [each for each in _CLAUSE.split(explanation) if _SPEAKS_FOR.search(each)]
        said = next((key for each in clauses if (key := _named_in(each, cores)) is not None), "")
    elif set(cores.values()) <= _VERDICTS:
        first = _ANSWERS_FIRST.match(explanation)
        said = (
            None if first is None else next((key for key, text in cores.items() if text == first[1].casefold()), None)
        )
    elif (results := _RESULT.findall(explanation)) and len(set(texts.values())) == len(texts):
        said = next((key for key, text in texts.items() if text and text == normal(results[-1])), None)
    if said is not None and said != right:
        what = f"supports {said}" if said else "excludes it"
        yield ItemFault(
            f"The key is {right} ({facts.right_text!r}), but the explanation {what}.",
            {"key": right, "named": said or None, "sentence": excerpt(explanation)},
        )


def _speaks_for_another(facts: ItemFacts) -> Iterator[ItemFault]:
    against = next(_speaks_against(facts), None)
    if against is not None:
        yield against
    else:
        yield from _names_a_wrong_one(facts)


def _named_in(text: str, cores: Mapping[str, str]) -> str | None:
    """Return the letter of the only option named in a text, or of the longest if it contains the others."""
    words = f" {_core(text)} "
    named = {key: core for key, core in cores.items() if core and f" {core} " in words}
    longest = max(named, key=lambda key: len(named[key]), default=None)
    if longest is None or any(core not in named[longest] for core in named.values()):
        return None
    return longest


def _core(text: str) -> str:
    """Return the words of a text without articles, with numbers in digits."""
    return " ".join(str(NUMERALS.get(word, word)) for word in normal(without_articles(text)).split())


def _speaks_of(word: str, words: str) -> bool:
    """Return whether a text has a word, or one with the same beginning."""
    return f" {word[:_STEM]}" in f" {words}" if len(word) >= _STEM else f" {word} " in f" {words} "


RULES: tuple[FaultRule | SetRule, ...] = (
    SetRule(
        "explanation_contradicts_key",
        "keys",
        "high",
        "the explanation explicitly calls another option right, in seven languages",
        _contradicted,
        ("key", "explanation"),
        look=_look,
    ),
    SetRule(
        "explanations_of_another_order",
        "keys",
        "medium",
        "so many explanations contradict the key that their letters must belong to another order of options",
        _of_another_order,
        ("key", "explanation"),
        look=_look,
    ),
    FaultRule(
        "explanation_names_wrong_option",
        "keys",
        "medium",
        "the explanation concludes with a wrong option, excludes the right one, reaches another result (`= 25 %`), "
        "or has a wrong option and no word specific to the right one",
        _speaks_for_another,
        ("key", "options", "explanation"),
        certainty="possible",
    ),
)
