"""Right options named outside the picture: in the question, names, metadata or alternative text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from urllib.parse import unquote

from benchwright.records import LETTERS

from ..wording.text_checks import names_answer, right_named_in
from .fault_rules import FaultRule, ItemFacts, ItemFault, SetFault, SetRule, excerpt
from .stated_answers import named_answer, stated_answer, stated_in_name

_SAYS_IT_IS_RIGHT = re.compile(
    r"[(\[<*]\s*(?:this is )?(?:the )?(?:correct|right|true|key)(?: answer| option| one)?\s*[)\]>*]"
    r"|[✓✔☑✅]|\[x\]|(?:<-+|←|<=)\s*(?:correct|right|answer|key)|\*{2}correct\*{2}",
    re.IGNORECASE,
)
_SAYS_SO_ALONE = re.compile(
    r"^(?-i:TRUE|CORRECT|RIGHT|ANSWER|KEY|RICHTIG|VRAI|VERO|CIERTO|正确)\s*[:：-]\s*\S"
    r"|[(\[](?:answer|key|ans|(?-i:T)|richtig|correcte|vrai|correcta|cierto|corretta|certo|对|正确|正解)[)\]]\s*$"
    r"|^(?:\*{1,2}|_{2})[^*_]+(?:\*{1,2}|_{2})$|^\*+\s*[^\W\d_]|[^\s*]\s*\*$"
    r"|^(?:→|⇒|➔|➤|►|▶|★|»|[-=]+>|>>+)\s*\S|\S\s*(?:←|⇐|★|«|<[-=]+|<<+)$",
    re.IGNORECASE,
)
"""Marks that give away the right option if it alone has one: stars, arrows, `(T)`."""
_SAYS_WRONG = re.compile(r"^\W*(?:false|wrong|incorrect|no|falsch|faux|falso)\b|^[^\w\s]*\([FX]\)", re.IGNORECASE)
_ALT = re.compile(r"""<img\b[^<>]*?\balt\s*=\s*["']([^"'<>]+)["']|!\[([^\]\n]+)\]\([^)\n]*\)""", re.IGNORECASE)
_ALT_COLUMN = re.compile(
    r"(?:(?:image|img|picture|photo|figure|pic)s?_?)?(?:alt(?:ernative)?(?:_?text)?|captions?|title|description)"
)
"""Columns with words about a picture that pages show with it."""
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_FOLDERS = frozenset(
    [
        "train",
        "val",
        "valid",
        "validation",
        "test",
        "dev",
        "image",
        "images",
        "img",
        "imgs",
        "picture",
        "pictures",
        "photo",
        "photos",
        "jpg",
        "jpeg",
        "png",
        "webp",
        "gif",
        "bmp",
        "data",
        "dataset",
        "set",
        "file",
        "files",
        "media",
        "assets",
        "question",
        "questions",
        "item",
        "items",
        "http",
        "https",
        "www",
        "com",
        "org",
    ]
)
"""Words in paths that do not describe a picture, even if they are options."""
_IN_MOST = 0.6
_LEAST_ITEMS = 8
_NEARLY_ALL = 0.9
_BY_CHANCE = 1e-4


def _in_question(facts: ItemFacts) -> Iterator[ItemFault]:
    question = facts.item.question
    if (answer := names_answer(facts.item)) is not None:
        yield ItemFault(
            f"The question holds the right option, {answer!r}, and no wrong one.",
            {"question": question, "answer": answer},
        )
    elif (stated := stated_answer(facts, question)) is not None:
        yield ItemFault(
            f"The question states which option is right: {excerpt(stated)!r}.",
            {"question": question, "answer": facts.item.right_key},
        )


def _says_of_itself(facts: ItemFacts) -> Iterator[ItemFault]:
    marked = [choice for choice in facts.worded if _SAYS_IT_IS_RIGHT.search(choice.text or "")]
    if not marked and (mark := _mark_of_right(facts)) is not None:
        yield ItemFault(
            f"Only the right option has a mark, {mark!r}: {facts.right_text!r}.",
            {"option": facts.item.right_key, "text": facts.right_text, "mark": mark},
            "medium",
            "likely",
        )
    if len(marked) != 1 or facts.right is None:
        return
    (choice,) = marked
    if choice is facts.right:
        yield ItemFault(
            f"The right option states that it is right: {choice.text!r}.", {"option": choice.key, "text": choice.text}
        )
    else:
        yield ItemFault(
            f"Option {choice.key} states that it is right ({choice.text!r}), but the key is {facts.item.right_key}.",
            {"option": choice.key, "text": choice.text, "key": facts.item.right_key},
        )


def _mark_of_right(facts: ItemFacts) -> str | None:
    """Return the mark that only the right option has; None if it has none.

    Also None if another option has the same words, because the question is then about marks.
    """
    found = _SAYS_SO_ALONE.search(facts.right_text or "")
    if found is None or any(_SAYS_SO_ALONE.search(text) or _SAYS_WRONG.search(text) for text in facts.wrong_texts):
        return None
    words = _TOKEN.findall((facts.right_text or "").casefold())
    return None if any(_TOKEN.findall(text.casefold()) == words for text in facts.wrong_texts) else found.group()


def _in_metadata(facts: ItemFacts) -> Iterator[ItemFault]:
    for number, picture in enumerate(facts.pictures or (), start=1):
        for field, text in (picture.stated or {}).items():
            if (answer := named_answer(facts, text)) is not None:
                yield ItemFault(
                    f"{field} of {picture.name or f'picture {number}'} names the right option, {answer!r}, and no "
                    "wrong one.",
                    {"field": field, "text": excerpt(text), "answer": answer},
                )
                return


def _in_alt_text(facts: ItemFacts) -> Iterator[ItemFault]:
    texts = [match[1] or match[2] for _, text in facts.texts for match in _ALT.finditer(text)]
    texts += [
        str(value)
        for name, value in facts.item.attributes.items()
        if _ALT_COLUMN.fullmatch(re.sub(r"[\s-]", "_", name.casefold()))
    ]
    for text in texts:
        if (answer := named_answer(facts, text)) is not None:
            yield ItemFault(
                f"The alternative text of the picture, {excerpt(text)!r}, names the right option, {answer!r}, and no "
                "wrong one.",
                {"text": excerpt(text), "answer": answer},
            )
            return


def tokens_of(name: str) -> list[str]:
    """Return the words and numbers of a file name or an id, in lowercase, without the file's suffix.

    Example:
        >>> tokens_of("images/RedCar_012.jpg")
        ['images', 'red', 'car', '012']
    """
    bare = re.sub(r"\.[A-Za-z]{2,4}$", "", unquote(name.rpartition("://")[2]))
    return [token.casefold() for token in _TOKEN.findall(_CAMEL.sub(" ", bare))]


def _file_names(facts: ItemFacts) -> list[str]:
    return [picture.name for picture in facts.pictures or () if picture.name]


def _ids(facts: ItemFacts) -> list[str]:
    return [facts.own_id] if facts.own_id else []


_Names = Callable[[ItemFacts], list[str]]


def _words_in_names(items: Sequence[ItemFacts], *, names: _Names, what: str) -> Iterator[SetFault]:
    """Yield a fault for each item with the right option in a name; words that are in most names are ignored."""
    tokens = [[tokens_of(name) for name in names(facts)] for facts in items]
    counts = Counter(token for each in tokens for token in {token for name in each for token in name})
    usual = {token for token, count in counts.items() if len(items) >= 10 and count > _IN_MOST * len(items)}
    for place, (facts, each) in enumerate(zip(items, tokens, strict=True)):
        for name, of_name in zip(names(facts), each, strict=True):
            telling = " ".join(token for token in of_name if token not in usual and token not in _OF_FOLDERS)
            if (answer := right_named_in(facts.item, telling)) is not None:
                yield SetFault(
                    [place],
                    f"{what} {name!r} names the right option, {answer!r}, and no wrong one.",
                    {"name": name, "answer": answer},
                )
                break
    yield from _keys_in_names(items, names, what)


def _keys_in_names(items: Sequence[ItemFacts], names: _Names, what: str) -> Iterator[SetFault]:
    """Yield a fault for each item with its key in a name: `q3_answer_b`; not if as many names give another letter.

    Numbers (`ans_2`) may start from 0 or from 1, so their severity is low, and at least two names are required, all of
    which are right with the same start.
    """
    said: defaultdict[str, list[tuple[int, str, bool]]] = defaultdict(list)
    for place, facts in enumerate(items):
        for name in names(facts):
            if (token := stated_in_name(tokens_of(name))) is None:
                continue
            for reading_name, read in _READINGS:
                if (named := read(token, len(facts.item.choices))) is not None:
                    said[reading_name].append((place, name, LETTERS[named] == facts.item.right_key))
    for reading_name, found in said.items():
        hits = [(place, name) for place, name, is_right in found if is_right]
        is_letter = reading_name == _READINGS[0][0]
        if 2 * len(hits) <= len(found) or (not is_letter and (len(hits) < 2 or len(hits) < len(found))):
            continue
        for place, name in hits:
            yield SetFault(
                [place],
                f"{what} {name!r} states {reading_name} of the right option, {items[place].item.right_key}.",
                {"name": name, "answer": items[place].item.right_key},
                None if is_letter else "low",
            )


_LONGEST_CODE = 2
"""Largest number of characters of a token that is a letter or number of an option."""
_Reading = Callable[[str, int], int | None]
"""Function from a token and the number of options to the index of the option that it would name; None for no option."""


def _letter(token: str, options: int) -> int | None:
    place = LETTERS.find(token.upper()) if len(token) == 1 and token.isalpha() else -1
    return place if 0 <= place < options else None


def _number(token: str, options: int, *, first: int) -> int | None:
    return (
        int(token) - first
        if token.isdigit() and len(token) <= _LONGEST_CODE and first <= int(token) < options + first
        else None
    )


_READINGS: tuple[tuple[str, _Reading], ...] = (
    ("the letter", _letter),
    ("the number from 0", partial(_number, first=0)),
    ("the number from 1", partial(_number, first=1)),
)


def _codes_in_names(items: Sequence[ItemFacts], *, names: _Names, what: str) -> Iterator[SetFault]:
    """Yield a fault if a letter, number or word at the same position in most names is the key."""
    named = [names(facts)[:1] for facts in items]
    tokens = [tokens_of(name) for of_item in named for name in (of_item or [""])]
    texts = [[(choice.text or "").strip().casefold() for choice in facts.item.choices] for facts in items]
    for at in (-1, 0, -2, 1, -3, 2):
        for reading_name, hits, misses in _read_at(items, tokens, texts, at):
            chances = [1 / len(items[place].item.choices) for place in (*hits, *misses)]
            mean = sum(chances) / len(chances) if chances else 1.0
            if len(hits) < max(_LEAST_ITEMS, _NEARLY_ALL * len(chances)) or mean ** len(hits) > _BY_CHANCE:
                continue
            if len({items[place].item.right_key for place in hits}) < 2:
                continue
            example = names(items[hits[0]])[0]
            yield SetFault(
                hits,
                f"{what} states {reading_name} of the right option in {len(hits):,} of {len(chances):,} items, such "
                f"as {example!r}, where {items[hits[0]].item.right_key} is right.",
                {"example": example, "right": len(hits), "of": len(chances)},
            )
            return


def _read_at(
    items: Sequence[ItemFacts], tokens: Sequence[Sequence[str]], texts: Sequence[Sequence[str]], at: int
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield, for each reading of the token at a position in names, the items whose key it is, and the other items."""
    there = [(place, of_name[at]) for place, of_name in enumerate(tokens) if -len(of_name) <= at < len(of_name)]
    short = [(place, token) for place, token in there if len(token) <= _LONGEST_CODE]
    for reading_name, read in _READINGS:
        named = [(place, read(token, len(texts[place]))) for place, token in short]
        yield reading_name, *_right_and_wrong(items, [(place, at) for place, at in named if at is not None])
    worded = [(place, texts[place].index(token)) for place, token in there if token in texts[place]]
    yield "the words", *_right_and_wrong(items, worded)


def _right_and_wrong(items: Sequence[ItemFacts], named: Sequence[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return the items whose named option is the right one, and the others."""
    hits: list[int] = []
    misses: list[int] = []
    for place, option in named:
        (hits if LETTERS[option] == items[place].item.right_key else misses).append(place)
    return hits, misses


RULES: tuple[FaultRule | SetRule, ...] = (
    FaultRule(
        "question_names_answer",
        "given_away",
        "medium",
        "the question holds the right option and no wrong one, or states which is right",
        _in_question,
        ("key", "options"),
    ),
    FaultRule(
        "option_says_it_is_right",
        "given_away",
        "high",
        "`a fox (correct)`, `a fox ✓`: an option states that it is right, whether or not it is the key; medium for "
        "a star, an arrow or another mark that only the right option has (`*a fox`, `>> a fox`)",
        _says_of_itself,
        ("key", "options"),
        certainty="certain",
    ),
    SetRule(
        "file_name_names_answer",
        "given_away",
        "medium",
        "the name or folder of a picture file holds the right option (`dog_12.jpg`) and no wrong one, or states its "
        "letter (`q3_answer_b.png`); low for numbers, which may count from 0 or 1",
        partial(_words_in_names, names=_file_names, what="The file name"),
        ("key", "options", "names"),
    ),
    SetRule(
        "file_names_tell_keys",
        "given_away",
        "high",
        "most file names have the letter, number or text of the right option at one place (`017_B.png`)",
        partial(_codes_in_names, names=_file_names, what="The name of the picture file"),
        ("key", "names"),
    ),
    SetRule(
        "id_names_answer",
        "given_away",
        "medium",
        "the id holds the right option and no wrong one, or states its letter (`q3_answer_b`); low for numbers",
        partial(_words_in_names, names=_ids, what="The id"),
        ("key", "options"),
    ),
    SetRule(
        "ids_tell_keys",
        "given_away",
        "high",
        "most ids have the letter, number or text of the right option at one place",
        partial(_codes_in_names, names=_ids, what="The id"),
        ("key",),
    ),
    FaultRule(
        "metadata_name_answer",
        "given_away",
        "medium",
        "a text in EXIF, IPTC, XMP, PNG texts or a comment of a picture file holds the right option and no wrong "
        "one: title, keywords, instructions, author, any field except those of devices, programs and times",
        _in_metadata,
        ("key", "options", "metadata"),
    ),
    FaultRule(
        "alt_text_names_answer",
        "given_away",
        "medium",
        'alternative text of a picture (`<img alt="…">`, `![…](…)`, a column `alt_text`, `image_caption`, '
        "`title`) holds the right option and no wrong one",
        _in_alt_text,
        ("key", "options"),
    ),
)
