"""What goes wrong in replies, as papers that looked at them by hand named it; explained in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchwright.errors import BenchwrightError
from benchwright.review_tasks import Category

BLINK = (
    Category(
        code="invented_detail", words="Hallucinates fine-grained patterns or attributes",
        help="The reply describes a pattern, texture or attribute that the picture does not show.",
    ),
    Category(
        code="mark_misplaced", words="Hallucinates where a visual prompt is",
        help="The reply puts a ring, box or letter somewhere else than it is drawn.",
    ),
    Category(
        code="setting_missed", words="Fails to capture the overall setting or style",
        help="The reply gets the scene, situation or style as a whole wrong.",
    ),
    Category(
        code="object_not_grounded", words="Fails to ground an object",
        help="The reply does not find the thing that is asked about, or takes another one for it.",
    ),
    Category(code="other", words="Something else", help="None of these; the reason says what."),
)  # fmt: skip
"""BLINK section 4.3 (10 errors a task)."""

II_BENCH = (
    Category(
        code="metaphor_misunderstood", words="Metaphorical misunderstanding",
        help="The implication or symbol is read wrongly, or the theme as a whole is missed.",
    ),
    Category(
        code="detail_misunderstood", words="Detail misunderstanding",
        help="A detail was seen and taken for something that it is not.",
    ),
    Category(
        code="detail_ignored", words="Detail ignorance", help="A detail that matters was not taken into account."
    ),
    Category(
        code="surface_level", words="Surface-level interpretation",
        help="Only what is plainly shown is told; the meaning behind it is not.",
    ),
    Category(
        code="reasoning_error", words="Reasoning error",
        help="What the picture shows was understood, and the conclusion from it is wrong.",
    ),
    Category(
        code="rejected", words="Reject to answer",
        help="The reply declines: too little to go by, or thought unfit to answer.",
    ),
    Category(
        code="extraction_error", words="Answer extraction error",
        help="The reply is right, and its letter was read wrongly or not at all.",
    ),
)  # fmt: skip
"""II-Bench section 4.3 and appendix F (100 errors in proportion to the domains)."""

CATEGORIES: Mapping[str, Sequence[Category]] = {"blink": BLINK, "ii-bench": II_BENCH}


def own_categories(given: Sequence[str]) -> tuple[Category, ...]:
    """Return categories given as `CODE=WORDS`.

    Raises:
        BenchwrightError: One is spelt otherwise, or a code comes twice.
    """
    from pydantic import ValidationError

    found = []
    for text in given:
        code, _, words = (part.strip() for part in text.partition("="))
        try:
            found.append(Category(code=code, words=words))
        except ValidationError:
            raise BenchwrightError(
                f"category {text[:80]!r}: give CODE=WORDS, the code in small letters, digits and _, such as "
                "'wrong_object=Takes another object for it'"
            ) from None
    codes = [one.code for one in found]
    if len(set(codes)) != len(codes):
        raise BenchwrightError(f"category code {next(code for code in codes if codes.count(code) > 1)!r} comes twice")
    return tuple(found)
