"""Questions that share their answers as options, so that the options alone reveal nothing.

If distractors are drawn for each question separately, the right option differs from them in frequency or lies in the
middle of their range, and a solver that sees only the options beats chance. Here, questions are grouped: all questions
of a group offer the same options, and each option is right for exactly one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from .checks import same_form
from .sameness import may_both_be_right


class Lender(NamedTuple):
    """A question that can become part of a group.

    Args:
        name: Stable name of the question, unique among the exchanged questions.
        right: Its right option.
        picture: Its picture; each picture occurs in only one question across all groups.
    """

    name: str
    right: str
    picture: str


def exchange_groups(
    lenders: Sequence[Lender],
    *,
    size: int,
    is_true: Callable[[str, str], bool],
    order: Callable[[str], int],
    is_free: Callable[[str], bool] | None = None,
    is_form_free: bool = False,
) -> Iterator[tuple[Lender, ...]]:
    """Yield groups of questions with different answers, such that no answer is right for another question of the group.

    The answers with the most questions left come first, so that most questions find a group; the seed chooses among
    questions and among equally common answers. The remaining questions are not used, because their answers are too
    common or too few other answers can join them.

    Args:
        lenders: Questions of the same kind.
        size: Number of questions in a group, which is also the number of options of each.
        is_true: Function that returns whether its second argument, a text, is true of its first, a picture, according
            to annotations.
        order: Function that returns the sort key of a name in the seed's order, smallest first.
        is_free: Function that returns whether a picture may still be used; called before each group, so that several
            kinds of questions can share their pictures. None if all may be used.
        is_form_free: Whether answers of different forms can accompany each other, as names can.

    Yields:
        Groups, each sorted by the name of its questions.
    """
    waiting: dict[str, list[Lender]] = {}
    for lender in sorted(lenders, key=lambda lender: (order(lender.name), lender.name)):
        waiting.setdefault(lender.right, []).append(lender)
    used: set[str] = set()
    barren: set[str] = set()
    while True:
        for right, queue in waiting.items():
            waiting[right] = [
                lender
                for lender in queue
                if lender.picture not in used and (is_free is None or is_free(lender.picture))
            ]
        ready = sorted(
            (right for right, queue in waiting.items() if queue and right not in barren),
            key=lambda right: (-len(waiting[right]), order(right), right),
        )
        if len(ready) < size:
            return
        first = ready[0]
        alike = [right for right in ready if is_form_free or same_form(right, first)]
        group = _group(alike, waiting, size=size, is_true=is_true)
        if group is None:
            barren.add(first)  # it will find no partners: the remaining questions have fewer to choose from
            continue
        used.update(lender.picture for lender in group)
        yield tuple(sorted(group, key=lambda lender: lender.name))


def _group(
    ready: Sequence[str],
    waiting: dict[str, list[Lender]],
    *,
    size: int,
    is_true: Callable[[str, str], bool],
) -> list[Lender] | None:
    """Return a group that contains a question with the first answer, or None if none has enough partners."""
    for first in waiting[ready[0]]:
        group = [first]
        for right in ready[1:]:
            if any(may_both_be_right(right, taken.right) for taken in group):
                continue
            if any(is_true(taken.picture, right) for taken in group):
                continue
            pictures = {taken.picture for taken in group}
            lender = next(
                (
                    other
                    for other in waiting[right]
                    if other.picture not in pictures and not any(is_true(other.picture, taken.right) for taken in group)
                ),
                None,
            )
            if lender is not None:
                group.append(lender)
                if len(group) == size:
                    return group
    return None
