"""Items of the tasks of marks, numbers and words, from random annotations with the biases of real ones.

Lower or more central things are mostly closer; surfaces near each other are mostly the same; small counts are more
frequent than large ones; some relations are mostly true; things of a kind are photographed upright and whole. Cues that
a task does not remove therefore become measurable. `ITEMS` names the makers; each takes a folder for small pictures, a
seed, the number of records and the mode, and returns the items that the real steps make from them, with their pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from made_items import MadeItems
from truth_runs import TruthRun

from benchwright.construction.ground_truth.truths import (
    CountQuestion,
    DepthComparison,
    FunctionalPoints,
    KeypointPair,
    Point,
    ReflectanceComparison,
    SpatialClaim,
)
from benchwright.construction.item_parts.wording.spatial_questions import RELATIONS
from benchwright.construction.tasks.counting import Counting
from benchwright.construction.tasks.functional_correspondence import FunctionalCorrespondence
from benchwright.construction.tasks.iq_test import IqTest
from benchwright.construction.tasks.relative_depth import RelativeDepth
from benchwright.construction.tasks.relative_reflectance import RelativeReflectance
from benchwright.construction.tasks.semantic_correspondence import SemanticCorrespondence
from benchwright.construction.tasks.spatial_relation import SpatialRelation
from benchwright.construction.truth_tasks.pattern_puzzles import PatternPuzzles

WIDTH, HEIGHT = 320, 240
NOUNS = ("dogs", "cups", "chairs", "windows", "birds", "people")
COUNTS = np.array([0.05, 0.38, 0.24, 0.11, 0.07, 0.05, 0.035, 0.02, 0.015, 0.01, 0.008, 0.005, 0.004, 0.003])
COMPARISONS = 40
Maker = Callable[[Path, int, int, str], MadeItems]


class _Records(TruthRun):
    """Pictures of a single gray each, and their truths."""

    def __init__(self, folder: Path, seed: int) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder, seed=seed)
        self.rng = np.random.default_rng(seed)

    def plain(self, size_wh: tuple[int, int] = (WIDTH, HEIGHT)) -> str:
        number = len(self.records)
        picture = np.full((size_wh[1], size_wh[0], 3), 120, np.uint8)
        picture[0, 0] = (number % 256, number // 256 % 256, number // 65536)
        return self.add(picture, f"{number}.png")

    def point(self) -> Point:
        x, y = self.rng.uniform((0.05 * WIDTH, 0.05 * HEIGHT), (0.95 * WIDTH, 0.95 * HEIGHT))
        return float(x), float(y)

    def chance(self, logit: float) -> bool:
        return bool(self.rng.random() < 1 / (1 + np.exp(-logit)))


def depth(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of pairs as in DIW: every other pair is mirrored at one height."""
    run = _Records(folder, seed)
    for number in range(records):
        first = run.point()
        second = (WIDTH - first[0], first[1]) if number % 2 else run.point()
        lower = (first[1] - second[1]) / HEIGHT
        centred = (abs(second[0] - WIDTH / 2) - abs(first[0] - WIDTH / 2)) / WIDTH
        is_first = run.chance(6 * lower + 4 * centred + 0.8 * np.sign(second[0] - first[0]))
        closer = "first" if is_first else "second"
        run.state(f"diw:{number}", [run.plain()], DepthComparison(first=first, second=second, closer=closer))
    return MadeItems.of_run(run, run.run(RelativeDepth(mode=mode)))


def reflectance(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of photographs with comparisons as in IIW: nearby points are about the same."""
    run = _Records(folder, seed)
    for number in range(records):
        image_id = run.plain((480, 360))
        for _ in range(COMPARISONS):
            x, y = run.rng.uniform((24, 18), (456, 342))
            angle, reach = run.rng.uniform(0, 2 * np.pi), run.rng.uniform(36, 130)
            other = (float(x + reach * np.cos(angle)), float(y + reach * np.sin(angle)))
            if not (24 <= other[0] <= 456 and 18 <= other[1] <= 342):
                continue
            is_equal = run.chance(3.5 - 0.05 * reach)
            first_is_darker = run.chance(0.02 * (y - other[1]) + 0.01 * (x - other[0]))
            darker = "equal" if is_equal else "first" if first_is_darker else "second"
            truth = ReflectanceComparison(first=(float(x), float(y)), second=other, darker=darker, weight=1.0)
            run.state(f"iiw:{number}", [image_id], truth)
    return MadeItems.of_run(run, run.run(RelativeReflectance(mode=mode)))


def counting(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of mostly small counts."""
    run = _Records(folder, seed)
    for number in range(records):
        count = int(run.rng.choice(len(COUNTS), p=COUNTS / COUNTS.sum()))
        question = f"How many {NOUNS[number % len(NOUNS)]} are there?"
        run.state(f"tallyqa:{number}", [run.plain()], CountQuestion(question=question, count=count))
    return MadeItems.of_run(run, run.run(Counting(mode=mode)))


def spatial(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of claims, with some relations and things mostly true; most are about two pictures."""
    run = _Records(folder, seed)
    bias = dict(zip(RELATIONS, np.random.default_rng(0).normal(0, 1.5, len(RELATIONS)), strict=True))
    for number in range(records // 2):
        relation = RELATIONS[int(run.rng.integers(len(RELATIONS)))]
        subject, other = (NOUNS[int(place)] for place in run.rng.integers(0, len(NOUNS), 2))
        verb = "are " if relation not in ("consists of", "contains", "has as a part") else ""
        words = {"consists of": "consist of", "contains": "contain", "has as a part": "have as a part"}
        claim = f"The {subject} {verb}{words.get(relation, relation)} the {other} {number}."
        is_true = run.chance(bias[relation] + (1.0 if subject < other else -1.0))
        labels = (is_true, not is_true) if run.rng.random() < 0.6 else (is_true, is_true)
        for place, label in enumerate(labels):
            truth = SpatialClaim(claim=claim, relation=relation, is_true=label)
            run.state(f"vsr:{number}/{place}", [run.plain()], truth)
    return MadeItems.of_run(run, run.run(SpatialRelation(mode=mode)))


def _upright(run: _Records, template: np.ndarray) -> tuple[Point, ...]:
    """Return the points of an upright thing somewhere in a picture, each slightly moved."""
    size = run.rng.uniform(0.45, 0.85)
    corner = run.rng.uniform(0, 1 - size, 2)
    points = corner + size * np.clip(template + run.rng.normal(0, 0.06, template.shape), 0, 1)
    return tuple((float(x), float(y)) for x, y in np.clip(points, 0.03, 0.97) * (WIDTH, HEIGHT))


def semantic(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of key points of things that are upright in both pictures."""
    run = _Records(folder, seed)
    templates = run.rng.uniform(0, 1, (6, 12, 2))
    for number in range(records):
        template = templates[number % 6][: 6 + number % 7]
        truth = KeypointPair(
            category="cat",
            first=_upright(run, template),
            second=_upright(run, template),
            names=tuple(str(place) for place in range(len(template))),
        )
        run.state(f"spair:{number}", [run.plain(), run.plain()], truth)
    return MadeItems.of_run(run, run.run(SemanticCorrespondence(mode=mode)))


def functional(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of five points of things in similar positions in both pictures."""
    run = _Records(folder, seed)
    templates = run.rng.uniform(0, 1, (4, 5, 2))
    for number in range(2 * records):
        truth = FunctionalPoints(
            action=("Pour", "Scoop", "Flip", "Mix")[number % 4],
            category=("pot", "cup", "spoon")[number % 3],
            points=_upright(run, templates[number % 4]),
        )
        run.state(f"funkpoint:{number}", [run.plain()], truth)
    return MadeItems.of_run(run, run.run(FunctionalCorrespondence(mode=mode)))


def puzzles(folder: Path, seed: int, records: int, mode: str) -> MadeItems:
    """Return items of generated puzzles."""
    run = _Records(folder, seed)
    step: Any = PatternPuzzles(puzzles=records, mode=mode)
    for number, pictures in enumerate(step.drawn(seed)):
        image_ids = [run.add(picture, f"{number}-{place}.png") for place, picture in enumerate(pictures)]
        run.state(f"puzzle:{number}", image_ids, step.truth(seed))
    return MadeItems.of_run(run, run.run(IqTest()))


ITEMS: dict[str, Maker] = {
    "relative_depth": depth,
    "relative_reflectance": reflectance,
    "counting": counting,
    "spatial_relation": spatial,
    "semantic_correspondence": semantic,
    "functional_correspondence": functional,
    "iq_test": puzzles,
}
