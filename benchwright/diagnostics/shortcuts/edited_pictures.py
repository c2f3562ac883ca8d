"""Whether a single picture of a pair tells that it was edited, and how many questions are answered by that alone.

Each picture of each pair of a natural and a manipulated picture is asked about by itself: was it edited? The solvers of
the battery, its forests and the adversary answer, tested on photographs that they have not learned from. A model that
sees what they see knows which picture of a pair it was shown. That is a cue where questions have one answer on edited
pictures more often than the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from benchwright.canonical import digest
from benchwright.record_map import RecordMap, map_here
from benchwright.records import Choice, Item
from benchwright.source_files.item_files import SourceItem
from benchwright.texts.normalization import counted, normal

from ..adversary.learning import MOST_ITEMS
from .battery import TaskResult, run_battery
from .item_source import LeftOutItem
from .measuring import measure_items
from .picks import Bounds

TASK = "edited_pictures"
"""Name of what is asked in place of a task."""
_QUESTION = "Was this picture edited?"
_YES, _NO = Choice(key="A", text="Yes"), Choice(key="B", text="No")

PictureSide = Literal["natural", "manipulated"]


class ShownSide(NamedTuple):
    """Which picture of which pair an item shows by itself."""

    pair: str
    side: PictureSide


class EditedPictures(NamedTuple):
    """What single pictures tell about having been edited.

    Args:
        result: What all solvers make of the question, with the adversary's power.
        pairs: Number of pairs of which both pictures are asked about by themselves.
        answered: Number of yes/no items whose answer somebody gets right who only sees on which side of its pair a
            picture is, and says on each side what is right there more often.
        yes_no: Number of yes/no items about single pictures of pairs.
    """

    result: TaskResult
    pairs: int
    answered: int
    yes_no: int

    @property
    def tells(self) -> bool:
        """Return whether a solver tells edited pictures from others."""
        return bool(self.result.carried)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        share = round(self.answered / self.yes_no, 4) if self.yes_no else None
        return {
            "tells": self.tells,
            "pairs": self.pairs,
            "answers": {"items": self.yes_no, "right": self.answered, "share": share},
            "result": self.result.to_json(),
        }

    def in_words(self) -> str:
        """Return how many questions it answers, as a line."""
        if not self.yes_no:
            return "no yes/no question is asked of a single picture of a pair"
        return (
            f"who only sees which pictures were edited, and says what is right there more often, is right in "
            f"{self.answered} of {counted(self.yes_no, 'yes/no item')} ({self.answered / self.yes_no:.0%})"
        )


def shown_side(item: Item) -> ShownSide | None:
    """Return the picture of a pair that an item shows by itself; None where it shows both, or none of a pair."""
    pair = next((key for key in item.group_keys if key.startswith("pair:")), None)
    if pair is None or len(item.images) != 1:
        return None
    role = item.images[0].role
    if role not in ("natural", "manipulated"):
        role = str(item.attributes.get("image_side"))
    return ShownSide(pair, role) if role in ("natural", "manipulated") else None  # type: ignore[arg-type]


class PairAnswers:
    """Counts the answers to yes/no items about single pictures of pairs, by side."""

    def __init__(self) -> None:
        self._said: Counter[tuple[str, str]] = Counter()
        self.sides: set[ShownSide] = set()

    def note(self, item: Item) -> None:
        """Count an item."""
        shown = shown_side(item)
        if shown is None:
            return
        self.sides.add(shown)
        if item.kind == "yes_no":
            said = next((normal(choice.text or "") for choice in item.choices if choice.key == item.answer), None)
            if said in ("yes", "no"):
                self._said[shown.side, said] += 1

    @property
    def yes_no(self) -> int:
        """Return the number of yes/no items."""
        return sum(self._said.values())

    @property
    def answered(self) -> int:
        """Return the number of them that are right where each side gets the answer that is right there more often."""
        return sum(max(self._said[side, "yes"], self._said[side, "no"]) for side in ("natural", "manipulated"))

    @property
    def pairs(self) -> frozenset[str]:
        """Return the pairs of which both pictures are asked about by themselves."""
        sides = Counter(shown.pair for shown in self.sides)
        return frozenset(pair for pair, count in sides.items() if count == 2)


def asked_whether_edited(
    rows: Iterator[SourceItem | LeftOutItem], pairs: frozenset[str]
) -> Iterator[SourceItem | LeftOutItem]:
    """Yield each picture of these pairs once a pair, with the question whether it was edited."""
    seen: set[ShownSide] = set()
    for row in rows:
        if not isinstance(row, SourceItem) or (shown := shown_side(row.item)) is None:
            continue
        if shown.pair in pairs and shown not in seen:
            seen.add(shown)
            yield row._replace(item=edited_question(row.item, shown), own_id=None)


def edited_question(item: Item, shown: ShownSide) -> Item:
    """Return an item that asks of the same picture whether it was edited."""
    changes = {
        "item_id": digest(["was it edited", *shown])[:32],
        "task": TASK,
        "kind": "yes_no",
        "question": _QUESTION,
        "choices": (_YES, _NO),
        "answer": (_YES if shown.side == "manipulated" else _NO).key,
        "attributes": {},
    }
    return item.model_copy(update=changes)


def edited_pictures(
    rows: Iterator[SourceItem | LeftOutItem],
    answers: PairAnswers,
    *,
    seed: int,
    bounds: Bounds,
    most_learned: int = MOST_ITEMS,
    record_map: RecordMap = map_here,
) -> EditedPictures | None:
    """Return what single pictures tell about having been edited; None where no pair has both pictures asked about.

    It is a family of tests of its own: what it finds is no reason to doubt an item by itself.

    Args:
        rows: The items of a source, with their pictures.
        answers: What was noted of the same items.
        seed: Seed of the forests and of the adversary.
        bounds: When a solver tells.
        most_learned: Number of pictures that the adversary learns from at most; 0 for none.
        record_map: What maps the measuring over many pictures.
    """
    if not answers.pairs:
        return None
    measured = measure_items(
        asked_whether_edited(rows, answers.pairs), record_map=record_map, in_order=False, most_learned=most_learned
    )
    if not measured.cues:
        return None
    battery = run_battery(
        measured.cues, measured.group_keys, seed=seed, bounds=bounds, task_cues={}, evidence=measured.evidence
    )
    return EditedPictures(battery.tasks[0], len(answers.pairs), answers.answered, answers.yes_no)
