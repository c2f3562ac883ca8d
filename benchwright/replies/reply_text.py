"""Conversion of free replies to plain text: uniform spelling of letters, no thoughts, no markup, bounded length.

The module also defines where a word begins and ends: in scripts with spaces, in scripts without them, and in Korean,
whose particles attach to words.
"""

from __future__ import annotations

import re
import unicodedata

MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0981-\u0983"
    "\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd\u0b01-\u0b4d\u0b82\u0bbe-\u0bcd\u0c00-\u0c4d\u0c81-\u0ccd\u0d00-\u0d4d"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
"""Vowel signs, tone marks and points, which Python does not count as letters."""

WORD = rf"[\w{MARKS}]"
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_PARTICLE = "(?:입니다|이에요|예요|이다|인|다|가|이|는|은|을|를|의|와|과|로|으로|에서|에|도|만|라고)"


def start_of(words: str) -> str:
    """Return a pattern that ensures a word boundary before the given words."""
    return "" if _clings(words[0], words) else rf"(?<!{WORD})(?<!\d[.,])"


def end_of(words: str) -> str:
    """Return a pattern that ensures a word boundary after the given words."""
    if _HANGUL.match(words[-1]):
        return rf"(?={_PARTICLE}?(?!{WORD}))"
    return "" if _clings(words[-1], words) else rf"(?!{WORD})(?![.,]\d)"


def _clings(character: str, words: str) -> bool:
    return len(words) > 1 and _UNSPACED.match(character) is not None


MAX_CHARS = 20_000
"""Largest length of a reply in characters; from a longer reply, the reader uses half of this from each end."""

_ALOUD = r"think|thinking|thoughts?|reasoning|reason|scratchpad|analysis|reflection"
_THOUGHT = re.compile(
    rf"<({_ALOUD})>.*?(?:</\1>|\Z)|[\[◁](think)[\]▷].*?(?:[\[◁]/\2[\]▷]|\Z)"
    r"|<\|channel\|>\s*(?:analysis|commentary)\b.*?(?:<\|end\|>|<\|start\|>|(?=<\|channel\|>)|\Z)",
    re.I | re.S,
)
_THOUGHT_END = re.compile(rf"\A.*(?:</(?:{_ALOUD})>|[\[◁]/think[\]▷])", re.I | re.S)
_ECHO_END = re.compile(r"\A.*(?:\[/INST\]|(?:^|\n)\s*(?:ASSISTANT|### Response)\s*:)(?=\s*\S)", re.S)
_ASKED_AND_ANSWERED = re.compile(r"\A\s*Q(?:uestion)?\s*:[^\n]{0,2000}\?\s*A(?:nswer)?\s*:", re.I)
_CHANNEL = re.compile(r"<\|start\|>\s*assistant|<\|channel\|>\s*final\s*<\|message\|>", re.I)
_TOKEN = re.compile(r"<\|[^|>\n]{1,40}\|>")
_SEQUENCE_MARKS = re.compile(r"\A\s*<s>|</s>\s*\Z")
_FENCE_LANGUAGE = re.compile(r"^```\w{1,20}[ \t]*\n(?!\s*```)", re.M)
_EMPTY_LINES = re.compile(r"(?:\r?\n[ \t]*){3,}")
_CIRCLED_BULLET = re.compile(r"^[ \t]*[①-⑳⑴-⒇❶-❿➀-➓‣][ \t]*(?=[A-Z(\[])", re.M)
_NEXT_TURN = re.compile(r"\n\s*(?:question|q|user|human|问题)\s*\d*\s*[:：]", re.I)
_SPACING = re.compile(r"\\[,;!() ]|\\[\[\]](?!\w)|~")
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boldsymbol|mathit|operatorname)\s*\{([^{}]{0,200})\}")
_FORMULAS = (
    (re.compile(r"\\[dt]?frac\s*\{\s*([^{}]{1,40}?)\s*\}\s*\{\s*([^{}]{1,40}?)\s*\}"), r"\1/\2"),
    (re.compile(r"\\sqrt\s*\{([^{}]{1,40})\}|√\{([^{}]{1,40})\}"), r"√\1\2"),
    (re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\degree"), "°"),
    (re.compile(r"\\pi(?![a-z])"), "π"),
    (re.compile(r"\\(?:times|cdot)(?![a-z])"), "×"),
    (re.compile(r"\\%"), "%"),
    (re.compile(r"(?<=[a-z])\^\s*\{?(-?\d)\}?"), r"\1"),
)
"""LaTeX for short formulas, with its plain form."""
_MARKS = re.compile(r"\*+|`+|\$+|(?<!\w)_+(?=\w)|(?<=\w)_+(?!\w)")
_STRUCK_OUT = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<\n]{1,200}</\1>")
_HTML = re.compile(
    r"<(?:(b|i|u|p|em|strong|span|div|code|li)>(?=[^<]{0,2000}</\1>)|/(?:b|i|u|p|em|strong|span|div|code|li)>|br\s*/?>)"
)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}|>)[ \t]*", re.M)
_DROPPED = dict.fromkeys([*range(0x200B, 0x2010), *range(0x202A, 0x202F), 0x2060, 0xFEFF, 0xFE0F, 0xFE0E])
# Unicode has no decomposition for letters on a dark circle or square.
_DARK_LETTERS = {start + k: chr(65 + k) for start in (0x1F150, 0x1F170) for k in range(26)}
_QUOTES = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "«": '"',
        "»": '"',
        "。": ". ",
        "、": ", ",
        "–": "-",
        "—": "-",
        "−": "-",
        "،": ", ",
        "؛": "; ",
        "؟": "? ",
        "।": ". ",
        "【": "[",
        "】": "]",
        "「": '"',
        "」": '"',
        "『": '"',
        "』": '"',
    }
)


_NO_WORD = re.compile(rf"[^\w{MARKS}.,:%/+'?√-]+")
_LATIN_FOR = dict(zip("АВСЕΑΒΕ", "ABCEABE", strict=True))
_LOOKALIKE = re.compile(r"(?<![^\W_])[АВСЕΑΒΕ](?=[).:\]]|\s*(?:\n|\Z))")
"""Isolated Cyrillic and Greek capitals that look like Latin ones, where a label is expected."""

_UNFINISHED = re.compile(
    r"(?:\A|(?<=[.!?;:\n]))[^.!?;:\n]*\b(?:has|have|had|is|are|was|were|and|or|the|an|of|in|on|to|with|that|which|"
    r"because|since|while|as|by|for|from|than|but|its|their|there\s+is|"
    r"(?:can|could)\s+see|shows|contains|into|onto|at|near|we|looks)\s*\Z"
)


_CLOSING_ASIDE = re.compile(r"(?<=[\n.!?])\s*\([^()\n]{25,400}\)\s*\Z")


_COURTESY = re.compile(
    r"(?<=[\n.!?)\]])\s*(?:let\s+me\s+know|(?:i\s+)?hope\s+(?:this|that|it)|feel\s+free|(?:is|are)\s+there\s+anything\s+else|"
    r"(?:would|do)\s+you\s+(?:like|want)\s+(?:me|to)|if\s+you\s+(?:have|need|would|want|'d)|happy\s+to\s+help|"
    r"espero\s+que|si\s+(?:tienes?|necesitas?|desea)|h[áa]game\s+saber|av[íi]same|no\s+dudes?\s+en|se\s+(?:você\s+)?(?:precisar|tiver|quiser)|"
    r"n'hésite[zs]?|j'espère\s+que|si\s+(?:vous|tu)\s+(?:avez|as|souhaite|voule)|spero\s+che|fammi\s+sapere|se\s+hai\s+(?:altre|bisogno)|"
    r"ich\s+hoffe|wenn\s+(?:sie|du)\s+(?:noch|weitere|fragen)|lassen\s+sie\s+(?:es\s+)?mich\s+wissen|falls\s+(?:sie|du)\s+(?:noch|weitere|fragen)|"
    r"надеюсь|если\s+(?:у\s+вас|вам|нужно)|дайте\s+знать|laat\s+(?:het\s+)?me\s+weten|daj\s+znać|semoga|umarım|hy\s+vọng|"
    r"如果(?:您|你)(?:还|還|有|需)|如有|希望(?:这|這|对|對|能)|(?:他|ほか)に(?:も)?(?:ご?質問|何か)|ご不明|お役に立て|도움이\s*되|궁금|추가\s*질문|"
    r"आशा\s+है|यदि\s+आप(?:के|को)|अगर\s+आप(?:के|को)|أتمنى|آمل|إذا\s+(?:كان\s+لديك|كنت|احتجت))[^\n]{0,200}\Z",
    re.I,
)
"""A last sentence that offers more help or hopes to have helped, in many languages."""


def without_closing_aside(text: str) -> str:
    """Return a text without its last sentence if that is unrelated to the answer: one in parentheses, or a courtesy."""
    text = _CLOSING_ASIDE.sub("", text) if text.endswith(")") else text
    courtesy = _COURTESY.search(text, max(0, len(text) - _COURTESY_AT_MOST))
    return text[: courtesy.start()] if courtesy else text


_COURTESY_AT_MOST = 260
"""Number of characters at the end of a reply in which a courtesy is searched for."""


def finished(text: str) -> str:
    """Return a text without its last sentence if that ends in a word that must be followed by another."""
    return _UNFINISHED.sub("", text).rstrip()


def bounded(reply: str) -> str:
    """Return a reply of at most about `MAX_CHARS`, with the middle of a longer one removed."""
    return reply if len(reply) <= MAX_CHARS else reply[: MAX_CHARS // 2] + "\n" + reply[-MAX_CHARS // 2 :]


def plain(reply: str) -> str:
    """Return a reply without thoughts, formatting marks and invented next turns.

    Full-width, circled and mathematical letters become plain ones (Unicode NFKC). An unclosed thought hides all
    text after it, because the reply ended inside the thought.
    """
    reply = _CIRCLED_BULLET.sub("", _EMPTY_LINES.sub("\n\n", bounded(reply)))
    text = unicodedata.normalize("NFKC", reply.translate(_DROPPED).translate(_DARK_LETTERS)).translate(_QUOTES)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _THOUGHT_END.sub("", _THOUGHT.sub("\n", text))
    text = _ASKED_AND_ANSWERED.sub("", _ECHO_END.sub("", _CHANNEL.sub("\n", text)))
    text = _SEQUENCE_MARKS.sub("", _TOKEN.sub("\n", text)).strip()
    text = _FENCE_LANGUAGE.sub("```\n", text)
    if turn := _NEXT_TURN.search(text):
        text = text[: turn.start()]
    text = _HTML.sub(" ", _STRUCK_OUT.sub(" ", text)).strip()
    text = _formulas_read(_LATEX_TEXT.sub(r"\1", _LATEX_TEXT.sub(r"\1", _SPACING.sub(" ", text))))
    text = _HEADING.sub("", _MARKS.sub("", text)).strip()
    return _LOOKALIKE.sub(lambda match: _LATIN_FOR[match[0]], text)


def _formulas_read(text: str) -> str:
    if "\\" in text or "√" in text or "^" in text:
        for pattern, read in _FORMULAS:
            text = pattern.sub(read, text)
    return text


def folded(text: str) -> str:
    """Return words for comparison: case folded, with single spaces and only letters, digits and marks inside words."""
    text = _formulas_read(unicodedata.normalize("NFKC", text).translate(_QUOTES)).casefold().replace("!", ".")
    return " ".join(_NO_WORD.sub(" ", text).split()).strip(" .,:;'")
