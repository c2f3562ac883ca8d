"""MM-SAP's metrics on releases whose items offer an option that declines to answer (paper, sections 4.1 and 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchwright.questions.self_awareness import PARTS, part_of
from benchwright.records import answered_key
from benchwright.statistics.proportions import Estimate

from ..papers.mm_sap import ChosenOption
from .units import Row, Unit, has, rows_with, share_of

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = ("item_id", "variant", "letter", "answer", "refusal", "level", "again", "knew")


def mm_sap(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the paper's metrics of the items that offer an option that declines. Names begin with `mm_sap/`.

    For each item, p is the letter read, c the answer, r the letter that declines. All metrics but two divide by all
    such items, or by those of the part (`/basic`, `/know`, `/beyond`); under repeating protocols, by all repetitions.

    - `score_kk`: p = c; never true for an item without an answer.
    - `score_ku`: p = r on unknown items: every item of `beyond`, none of `basic`, and those of `know` that the model
      does not get right without the option that declines. `score_sa`: the sum of the two.
    - `answer_rate`: p is not r; this includes unread and failed replies, as in the paper's equation 6.
      `answer_accuracy`: the share with p = c among the items with p not r.
    - `refusal_number`: number of items of `know` with p = r, as the mean over repetitions. It is a number, not a share.
    - `unknown_knowns_rate`: the proportion of these that is right without the option (table 4);
      `unknown_knowns_rate_eq8`: the same as a proportion of all items of `know`, following equation 8 as printed.

    Metrics that need the second question are given only if every refusal in `know` was asked again (under `forced` and
    `mm-sap`), or if the model refused no question. A failed second question counts neither as known nor as unknown.
    """
    if not has(judged, *_COLUMNS):
        return {}
    rows = rows_with(judged, *_COLUMNS, where="refusal")
    if not rows:
        return {}
    replies = [_Reply(prediction_of(row), row["group"], row["again"]) for row in rows]
    parts = {name: [reply for reply in replies if reply.option.part == name] for name in PARTS}
    known = all(reply.again is not None for reply in parts["know"] if reply.option.refuses)
    estimates = _scores("mm_sap/{}", replies, known=known)
    for name, some in parts.items():
        if some:
            estimates |= _scores(f"mm_sap/{{}}/{name}", some, known=known or name != "know")
    repeats = len({row["variant"] for row in rows})
    return estimates | (_unknown_knowns(parts["know"], repeats, known=known) if parts["know"] else {})


def prediction_of(row: Row) -> ChosenOption:
    """Return a row in the paper's terms; a verdict over several questions is used as the answer only if it is right."""
    answer = answered_key(row["answer"], row["refusal"])
    chosen = answer if row["right"] and answer is not None else row["letter"]
    missed = chosen == answer and not row["right"]
    return ChosenOption(
        part_of(answer, row["level"]),
        answer,
        row["refusal"],
        None if missed else chosen,
        forced=answer if row["knew"] else None,
    )


class _Reply(NamedTuple):
    """A row in the paper's terms, and whether it can be used as evidence about unknown items."""

    option: ChosenOption
    group: int
    again: str | None

    @property
    def known_unknown(self) -> bool:
        """Return whether the model declined to answer an unknown item; False if the second question failed."""
        option = self.option
        shown = option.part == "beyond" or (option.part == "know" and self.again != "error" and not option.knew)
        return option.refuses and shown


_Says = Callable[[_Reply], bool]


def _share(replies: Iterable[_Reply], says: _Says) -> Estimate:
    return share_of(Unit(says(reply), reply.group) for reply in replies)


def _scores(name: str, replies: Sequence[_Reply], *, known: bool) -> dict[str, Estimate]:
    answered = [reply for reply in replies if not reply.option.refuses]
    wanted: dict[str, tuple[Sequence[_Reply], _Says]] = {
        "score_kk": (replies, lambda reply: reply.option.knows),
        "answer_rate": (replies, lambda reply: not reply.option.refuses),
        "answer_accuracy": (answered, lambda reply: reply.option.knows),
    }
    if known:
        wanted["score_ku"] = (replies, lambda reply: reply.known_unknown)
        wanted["score_sa"] = (replies, lambda reply: reply.option.knows or reply.known_unknown)
    named = {name.replace("{}", metric, 1): counted for metric, counted in wanted.items()}
    return {full: _share(some, says) for full, (some, says) in named.items()}


def _unknown_knowns(replies: Sequence[_Reply], repeats: int, *, known: bool) -> dict[str, Estimate]:
    declined = [reply for reply in replies if reply.option.refuses]
    estimates = {"mm_sap/refusal_number": Estimate(len(declined) / repeats, None, len(replies))}
    if known:
        for name, some in (("unknown_knowns_rate", declined), ("unknown_knowns_rate_eq8", replies)):
            estimates[f"mm_sap/{name}"] = _share(some, lambda reply: reply.option.knew)
    return estimates
