"""Free replies brought to plain text: one spelling of letters, no thinking aloud, no mark-up, bounded length."""

from __future__ import annotations

import re
import unicodedata

MAX_CHARS = 20_000
"""A longer reply is read at both its ends, half of this each."""

_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.I | re.S)
_THOUGHT_END = re.compile(r"\A.*</(?:think|thinking|thought|reasoning|scratchpad)>", re.I | re.S)
_TOKEN = re.compile(r"<\|[^|>\n]{1,40}\|>")
_SEQUENCE_MARKS = re.compile(r"\A\s*<s>|</s>\s*\Z")
_FENCE_LANGUAGE = re.compile(r"^```\w{1,20}[ \t]*\n(?!\s*```)", re.M)
_CIRCLED_BULLET = re.compile(r"^[ \t]*[①-⑳⑴-⒇❶-❿➀-➓‣][ \t]*(?=[A-Z(\[])", re.M)
_NEXT_TURN = re.compile(r"\n\s*(?:question|q|user|human|问题)\s*\d*\s*[:：]", re.I)
_SPACING = re.compile(r"\\[,;! ]|~")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boldsymbol|mathit|operatorname)\s*\{([^{}]{0,200})\}")
_MARKS = re.compile(r"\*+|`+|\$+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}|>)[ \t]*", re.M)
_DROPPED = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF, 0xFE0F, 0xFE0E])
# Letters on a dark circle or square have no decomposition in Unicode.
_DARK_LETTERS = {start + k: chr(65 + k) for start in (0x1F150, 0x1F170) for k in range(26)}
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "«": '"', "»": '"', "。": ". ", "、": ", ", "–": "-", "—": "-"}
)


def plain(reply: str) -> str:
    """Return a reply as it is read: what was thought aloud, marks of formatting and invented next turns removed.

    Full-width, circled and mathematical letters become plain ones (Unicode NFKC). An unclosed thought hides all
    that follows it, since nothing after it was said to the asker.
    """
    if len(reply) > MAX_CHARS:
        reply = reply[: MAX_CHARS // 2] + "\n" + reply[-MAX_CHARS // 2 :]
    reply = _CIRCLED_BULLET.sub("", reply)
    text = unicodedata.normalize("NFKC", reply.translate(_DROPPED).translate(_DARK_LETTERS)).translate(_QUOTES)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _THOUGHT_END.sub("", _THOUGHT.sub("\n", text))
    text = _SEQUENCE_MARKS.sub("", _TOKEN.sub("\n", text)).strip()
    text = _FENCE_LANGUAGE.sub("```\n", text)
    if turn := _NEXT_TURN.search(text):
        text = text[: turn.start()]
    text = _LATEX_TEXT.sub(r"\1", _LATEX_TEXT.sub(r"\1", _SPACING.sub(" ", text)))
    return _HEADING.sub("", _MARKS.sub("", text)).strip()


def folded(text: str) -> str:
    """Return words for comparison: case folded, single spaces, nothing but letters, digits and inner marks."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    return " ".join(re.sub(r"[^\w.,:%/+'-]+", " ", text).split()).strip(" .,:;'")
