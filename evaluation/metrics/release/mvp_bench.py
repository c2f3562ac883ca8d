"""MVP-Bench's metrics on releases of image pairs (paper, section 3, tables 2, 3 and 5)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from benchwright.statistics.proportions import Estimate

from ..papers.mvp_bench import IMAGE_QUESTIONS, PAIR_ANSWERS
from .units import Row, Unit, by_value, has, rows_with, share_of, singly, together

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMNS = (
    "kind",
    "pair",
    "level",
    "category",
    "view",
    "pictures",
    "image",
    "question",
    "variant",
    "at_first",
    "questions",
    "attributes",
)
_VIEWS, _BOTH = ("manipulated", "natural"), "both"
Units = Callable[[Sequence[Row]], list[Unit]]


def mvp_bench(judged: pa.Table) -> Mapping[str, Estimate]:
    """Return the paper's metrics for items that belong to a pair, which have a group key `pair:...`.

    Yes/no questions show one picture, whose role, or else the attribute `image_side`, is `natural` or `manipulated`:

    - `mvp_bench/aAcc`: answers right, of all answers.
    - `mvp_bench/qAcc`: questions right on every picture of their pair, of all questions (one text on one pair).
    - `mvp_bench/iAcc`: pictures with every question right, of pictures with at least two questions.
    - `mvp_bench/mAcc`: pairs with every answer right, of pairs with at least four answers.
    - `mvp_bench/pAcc/<category>`: qAcc within a category.

    aAcc and qAcc are also given by level, aAcc and iAcc by natural and manipulated. For multiple-choice items,
    `mvp_bench/single_image/vanilla` and `mvp_bench/cross_image/vanilla` (two pictures, or `image_side` is `both`) count
    the items that are right in their own order of options. Under `circular`, the same names with `/circular` count
    those right in all rotations. Both are also given by level. All divide by the asked items of the kind. Repeating
    protocols give none of these metrics.
    """
    if not has(judged, *_COLUMNS):
        return {}
    rows = [row for row in rows_with(judged, *_COLUMNS, where="pair") if row["variant"] is None]
    sides = [side_of(row) for row in rows]
    rows = [{**row, "view": side} for row, side in zip(rows, sides, strict=True)]
    paired = [row for row in rows if row["kind"] == "yes_no" and row["view"] in _VIEWS]
    return _yes_no(paired) | _choosing([row for row in rows if row["kind"] == "multiple_choice"])


def side_of(row: Row) -> str | None:
    """Return the side of a pair that a row's item shows: natural, manipulated or both; None if it is unknown."""
    if row["pictures"] > 1:
        return _BOTH
    side = json.loads(row["attributes"] or "{}").get("image_side")
    return side if isinstance(side, str) else row["view"]


def _yes_no(rows: list[Row]) -> dict[str, Estimate]:
    if not rows:
        return {}
    metrics: dict[str, Units] = {"aAcc": singly, "qAcc": _questions, "iAcc": _images, "mAcc": _pairs}
    estimates: dict[str, Estimate] = {}
    for name, units in metrics.items():
        estimates[f"mvp_bench/{name}"] = share_of(units(rows))
    for name in ("aAcc", "qAcc"):
        estimates |= _by(f"mvp_bench/{name}", rows, metrics[name], _level)
    for name in ("aAcc", "iAcc"):
        estimates |= _by(f"mvp_bench/{name}", rows, metrics[name], lambda row: [row["view"]])
    return estimates | _by("mvp_bench/pAcc", rows, _questions, lambda row: [row["category"]] if row["category"] else [])


def _choosing(rows: list[Row]) -> dict[str, Estimate]:
    estimates: dict[str, Estimate] = {}
    for name in ("single_image", "cross_image"):
        some = [row for row in rows if (row["view"] == _BOTH) == (name == "cross_image")]
        ways: dict[str, Units] = {"vanilla": _at_first}
        if any(row["questions"] > 1 for row in some):
            ways["circular"] = singly
        for way, units in ways.items():
            if some:
                estimates[f"mvp_bench/{name}/{way}"] = share_of(units(some))
            estimates |= _by(f"mvp_bench/{name}/{way}", some, units, _level)
    return estimates


def _by(name: str, rows: Sequence[Row], units: Units, value: Callable[[Row], Iterable[str]]) -> dict[str, Estimate]:
    """Return a metric for each value of a label."""
    groups = {f"{name}/{label}": group for label, group in by_value(rows, value).items()}
    return {label: share_of(units(group)) for label, group in groups.items()}


def _level(row: Row) -> list[str]:
    return [] if row["level"] is None else [row["level"]]


def _questions(rows: Sequence[Row]) -> list[Unit]:
    return together(rows, lambda row: (row["pair"], row["question"]))


def _images(rows: Sequence[Row]) -> list[Unit]:
    return together(rows, lambda row: (row["pair"], row["image"]), at_least=IMAGE_QUESTIONS)


def _pairs(rows: Sequence[Row]) -> list[Unit]:
    return together(rows, lambda row: row["pair"], at_least=PAIR_ANSWERS)


def _at_first(rows: Sequence[Row]) -> list[Unit]:
    return singly(rows, lambda row: row["at_first"])
