"""What models took: tokens, and money where they had prices; from the accounting of their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .cards import legible

if TYPE_CHECKING:
    from .board import Board


class Cost(NamedTuple):
    """What one model took.

    Args:
        model: Its name, legible.
        replies: That were counted.
        sent: Tokens of prompts.
        received: Tokens of replies.
        each: Tokens a reply, both together; None where none was counted.
        money: In the currency of the prices; None without any.
        per_thousand: Money for a thousand items, at this rate.
        accuracy: Beside it, over all asked items.
    """

    model: str
    replies: int
    sent: int
    received: int
    each: float | None
    money: float | None
    per_thousand: float | None
    accuracy: float | None


def cost_rows(board: Board) -> list[Cost]:
    """Return what each model took whose tokens were counted; baselines and files of predictions took none."""
    found = []
    for line in board.lines:
        usage, accuracy = line.score.usage, line.score.metrics.get("accuracy")
        if usage is None:
            continue
        both, asked = usage.prompt_tokens + usage.completion_tokens, line.score.asked
        found.append(
            Cost(
                legible(line.model), usage.replies, usage.prompt_tokens, usage.completion_tokens,
                both / usage.replies if usage.replies else None, usage.cost,
                None if usage.cost is None or not asked else 1000 * usage.cost / asked,
                None if accuracy is None else accuracy.value,
            )
        )  # fmt: skip
    return found
