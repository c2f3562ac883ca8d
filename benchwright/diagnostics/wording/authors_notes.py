"""Notes of authors and reviewers to each other within a text, and labels in place of a text.

`[needs a better distractor]`, `(too easy?)`, `// rewrite`, `<!-- fix me -->`, `to be filled in`, `-- key disputed`,
`same as Q12:`, `Option C` among options in words. A note is set apart (in brackets, after a dash, an arrow or a slash,
between asterisks, in a comment) and concerns work on the text, or it has words that occur in no text for readers
(`note_words`). If a question asks for the text of a note or a screen, options may contain the words of notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .note_words import (
    FOR_READERS,
    ONLY_AUTHORS_SAY,
    OPENS_A_NOTE,
    REFERS_TO_ITEMS,
    SAYS_OF_ITEM,
    SPEAKS_OF_WORK,
    STANDS_ALONE,
    trails_a_question,
)

_ASIDE = re.compile(
    r"\[(?P<square>[^\[\]\n]{2,120})\]|\((?P<round>[^()\n]{2,120})\)|(?<![:/])//+\s*(?P<slashes>\w[^\n]{1,100})$"
    r"|<!--(?P<comment>[^\n]{1,120}?)-->|\{(?P<braces>[^{}\\$\n]{4,80})\}|/\*(?P<code>[^\n]{1,120}?)\*/"
    r"|【(?P<corners>[^【】\n]{2,60})】|（(?P<wide>[^（）\n]{2,60})）"
)
_APART = re.compile(
    r"\[\[?(?P<square>[^\[\]\n]{3,140})\]|\((?P<round>[^()\n]{3,140})\)|\{(?P<braces>[^{}\\$\n]{4,120})\}"
    r"|<<(?P<angles>[^<>\n]{3,120})>>|<(?P<tag>[a-z]+)>(?P<tagged>[^<>\n]{3,100})</(?P=tag)>"
    r"|(?P<star>\*{1,3}|_{1,2}|#{2,3}|~~)(?P<stars>[^*_#~\n]{3,120}?)(?P=star)(?!\w)"
    r"|(?:\s(?:--+|[-–—~%|]|<-+|->|=>|→|←|//+|\\\\)\s*|\s/(?=\w))(?P<behind>[^\n]{3,140}?)/?$"
)
"""Text that is set apart from the rest; the last alternative extends to the end."""
_PARTS = ("square", "round", "braces", "angles", "tagged", "stars", "behind")
_NO_WORDS = re.compile(r"[=^\\_{}$]")
_ASKS_FOR_TEXT = re.compile(
    r"\b(?:sticky note|post-?its?|remarks?|comments?|memo|notices?|screenshot|whiteboard|blackboard|message|caption|"
    r"placeholder|mock-?up|"
    r"to-?do list|reads?|says?|said|written|stands? in (?:capitals|red|bold)|words?|labels?|signs?|button|menu|code|"
    r"commit|annotation|"
    r"stamp(?:ed)?|handwritten|heading|title)\b",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"<\s*(?:question|answer|option|choice|text|caption|explanation|distractor|image|picture|name|title|prompt|hint)"
    r"[ _]?(?:\d|[a-z]|text|here)?\s*>",
    re.IGNORECASE,
)
"""A text that consists only of the name of its field."""
_LABEL = re.compile(
    r"[<\[(]?\s*(?:(?:wrong|right|correct|incorrect)[ _-])?(?:option|choice|answer|distractor|alternative|"
    r"antwort|réponse|"
    r"respuesta|opción|opcion|选项|答案)[ _-]?(?:\d{1,2}|[a-z])\s*[>\])]?\.?",
    re.IGNORECASE,
)
_LEAST_OTHERS = 2
_SAYS_NOTHING = re.compile(r"[\s.?!;:,_*\-‐-―\"'`´“”‘’„«»…~#|\\¿¡。，；：？！、·•]*")


def authors_note(text: str, *, in_prose: bool = False) -> tuple[int, int] | None:
    """Return the span of an authors' note in a text; None if there is none.

    Args:
        text: A question, an option or an explanation.
        in_prose: Whether the text is long prose, such as an explanation, in which only text that begins like a note
            counts.

    Example:
        >>> authors_note("a fox (too easy?)"), authors_note("a fox (in winter)")
        ((6, 17), None)
        >>> authors_note("Which dish is it? (I say stew)"), authors_note("Which dish is it? (Choose one.)")
        ((18, 30), None)
    """
    if _WHOLE.fullmatch(text.strip()) is not None:
        return 0, len(text)
    match = STANDS_ALONE.search(text) or _opening(text)
    if match is None and not in_prose:
        match = ONLY_AUTHORS_SAY.search(text) or REFERS_TO_ITEMS.search(text) or trails_a_question(text)
    if match is not None:
        return match.span()
    return next(((start, stop) for start, stop, words in _apart(text) if not in_prose and _is_remark(words)), None)


def _opening(text: str) -> re.Match[str] | None:
    """Return the first aside that begins like a note."""
    for match in _ASIDE.finditer(text):
        words = next(group for group in match.groups() if group is not None).strip()
        if OPENS_A_NOTE.search(words) and "$" not in words:
            return match
    return None


def asks_for_text(question: str) -> bool:
    """Return whether a question asks for the text of a note, sign or screen, so that options may have such words."""
    return _ASKS_FOR_TEXT.search(question) is not None


def _is_remark(words: str) -> bool:
    speaks = SPEAKS_OF_WORK.search(words) or SAYS_OF_ITEM.search(words) or REFERS_TO_ITEMS.search(words)
    return speaks is not None and not FOR_READERS.match(words) and not _NO_WORDS.search(words)


def _apart(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern, names in ((_ASIDE, ("comment", "code", "slashes")), (_APART, _PARTS)):
        for match in pattern.finditer(text):
            words = next((match[name] for name in names if match[name] is not None), None)
            if words is not None:
                yield match.start(), match.end(), words.strip(" ([{")


def labels_for_texts(texts: Sequence[str]) -> list[int]:
    """Return the indices of options that are merely a label, such as `Option C`, if two or more others are not.

    If all options are labels, they denote the content of a picture.
    """
    labels = [n for n, text in enumerate(texts) if _LABEL.fullmatch(text.strip())]
    return labels if len(texts) - len(labels) >= max(_LEAST_OTHERS, len(labels)) else []


def texts_without_words(texts: Sequence[str]) -> list[int]:
    """Return the indices of options that are empty or a mark such as `-`, if two or more others have words.

    If several options are marks, for example because the question asks for a mark, none is at fault.
    """
    said = [_SAYS_NOTHING.fullmatch(text) is None for text in texts]
    in_words = sum(any(sign.isalnum() for sign in text) for text in texts)
    empty = [n for n, says in enumerate(said) if not says]
    return empty if len(empty) == len(texts) - in_words and in_words >= max(_LEAST_OTHERS, 2 * len(empty)) else []
