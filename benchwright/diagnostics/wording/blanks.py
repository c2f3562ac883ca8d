"""The position of an option in a sentence that it completes: a blank, or the end of a sentence without an end mark.

`The picture shows an ___`, `Tucked under her arm is a single white` and `Which fruits are these? These are` all ask for
the words that follow. Grammar rules read them in a common form.
"""

from __future__ import annotations

import re

BLANK = "___"
"""How blanks are written in the results of `with_blank`."""
_WRITTEN = re.compile(
    r"_{2,}|\.{3,}|…|\[\s*(?:blank|gap|\?|_|missing(?: word)?|word)?\s*\]|\(\s*(?:blank|gap|\?+)?\s*\)|-{3,}"
    r"|<\s*(?:blank|gap)\s*>|\{\s*(?:blank|gap|\?)?\s*\}|\bX{4,}\b|\(a(?:\s?[/,|]\s?[b-h])+\)|[□▢■]+|\\square",
    re.IGNORECASE,
)
_UNFINISHED = re.compile(r"[\w'’)\"”»,]\s*$")
_FEWEST_WORDS = 3
"""Smallest number of words in a question's last sentence at which a missing end mark means that the sentence
continues."""
_ASKS = re.compile(
    r"^\W*(?:(?:in|on|at|of|from|for|to|with|by|auf|mit|à|de|en|di|da|em) )?"
    r"(?:what|which|who|whom|whose|where|when|why|how|choose|select|name|pick|identify|describe|find|count|read|look|tell"
    r"|give|list|state|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should"
    r"|was|wer|wen|wem|wo|wann|warum|wie|welche[rsnm]?|nenne|wähle|quel(?:le)?s?|que|qu['’]\w+|qui|où|quand|comment|combien"
    r"|pourquoi|qué|quién(?:es)?|dónde|cuál(?:es)?|cuánt[oa]s?|cuándo|cómo|che|cosa|chi|dove|quale|quali|quant[oaie]|perché"
    r"|o que|quem|onde|qual|quais|como)\b",
    re.IGNORECASE,
)
"""Beginnings of sentences that ask for something or instruct readers."""


def with_blank(question: str) -> str:
    """Return a question with all its blanks written `___`, and one at its end if its last sentence is unfinished.

    A question is not unfinished merely because its question mark is missing, as in `What is this`.
    """
    text = _WRITTEN.sub(f" {BLANK} ", question).rstrip()
    if BLANK in text:
        return re.sub(r"[ \t]+", " ", text).strip()
    last = re.split(r"(?<=[.!?:;])\s+", text)[-1].rstrip(": ")
    is_unfinished = _UNFINISHED.search(last) is not None and _ASKS.match(last) is None
    words = last.split()
    follows = last != text.rstrip(": ")  # `These are` after a question is a sentence of two words
    if is_unfinished and len(words) >= (2 if follows else _FEWEST_WORDS):
        return f"{text.rstrip(': ')} {BLANK}"
    return question
