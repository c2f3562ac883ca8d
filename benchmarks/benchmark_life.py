"""The life of a benchmark, simulated: the planted faults that `evaluate health` finds, and its false alarms.

    .venv/bin/python benchmarks/benchmark_life.py --world one --lives 10
    .venv/bin/python benchmarks/benchmark_life.py --world other --lives 10

A life is a release with tasks that are saturated, at chance for all systems, or unable to distinguish systems; items
that every system answers correctly; wrong keys; and items that later systems have memorized: by their words, without
the picture, or by the letter in their published order. Systems of rising ability answer plainly, without pictures and
with all rotations of the options, and everything passes through results on disk and the command's own function.

World `one` has a single factor of ability for all items, and four options. World `other` was not seen while rules were
chosen: skills that items need in different shares, families of models that copy a relative, distractors of unequal
appeal, habitual letters, two to five options, tasks of 40 to 160 items, words that reveal some keys.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import show
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from benchwright.canonical import bytes_digest, digest
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.health.health import Health, health_of
from benchwright.evaluation.run import evaluate
from benchwright.images.decode import encode_png
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage, Operation
from benchwright.release import Release, write_release

_OPERATION = Operation(step="benchmark_life", version=1, parameters={}, seed=1)
_WRONG, _DEAD, _BY_WORDS, _BY_LETTER = 0.04, 0.06, 0.04, 0.04
"""Shares of the items of usual tasks: wrong keys, right for every system, known by their words, known by their
letter.
"""
_KNOWS = 0.9
"""Probability that a system that knows an item gives its known answer."""
_KINDS = ("usual", "usual", "usual", "usual", "usual", "saturated", "saturated", "chance", "alike")
_SAME = 0.8
"""Probability that a system takes the same option again when the options are moved."""


class Life(NamedTuple):
    """A drawn benchmark and its systems.

    Args:
        task: Number of each item's task; its kind is `kinds[task]`.
        kinds: Kind of each task.
        truth: Place of the right option.
        key: Place of the keyed option.
        options: Number of options.
        group: Number of the item's picture.
        dead: Whether every system is right.
        by_words: Whether it is known by its words.
        by_letter: Whether it is known by its letter.
        later: Whether each system has seen the items.
        told: Whether the words reveal the key to most systems.
        answers: Place of the option that each system takes with the picture, systems x items, before known answers.
        blind: The same without the picture.
    """

    task: NDArray[np.int64]
    kinds: tuple[str, ...]
    truth: NDArray[np.int64]
    key: NDArray[np.int64]
    options: NDArray[np.int64]
    group: NDArray[np.int64]
    dead: NDArray[np.bool_]
    by_words: NDArray[np.bool_]
    by_letter: NDArray[np.bool_]
    later: NDArray[np.bool_]
    told: NDArray[np.bool_]
    answers: NDArray[np.int64]
    blind: NDArray[np.int64]


def _planted(rng: np.random.Generator, task: NDArray[np.int64], kinds: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Return which items of usual tasks have which fault; none has two."""
    usual = np.flatnonzero(np.array(kinds)[task] == "usual")
    usual = rng.permutation(usual)
    bounds = np.cumsum([round(share * len(usual)) for share in (_WRONG, _DEAD, _BY_WORDS, _BY_LETTER)])
    marks = {}
    for name, some in zip(("wrong", "dead", "by_words", "by_letter"), np.split(usual, bounds)[:4], strict=True):
        marks[name] = np.zeros(len(task), dtype=bool)
        marks[name][some] = True
    return marks


def one(rng: np.random.Generator) -> Life:
    """Draw a life with one factor of ability, twelve systems, nine tasks of 100 items, two items per picture."""
    kinds, size, systems = _KINDS, 100, 12
    task = np.repeat(np.arange(len(kinds)), size)
    kind = np.array(kinds)[task]
    items = len(task)
    options = np.full(items, 4)
    truth = rng.integers(0, 4, items)
    marks = _planted(rng, task, kinds)
    ability = np.linspace(-0.3, 1.1, systems) + rng.normal(0, 0.1, systems)
    group = np.arange(items) // 2
    hard = rng.normal(0, 0.8, items) + rng.normal(0, 0.4, items // 2)[group]
    answers = np.zeros((systems, items), dtype=np.int64)
    tempting = (truth + rng.integers(1, 4, items)) % 4
    for row in range(systems):
        knows = norm.cdf(ability[row] - hard + rng.normal(0, 0.6, items))
        knows = np.where(kind == "saturated", 0.99, np.where(kind == "chance", 0.0, knows))
        knows = np.where(kind == "alike", norm.cdf(0.3 - hard), knows)
        knows = np.where(marks["dead"], 0.998, knows)
        guess = np.where(rng.random(items) < 0.4, tempting, (truth + rng.integers(1, 4, items)) % 4)
        guess = np.where(rng.random(items) < 0.25, truth, guess)
        guess = np.where(kind == "chance", rng.integers(0, 4, items), guess)
        answers[row] = np.where(rng.random(items) < knows, truth, guess)
    blind = rng.integers(0, 4, (systems, items))
    marks["told"] = np.zeros(items, dtype=bool)
    return _life(rng, task, kinds, truth, options, group, marks, answers, blind)


def other(rng: np.random.Generator) -> Life:
    """Draw a life whose form the rules were not chosen on."""
    kinds = tuple(rng.permutation([*_KINDS, "usual", "usual"]).tolist())
    sizes = rng.integers(40, 161, len(kinds))
    task = np.repeat(np.arange(len(kinds)), sizes)
    kind, items = np.array(kinds)[task], int(sizes.sum())
    options = np.repeat(rng.integers(2, 6, len(kinds)), sizes)
    truth = (rng.random(items) * options).astype(np.int64)
    marks = _planted(rng, task, kinds)
    group = np.sort(rng.integers(0, round(items * 0.6), items))
    need, hard = rng.dirichlet([0.6] * 3, items), rng.gamma(2, 0.5, items)
    appeal = np.zeros((items, 5))
    for item in range(items):
        others = rng.permutation([place for place in range(options[item]) if place != truth[item]])
        shares = 1 / np.arange(1.0, options[item]) ** rng.uniform(0, 2.5)
        appeal[item, others] = shares / shares.sum()
    families, systems = int(rng.integers(4, 7)), int(rng.integers(8, 15))
    told = marks["told"] = rng.random(items) < 0.05

    def wrong() -> NDArray[np.int64]:
        taken: NDArray[np.int64] = (appeal.cumsum(axis=1) > rng.random(items)[:, None]).argmax(axis=1)
        return taken

    def drawn(level: float) -> NDArray[np.int64]:
        skill = level + rng.normal(0, 0.5, 3)
        knows = 1 - np.exp(-np.exp(need @ skill) / (hard + 0.2))
        knows = np.where(kind == "saturated", 1 - 0.03 * rng.random(), np.where(kind == "chance", 0.0, knows))
        knows = np.where(kind == "alike", expit(1.2 - hard), knows)
        knows = np.where(marks["dead"], 0.995, knows)
        lucky = rng.random(items) < 1 / options
        answer = np.where(rng.random(items) < knows, truth, np.where(lucky, truth, wrong()))
        answer = np.where(kind == "chance", (rng.random(items) * options).astype(np.int64), answer)
        by_habit = (rng.random(items) < rng.uniform(0, 0.06)) & (kind == "usual") & ~marks["dead"]
        return np.where(by_habit, np.minimum(int(rng.integers(0, 5)), options - 1), answer)

    levels = rng.uniform(-0.8, 0.8, families)
    relatives = [drawn(level) for level in levels]
    answers, blind = [], []
    for _ in range(systems):
        family = int(rng.integers(families))
        own, is_copied = drawn(levels[family] + rng.normal(0, 0.4)), rng.random(items) < 0.35
        copied = is_copied & (kind == "usual")
        answers.append(np.where(copied, relatives[family], own))
        guess = np.where(rng.random(items) < 0.3, wrong(), (rng.random(items) * options).astype(np.int64))
        blind.append(np.where(told & (rng.random(items) < 0.8), truth, guess))
    return _life(rng, task, kinds, truth, options, group, marks, np.stack(answers), np.stack(blind))


def _life(
    rng: np.random.Generator,
    task: NDArray[np.int64],
    kinds: tuple[str, ...],
    truth: NDArray[np.int64],
    options: NDArray[np.int64],
    group: NDArray[np.int64],
    marks: dict[str, NDArray[Any]],
    answers: NDArray[np.int64],
    blind: NDArray[np.int64],
) -> Life:
    moved = (truth + 1 + (rng.random(len(truth)) * (options - 1)).astype(np.int64)) % options
    later = np.arange(len(answers)) >= len(answers) * 0.4
    return Life(
        task, kinds, truth, np.where(marks["wrong"], moved, truth), options, group, marks["dead"], marks["by_words"],
        marks["by_letter"], later, marks["told"], answers, blind,
    )  # fmt: skip


def write(life: Life, folder: Path) -> Release:
    """Write the life's release."""
    data = encode_png(np.zeros((2, 2, 3), dtype=np.uint8))
    image_id = bytes_digest(data)
    record = ImageRecord(
        image_id=image_id, width=2, height=2, media_type="image/png", size_bytes=len(data), root_image_id=image_id
    )
    items = [
        Item(
            item_id=digest(["life", number])[:32],
            task=f"task_{life.task[number]:02}",
            kind="multiple_choice",
            images=(ItemImage(image_id=image_id, role="view"),),
            question=f"q{number}",
            choices=tuple(Choice(key=LETTERS[k], text=f"option {k}") for k in range(life.options[number])),
            answer=LETTERS[life.key[number]],
            root_image_id=image_id,
            operation_id=_OPERATION.operation_id,
            made_from=image_id,
            group_keys=(f"image:{life.group[number]}",),
        )
        for number in range(len(life.task))
    ]
    return write_release(
        folder, name="life", version="1.0", items=[(item, "test") for item in items], image=lambda _: record,
        image_bytes=lambda _: data, operations=[_OPERATION], recipe={}, stages=[], agreement={}, seed=1,
    )  # fmt: skip


def system(life: Life, row: int, seed: int) -> Callable[..., str]:
    """Return the replies of a system, in whatever order it is asked, with the picture and without."""

    def reply(question: Any, content_id: str) -> str:
        del content_id
        number = int(question.text[1:].split()[0])
        rng = np.random.default_rng((seed, row, number, int(bytes_digest(question.item_id.encode())[:6], 16)))
        place = int((life.answers if question.pictures else life.blind)[row, number])
        if question.item_id.count(".") and rng.random() > _SAME:
            place = int(rng.integers(life.options[number])) if rng.random() < 0.5 else place
        if life.later[row] and rng.random() < _KNOWS:
            if life.by_letter[number]:
                return f"({LETTERS[life.key[number]]})"
            if life.by_words[number]:
                place = int(life.key[number])
        by_text = {choice.text: choice.key for choice in question.choices}
        return f"({by_text[f'option {place}']})"

    return reply


def lived(life: Life, seed: int, folder: Path) -> Health:
    """Return the health of a life's release by all its runs."""
    release = write(life, folder / "release")
    for row in range(len(life.answers)):
        for protocol in ("vanilla", "blind", "circular"):
            evaluate(
                release, PerQuestion(f"system {row:02}", system(life, row, seed)), protocol=protocol,
                out=folder / "results",
            )  # fmt: skip
    return health_of(release, [folder / "results"])


def figures(life: Life, health: Health) -> dict[str, tuple[int, int, int]]:
    """Return the numbers of planted, called and rightly called faults, by kind."""
    place = {digest(["life", number])[:32]: number for number in range(len(life.task))}
    states = {scope.task: scope.state for scope in health.tasks}
    wanted = {"saturated": "saturated", "chance": "at_chance", "alike": "not_separating"}
    found: dict[str, tuple[int, int, int]] = {}
    for kind, state in wanted.items():
        planted = {f"task_{k:02}" for k, its in enumerate(life.kinds) if its == kind}
        called = {task for task, its in states.items() if its == state}
        found[f"tasks {kind}"] = len(planted), len(called), len(planted & called)
    signs = {sign.name: {place[item_id] for item_id in sign.items} for sign in health.signs}
    by_code = defaultdict(set)
    for each in health.advice:
        if each.kind == "item":
            for code in each.codes:
                by_code[code].add(place[each.id])
    wrong = set(np.flatnonzero(life.key != life.truth).tolist())
    alive = np.array(life.kinds)[life.task] == "usual"
    dead = set(np.flatnonzero(life.dead).tolist())
    right = (life.answers == life.truth).mean(axis=0)
    easy = set(np.flatnonzero(alive & ~life.dead & (right == 1)).tolist())
    in_usual = {number for number in by_code["all_right"] if alive[number]}
    known = set(np.flatnonzero(life.by_words | life.by_letter | life.told).tolist())
    by_letter = set(np.flatnonzero(life.by_letter).tolist())
    doubted = {k for k, task in enumerate(sorted(states)) if states[task] in {"at_chance", "keys_doubted"}}
    suspects = {number for number in by_code["suspected_key"] if life.task[number] not in doubted}
    found["items wrong keys"] = len(wrong), len(suspects), len(wrong & suspects)
    found["items dead"] = len(dead), len(in_usual), len(dead & in_usual)
    found["items dead or easy for all"] = len(dead | easy), len(in_usual), len((dead | easy) & in_usual)
    blind = signs["without_pictures"]
    found["items known or told by words, without pictures"] = len(known), len(blind), len(known & blind)
    order = signs["published_order"]
    found["items known by letter, by order"] = len(by_letter), len(order), len(by_letter & order)
    return found


def main() -> None:
    """Print recall and precision over all lives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", choices=("one", "other"), required=True)
    parser.add_argument("--lives", type=int, default=5)
    parser.add_argument("--clean", action="store_true", help="Plant nothing: usual tasks alone, right keys, no memory.")
    given = parser.parse_args()
    totals: dict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros(3, dtype=np.int64))
    reachable = []
    for seed in range(given.lives):
        life = {"one": one, "other": other}[given.world](np.random.default_rng(seed))
        if given.clean:
            life = life._replace(
                key=life.truth, by_words=np.zeros_like(life.by_words), by_letter=np.zeros_like(life.by_letter)
            )
        with tempfile.TemporaryDirectory() as folder:
            health = lived(life, seed, Path(folder))
        for name, counts in figures(life, health).items():
            totals[name] += counts
        true = 1 - float((life.key != life.truth).mean())
        reachable.append((health.whole.reachable or 0) - true)
        models = {sign.name: sum(each.is_found for each in sign.models) for sign in health.signs if sign.models}
        states = [(kind, scope.state) for kind, scope in zip(life.kinds, health.tasks, strict=True)]
        line = {"life": seed, "systems": len(life.answers), "models with a sign": models, "states": states}
        print(json.dumps(line), flush=True)
    rows = {
        name: {
            "planted": int(planted),
            "called": int(called),
            "recall": round(right / planted, 3) if planted else None,
            "falsely called": int(called - right),
            "precision": round(right / called, 3) if called else None,
        }
        for name, (planted, called, right) in totals.items()
    }
    show(
        {
            "world": given.world,
            "lives": given.lives,
            "found": rows,
            "reachable less truth": np.round(reachable, 4).tolist(),
        }
    )


if __name__ == "__main__":
    main()
