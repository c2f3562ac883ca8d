"""II-Bench's prompts without examples (paper appendix C.1, C.3, C.4).

The instructions are quoted from there, since they are what defines the protocol. The picture goes beside the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

Mode = Literal["none", "cot", "domain", "emotion", "rhetoric"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""Modes by the names that the repository's files carry."""

KEYWORD_MODES = frozenset({"domain", "emotion", "rhetoric"})
"""Modes that tell the model the question's label of that name."""

OPTIONS = 6

# Appendix C.1, C.4 and C.3.
_ASK = "Instruction: Please try to answer the single-answer multiple choice question below based on the picture"
_NONE = f"{_ASK} provided."
_COT = f"{_ASK} provided. Let's think through each option. Let's think step by step."
_KEYWORDS = f"{_ASK} and the key words."


def prompt(mode: Mode, question: str, options: Sequence[str], keywords: Sequence[str] = ()) -> str:
    r"""Return the text that is sent for a question.

    Args:
        mode: How the question is asked.
        question: The question's text, taken as it is.
        options: The texts of options A to F.
        keywords: The question's labels in a mode that tells them, joined by bare commas; nothing elsewhere.

    Raises:
        ValueError: There are not six options, or labels are missing or given where the mode tells none.
    """
    if len(options) != OPTIONS:
        raise ValueError(f"II-Bench asks with {OPTIONS} options, not {len(options)}")
    if bool(keywords) != (mode in KEYWORD_MODES):
        raise ValueError(f"mode {mode!r} " + ("needs the question's labels" if not keywords else "tells no labels"))
    lines = [_KEYWORDS if keywords else _COT if mode == "cot" else _NONE]
    if keywords:
        lines.append(f"Key words: {','.join(keywords)}")
    lines.append(f"Question: {question}")
    lines += [f"({chr(65 + k)}) {text}" for k, text in enumerate(options)]
    if mode == "cot":
        lines.append("Explanation: ")
    return "\n".join([*lines, "Answer:", ""])
