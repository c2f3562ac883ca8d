"""Conversion of a question to a message of words and pictures, in the plain wording or the wording of its protocol."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.questions.picture_places import (
    beside_options,
    option_in_words,
    option_pictures,
    placed_pictures,
    question_parts,
)

from .question import Part, Question

VANILLA = "vanilla"

_INSTRUCTION = "Reply with the letter of the right option, in parentheses, and nothing else."


def message_of(question: Question) -> tuple[Part, ...]:
    """Return the message for a question: the protocol's own message, or the plain one."""
    return vanilla(question) if question.message is None else question.message


def vanilla(question: Question, *, instruction: str = _INSTRUCTION) -> tuple[Part, ...]:
    """Return the message that asks a question directly, without examples or reasoning.

    Unplaced pictures come first, in order. `<image 2>` in the question places the second picture there; a picture that
    is an option follows the option's letter. If there are several pictures, each follows its name ("Image 2:"), and the
    question then calls it by that name.

    Example:
        For a reference and two tiles to choose from: "Image 1:", picture, the question, "(A) Image 2:", picture,
        "(B) Image 3:", picture, the instruction.
    """
    pictures = question.pictures
    number = option_pictures(question.choices, pictures)
    placed = placed_pictures(question.text, len(pictures))
    parts: list[Part] = [
        part if isinstance(part, str) else pictures[part - 1]
        for part in question_parts(question.text, len(pictures), later=beside_options(question.choices, pictures))
    ]
    for choice in question.choices:
        if choice.key not in number or number[choice.key] in placed:
            parts.append(f"({choice.key}) {option_in_words(choice, number)}")
        else:
            parts += [f"({choice.key}) {option_in_words(choice, number)}:", pictures[number[choice.key] - 1]]
    parts.append(instruction)
    return one_part_a_run(parts)


def one_part_a_run(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Join neighboring texts into one part, with one line per text, and drop empty texts."""
    joined: list[Part] = []
    for part in parts:
        words = part.strip() if isinstance(part, str) else part
        if isinstance(words, str) and joined and isinstance(joined[-1], str):
            joined[-1] = f"{joined[-1]}\n{words}" if words else joined[-1]
        elif words:
            joined.append(words)
    return tuple(joined)
