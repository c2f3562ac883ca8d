"""Wrong keys in a whole task: the audit's recall by the share of damaged keys, and its false alarms without damage.

    .venv/bin/python benchmarks/damaged_tasks.py --set simulated
    .venv/bin/python benchmarks/damaged_tasks.py --set mvp-bench --data DIR   # real models, keys damaged on purpose
    .venv/bin/python benchmarks/damaged_tasks.py --set blink --data DIR

Sets, models and damage are drawn from seeds. `shares`: a share of the keys of one task is replaced by other options at
random; recall is the share of the wrong keys that are called wrong with a probability of 50 % or more, precision is
that of these calls in the task, and `task` counts the damaged tasks that are doubted as a whole with high severity.
`joins`: a join error mixes up the keys of one task; `named` counts the tasks whose error is named. `clean`: nothing is
damaged, and every doubt is a false alarm, as far as these benchmarks' own keys are right. Tasks on which fewer than two
models beat chance by the undamaged keys are left out of `shares` and `joins` and listed, because their replies reveal
nothing about keys.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from suspected_keys import blink, mvp_bench

from benchwright.diagnostics.keys.able_models import able_models
from benchwright.diagnostics.keys.doubted_tasks import DoubtedTask, doubted_tasks
from benchwright.diagnostics.keys.suspected_keys import LIKELY, Evidence, evidence, suspected_keys
from benchwright.replies.model_replies import LetterMatrix

SHARES = (0.02, 0.05, 0.1, 0.15, 0.25, 0.35, 0.5, 0.65, 0.8, 0.95)
OPTIONS = 4
ABILITIES = {"able": (0.9, 0.85, 0.8, 0.75), "middling": (0.75, 0.7, 0.65, 0.6, 0.55), "two": (0.9, 0.8)}
SIZES = (40, 70, 150)
_MIXED = ("rows", "rows from the middle", "letters", "mirrored", "reversed", "neighbours", "shuffled")


def simulated(items: int, abilities: tuple[float, ...], rng: np.random.Generator) -> LetterMatrix:
    """Return replies of models to one task; half of the wrong replies take an option that tempts all of them."""
    truth = rng.integers(0, OPTIONS, items)
    tempting = (truth + rng.integers(1, OPTIONS, items)) % OPTIONS
    hard = rng.normal(0, 0.12, items)
    letter = np.stack([
        np.where(
            rng.random(items) < np.clip(ability + hard, 0.05, 0.99),
            truth,
            np.where(rng.random(items) < 0.5, tempting, (truth + rng.integers(1, OPTIONS, items)) % OPTIONS),
        )
        for ability in abilities
    ]).astype(np.int8)  # fmt: skip
    numbers = np.arange(items)
    return LetterMatrix(
        tuple(f"q{n:03}" for n in numbers),
        ("task",),
        tuple(f"model {n}" for n in range(len(abilities))),
        letter,
        np.ones(letter.shape, bool),
        truth.astype(np.int8),
        np.full(items, OPTIONS),
        np.zeros(items, np.int64),
        numbers,
    )


def with_share(
    matrix: LetterMatrix, places: NDArray[Any], share: float, rng: np.random.Generator
) -> tuple[LetterMatrix, NDArray[Any]]:
    """Return the matrix with a share of these keys replaced by other options, and the places of the replaced keys."""
    wrong = rng.choice(places, max(1, round(share * len(places))), replace=False)
    key, options = matrix.key.astype(np.int64), matrix.options[wrong]
    key[wrong] = (key[wrong] + 1 + (rng.random(len(wrong)) * (options - 1)).astype(np.int64)) % options
    return matrix._replace(key=key.astype(np.int8)), wrong


def mixed_up(matrix: LetterMatrix, places: NDArray[Any], mistake: str, rng: np.random.Generator) -> LetterMatrix:
    """Return the matrix with the keys of a task mixed up."""
    key, options = matrix.key.astype(np.int64), matrix.options[places]
    own, half = key[places], len(places) // 2
    if mistake == "rows":
        changed = np.roll(own, 1)
    elif mistake == "rows from the middle":
        changed = np.concatenate([own[:half], np.roll(own[half:], 1)])
    elif mistake == "letters":
        changed = (own + 1) % options
    elif mistake == "mirrored":
        changed = options - 1 - own
    elif mistake == "reversed":
        changed = own[::-1]
    elif mistake == "neighbours":
        changed = own.copy()
        changed[: 2 * half] = own[: 2 * half].reshape(-1, 2)[:, ::-1].ravel()
    else:
        changed = rng.permutation(own)
    key[places] = np.minimum(changed, options - 1)
    return matrix._replace(key=key.astype(np.int8))


_NAMES = {"rows from the middle": "rows", "mirrored": "letters", "reversed": "reversed_rows"}


def _judged(matrix: LetterMatrix) -> tuple[Evidence, list[DoubtedTask]]:
    found = evidence(matrix)
    return found, doubted_tasks(matrix, found.shares)


def _called(matrix: LetterMatrix, found: Evidence, places: NDArray[Any]) -> NDArray[Any]:
    """Return the places of a task whose key is called wrong with 50 % or more."""
    suspects = suspected_keys(matrix, found=found)
    called = {each.place for each in suspects if each.is_supported and each.probability >= LIKELY}
    return np.array([place for place in places.tolist() if place in called], np.int64)


def _tasks(matrix: LetterMatrix) -> Iterator[tuple[int, NDArray[Any], int]]:
    for number in range(len(matrix.tasks)):
        places = np.flatnonzero((matrix.task == number) & (matrix.key >= 0))
        yield number, places, len(able_models(matrix, places))


def _of_task(matrix: LetterMatrix, places: NDArray[Any]) -> LetterMatrix:
    """Return the replies to one task; its results do not depend on other tasks."""
    return LetterMatrix(
        tuple(matrix.item_ids[place] for place in places.tolist()),
        (matrix.tasks[int(matrix.task[places[0]])],),
        matrix.models,
        *(each[:, places] for each in (matrix.letter, matrix.asked)),
        *(each[places] for each in (matrix.key, matrix.options)),
        np.zeros(len(places), np.int64),
        matrix.group[places],
    )


def measured(name: str, matrices: list[LetterMatrix], seeds: int) -> dict[str, Any]:
    """Return recall by share, named mistakes, and the alarms of clean sets."""
    by_share: dict[float, Counter[str]] = {share: Counter() for share in SHARES}
    by_mistake: dict[str, Counter[str]] = {mistake: Counter() for mistake in _MIXED}
    clean: list[dict[str, Any]] = []
    dumb: list[str] = []
    for seed in range(seeds):
        for index, matrix in enumerate(matrices):
            if seed == 0:
                found, doubted = _judged(matrix)
                clean += [each.to_json(matrix) for each in doubted]
            for number, places, able in _tasks(matrix):
                if able < 2:
                    dumb += [matrix.tasks[number]] if seed == 0 else []
                    continue
                rng = np.random.default_rng([seed, index, number])
                alone = _of_task(matrix, places)
                own_places = np.arange(len(places))
                for share in SHARES:
                    damaged, wrong = with_share(alone, own_places, share, rng)
                    found, doubted = _judged(damaged)
                    called = _called(damaged, found, own_places)
                    grave = [each for each in doubted if each.is_grave]
                    by_share[share].update(
                        planted=len(wrong), found=len(np.intersect1d(called, wrong)), called=len(called), tasks=1,
                        task=len(grave),
                    )  # fmt: skip
                for mistake in _MIXED:
                    damaged = mixed_up(alone, own_places, mistake, rng)
                    _, doubted = _judged(damaged)
                    own = next((each for each in doubted if each.is_grave), None)
                    expected = _NAMES.get(mistake, mistake)
                    right = own is not None and (own.join.mistake if own.join else "shuffled") == expected
                    by_mistake[mistake].update(tasks=1, task=int(own is not None), named=int(right))
    return {
        "set": name,
        "seeds": seeds,
        "without_two_able_models": dumb,
        "shares": {
            str(share): {
                "recall": round(count["found"] / max(1, count["planted"]), 3),
                "precision": round(count["found"] / max(1, count["called"]), 3),
                **count,
            }
            for share, count in by_share.items()
        },
        "joins": {mistake: dict(count) for mistake, count in by_mistake.items()},
        "clean": clean,
    }


def main() -> None:
    """Print the figures as JSON, a line per set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("simulated", "mvp-bench", "blink"), required=True)
    parser.add_argument("--data", type=Path, help="folder of the published files; not for `simulated`")
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    if given.set == "simulated":
        for kind, abilities in ABILITIES.items():
            for items in SIZES:
                made = [simulated(items, abilities, np.random.default_rng([n, items])) for n in range(given.seeds)]
                print(json.dumps(measured(f"{kind}, {items} items", made, 1)), flush=True)
    else:
        matrix = {"mvp-bench": mvp_bench, "blink": blink}[given.set](given.data)[0]
        print(json.dumps(measured(given.set, [matrix], given.seeds)), flush=True)


if __name__ == "__main__":
    main()
