"""Dialogues: a list of messages by users and assistants, with pictures between the texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from benchwright.source_files.rows import BadRow

from ..mapping.columns import FIELDS
from .layout import NOTHING, Entry, Layout, PlainRow, named, without

DIALOGUES = ("messages", "conversations", "conversation", "dialogue", "dialog", "input", "prompt")
_ASKING = frozenset({"user", "human", "question"})
_REPLYING = frozenset({"assistant", "gpt", "model", "bot", "chatgpt", "answer"})
_LEADING = re.compile(r"(?:\s*<(?:image|img|ImageHere)>\s*)+")
_PLACE = re.compile(r"\s*<(?:image|img|ImageHere)>\s*")


class _Turn(NamedTuple):
    """The question before one reply: its text with a position for each picture, the pictures, and the reply."""

    words: str
    pictures: list[Any]
    reply: str | None


def _dialogue_of(entry: Entry) -> str | None:
    """Return the column of an entry that contains a dialogue; None if no column does."""
    columns = named(entry)
    return next((columns[name] for name in DIALOGUES if name in columns and _is_dialogue(entry[columns[name]])), None)


def _is_dialogue(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(m, Mapping) and _author(m) for m in value)


def _author(message: Mapping[str, Any]) -> str:
    return str(message.get("role") or message.get("from") or "").strip().lower()


def _taken(entry: Entry) -> frozenset[str]:
    column = _dialogue_of(entry)
    return NOTHING if column is None else frozenset({column})


def _rows(entry: Entry) -> Iterator[PlainRow]:
    column = _dialogue_of(entry)
    assert column is not None
    turns = list(_turns(entry[column]))
    if not turns:
        raise BadRow(f"`{column}` has no user message with content", "no_question")
    if turns[-1].reply is None:
        turns = turns[-1:]  # earlier turns lead to the question
    rest = without(entry, frozenset({column}))
    columns = named(rest)
    beside = next((columns[name] for name in FIELDS["image"] if name in columns), None)
    shared = _listed(rest.get(beside)) if beside is not None else []
    numbers = count(1)
    shown: list[Any] = []
    several = sum(len(turn.pictures) for turn in turns) + len(shared) > 1
    identity = next((columns[name] for name in FIELDS["id"] if name in columns), None)
    for number, turn in enumerate(turns, start=1):
        shown += turn.pictures
        pictures = [*shared, *shown]
        words = _placed(turn.words, numbers if several else None)
        row = {**rest, "question": words}
        if beside is None or shown:
            row["images" if beside is None else beside] = pictures
        if turn.reply is not None:
            row["answer"] = turn.reply
        if len(turns) == 1:
            yield PlainRow("", row)
        else:
            if identity is not None:
                row[identity] = f"{rest[identity]}-{number}"
            yield PlainRow(f", turn {number}", {**row, "turn": number})


def _turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[_Turn]:
    """Yield the question before each reply; consecutive messages of users belong together."""
    words: list[str] = []
    pictures: list[Any] = []
    for message in messages:
        author = _author(message)
        said, shown = _content(message.get("content", message.get("value")))
        if author in _ASKING:
            words += [said] if said else []
            pictures += shown
        elif author in _REPLYING and words:
            yield _Turn("\n".join(words), pictures, said)
            words, pictures = [], []
    if words:
        yield _Turn("\n".join(words), pictures, None)


def _content(content: Any) -> tuple[str, list[Any]]:
    """Return the text of a message, with `<image>` for a picture that precedes text, and its pictures."""
    if isinstance(content, Mapping):
        content = [content]
    if not isinstance(content, list):
        return ("" if content is None else str(content)), []
    texts: list[str] = []
    pictures: list[Any] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Mapping):
            picture = _picture(part)
            if picture is not None:
                pictures.append(picture)
            if picture is not None or str(part.get("type", "")).startswith("image"):
                texts.append("<image>")
            elif part.get("text") is not None:
                texts.append(str(part["text"]))
    return "\n".join(texts), pictures


def _picture(part: Mapping[str, Any]) -> Any:
    """Return the picture in a part of a message: a path, a URL or bytes; None if the part is text."""
    for name in ("image_url", "image_path", "image", "url", "path", "source"):
        value = part.get(name)
        if isinstance(value, Mapping):
            value = value.get("url") or value.get("data") or (value if "bytes" in value else None)
        if value not in (None, ""):
            return value
    return None


def _placed(words: str, numbers: Iterator[int] | None) -> str:
    """Return text with numbers at the positions of pictures, or without positions if they carry no information.

    Positions carry no information if there is at most one picture, or if all pictures precede the text.
    """
    bare = words[match.end() :] if (match := _LEADING.match(words)) is not None else words
    if numbers is None or _PLACE.search(bare) is None:
        return _PLACE.sub("\n", bare).strip()
    return _PLACE.sub(lambda match: match[0].replace(match[0].strip(), f"<image {next(numbers)}>"), words).strip()


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return [] if value in (None, "") else [value]


CHAT = Layout(
    "dialogues",
    "`messages` or `conversations` of a user and an assistant (`role` and `content`, or `from` and `value`), pictures "
    "within the messages, or outside them with `<image>` in the words",
    "the user's text before a reply is the question, the reply its key; each further reply is a separate question",
    ("NaturalBench (train)", "LLaVA", "ShareGPT4V", "inspect_ai"),
    _taken,
    _rows,
)
