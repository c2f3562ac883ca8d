"""The step `best_candidate`, which keeps the best of several candidates for an idea, complete pairs, and few effects.

It runs after the gates and before annotators decide. A yes/no question about a pair counts for both pictures or not at
all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from benchwright.records import Item
from benchwright.steps import GatherContext, Gathered, GatherStep, Stream

from .paired_pictures import evidence_text

if TYPE_CHECKING:
    import pyarrow as pa

_HALF, _INCOMPLETE, _BETTER = "half_a_question", "pair_incomplete", "better_candidate"
_DIRECT, _TOO_MANY_DIRECT = "direct", "too_many_direct"


class CandidateItem(NamedTuple):
    """An item still in the run, and the value for comparing candidates."""

    item: Item
    value: float | None


class _Loss(NamedTuple):
    reason: str
    evidence: Mapping[str, Any]


class BestCandidate(GatherStep):
    """Drop all candidates of an idea but the best, and the remaining items of pairs that the gates broke.

    Dropped first are yes/no questions whose item for the other picture is gone (`half_a_question`), then all items of
    pairs with fewer than `min_questions` left (`pair_incomplete`). The best remaining candidate of an idea has the
    largest value, then the most items left, then the smallest number; the others are dropped as `better_candidate`,
    with the compared values. Items without a pair pass.

    Direct alterations change all of a picture. As many of their pairs stay as `max_direct` allows, evenly over all
    editors; the others are dropped as `too_many_direct`.

    The step belongs after the gates and before annotators decide.

    Args:
        by: Value of an earlier step, as `<entry>.<value>` or `<entry>.<part>.<value>`, where more is better; None
            compares how many items the gates left.
        min_questions: Number of yes/no questions that a pair needs, each on both pictures.
        max_direct: Largest proportion, 0-1, of pairs that are direct alterations; None allows any number.

    Reasons:
        half_a_question (drop): A yes/no question of a pair is left on one picture only.
        pair_incomplete (drop): The pair of the item has too few questions left.
        better_candidate (drop): Another candidate of the same idea is kept.
        too_many_direct (drop): Direct alterations would be more than `max_direct` of all pairs.
    """

    name: ClassVar[str] = "best_candidate"
    consumes: ClassVar[Stream] = "items"

    by: str | None = Field(None, pattern=r"^[a-z0-9_.]+\.[a-z0-9_]+$")
    min_questions: int = Field(1, ge=0)
    max_direct: float | None = Field(None, ge=0, lt=1)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the columns to read, with the value that the settings name."""
        return ("record",) if self.by is None else ("record", self.by)

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Compare all candidates; the order of rows and files does not matter."""
        del ctx
        records = columns["record"].to_pylist()
        values = [None] * len(records) if self.by is None else columns[self.by].to_pylist()
        live = [
            CandidateItem(Item.model_validate_json(record), value)
            for record, value in zip(records, values, strict=True)
        ]
        losses = self.losses(live)
        rows = sorted(losses)
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=["drop"] * len(rows),
            reasons=[losses[row].reason for row in rows],
            evidence=[losses[row].evidence for row in rows],
        )

    def losses(self, live: Sequence[CandidateItem]) -> dict[int, _Loss]:
        """Return the items to drop, by row, with reason and evidence."""
        pairs: dict[str, list[int]] = defaultdict(list)
        for row, candidate in enumerate(live):
            if (pair := evidence_text(candidate.item, "pair")) is not None:
                pairs[pair].append(row)
        losses: dict[int, _Loss] = {}
        whole: dict[str, list[int]] = {}
        for pair, rows in pairs.items():
            halves = set(_halves([live[row].item for row in rows]))
            lost = [row for row in rows if live[row].item.item_id in halves]
            losses |= {row: _Loss(_HALF, {"pair": pair}) for row in lost}
            rest = [row for row in rows if row not in losses]
            questions = sum(live[row].item.kind == "yes_no" for row in rest) // 2
            if questions < self.min_questions:
                losses |= {row: _Loss(_INCOMPLETE, {"pair": pair, "questions": questions}) for row in rest}
            elif rest:
                whole[pair] = rest
        losses |= dict(_beaten(live, whole))
        if self.max_direct is not None:
            kept = {pair: rows for pair, rows in whole.items() if rows[0] not in losses}
            losses |= dict(_too_many(live, kept, self.max_direct))
        return losses


def _halves(items: Sequence[Item]) -> Iterator[str]:
    """Yield the ids of a pair's yes/no items whose question is not asked about both pictures."""
    pictures: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    for item in items:
        if item.kind == "yes_no":
            pictures[item.question, item.level].add(item.images[0].image_id)
    for item in items:
        if item.kind == "yes_no" and len(pictures[item.question, item.level]) < 2:
            yield item.item_id


def _beaten(live: Sequence[CandidateItem], pairs: Mapping[str, Sequence[int]]) -> Iterator[tuple[int, _Loss]]:
    """Yield the items of candidates that are not the best of their idea."""
    rivals: dict[tuple[str, str], list[str]] = defaultdict(list)
    for pair, rows in pairs.items():
        item = live[rows[0]].item
        if (idea := evidence_text(item, "idea")) is not None:
            rivals[item.made_from, idea].append(pair)
    for idea_pairs in rivals.values():
        ranked = sorted(idea_pairs, key=lambda pair: _rank([live[row] for row in pairs[pair]], pair))
        best = _description([live[row] for row in pairs[ranked[0]]])
        for pair in ranked[1:]:
            own = _description([live[row] for row in pairs[pair]])
            for row in pairs[pair]:
                yield row, _Loss(_BETTER, {"kept": {"pair": ranked[0], **best}, "dropped": {"pair": pair, **own}})


def _too_many(
    live: Sequence[CandidateItem], pairs: Mapping[str, Sequence[int]], share: float
) -> Iterator[tuple[int, _Loss]]:
    """Yield the items of direct alterations beyond a proportion of all pairs; editors and source images take turns."""
    direct = sorted(pair for pair, rows in pairs.items() if evidence_text(live[rows[0]].item, "way") == _DIRECT)
    allowed = int(share * (len(pairs) - len(direct)) / (1 - share) + 1e-9)
    taken: Counter[str] = Counter()
    while len(direct) > 0:
        names = {
            pair: (evidence_text(item, "editor") or "", item.made_from)
            for pair in direct
            for item in (live[pairs[pair][0]].item,)
        }
        least = min(direct, key=lambda pair: ([taken[name] for name in names[pair]], pair))
        direct.remove(least)
        if allowed > 0:
            allowed -= 1
            taken.update(names[least])
            continue
        for row in pairs[least]:
            yield row, _Loss(_TOO_MANY_DIRECT, {"pair": least, "max_direct": share})


def _rank(candidate: Sequence[CandidateItem], pair: str) -> tuple[float, int, int, str]:
    description = _description(candidate)
    value = description["value"]
    return (np.inf if value is None else -value, -description["items"], description["candidate"], pair)


def _description(candidate: Sequence[CandidateItem]) -> dict[str, Any]:
    """Return the facts for comparing a candidate: its number, the mean value of its items, its number of items."""
    values = [float(item.value) for item in candidate if item.value is not None]
    return {
        "candidate": int(candidate[0].item.evidence.get("candidate", 0)),
        "value": round(sum(values) / len(values), 6) if values else None,
        "items": len(candidate),
    }
