"""Whether single pictures of pairs reveal that they were edited, and how many questions this alone answers.

Each picture of each pair of a natural and a manipulated picture gets a separate question: was it edited? The solvers of
the battery, its forests and the adversary answer it, tested on photographs from which they have not learned. A model
with the same evidence knows which picture of a pair it sees. That is a cue if questions have one answer more often on
edited pictures than on others.
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
"""Name used in place of a task's name."""
_QUESTION = "Was this picture edited?"
_YES, _NO = Choice(key="A", text="Yes"), Choice(key="B", text="No")

PictureSide = Literal["natural", "manipulated"]


class ShownSide(NamedTuple):
    """The pair and the side of the picture that an item shows alone."""

    pair: str
    side: PictureSide


class EditedPictures(NamedTuple):
    """The evidence of editing in single pictures.

    Args:
        result: The results of all solvers for the question, with the adversary's power.
        pairs: Number of pairs with a separate question about each picture.
        answered: Number of yes/no items answered correctly by a solver that knows only which side of its pair a picture
            is on, and gives for each side the more frequent right answer.
        yes_no: Number of yes/no items about single pictures of pairs.
    """

    result: TaskResult
    pairs: int
    answered: int
    yes_no: int

    @property
    def tells(self) -> bool:
        """Return whether a solver can distinguish edited pictures from others."""
        return bool(self.result.carried)

    def to_json(self) -> dict[str, Any]:
        """Return the evidence as JSON values."""
        share = round(self.answered / self.yes_no, 4) if self.yes_no else None
        return {
            "tells": self.tells,
            "pairs": self.pairs,
            "answers": {"items": self.yes_no, "right": self.answered, "share": share},
            "result": self.result.to_json(),
        }

    def in_words(self) -> str:
        """Return one line that states how many questions the evidence answers."""
        if not self.yes_no:
            return "no item asks a yes/no question about a single picture of a pair"
        return (
            f"a solver that knows only which pictures were edited, and gives the answer that is more often right "
            f"there, is right in {self.answered} of {counted(self.yes_no, 'yes/no item')} "
            f"({self.answered / self.yes_no:.0%})"
        )


def shown_side(item: Item) -> ShownSide | None:
    """Return which picture of a pair an item shows alone; None if it shows both, or no picture of a pair."""
    pair = next((key for key in item.group_keys if key.startswith("pair:")), None)
    if pair is None or len(item.images) != 1:
        return None
    role = item.images[0].role
    if role not in ("natural", "manipulated"):
        role = str(item.attributes.get("image_side"))
    return ShownSide(pair, role) if role in ("natural", "manipulated") else None  # type: ignore[arg-type]


class PairAnswers:
    """Counter of answers to yes/no items about single pictures of pairs, by side."""

    def __init__(self) -> None:
        self._said: Counter[tuple[str, str]] = Counter()
        self.sides: set[ShownSide] = set()

    def note(self, item: Item) -> None:
        """Count the answer to an item."""
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
        """Return the number of items answered correctly if each side gets its more frequent right answer."""
        return sum(max(self._said[side, "yes"], self._said[side, "no"]) for side in ("natural", "manipulated"))

    @property
    def pairs(self) -> frozenset[str]:
        """Return the pairs with a separate question about each picture."""
        sides = Counter(shown.pair for shown in self.sides)
        return frozenset(pair for pair, count in sides.items() if count == 2)


def asked_whether_edited(
    rows: Iterator[SourceItem | LeftOutItem], pairs: frozenset[str]
) -> Iterator[SourceItem | LeftOutItem]:
    """Yield each picture of these pairs, one at a time, with the question of whether it was edited."""
    seen: set[ShownSide] = set()
    for row in rows:
        if not isinstance(row, SourceItem) or (shown := shown_side(row.item)) is None:
            continue
        if shown.pair in pairs and shown not in seen:
            seen.add(shown)
            yield row._replace(item=edited_question(row.item, shown), own_id=None)


def edited_question(item: Item, shown: ShownSide) -> Item:
    """Return an item that asks whether the same picture was edited."""
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
    """Return the evidence of editing in single pictures; None if no pair has separate questions on its pictures.

    These tests are a separate family: their findings alone cast no doubt on an item.

    Args:
        rows: The items of a source, with their pictures.
        answers: Counts of the answers to the same items.
        seed: Seed of the forests and of the adversary.
        bounds: Conditions under which items carry a cue.
        most_learned: Largest number of pictures from which the adversary learns; 0 for none.
        record_map: Function that maps the measuring over many pictures.
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
