"""Letters of replies: every command and every exported reader reads the same letters in the corpus of replies."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest
from handmade_bench import Bench

from benchwright.audit.source.source_replies import replies_of_source
from benchwright.cli.main import invoke
from benchwright.diagnostics.models.model_questions import UNCLEAR, read_choice
from benchwright.evaluation.run import evaluate
from benchwright.exports import export_release
from benchwright.question_files.questions.asked_question import ModelReply
from benchwright.records import LETTERS
from benchwright.release import Release
from benchwright.replies.answers import read_answer
from benchwright.replies.model_replies import KeyedItem, ModelReplies, read_replies

CORPORA = Path(__file__).parent.parent / "replies" / "data"
EVERY = 5
"""Of the corpora, every fifth reply is read."""
BY_HAND = [
    "**B**", "B. on the table", "The answer is **B**", "Option B", "\\boxed{B}", "<answer>B</answer>", "b",
    "The answer is (B) on the table, not (A)", "<think>(A)? No.</think>It stands on the table.",
]  # fmt: skip
"""Replies that mean B, the second of the options below."""
OPTIONS = ("under it", "on the table", "beside it", "nowhere")


class Case(NamedTuple):
    reply: str
    options: tuple[str, ...]


Letters = list[str | None]


def _cases() -> list[Case]:
    lines = [
        json.loads(line)
        for path in sorted(CORPORA.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()[::EVERY]
    ]
    cases = [Case(line["reply"], tuple(line["choices"])) for line in lines if None not in line["choices"]]
    return [case for case in cases if len(set(case.options)) == len(case.options)] + [
        Case(reply, OPTIONS) for reply in BY_HAND
    ]


CASES = _cases()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    bench = Bench()
    for case in CASES:
        bench.add(options=case.options, answer="A")
    return bench.release(tmp_path_factory.mktemp("replies") / "release")


@pytest.fixture(scope="module")
def item_ids(release: Release) -> list[str]:
    """Return the ids of the items in the order of the cases: `Bench` makes the same ones each time."""
    bench = Bench()
    return [bench.add(options=case.options, answer="A").item_id for case in CASES]


@pytest.fixture(scope="module")
def file(item_ids: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.jsonl"
    rows = [{"item_id": item_id, "reply": case.reply} for item_id, case in zip(item_ids, CASES, strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scored(release: Release, file: Path, item_ids: list[str], tmp_path_factory: pytest.TempPathFactory) -> Letters:
    """Return the letters by which a file of predictions is scored."""
    out = tmp_path_factory.mktemp("results")
    evaluate(release, f"predictions:{file}", out=out)
    [table] = out.rglob("predictions.parquet")
    rows = pq.read_table(table, columns=["item_id", "letter"]).to_pylist()
    letters = {row["item_id"]: row["letter"] for row in rows}
    return [letters[item_id] for item_id in item_ids]


@pytest.mark.slow
def test_scores_read_what_was_meant_to_be_read(scored: Letters) -> None:
    assert scored[-len(BY_HAND) :] == ["B"] * len(BY_HAND)
    assert 50 < sum(letter is not None for letter in scored) < len(CASES)


def test_extract_reads_as_scores_do(scored: Letters, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    lines = [json.dumps({"reply": case.reply, "choices": case.options}) for case in CASES]
    cases.write_text("\n".join(lines), encoding="utf-8")
    capsys.readouterr()
    assert invoke(["evaluate", "extract", str(cases), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["letters"] == scored


def test_the_audit_reads_as_scores_do_whoever_brings_the_replies(
    scored: Letters, file: Path, item_ids: list[str]
) -> None:
    items = [KeyedItem(item_id, case.options, 0) for item_id, case in zip(item_ids, CASES, strict=True)]
    beside = [ModelReply("m", item_id, text=case.reply) for item_id, case in zip(item_ids, CASES, strict=True)]

    def letters(replies: list[ModelReplies]) -> Letters:
        [of_model] = replies
        return [LETTERS[n] if (n := of_model.letters[item_id]) >= 0 else None for item_id in item_ids]

    assert letters(read_replies(file, items)) == scored
    assert letters(replies_of_source(beside, items)) == scored


def test_models_that_filters_and_the_audit_ask_are_read_as_scores_are(scored: Letters) -> None:
    said = [read_choice(case.reply, list(zip(LETTERS, case.options, strict=False))) for case in CASES]
    assert [None if letter == UNCLEAR else letter for letter in said] == scored


READ = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("reader", sys.argv[1], submodule_search_locations=[sys.argv[2]])
sys.modules["reader"] = reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)
print(json.dumps([reader.letter_of(reply, options) for reply, options in json.load(sys.stdin)]))
"""
"""Loads a file by its path, as other tools do, in a Python that has its standard library and nothing else."""


@pytest.mark.slow
def test_exports_carry_the_reader_and_read_every_case_as_scores_do(release: Release, tmp_path: Path) -> None:
    readers = []
    for format_name in ("lmms-eval", "vlmevalkit", "inspect"):
        export_release(release, format_name, tmp_path / format_name)
        [face] = (tmp_path / format_name).rglob("reply_reader/__init__.py")
        readers.append({path.name: path.read_bytes() for path in face.parent.iterdir()})
    assert readers[0] == readers[1] == readers[2]
    functions = tmp_path / "lmms-eval" / "utils.py"
    lines = [json.loads(line) for path in sorted(CORPORA.glob("*.jsonl")) for line in path.read_bytes().splitlines()]
    cases = [*((line["reply"], line["choices"]) for line in lines), *CASES]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", READ, str(functions), str(functions.parent)],
        input=json.dumps(cases), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == [
        read_answer(reply, list(zip(LETTERS, options, strict=False))).letter for reply, options in cases
    ]
