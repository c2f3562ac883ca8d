"""Claims about the arrangement of two objects, as yes/no questions, with a rule for every relation in VSR.

A claim such as `The bench is at the right side of the train.` becomes `Is the bench at the right side of the train?`,
or, with the inverse key, `Is it false that the bench is at the right side of the train?`. The words of the claim stay
the same: only the verb moves, and the object of `has as a part`; `left of` becomes `to the left of`. A claim that the
rule cannot parse yields no question.

The side of an object can be relative to the camera or to the other object's front. Claims do not state which.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ..options.choices import capital
from .wordings import Wordings

Form = Literal["affirmative", "inverted"]

RELATIONS: tuple[str, ...] = (
    "above", "across", "across from", "adjacent to", "after", "against", "ahead of", "along", "alongside", "among",
    "around", "at", "at the back of", "at the edge of", "at the left side of", "at the right side of", "at the side of",
    "attached to", "away from", "behind", "below", "beneath", "beside", "between", "beyond", "by", "close to",
    "connected to", "consists of", "contains", "deep down", "detached from", "down", "down from", "enclosed by",
    "facing", "facing away from", "far away from", "far from", "from", "has as a part", "in", "in front of",
    "in the middle of", "inside", "into", "left of", "near", "next to", "off", "on", "on top of", "opposite to",
    "out of", "outside", "over", "parallel to", "part of", "past", "perpendicular to", "right of", "surrounding",
    "through", "to", "touching", "toward", "under", "up", "with", "within",
)  # fmt: skip
"""Relations listed by the authors of VSR; 66 of them have claims."""


class _Verb(NamedTuple):
    """A relation with its own verb.

    Args:
        singular: Its beginning in a claim about one thing.
        plural: Its beginning in a claim about several things.
        asked: Its forms in questions about one object, about several, and after `does` or `do`, with a slot for the
            related object.
    """

    singular: str
    plural: str
    asked: tuple[str, str, str]


VERBS: dict[str, _Verb] = {
    "consists of": _Verb("consists of", "consist of", ("consists of {}", "consist of {}", "consist of {}")),
    "contains": _Verb("contains", "contain", ("contains {}", "contain {}", "contain {}")),
    "has as a part": _Verb(
        "has as a part", "have as a part", ("has {} as a part", "have {} as a part", "have {} as a part")
    ),
}
SIDE = r"(?:(?:to|on|at) the )?"
"""Optional words before `left of` and `right of`, as a regular expression."""
SIDES = frozenset({"at the left side of", "at the right side of", "left of", "right of"})
"""Relations whose meaning depends on the frame of reference of left and right."""
_AS_SEEN = ", as seen from the camera"
_SUBJECT = r"(?P<article>the|a|an)\s+(?P<subject>\S.{0,100}?)"
_OBJECT = r"(?P<object>\S.{0,100}?)"


class ReadClaim(NamedTuple):
    """A claim divided into its parts.

    Args:
        subject: Subject of the claim, with its article in lower case, such as `the bench`.
        is_plural: Whether the subject is several things.
        relation: The relation as VSR names it.
        words: The predicate after `is` or `are`; for a relation with its own verb, the object alone.
        object: The related thing, as the claim names it, such as `the train`.
    """

    subject: str
    is_plural: bool
    relation: str
    words: str
    object: str


def read_claim(claim: str, relation: str) -> ReadClaim | None:
    """Return the parts of a claim, or None if the rule cannot parse it or it states another relation."""
    text = " ".join(claim.split()).rstrip(" .!")
    if relation in VERBS:
        verb = VERBS[relation]
        pattern = rf"{_SUBJECT}\s+(?P<verb>{verb.singular}|{verb.plural})\s+{_OBJECT}"
    elif relation in RELATIONS:
        side = SIDE if relation in ("left of", "right of") else ""
        pattern = rf"{_SUBJECT}\s+(?P<verb>is|are)\s+(?P<words>{side}{re.escape(relation)}\s+{_OBJECT})"
    else:
        return None
    match = re.fullmatch(pattern, text, flags=re.IGNORECASE)
    if match is None:
        return None
    subject = f"{match['article'].lower()} {match['subject']}"
    is_plural = match["verb"].lower() in ("are", VERBS[relation].plural if relation in VERBS else "are")
    words = match["object"] if relation in VERBS else match["words"]
    if relation in ("left of", "right of") and words.lower().startswith(relation):
        words = f"to the {words}"
    return ReadClaim(subject, is_plural, relation, words, match["object"])


def question_of(claim: ReadClaim, form: Form = "affirmative") -> str:
    """Return the question whose answer is yes if the claim is true, or, inverted, if the claim is false.

    Example:
        >>> claim = read_claim("The dogs are left of the car.", "left of")
        >>> question_of(claim), question_of(claim, "inverted")
        ('Are the dogs to the left of the car?', 'Is it false that the dogs are to the left of the car?')
    """
    if form == "inverted":
        return f"Is it false that {statement_of(claim)}?"
    if claim.relation not in VERBS:
        return f"{'Are' if claim.is_plural else 'Is'} {claim.subject} {claim.words}?"
    asked = VERBS[claim.relation].asked[2].format(claim.words)
    return f"{'Do' if claim.is_plural else 'Does'} {claim.subject} {asked}?"


def questions_of(claim: ReadClaim, form: Form = "affirmative", *, from_camera: bool = False) -> Wordings:
    """Return the wordings of the question that `question_of` returns for a claim.

    Args:
        claim: The claim.
        form: Whether to ask about its truth or its falsehood.
        from_camera: Whether questions about left and right state that they mean the camera's view.

    Example:
        >>> claim = read_claim("The cat is behind the bed.", "behind")
        >>> questions_of(claim).templates[1:]
        ('In this picture, is the cat behind the bed?', 'Is it true that the cat is behind the bed?')
    """
    end = f"{_AS_SEEN}?" if from_camera and claim.relation in SIDES else "?"
    asked = question_of(claim, form).removesuffix("?")
    statement = statement_of(claim)
    last = f"Would it be wrong to say that {statement}" if form == "inverted" else f"Is it true that {statement}"
    texts = (asked, f"In this picture, {asked[0].lower()}{asked[1:]}", last)
    return Wordings(*(f"{text}{end}" for text in texts))


def statement_of(claim: ReadClaim) -> str:
    """Return a claim as a clause, without its final period and initial capital."""
    if claim.relation not in VERBS:
        return f"{claim.subject} {'are' if claim.is_plural else 'is'} {claim.words}"
    one, several, _ = VERBS[claim.relation].asked
    return f"{claim.subject} {(several if claim.is_plural else one).format(claim.words)}"


def question_table() -> list[tuple[str, str, str, str]]:
    """Return the relation, claim, question and inverted question for every relation, for one object and for several."""
    rows = []
    for relation in RELATIONS:
        for subject, verb in (("the cat", "is"), ("the cats", "are")):
            words = f"{verb} {relation}" if relation not in VERBS else _verb_form(relation, verb)
            claim = f"{capital(subject)} {words} the sofa."
            parts = read_claim(claim, relation)
            assert parts is not None, f"the rule reads its own example of {relation!r}"
            rows.append((relation, claim, question_of(parts), question_of(parts, "inverted")))
    return rows


def _verb_form(relation: str, verb: str) -> str:
    return VERBS[relation].plural if verb == "are" else VERBS[relation].singular
