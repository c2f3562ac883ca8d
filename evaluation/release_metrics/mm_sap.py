"""MM-SAP's metrics on releases whose items offer an option that declines (paper sections 4.1 and 4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from ..statistics import Estimate
from .units import Row, has, rows_with, share_of, singly

if TYPE_CHECKING:
    import pyarrow as pa

Part = Literal["basic", "know", "beyond"]
PARTS: tuple[Part, ...] = ("basic", "know", "beyond")
BASIC = "basic"
_COLUMNS = ("item_id", "variant", "letter", "answer", "refusal", "level", "again", "knew")


def part_of(row: Row) -> Part:
    """Return which of the paper's three sets an item belongs to.

    `beyond`: nothing in the picture answers it. `basic`: its level is `basic`; every model is taken to know it.
    `know`: all others; what a model knows is for it to show.
    """
    if row["answer"] is None:
        return "beyond"
    return "basic" if row["level"] == BASIC else "know"


def mm_sap(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the paper's metrics of the items that offer an option that declines. Names begin with `mm_sap/`.

    By item p is the letter that was read, c the answer, r the letter that declines. All but two divide by all such
    items, or those of the part (`/basic`, `/know`, `/beyond`); under protocols that repeat by all repetitions.

    - `score_kk`: p = c; never of an item without an answer.
    - `score_ku`: p = r on what is unknown: every item of `beyond`, none of `basic`, and of `know` those that the model
      does not get right without the option that declines. `score_sa`: their sum.
    - `answer_rate`: p is not r; a reply that is unread or failed is not r either, as the paper's equation 6 has it.
      `answer_accuracy`: those with p = c, of those with p not r.
    - `refusal_number`: items of `know` with p = r, the mean over repetitions. It is a number, no share.
    - `unknown_knowns_rate`: of these, the share that is right without the option (table 4);
      `unknown_knowns_rate_eq8`: the same of all items of `know`, as equation 8 is printed.

    Whatever needs the second question is given only where every refusal in `know` was asked again, that is under
    `forced` and `mm-sap`, or where nothing was refused. A second question that failed counts neither as known nor as
    unknown.
    """
    if not has(judged, *_COLUMNS):
        return {}
    rows = [row for row in rows_with(judged, *_COLUMNS) if row["refusal"] is not None]
    if not rows:
        return {}
    parts = {name: [row for row in rows if part_of(row) == name] for name in PARTS}
    known = all(row["again"] is not None for row in parts["know"] if refused(row))
    found = _scores("mm_sap/{}", rows, known=known)
    for name, some in parts.items():
        if some:
            found |= _scores(f"mm_sap/{{}}/{name}", some, known=known or name != "know")
    return found | (_unknown_knowns(parts["know"], known=known) if parts["know"] else {})


def refused(row: Row) -> bool:
    """Say whether the option that declines was chosen."""
    return row["letter"] is not None and row["letter"] == row["refusal"]


def _kk(row: Row) -> bool:
    return bool(row["right"]) and row["answer"] is not None


def _ku(row: Row) -> bool:
    part = part_of(row)
    if not refused(row) or part == "basic":
        return False
    return part == "beyond" or (row["again"] not in {None, "error"} and not row["knew"])


def _scores(name: str, rows: Sequence[Row], *, known: bool) -> dict[str, Estimate]:
    def share(metric: str, units: list[Row], right: object) -> None:
        full = name.replace("{}", metric, 1)
        found[full] = share_of(singly(units, right), full)  # type: ignore[arg-type]

    found: dict[str, Estimate] = {}
    answered = [row for row in rows if not refused(row)]
    share("score_kk", list(rows), _kk)
    share("answer_rate", list(rows), lambda row: not refused(row))
    share("answer_accuracy", answered, _kk)
    if known:
        share("score_ku", list(rows), _ku)
        share("score_sa", list(rows), lambda row: _kk(row) or _ku(row))
    return found


def _unknown_knowns(rows: Sequence[Row], *, known: bool) -> dict[str, Estimate]:
    declined = [row for row in rows if refused(row)]
    repeats = len({row["variant"] for row in rows})
    found = {"mm_sap/refusal_number": Estimate(len(declined) / repeats, None, len(rows))}
    if known:
        for name, units in (("unknown_knowns_rate", declined), ("unknown_knowns_rate_eq8", list(rows))):
            full = f"mm_sap/{name}"
            found[full] = share_of(singly(units, lambda row: refused(row) and bool(row["knew"])), full)
    return found
