"""Options whose kinds cannot answer their question: all options, or a single one that is therefore never chosen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..wording.odd_options import gives_no_answer
from ..wording.word_forms import forms_of
from .asked_kinds import AskedKinds, kinds_asked_for
from .option_kinds import kinds_of

KindsOf = Callable[[str], frozenset[str]]
"""Function that returns all kinds of answers that an option can be; empty if none is known."""
_LEAST, _LEAST_OTHERS = 2, 3
_MANY = 16
"""Number of kinds at which a question is too vague to be judged."""
_VAGUE = frozenset(["thing", "household", "material", "size", "direction", "abstract", "person"])
_ARTIFACTS = frozenset(
    ["furniture", "clothing", "jewelry", "instrument", "tool", "kitchenware", "household", "vehicle", "thing"]
)
_NEAR: tuple[frozenset[str], ...] = (
    frozenset(["food", "drink", "plant", "animal", "material", "color"]),
    frozenset(["food", "drink", "kitchenware"]),
    frozenset(["animal", "person", "profession", "thing"]),
    _ARTIFACTS | {"material", "sport", "game"},
    _ARTIFACTS | {"building", "landscape", "plant", "person", "profession", "body", "room"},
    frozenset(["building", "room", "landscape", "city", "country", "continent", "planet", "place", "direction", "plant",
               "thing"]),
    frozenset(["weekday", "month", "season", "daytime", "clock", "year", "event", "number", "amount", "often"]),
    frozenset(["number", "amount", "year", "clock", "often", "size"]),
    frozenset(["weather", "season", "event", "daytime", "emotion", "size"]),
    frozenset(["sport", "game", "action", "event", "purpose", "abstract"]),
    frozenset(["emotion", "abstract", "manner", "size", "action", "reason", "event", "purpose"]),
    frozenset(["material", "color", "pattern", "shape", "size", "clothing", "jewelry"]),
    frozenset(["country", "language", "continent", "city", "animal", "color"]),
    frozenset(["vehicle", "transport", "action", "manner", "animal"]),
    frozenset(["reason", "purpose", "action", "event", "weather", "agent", "emotion", "abstract"]),
    frozenset(["color", "plant", "jewelry", "food", "person", "shape"]),
    frozenset(["abstract", "event", "thing", "emotion", "person", "profession"]),
)  # fmt: skip
"""Kinds that may occur together among a question's options: any kind in a row may answer `What do you see?`."""
_HOLDS_COUNT = re.compile(
    r"\d|\b(?:none?|no|nothing|all|any|many|few|fewer|more|less|most|some|several|equal|same|both|half|double|twice|once|"
    r"third|quarter|enough|lots?|much|little|plenty|single|pairs?|couple|dozens?|hundreds?|thousands?|empty|full|odd|even|"
    r"free|cheap\w*|expensive|triple|multiple|various|uncountable|countless|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"[ivx]{2,}|[a-h])\b", re.IGNORECASE,
)  # fmt: skip
_ASKS_COUNT = re.compile(r"how many\b")


class CannotAnswer(NamedTuple):
    """The kinds for which a question asks, and the kind of its options.

    Args:
        asked: The words of the question that show what it asks for.
        kind: The kind of most options.
    """

    asked: str
    kind: str


def none_can_answer(question: str, texts: Sequence[str], kinds: KindsOf = kinds_of) -> CannotAnswer | None:
    """Return why none of the options can answer a question; None if at least one option might.

    If the options of known kinds share a kind, up to half of all options may be of unknown kind; otherwise, only one of
    four or more.

    Args:
        question: The question.
        texts: All options.
        kinds: Function that returns the kinds of an option.

    Example:
        >>> none_can_answer("What breed is the dog?", ["7", "9", "12"])
        CannotAnswer(asked='what breed', kind='number')
        >>> none_can_answer("What number does the dog wear?", ["7", "9", "12"])
    """
    asked = kinds_asked_for(question)
    texts = [text for text in texts if not (_is_way_out(text) and not _is_verdict(text))]
    if len(texts) >= _LEAST and all(map(_is_yes_or_no, texts)) and (match := _ASKS_WORDS.match(question)):
        return CannotAnswer(match.group().split()[-1].casefold(), "verdict")
    if asked is None or len(texts) < _LEAST or any(gives_no_answer(text) for text in texts):
        return None
    if _ASKS_MEASURE.match(asked.words) and all(map(_only_describes, texts)):
        return CannotAnswer(asked.words, "adjective")
    of = [kinds(text) for text in texts]
    known = [each for each in of if each]
    if any(each & asked.fits for each in known):
        return None
    counts = Counter(kind for each in known for kind in each)
    if _ASKS_COUNT.match(asked.words):
        is_sure = not any(_HOLDS_COUNT.search(text) for text in texts) and bool(known)
    else:
        firmly = sum(bool(each - {"thing"}) for each in known)
        shared = frozenset.intersection(*known) - {"thing"} if known else frozenset()
        is_sure = firmly >= _LEAST and len(known) >= (
            (len(texts) + 1) // 2 if shared else len(texts) - (len(texts) > _LEAST_OTHERS)
        )
    return CannotAnswer(asked.words, counts.most_common(1)[0][0]) if is_sure else None


def some_cannot_answer(
    question: str, texts: Sequence[str], right: int, kinds: KindsOf = kinds_of
) -> tuple[CannotAnswer, list[int]] | None:
    """Return why wrong options cannot answer a question, with their indices; None if fewer than two cannot.

    At least half of the wrong options must be unable to answer, whereas the right one may be an answer.

    Example:
        >>> some_cannot_answer("Which country is red on the map?", ["Peru", "1994", "2002", "Brazil"], 3)
        (CannotAnswer(asked='what country', kind='year'), [1, 2])
    """
    asked = kinds_asked_for(question)
    if asked is None or any(gives_no_answer(text) for text in texts):
        return None
    of = [kinds(text) for text in texts]
    wrong = [place for place in range(len(texts)) if place != right]
    if of[right] and not of[right] & asked.fits:
        return None
    is_measure = asked.fits <= _NUMBERS or _ASKS_MEASURE.match(asked.words) is not None
    if is_measure and (_HOLDS_COUNT.search(texts[right]) or of[right] & _NUMBERS):
        cannot = [place for place in wrong if not _HOLDS_COUNT.search(texts[place]) and not of[place] & asked.fits]
    else:
        cannot = [place for place in wrong if of[place] - {"thing"} and not of[place] & asked.fits]
    if len(cannot) < _LEAST or 2 * len(cannot) < len(wrong):
        return None
    kind = Counter(kind for place in cannot for kind in of[place] or ["word"]).most_common(1)[0][0]
    return CannotAnswer(asked.words, kind), cannot


def odd_option(question: str, texts: Sequence[str], kinds: KindsOf = kinds_of) -> int | None:
    """Return the index of the only option that cannot be an answer; None if there is no such option.

    Either the question shows which kinds it asks for, and all other options are of those kinds; or three or more other
    options share one kind that is far from the odd option's.

    Example:
        >>> odd_option("Which instrument is played?", ["Violin", "Potato", "Harp"])
        1
        >>> odd_option("What is on the table?", ["A violin", "A potato", "A harp"])
    """
    if any(gives_no_answer(text) for text in texts):
        return None
    of = [kinds(text) for text in texts]
    asked = kinds_asked_for(question)
    odd = [place for place, text in enumerate(texts) if not _HEDGED.match(text) and _is_odd(place, of, asked)]
    return odd[0] if len(odd) == 1 else None


def _is_odd(place: int, of: Sequence[frozenset[str]], asked: AskedKinds | None) -> bool:
    mine, others = of[place], [each for at, each in enumerate(of) if at != place]
    if len(others) < _LEAST or not mine - {"thing"} or not all(others):
        are_places = all(each == {"place"} for each in others)
        return mine == {"thing"} and are_places and len(others) >= _LEAST_OTHERS  # `a cup` among `on a beach`
    if asked is not None and ((asked.fits == {"verdict"} and not mine & _NO_HEDGES) or asked.words.startswith("who")):
        return False  # `Partly`, `Only the sail`; surnames such as `Wood`
    shared = frozenset.intersection(*others)
    if asked is not None and not mine & asked.fits and all(each & asked.fits - {"thing"} for each in others):
        kinds = frozenset.union(*others) - {"thing"}
        return bool(shared) or (len(others) >= _LEAST_OTHERS and all(_is_far(mine, kind) for kind in kinds))
    firm = shared - _VAGUE
    if asked is not None and "…" not in asked.words and mine & asked.fits and len(asked.fits) < _MANY:
        return False  # `Caspian` among `Red` and `Black`, in a question for a sea
    return (
        len(others) >= _LEAST_OTHERS
        and any(_is_far(mine, kind) for kind in firm)
        and not mine & frozenset.union(*others)
    )


def _is_yes_or_no(text: str) -> bool:
    return text.strip(" .").casefold() in ("yes", "no")


def _only_describes(text: str) -> bool:
    """Return whether an option is a single adjective other than a measure: `venomous`, but not `long` or `ancient`."""
    word = text.strip(" .").casefold()
    return word.isalpha() and forms_of(word) == {"adjective"} and not kinds_of(word) and word.endswith(_DESCRIBING)


_DESCRIBING = ("ous", "ful", "less", "ic", "al", "ive", "able", "ible", "ish", "ary")


def _is_way_out(text: str) -> bool:
    return _WAY_OUT.fullmatch(text.strip()) is not None


_WAY_OUT = re.compile(
    r"(?:not|cannot|can't|could not) (?:be )?(?:visible|shown|seen|known|clear|determined?|told|tell|sure|given|"
    r"stated|enough "
    r"information)\.?|unclear|unknown|none(?: of (?:these|them|the above))?\.?|it is not (?:shown|visible|clear)",
    re.IGNORECASE,
)
_NUMBERS = frozenset(["number", "amount", "year", "clock", "daytime"])
_NO_HEDGES = frozenset(["number", "amount", "year", "clock", "color", "weekday", "month"])
_HEDGED = re.compile(r"(?:only|just|partly|mostly|almost|about|nearly|at least|at most|some)\b", re.IGNORECASE)
_ASKS_WORDS = re.compile(r"^(?:[^?]*[.!:;] )?(?:what|which|who|whose|where|when|why|how)\b(?!.*, (?:is|are|was|were|"
    r"do|does|did|has|have|can|will)\b)(?!.*\b(?:true|correct|answer|statements?|following|"
                         r"says?|said|reply|replies|response|fits?|or)\b)", re.IGNORECASE)  # fmt: skip
_ASKS_MEASURE = re.compile(r"how (?:long|old|tall|many|much|far|fast|often|heavy|wide|deep|high|big)\b")


def _is_far(kinds: frozenset[str], kind: str) -> bool:
    """Return whether none of the kinds is near a given kind, that is, in a common row of `_NEAR`."""
    near = {kind}.union(*(row for row in _NEAR if kind in row))
    return not kinds & near


def _is_verdict(text: str) -> bool:
    return "verdict" in kinds_of(text)
