"""Differences between our reader of answers and the papers' own, on the replies that the papers published.

    .venv/bin/python benchmarks/readers.py --data ../shared/data              # counts
    .venv/bin/python benchmarks/readers.py --data ../shared/data --show 3     # and three replies of each difference
    .venv/bin/python benchmarks/readers.py --data ../shared/data --certificate 500   # does the estimated error hold?

Classes: `same` (equal letters), `neither` (both read none), `only_ours`, `only_theirs`, `other` (two different
letters); each difference is split by our deciding rule. BLINK's rows are split by what settled them in the paper: the
repository's rule or its judge.

`--certificate` tests whether the intervals of `evaluate check-reading` contain the truth. Each model with labeled
replies is a population: BLINK's three models (validation; the repository's rule, or its judge), MVP-Bench's four on the
yes/no questions (rule or judge), and the families of models in files of `--written` replies (lines of `reply`,
`options`, `kind`, `model_style`, `letter`). A study draws a benchmark of 1,000 replies with replacement and, from it,
the sample that people would read. It compares the reader's errors in the 1,000 with their intervals, and the accuracy
by labels in the population with the corrected one. The intervals are not fitted to any of these models.

`--second 0 0.05 0.1` gives the figures of `evaluate extract` on the written replies: the rules alone, and with a second
reader of the rest, one for each error rate. The second reader is not a model: it knows the writer's meaning and returns
it, except that at the given rate it returns another option or none. The figures therefore show the benefit of a second
reader of that quality.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import show

from benchwright.evaluation.analysis.reading_sample import ReadableReply, chosen_replies
from benchwright.evaluation.analysis.reply_cases import read_cases
from benchwright.evaluation.backends.base import BackendContext
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.prompting.question import Question, Reply
from benchwright.evaluation.published import blink, ii_bench, mvp_bench, mvp_layout
from benchwright.evaluation.published.files import json_lines, needed
from benchwright.evaluation.results.reading import ERROR_KINDS, LabelledReply, corrected_accuracy, reading_errors
from benchwright.replies.answers import read_answer
from benchwright.replies.readers import READERS, Choices
from benchwright.replies.readers.mvp_bench import yes_or_no
from benchwright.statistics.score_interval import score_interval

YES_NO: Choices = [("A", "Yes"), ("B", "No")]
FAMILY = re.compile(r"gpt|claude|gemini|qwen|llava|internvl")
"""Models with 25 written replies or more; the others form one group."""
READ = re.compile(r"^BEGIN \w+\n(.*)\nEND \w+$", re.M | re.S)
"""The reply within a judge's prompt."""
ITEMS = 1_000
"""Number of replies in a study's benchmark."""
LABELS = (20, 66, 100, 200)
"""Number of replies that people read: of one model, or of one of three or ten by the default of 200."""


class Case(NamedTuple):
    """A reply with its options; `theirs` is the paper's reading, by rule or judge."""

    source: str
    reply: str
    choices: Choices
    theirs: dict[str, str | None]


def mvp_cases(data: Path) -> Iterator[Case]:
    """Yield every reply to a rotated question, read by each paper's reader."""
    questions, rotations = mvp_layout.read_questions(data), mvp_layout.read_rotations(data)
    for model in mvp_layout.models(data):
        outputs = mvp_layout.read_outputs(data, model, questions, rotations).rotated or {}
        for key, said in outputs.items():
            choices = mvp_bench.options_of(rotations[key].text)
            yield Case(f"mvp-bench {model}", said.output, choices, _by_papers(said.output, choices))


def blink_cases(data: Path) -> Iterator[Case]:
    """Yield every output of both splits with the rule's choice, or the judge's if the rule has none."""
    for model in blink.models(data):
        for row in blink.read_outputs(data, model, ("val", "test")):
            letters = "ABCDE"[: blink.OPTIONS[row.task]]
            settled = blink.read_choice(row, "rule")
            judged = row.choice[1:2] if row.choice[1:2] in letters else None
            theirs = {"judge": judged} if settled is None else {"rule": settled[1:2]}
            yield Case(f"blink {model}", row.output, [(letter, None) for letter in letters], theirs)


def ii_cases(data: Path) -> Iterator[Case]:
    """Yield every reply of every mode."""
    for model in ii_bench.models(data):
        for mode in ii_bench.MODES:
            path = needed(data / "results", f"{model}_test_{mode}.jsonl")
            for row in ii_bench.read_results(path):
                choices = list(zip("ABCDEF", row.options, strict=True))
                theirs = {"ii-bench": READERS["ii-bench"](row.response or "", choices)}
                yield Case(f"ii-bench {model}", row.response or "", choices, theirs)


def _by_papers(reply: str, choices: Choices) -> dict[str, str | None]:
    return {name: read(reply, choices) for name, read in READERS.items() if name != "robust"}


def difference(ours: str | None, theirs: str | None) -> str:
    """Return the class of a pair of readings."""
    if ours == theirs:
        return "neither" if ours is None else "same"
    return "only_theirs" if ours is None else "only_ours" if theirs is None else "other"


def labelled_models(data: Path, written: list[Path]) -> dict[str, list[LabelledReply]]:
    """Return the labeled replies of each model, with our reader's readings."""
    models: defaultdict[str, list[LabelledReply]] = defaultdict(list)
    answers = blink.read_answers(data / "blink")
    for model in blink.models(data / "blink"):
        for row in blink.read_outputs(data / "blink", model):
            choices = [(letter, None) for letter in "ABCDE"[: blink.OPTIONS[row.task]]]
            given = row.choice[1:2] if row.choice[1:2] in dict(choices) else None
            key = answers[row.question][1:2]
            models[f"blink {model}"].append(
                LabelledReply(row.task, read_answer(row.output, choices).letter, given, key)
            )
    mvp = data / "mvp_bench"
    questions, rotations = mvp_layout.read_questions(mvp), mvp_layout.read_rotations(mvp)
    letters = {"yes": "A", "no": "B"}
    for model in mvp_layout.models(mvp):
        outputs = mvp_layout.read_outputs(mvp, model, questions, rotations).evaluated or {}
        for key, said in outputs.items():
            if (question := questions[key]).kind in mvp_layout.YES_NO:
                verdict = yes_or_no(said.output) or (said.verdict or "").lower()
                read = read_answer(said.output, YES_NO).letter
                models[f"mvp-bench {model}"].append(
                    LabelledReply(question.level, read, letters.get(verdict), letters[question.answer])
                )
    for path in written:
        for row in json_lines(path):
            case: Any = row.values
            choices = [(option["key"], option["text"]) for option in case["options"]]
            family = FAMILY.match(case["model_style"].lower())
            rng = np.random.default_rng(list(case["id"].encode()))
            key = case["letter"] if case["letter"] and rng.random() < 0.6 else rng.choice([one for one, _ in choices])
            models[f"written {family[0] if family else 'others'}"].append(
                LabelledReply(case["kind"], read_answer(case["reply"], choices).letter, case["letter"], str(key))
            )
    return models


def certified(replies: list[LabelledReply], studies: int, labels: int, seed: int) -> dict[str, float]:
    """Return the coverage of the intervals from a sample of a model's replies, by quantity.

    `accuracy` is that of all replies by their labels; `width` is the mean width of its interval.
    """
    rng, held, width = np.random.default_rng([seed, labels]), Counter[str](), 0.0
    accuracy = sum(reply.given is not None and reply.given == reply.key for reply in replies) / len(replies)
    for _ in range(studies):
        drawn = [replies[k] for k in rng.integers(len(replies), size=ITEMS)]
        strata: defaultdict[tuple[str, bool], list[ReadableReply]] = defaultdict(list)
        for k, reply in enumerate(drawn):  # drawn at random, so their order is as good as a hash
            strata[reply.task, reply.read is not None].append(ReadableReply(str(k), str(k), reply.task, reply.read))
        labelled = [drawn[int(one.item_id)] for one in chosen_replies(strata, labels)]
        sizes = {stratum: len(some) for stratum, some in strata.items()}
        true = {kind: share.value for kind, share in reading_errors([(sizes, drawn)]).items()}
        found = {kind: share.ci for kind, share in reading_errors([(sizes, labelled)]).items()}
        right = sum(reply.read is not None and reply.read == reply.key for reply in drawn)
        corrected = corrected_accuracy(right / ITEMS, tuple(score_interval(right, ITEMS)), ITEMS, sizes, labelled)
        for kind, ci in found.items():
            held[kind] += ci is not None and ci[0] - 1e-9 <= true[kind] <= ci[1] + 1e-9
        ci = corrected.ci or (0.0, 1.0)
        held["accuracy"] += ci[0] <= accuracy <= ci[1]
        width += ci[1] - ci[0]
    return {what: round(held[what] / studies, 3) for what in (*ERROR_KINDS, "accuracy")} | {
        "width": round(width / studies, 3)
    }


class ScriptedJudge:
    """A second reader that returns the meant letter except for a share of errors.

    Args:
        meant: Letter that each reply gives, `none` for none.
        error_rate: Share of replies read wrongly, 0 to 1.
    """

    tasks = None

    def __init__(self, meant: Mapping[str, str], error_rate: float) -> None:
        self.name = f"scripted, {error_rate:.0%} wrong"
        self.settings = {"error_rate": error_rate}
        self._meant, self._error_rate = meant, error_rate

    def answer(self, questions: Iterable[Question], context: BackendContext) -> Generator[Reply]:
        """Yield a verdict on each reply."""
        del context
        for question in questions:
            reply = READ.search(question.text)
            assert reply is not None
            said = self._meant[reply[1]]
            rng = np.random.default_rng(list(question.item_id.encode()))
            if rng.random() < self._error_rate:
                verdicts = [json.loads(option.text or "")["verdict"] for option in question.choices]
                said = rng.choice([word for word in verdicts if word not in {said, "refusal"}])
            yield Reply(question.item_id, text=json.dumps({"verdict": str(said)}))


def with_second_reader(written: list[Path], error_rates: list[float]) -> dict[str, object]:
    """Return how well the rules alone read written replies, and with second readers of several error rates."""
    cases, meant = [], {}
    for row in (row for path in written for row in json_lines(path)):
        case: Any = row.values
        letter = case["letter"] or "none"
        reply, choices = case["reply"], [option["text"] for option in case["options"]]
        cases.append({"reply": reply, "question": case["question"], "choices": choices, "letter": letter})
        meant[reply] = letter
    document: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder) / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
        for rate in error_rates:
            found = read_cases(path, judge=Judge(model=ScriptedJudge(meant, rate)))
            assert found.judging is not None
            document["rules alone"] = found.measured["reader"].describe()
            document[f"second reader, {rate:.0%} wrong"] = {
                "asked": found.judging.asked, "read": found.measured["with_judge"].describe()
            }  # fmt: skip
    return document


def certificates(models: dict[str, list[LabelledReply]], studies: int) -> dict[str, object]:
    """Return the reader's true errors for each model, and the coverage of their intervals, by number of labels."""
    document: dict[str, object] = {}
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for seed, (name, replies) in enumerate(models.items()):
        whole = Counter((reply.task, reply.read is not None) for reply in replies)
        errors = {kind: round(share.value or 0.0, 4) for kind, share in reading_errors([(whole, replies)]).items()}
        held = {labels: certified(replies, studies, labels, seed) for labels in LABELS}
        document[name] = {"replies": len(replies), "errors": errors, "held": held}
        for labels, of_kind in held.items():
            for what in (*ERROR_KINDS, "accuracy"):
                shares[f"{what}, {labels} labels"].append(of_kind[what])
    return document | {
        "mean, least, models at .9 or more": {
            what: [round(float(np.mean(some)), 3), min(some), f"{sum(one >= 0.9 for one in some)} of {len(some)}"]
            for what, some in sorted(shares.items())
        }
    }


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with mvp_bench, blink and ii_bench")
    parser.add_argument("--show", type=int, default=0, help="replies to show of each class of difference")
    parser.add_argument("--certificate", type=int, metavar="STUDIES", help="studies of each model and number of labels")
    parser.add_argument("--written", type=Path, nargs="*", default=[], help="files of replies that people wrote")
    parser.add_argument("--second", type=float, nargs="*", help="rates of error of a second reader")
    given = parser.parse_args()
    if given.second:
        show(with_second_reader(given.written, given.second))
        return
    if given.certificate:
        show(certificates(labelled_models(given.data, given.written), given.certificate))
        return
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    shown: defaultdict[str, list[str]] = defaultdict(list)
    for cases in (
        mvp_cases(given.data / "mvp_bench"),
        blink_cases(given.data / "blink"),
        ii_cases(given.data / "ii_bench"),
    ):
        for case in cases:
            ours = read_answer(case.reply, case.choices)
            for name, theirs in case.theirs.items():
                what = difference(ours.letter, theirs)
                table = f"{case.source} / {name}"
                counts[table][what] += 1
                if what not in {"same", "neither"}:
                    counts[table][f"{what} ({ours.rule})"] += 1
                    examples = shown[f"{table}: {what} ({ours.rule})"]
                    if len(examples) < given.show:
                        examples.append(f"{theirs} / {ours.letter}: {case.reply}")
    document: dict[str, object] = {table: dict(sorted(found.items())) for table, found in counts.items()}
    settled = [found for table, found in counts.items() if table.endswith("/ rule")]
    agreed = sum(found["same"] for found in settled)
    total = sum(found[what] for found in settled for what in ("same", "neither", "only_ours", "only_theirs", "other"))
    document["blink, rows that the rule settles"] = {"agree": agreed, "rows": total, "share": round(agreed / total, 4)}
    show(document | ({"replies": dict(shown)} if given.show else {}))


if __name__ == "__main__":
    main()
