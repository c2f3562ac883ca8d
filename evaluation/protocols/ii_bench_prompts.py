"""II-Bench's prompts (paper, appendix C).

The instructions are quoted from the paper, because they define the protocol. The picture accompanies the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

Mode = Literal["none", "cot", "domain", "emotion", "rhetoric"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""Modes, with their names in the repository's files."""

KEYWORD_MODES = frozenset({"domain", "emotion", "rhetoric"})
"""Modes in which the prompt includes the question's label of that name."""

OPTIONS = 6

# Appendix C.1, C.4 and C.3.
_ASK = "Instruction: Please try to answer the single-answer multiple choice question below based on the picture"
_NONE = f"{_ASK} provided."
_COT = f"{_ASK} provided. Let's think through each option. Let's think step by step."
_KEYWORDS = f"{_ASK} and the key words."
# Appendix C.2, for one example and for more.
_EXAMPLE = (
    "Instruction: Please try to answer the single-answer multiple choice question below based on the example(with "
    "answer) and the corresponding picture."
)
_EXAMPLES = (
    "Instruction: Please try to answer the single-answer multiple choice question below based on the examples(with "
    "answers) and the corresponding pictures."
)


class PromptedQuestion(NamedTuple):
    """A question in a prompt: examples have an answer; the last question, which is to be answered, has none."""

    question: str
    options: Sequence[str]
    answer: str | None = None


def prompt(mode: Mode, question: str, options: Sequence[str], keywords: Sequence[str] = ()) -> str:
    r"""Return the prompt text for a question.

    Args:
        mode: Mode of the prompt.
        question: Text of the question, unchanged.
        options: Texts of options A to F.
        keywords: Labels of the question in a mode that gives labels, joined by commas without blanks; empty in other
            modes.

    Raises:
        ValueError: There are not six options, labels are missing, or labels are given in a mode without labels.
    """
    if len(options) != OPTIONS:
        raise ValueError(f"a question of II-Bench has {OPTIONS} options, not {len(options)}")
    if bool(keywords) != (mode in KEYWORD_MODES):
        raise ValueError(f"mode {mode!r} " + ("needs the question's labels" if not keywords else "reveals no labels"))
    lines = [_KEYWORDS if keywords else _COT if mode == "cot" else _NONE]
    if keywords:
        lines.append(f"Key words: {','.join(keywords)}")
    lines.append(f"Question: {question}")
    lines += [f"({chr(65 + k)}) {text}" for k, text in enumerate(options)]
    if mode == "cot":
        lines.append("Explanation: ")
    return "\n".join([*lines, "Answer:", ""])


def prompt_with_examples(examples: Sequence[PromptedQuestion]) -> tuple[str, ...]:
    """Return the text of a prompt with examples, split at each picture, so that there is one more piece than pictures.

    Args:
        examples: Examples with answers, then the question to ask.

    Raises:
        ValueError: There are not six options, or the last question is not the only one without an answer.
    """
    *taught, question = examples
    if not taught or question.answer is not None or any(example.answer is None for example in taught):
        raise ValueError(
            "a prompt with examples needs at least one, each with its answer, and then a question without an answer"
        )
    pieces = [f"{_EXAMPLES if len(taught) > 1 else _EXAMPLE}\n"]
    for place, example in enumerate(examples, start=1):
        if len(example.options) != OPTIONS:
            raise ValueError(f"a question of II-Bench has {OPTIONS} options, not {len(example.options)}")
        pieces[-1] += f"Question: {example.question}\nPicture: <Picture {place}>\n"
        lines = [f"({chr(65 + k)}) {text}" for k, text in enumerate(example.options)]
        pieces.append("\n".join([*lines, f"Answer: ({example.answer})" if example.answer else "Answer:", ""]))
    return tuple(pieces)
