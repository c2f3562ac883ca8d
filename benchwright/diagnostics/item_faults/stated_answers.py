"""Texts and names that state the right option: `The answer is B`, `Pick C.`, `Lösung: A fox`, `q17_gt_c`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from benchwright.texts.normalization import normal

from ..wording.text_checks import right_named_in
from .fault_rules import ItemFacts

_KEY = (
    r"answers?|ans|key|correct(?: option| answer| choice| one)?|right(?: option| answer| choice| one)|solution|gt|"
    r"ground[ _-]?truth|label|target|(?:die |richtige )?(?:antwort|lösung)|(?:bonne )?réponse(?: correcte)?|solution|"
    r"respuesta(?: correcta)?|solución|risposta(?: corretta| esatta)?|soluzione|resposta(?: correta)?|solução"
)
_IS = r"(?:(?:is|was|ist|lautet|est|es|è|é|être)\b\W{0,2})?"
_OPTION = r"(?:option|choice|letter|answer|number|antwort|réponse|opción|respuesta|opzione|risposta|opção)"
_LETTER = r"\(?(?-i:([A-Z]))\)?(?![\w'’])"
_ENDS = r"(?=\s*(?:[.!)\n]|$))"
_STATES_KEY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\w)(?:{_KEY})\b\W{{0,3}}{_IS}(?:{_OPTION} )?{_LETTER}(?!\s*(?:,|or\b|and\b|oder\b|ou\b|o\b))",
        rf"\b{_OPTION} {_LETTER}\s+(?:is|must be|ist|est|es|è|é)\s+(?:the\s+|la\s+|die\s+)?"
        r"(?:right|correct\w*|answer|richtig\w*|exacte|bonne|corretta)",
        rf"\b{_OPTION} {_LETTER}\s+(?:fits|matches|applies|suits)(?:\s+(?:best|exactly|perfectly))?{_ENDS}",
        rf"\b(?:that|since|because|given|know(?:ing)?)\s+{_LETTER}\s+is\s+(?:the\s+)?(?:right|correct|answer)",
        rf"\b(?:pick|choose|select|tick|mark|take)\s+(?:{_OPTION} )?{_LETTER}{_ENDS}",
        rf"(?:\bi\.e\.,?|\bnamely|\bthat is,)\s+(?:{_OPTION} )?{_LETTER}{_ENDS}",
        r"[?.!？。]\s*[\[(（【](?-i:([A-Z]))[\])）】]\s*$",
        r"(?:答案|正确选项|正確選項|正解|答え)(?:是|为|為|は|选|選|\s|：|:)*[(（]?(?-i:([A-Z]))(?![A-Za-z])",
        r"(?:应选|應選|请选|故选|選擇)\s*[(（]?(?-i:([A-Z]))(?![A-Za-z])",
    )
)
_LINE_OF_A_LETTER = re.compile(r"^\W*(?:option |choice )?\(?([A-Z])[).]?\s*$", re.MULTILINE | re.IGNORECASE)
_STATES_TEXT = re.compile(
    rf"(?<!\w)(?:{_KEY})\b\s*(?:is|was|ist|lautet|est|es|è|é|:|=)\s*(?P<said>[^\n]{{1,300}})", re.IGNORECASE
)
_IS_OPTION = re.compile(rf"\W*{_OPTION}\W*(?-i:([A-Z]))\W*", re.IGNORECASE)
_KEYS_IN_NAMES = frozenset(
    ["answer", "ans", "key", "correct", "gt", "truth", "solution", "sol", "antwort", "loesung", "réponse", "respuesta"]
)


def named_answer(facts: ItemFacts, text: str) -> str | None:
    """Return the right option if another text of the item names it, in words or by its letter, and no wrong option."""
    alone = _IS_OPTION.fullmatch(text)
    if alone is not None and alone[1] == facts.item.right_key:
        return alone.group().strip()
    return stated_answer(facts, text) or right_named_in(facts.item, text)


def stated_answer(facts: ItemFacts, text: str) -> str | None:
    """Return the words in which a text states the right option, by letter or in words; None if it states none.

    Also None if it states several.
    """
    found = [match for pattern in _STATES_KEY for match in pattern.finditer(text)]
    if "\n" in text.strip():
        lines = list(_LINE_OF_A_LETTER.finditer(text))
        found += lines if len(lines) == 1 else []
    if found and {match[1].upper() for match in found} == {facts.item.right_key}:
        return found[0].group().strip()
    said = _STATES_TEXT.search(text)
    if said is None or not facts.right_text:
        return None
    words = normal(said["said"])
    meant = [choice for choice in facts.worded if f"{words} ".startswith(f"{normal(choice.text or '')} ")]
    longest = max(meant, key=lambda choice: len(choice.text or ""), default=None)
    return said.group() if longest is facts.right else None


def stated_in_name(tokens: Sequence[str]) -> str | None:
    """Return the letter or number that a name states as the answer; None if it states none, or several.

    Args:
        tokens: Words and numbers of the name, in lowercase.

    Example:
        >>> stated_in_name(["q", "17", "gt", "c"]), stated_in_name(["key", "board"])
        ('c', None)
    """
    said = {
        after
        for before, after in itertools.pairwise(tokens)
        if before in _KEYS_IN_NAMES and ((len(after) == 1 and after.isalnum()) or (after.isdigit() and len(after) < 3))
    }
    return said.pop() if len(said) == 1 else None
