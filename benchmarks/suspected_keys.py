"""Wrong keys ranked first: recall within the first tenth of the list, compared with simpler and other methods.

    .venv/bin/python benchmarks/suspected_keys.py --set simulated             # six models, 500 items, 5 % keys wrong
    .venv/bin/python benchmarks/suspected_keys.py --set families              # seven related models, 600 items
    .venv/bin/python benchmarks/suspected_keys.py --set mvp-bench --data DIR  # 5 % of keys flipped, four real models
    .venv/bin/python benchmarks/suspected_keys.py --set blink --data DIR      # the same, three real models
    ... --peers PYTHON                                                        # a Python with cleanlab and crowd-kit

`evaluate suspects` and `audit --replies` share the method. `simulated` is a probit with one factor that all models
share, and a distractor for each item that a wrong model takes with a fixed probability. `families` has a form that no
method here assumes: three kinds of skill that items need in different shares, models that copy a relative's reply,
distractors of unequal appeal, and models that occasionally give their habitual letter.

Recall is the share of the wrong keys among the first tenth of the items; at random it is 0.1. Ties are broken at
random. `called` counts items by the probability that their key is wrong, with the number of truly wrong ones;
`log_loss` is that of the probabilities.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, ndtr, ndtri

from benchwright.diagnostics.keys.able_models import voting_weights
from benchwright.diagnostics.keys.suspected_keys import evidence
from benchwright.records import LETTERS
from benchwright.replies.model_replies import (
    NO_LETTER,
    KeyedItem,
    LetterMatrix,
    ModelReplies,
    letter_matrix,
    read_replies,
)

WRONG, FIRST = 0.05, 0.1
ABILITIES = (0.45, 0.51, 0.57, 0.63, 0.69, 0.75)
ITEMS, OPTIONS, SHARED, PULL = 500, 4, 0.4, 0.5
"""SHARED: correlation of two models' latent scores on an item; PULL: how often a wrong model takes the item's
distractor instead of any other option."""
MODELS = ("llava_v1.5_7b", "deepseek_vl_7b", "MiniGPT-4-v1-7B", "GPT4o")

Ranking = Callable[[LetterMatrix], NDArray[np.float64]]


def simulated(rng: np.random.Generator) -> tuple[LetterMatrix, NDArray[np.int64]]:
    """Return replies of six models with correlated errors to items of four options, and the right options."""
    truth = rng.integers(0, OPTIONS, ITEMS)
    hard = rng.normal(size=ITEMS)
    tempting = (truth + rng.integers(1, OPTIONS, ITEMS)) % OPTIONS
    letter = np.zeros((len(ABILITIES), ITEMS), dtype=np.int8)
    for row, ability in enumerate(ABILITIES):
        latent = np.sqrt(SHARED) * hard + np.sqrt(1 - SHARED) * rng.normal(size=ITEMS)
        other = (truth + rng.integers(1, OPTIONS, ITEMS)) % OPTIONS
        wrong = np.where(rng.random(ITEMS) < PULL, tempting, other)
        letter[row] = np.where(latent < ndtri(ability), truth, wrong)
    items = np.arange(ITEMS)
    ids, models = tuple(f"q{n:03}" for n in items), tuple(f"model {ability}" for ability in ABILITIES)
    zeros = np.zeros(ITEMS, dtype=np.int64)
    asked = np.ones(letter.shape, dtype=bool)
    sizes = np.full(ITEMS, OPTIONS)
    return LetterMatrix(ids, ("",), models, letter, asked, truth.astype(np.int8), sizes, zeros, items), truth


FAMILY = (0, 0, 0, 1, 1, 2, 3)
"""Family of each model, and level of each family below."""
LEVELS = (-0.2, -0.9, -1.6, 0.2)


def families(rng: np.random.Generator) -> tuple[LetterMatrix, NDArray[np.int64]]:
    """Return replies of seven models of four families to 600 items of four options in three tasks, and the truth."""
    items = 600
    truth = rng.integers(0, OPTIONS, items)
    task = rng.integers(0, 3, items)
    need, hard = rng.dirichlet([0.6] * 3, items), rng.gamma(2, 0.5, items)
    appeal = np.zeros((items, OPTIONS))
    for item in range(items):
        others = rng.permutation([option for option in range(OPTIONS) if option != truth[item]])
        share = 1 / np.arange(1.0, OPTIONS) ** rng.uniform(0, 2.5)
        appeal[item, others] = share / share.sum()

    def answers(level: float) -> NDArray[np.int64]:
        skill = level + rng.normal(0, 0.5, 3)
        knows = 1 - np.exp(-np.exp(need @ skill) / (hard + 0.2))
        right = rng.random(items) < 1 / OPTIONS + (1 - 1 / OPTIONS) * knows
        wrong = (appeal.cumsum(axis=1) > rng.random(items)[:, None]).argmax(axis=1)
        by_habit = rng.random(items) < rng.uniform(0, 0.12)
        return np.where(by_habit, rng.integers(0, OPTIONS), np.where(right, truth, wrong))

    relatives = [answers(level) for level in LEVELS]
    letter = np.stack(
        [
            np.where(rng.random(items) < 0.45, relatives[family], answers(LEVELS[family] + rng.normal(0, 0.3)))
            for family in FAMILY
        ]
    )
    letter[rng.random(letter.shape) < 0.03] = NO_LETTER
    ids, models = tuple(f"q{n:03}" for n in range(items)), tuple(f"model {n}" for n in range(len(FAMILY)))
    matrix = LetterMatrix(
        ids,
        ("a", "b", "c"),
        models,
        letter.astype(np.int8),
        np.ones(letter.shape, dtype=bool),
        truth.astype(np.int8),
        np.full(items, OPTIONS),
        task,
        np.arange(items),
    )
    return matrix, truth


BLINK_MODELS = ("GPT4V", "GeminiProVision", "llava_v1.5_13b")
TWO_OPTIONS = {"Visual_Similarity", "Relative_Depth", "Jigsaw", "Art_Style", "Spatial_Relation", "Object_Localization"}
TWO_OPTIONS |= {"Multi-view_Reasoning"}


def blink(data: Path) -> tuple[LetterMatrix, NDArray[np.int64]]:
    """Return the choices of three models saved in BLINK's repository, and its keys; the questions are not needed."""
    items = []
    for key, choice in json.loads((data / "val_answers.json").read_text()).items():
        task = key.removeprefix("val_").rpartition("_")[0]
        options = 2 if task in TWO_OPTIONS else 3 if task == "Relative_Reflectance" else 4
        items.append(KeyedItem(key, (None,) * options, LETTERS.index(choice.strip("()")), task))
    replies = []
    for model in BLINK_MODELS:
        with gzip.open(data / "saved_val_predictions" / f"{model}.json.gz") as file:
            given = json.load(file)
        letters = {
            item.item_id: next(
                (n for n in range(len(item.options)) if given[item.item_id][:3] == f"({LETTERS[n]})"), -1
            )
            for item in items
        }
        replies.append(ModelReplies(model, letters, {}))
    matrix = letter_matrix(items, replies)
    return matrix, matrix.key.astype(np.int64)


def mvp_bench(data: Path) -> tuple[LetterMatrix, NDArray[np.int64]]:
    """Return the replies of MVP-Bench's four models to its questions, and its keys; tasks are its types of question."""
    from benchwright.evaluation.published.mvp_bench import options_of
    from benchwright.evaluation.published.mvp_layout import YES_NO, read_questions

    items = []
    for key, question in read_questions(data).items():
        yes_no = question.kind in YES_NO
        options = ("Yes", "No") if yes_no else tuple(text for _, text in options_of(question.text))
        place = ("yes", "no").index(question.answer) if yes_no else "ABCDE".index(question.answer)
        items.append(KeyedItem(key, options, place, question.kind, (str(question.pair),)))
    folder = data / "model_prediction"
    replies = [read_replies(folder / f"{model}.jsonl.gz", items, model=model)[0] for model in MODELS]
    for model in replies:
        print(json.dumps({"read": str(model)}), flush=True)
    matrix = letter_matrix(items, replies)
    return matrix, matrix.key.astype(np.int64)


def with_wrong_keys(matrix: LetterMatrix, rng: np.random.Generator) -> tuple[LetterMatrix, NDArray[np.int64]]:
    """Return the matrix with one key in twenty replaced by another option, and the places of the replaced keys."""
    places = rng.choice(len(matrix.key), round(WRONG * len(matrix.key)), replace=False)
    key = matrix.key.copy()
    shift = 1 + (rng.random(len(places)) * (matrix.options[places] - 1)).astype(np.int8)
    key[places] = (key[places] + shift) % matrix.options[places]
    return matrix._replace(key=key), places


def recall(score: NDArray[np.float64], places: NDArray[np.int64], rng: np.random.Generator) -> float:
    """Return the share of these places among the tenth of items with the highest score."""
    order = np.lexsort((rng.random(len(score)), -np.nan_to_num(score, nan=-np.inf)))
    return len(np.intersect1d(order[: int(FIRST * len(score))], places)) / len(places)


def by_count(matrix: LetterMatrix) -> NDArray[np.float64]:
    """Return the number of models for the most popular other option, minus the number for the key."""
    items = np.arange(len(matrix.key))
    counts = np.stack([(matrix.letter == option).sum(axis=0) for option in range(int(matrix.options.max()))], axis=1)
    for_key = counts[items, matrix.key].copy()
    counts[items, matrix.key] = -1
    lead: NDArray[np.float64] = (counts.max(axis=1) - for_key).astype(np.float64)
    return lead


def by_weighted_votes(matrix: LetterMatrix) -> NDArray[np.float64]:
    """Return the lead over the key of the heaviest other option: votes by ability, with errors taken as independent.

    `evaluate suspects` used this ranking before it shared the method of the audit.
    """
    weight = voting_weights(matrix)
    options = int(matrix.options.max())
    votes = np.stack([np.where(matrix.letter == option, weight, 0).sum(axis=0) for option in range(options)], axis=1)
    items = np.arange(len(matrix.key))
    for_key = votes[items, matrix.key].copy()
    votes[items, matrix.key] = 0
    most = votes.max(axis=1)
    lead: NDArray[np.float64] = np.where(most > 0, most - for_key, 0)
    return lead


def by_dawid_skene(matrix: LetterMatrix) -> NDArray[np.float64]:
    """Return 1 minus the probability of the key by Dawid and Skene's model, with the key as one more rater, by task."""
    from benchwright.annotation.agreement.dawid_skene import dawid_skene
    from benchwright.annotation.agreement.ratings import Rating

    score = np.zeros(len(matrix.key))
    for number in range(len(matrix.tasks)):
        places = np.flatnonzero(matrix.task == number)
        ratings = [Rating(f"{k:06}", "the key", str(matrix.key[k])) for k in places]
        for row, model in enumerate(matrix.models):
            ratings += [Rating(f"{k:06}", model, str(g)) for k in places if (g := matrix.letter[row, k]) >= 0]
        estimate = dawid_skene(ratings)
        column = {label: place for place, label in enumerate(estimate.labels)}
        for row, k in enumerate(places):
            score[k] = 1 - estimate.truth[row, column[str(matrix.key[k])]]
    return score


def ceiling(matrix: LetterMatrix) -> NDArray[np.float64]:
    """Return the log odds against the keys of a simulated set by its generating rule: no method can rank better."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    p = ndtr((ndtri(np.array(ABILITIES))[:, None] - np.sqrt(SHARED) * nodes) / np.sqrt(1 - SHARED))  # models x nodes
    likelihood = np.zeros((len(matrix.key), OPTIONS))
    for right in range(OPTIONS):
        for tempting in set(range(OPTIONS)) - {right}:
            given = np.full((OPTIONS, *p.shape), (1 - PULL) / (OPTIONS - 1)) * (1 - p)
            given[tempting] += PULL * (1 - p)
            given[right] = p
            chosen = given[matrix.letter, np.arange(len(ABILITIES))[:, None]]  # models x items x nodes
            likelihood[:, right] += chosen.prod(axis=0) @ weights
    items = np.arange(len(matrix.key))
    for_key = likelihood[items, matrix.key].copy()
    odds: NDArray[np.float64] = np.log(likelihood.sum(axis=1) - for_key) - np.log(for_key)
    return odds


OURS = "benchwright"
METHODS: Mapping[str, Ranking] = {
    OURS: lambda matrix: evidence(matrix).log_odds,
    "votes weighted by ability": by_weighted_votes,
    "Dawid-Skene, key as a rater": by_dawid_skene,
    "count of models": by_count,
}

_PEER = """
import json, sys
import numpy as np, pandas as pd
cases = json.load(sys.stdin)
out = []
for case in cases:
    letter, key, task, options = (np.array(case[k]) for k in ("letter", "key", "task", "options"))
    K, N = int(options.max()), len(key)
    lab, crowd = np.zeros(N), np.zeros(N)
    for t in np.unique(task):
        p = np.flatnonzero(task == t)
        k = int(options[p].max())
        counts = np.stack([(letter[:, p] == j).sum(axis=0) for j in range(k)], axis=1) + 1e-3
        from cleanlab.rank import get_label_quality_scores
        probs = counts / counts.sum(axis=1, keepdims=True)
        lab[p] = 1 - get_label_quality_scores(key[p], probs)
        from crowdkit.aggregation import DawidSkene
        rows = [(i, "key", int(key[i])) for i in p]
        rows += [(i, m, int(letter[m, i])) for m in range(len(letter)) for i in p if letter[m, i] >= 0]
        ds = DawidSkene(n_iter=100).fit_predict_proba(pd.DataFrame(rows, columns=["task", "worker", "label"]))
        crowd[p] = [1 - ds.loc[i].get(int(key[i]), 0.0) for i in p]
    out.append({
        "cleanlab, shares of models as probabilities": lab.tolist(),
        "crowd-kit Dawid-Skene, key as a worker": crowd.tolist(),
    })
json.dump(out, sys.stdout)
"""


def peers(python: Path, cases: list[LetterMatrix]) -> list[dict[str, NDArray[np.float64]]]:
    """Return the scores of other packages, computed in their own environment."""
    document = [
        {"letter": m.letter.tolist(), "key": m.key.tolist(), "task": m.task.tolist(), "options": m.options.tolist()}
        for m in cases
    ]
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", _PEER],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        check=True,
    )
    return [{name: np.array(score) for name, score in case.items()} for case in json.loads(done.stdout)]


def _calls(probability: NDArray[np.float64], is_wrong: NDArray[np.bool_]) -> dict[str, Any]:
    """Return the number of keys called wrong by probability, the number of truly wrong ones, and the log loss."""
    document: dict[str, Any] = {"planted": int(is_wrong.sum()), "expected": round(float(probability.sum()), 1)}
    for low, high in ((0.25, 0.5), (0.5, 0.9), (0.9, 1.01)):
        some = (probability >= low) & (probability < high)
        document[f"from {low:g}"] = {"called": int(some.sum()), "wrong": int(is_wrong[some].sum())}
    loss = -np.log(np.where(is_wrong, probability, 1 - probability)).mean()
    return document | {"log_loss": round(float(loss), 4)}


def main() -> None:
    """Print recall of every method for every seed, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=("simulated", "families", "mvp-bench", "blink"), required=True)
    parser.add_argument("--data", type=Path, help="folder of MVP-Bench's or BLINK's repository")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--peers", type=Path, help="a Python that has cleanlab and crowd-kit")
    given = parser.parse_args()
    read, made = {"mvp-bench": mvp_bench, "blink": blink}, {"simulated": simulated, "families": families}
    whole = read[given.set](given.data)[0] if given.set in read else None
    cases: list[tuple[LetterMatrix, NDArray[np.int64]]] = []
    for seed in range(given.seeds):
        rng = np.random.default_rng(seed)
        matrix = made[given.set](rng)[0] if whole is None else whole
        cases.append(with_wrong_keys(matrix, rng))
    others = peers(given.peers, [matrix for matrix, _ in cases]) if given.peers else [{} for _ in cases]
    recalls: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    called: list[dict[str, Any]] = []
    for seed, ((matrix, places), scores) in enumerate(zip(cases, others, strict=True)):
        methods = (
            METHODS if given.set != "simulated" else {**METHODS, "ceiling, by the rule that made the set": ceiling}
        )
        for name, method in methods.items():
            started = time.perf_counter()
            score = method(matrix)
            seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started
            recalls.setdefault(name, []).append(recall(score, places, np.random.default_rng(seed)))
            if name == OURS:
                called.append(_calls(expit(score), np.isin(np.arange(len(score)), places)))
        for name, score in scores.items():
            recalls.setdefault(name, []).append(recall(score, places, np.random.default_rng(seed)))
    first = cases[0][0]
    accuracy = {
        model: round(float((first.letter[row] == first.key).mean()), 3) for row, model in enumerate(first.models)
    }
    document = {
        "set": given.set,
        "items": len(first.key),
        "wrong_keys": len(cases[0][1]),
        "no_letter": {m: int((first.letter[row] == NO_LETTER).sum()) for row, m in enumerate(first.models)},
        "accuracy_by_flawed_keys": accuracy,
        "recall_in_first_tenth": {
            name: {"mean": round(float(np.mean(values)), 3), "seeds": [round(value, 3) for value in values]}
            for name, values in recalls.items()
        },
        "seconds_per_set": {name: round(total / given.seeds, 2) for name, total in seconds.items()},
        "called": called,
    }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
