"""Sealed splits: a model is asked without the key, and its answers are scored with it.

- Without the key there is no score, only an answer file.
- Scored with the key, the figures are those of an open split.
- Answers for something else, damaged ones, and another release's key are refused.
- Self-awareness is asked without the key; what is asked and written is the same whatever is right.
- Studies are the keeper's.
- A system is scored only so often.
- The leaderboard shares ranks where systems cannot be told apart, and fetches nothing.
"""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sealed_bench import TellingBench, freeze_sealed, telling_bench
from walks import in_process

from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation import BackendOptions, evaluate
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.leaderboard.board import leaderboard_of
from benchwright.evaluation.leaderboard.scoring import log_path, score_answers
from benchwright.evaluation.prompting.question import Question
from benchwright.evaluation.protocols.base import Protocol
from benchwright.evaluation.protocols.sampled import Sampled
from benchwright.evaluation.protocols.templated import Vanilla
from benchwright.evaluation.studies.catalogue import study_of
from benchwright.evaluation.studies.running import run_study
from benchwright.records import Choice, ItemImage
from benchwright.release import Release
from benchwright.release.sealing.answer_key import AnswerKey, read_answer_key, unsealed

pytestmark = pytest.mark.slow

ITEMS = 60


@pytest.fixture(scope="module")
def bench() -> TellingBench:
    """Items of a sealed split, each a separate cluster, whose options' words are known by their question."""
    bench = telling_bench(sealed=ITEMS)
    bench.items = [
        (item.model_copy(update={"group_keys": (f"item:{number}",)}), split)
        for number, (item, split) in enumerate(bench.items)
    ]
    return bench


@pytest.fixture
def release(bench: TellingBench, tmp_path: Path) -> Release:
    return freeze_sealed(tmp_path, bench)


@pytest.fixture
def key(release: Release, tmp_path: Path) -> AnswerKey:
    return read_answer_key(tmp_path / "keys" / "telling-1.0.key.json")


def knowing(bench: TellingBench, name: str, knows: Callable[[int], bool]) -> PerQuestion:
    """Return a model that gives the right option, whatever its letter, to some questions, by number, else another one."""
    right = {
        item.question: next(choice.text or choice.image_id for choice in item.choices if choice.key == item.answer)
        for item, _ in bench.items
    }

    def reply(question: Question, content_id: str) -> str:
        number = int(question.text.split()[1].rstrip(":"))
        is_right = [(choice.text or choice.image_id) == right[question.text] for choice in question.choices]
        place = is_right.index(knows(number))
        return f"({question.choices[place].key})"

    return PerQuestion(name, reply)


def test_without_the_key_there_is_an_answer_file_and_no_score(
    release: Release, bench: TellingBench, tmp_path: Path
) -> None:
    score = evaluate(release, knowing(bench, "able", lambda number: True), split="test", out=tmp_path / "asked")
    assert (score.metrics, score.asked, score.answers) == ({}, ITEMS, tmp_path / "asked" / "able" / "answers.jsonl")
    assert score.answers is not None
    assert [path.name for path in score.answers.parent.iterdir()] == ["answers.jsonl"]
    assert stat.S_IMODE(score.answers.stat().st_mode) == 0o600
    rows = [json.loads(line) for line in score.answers.read_text().splitlines()]
    assert len(rows) == ITEMS
    fixed = {name: rows[0][name] for name in ("release_id", "split", "model", "protocol", "reader", "tasks")}
    assert fixed == {
        "release_id": release.release_id, "split": "test", "model": "able", "protocol": "vanilla", "reader": "robust",
        "tasks": None,
    }  # fmt: skip
    assert {row["item_id"] for row in rows} == {released.item.item_id for released in release.items("test")}


def test_scored_with_the_key_the_figures_are_those_of_an_open_split(
    release: Release, key: AnswerKey, bench: TellingBench, tmp_path: Path
) -> None:
    model = knowing(bench, "able", lambda number: number % 3 > 0)
    asked = evaluate(release, model, split="test", out=tmp_path / "asked")
    assert asked.answers is not None
    sealed = score_answers(release, asked.answers, key)
    opened = evaluate(freeze_sealed(tmp_path / "open", bench, sealed=()), model, split="test")
    assert sealed.metrics == opened.metrics
    assert sealed.metrics["accuracy"].value == pytest.approx(2 / 3)
    assert (sealed.model, sealed.release_id, sealed.split) == ("able", release.release_id, "test")
    assert sealed.metrics == evaluate(unsealed(release, key), model, split="test").metrics


@pytest.mark.parametrize("protocol", ["shuffle:k=3", "circular", Sampled(inner=Vanilla(), draws=3)])
def test_a_protocol_that_asks_more_than_once_is_scored_alike(
    release: Release, key: AnswerKey, bench: TellingBench, tmp_path: Path, protocol: str | Protocol
) -> None:
    model = knowing(bench, "able", lambda number: number % 4 > 0)
    asked = evaluate(release, model, split="test", protocol=protocol, out=tmp_path / "asked")
    assert asked.answers is not None
    sealed = score_answers(release, asked.answers, key)
    assert sealed.metrics == evaluate(unsealed(release, key), model, split="test", protocol=protocol).metrics
    assert (sealed.protocol, sealed.samples) == (asked.protocol, asked.samples)


def test_errors_and_misses_stay_what_they_were(
    release: Release, key: AnswerKey, bench: TellingBench, tmp_path: Path
) -> None:
    def reply(question: Question, content_id: str) -> str:
        number = int(question.text.split()[1].rstrip(":"))
        if number % 30 == 0:
            raise DataError("the server is gone")
        return "it might be any of them" if number % 5 == 0 else "(A)"

    asked = evaluate(release, PerQuestion("odd", reply), split="test", out=tmp_path / "asked")
    assert asked.answers is not None
    scored = score_answers(release, asked.answers, key)
    assert (scored.error, scored.miss) == (asked.error, asked.miss) == (2, 10)


def test_what_cannot_be_asked_of_sealed_items_is_refused(release: Release, bench: TellingBench) -> None:
    model = knowing(bench, "able", lambda number: True)
    with pytest.raises(BenchwrightError, match=r"the answers of test are sealed.*--split"):
        evaluate(release, model)
    with pytest.raises(BenchwrightError, match=r"a study compares scores.*--key"):
        run_study(study_of("no_picture"), release, ["random"], release.path.parent / "s", options=BackendOptions(),
                  split="test")  # fmt: skip
    with pytest.raises(BenchwrightError, match="score --key"):
        evaluate(release, model, split="test", judge=Judge(model="random"))
    assert evaluate(release, model, split="val").metrics["accuracy"].value == 1


DECLINES = "I cannot tell from the picture"


def self_aware_bench(part: Callable[[int], str], right: Callable[[int], int]) -> TellingBench:
    """Return 30 sealed items of MM-SAP's three parts, which offer the same options whatever part they are of."""
    bench = TellingBench()
    for number in range(30):
        source = bench.source(number, None)
        answer = None if part(number) == "beyond" else "ABC"[right(number)]
        bench.add(
            source, "test", number, task="awareness", question=f"Question {number}: which?",
            images=(ItemImage(image_id=source.image_id, role="view"),), answer=answer, refusal="D",
            level=None if answer is None else part(number), group_keys=(f"item:{number}",),
            choices=tuple(Choice(key=k, text=t) for k, t in zip("ABCD", ("harbour", "meadow", "kitchen", DECLINES),
                                                                strict=True)),
        )  # fmt: skip
    return bench


def self_aware_model() -> PerQuestion:
    """Return a model that declines two of three questions, and otherwise says harbour, or meadow where it cannot."""

    def reply(question: Question, content_id: str) -> str:
        number = int(question.text.split()[1].rstrip(":"))
        letters = {choice.text: choice.key for choice in question.choices}
        if number == 7:
            return "Hmm."
        likes = (DECLINES, "harbour", "meadow") if number % 3 else ("harbour", "meadow")
        return f"({next(letters[word] for word in likes if word in letters)})"

    return PerQuestion("aware", reply)


PARTS = ("basic", "know", "beyond")


@pytest.mark.parametrize("protocol", ["mm-sap:k=2", "forced"])
def test_self_awareness_is_asked_without_the_key_and_scored_by_part_with_it(tmp_path: Path, protocol: str) -> None:
    bench, model = self_aware_bench(lambda number: PARTS[number // 10], lambda number: number % 2), self_aware_model()
    release = freeze_sealed(tmp_path, bench)
    key = read_answer_key(tmp_path / "keys" / "telling-1.0.key.json")
    asked = evaluate(release, model, split="test", protocol=protocol, out=tmp_path / "asked")
    assert asked.answers is not None
    assert asked.metrics == {}
    sealed = score_answers(release, asked.answers, key)
    direct = evaluate(unsealed(release, key), model, split="test", protocol=protocol)
    assert sealed.metrics == direct.metrics
    assert {f"mm_sap/score_sa/{part}" for part in PARTS} <= sealed.metrics.keys()
    opened = evaluate(freeze_sealed(tmp_path / "open", bench, sealed=()), model, split="test", protocol="forced")
    if protocol == "forced":  # shuffles go by the id, which sealing changes
        assert sealed.metrics == opened.metrics
        assert sealed.metrics["mm_sap/unknown_knowns_rate"].value not in {None, 0, 1}


@pytest.mark.parametrize("protocol", ["mm-sap:k=2", "forced"])
def test_what_is_asked_and_written_is_the_same_whatever_is_right(tmp_path: Path, protocol: str) -> None:
    """Two releases of one salt that show the same, with other answers and other parts, give the same answer file."""
    files = []
    for name, shift in (("one", 0), ("other", 1)):
        bench = self_aware_bench(lambda n, by=shift: PARTS[(n + by) % 3], lambda n, by=shift: (n + by) % 3)
        if files:
            (tmp_path / name).mkdir()
            shutil.copytree(tmp_path / "one" / "keys", tmp_path / name / "keys")
            key = tmp_path / name / "keys" / "telling-1.0.key.json"
            key.rename(key.with_name("telling-0.9.key.json"))  # an earlier version's, whose salt is taken again
        release = freeze_sealed(tmp_path / name, bench)
        asked = evaluate(
            release, self_aware_model(), split="test", protocol=protocol, out=tmp_path / name / "asked"
        ).answers
        assert asked is not None
        files.append(asked.read_text().replace(release.release_id, "RELEASE"))
    assert files[0] == files[1]
    rows = [json.loads(line) for line in files[0].splitlines()]
    times = 2 if protocol.startswith("mm-sap") else 1
    assert len(rows) == (2 * 29 + 1) * times, "all answered questions come again, those that were not answered do not"


def test_the_keeper_runs_a_study_on_sealed_items(tmp_path: Path, bench: TellingBench, release: Release) -> None:
    key = tmp_path / "keys" / "telling-1.0.key.json"
    words = ("evaluate", "study", "no_picture", release.path, "--model", "random", "--split", "test", "--out")
    refused = in_process(*words, tmp_path / "r")
    assert refused.returncode == 2
    assert "give the key with --key" in refused.stderr
    document = _command(*words, tmp_path / "r", "--key", key)
    opened = freeze_sealed(tmp_path / "open", bench, sealed=())
    open_words = ("evaluate", "study", "no_picture", opened.path, "--model", "random", "--split", "test")
    expected = _command(*open_words, "--out", tmp_path / "o")
    assert [change["condition"] for change in document["changes"]] == [c["condition"] for c in expected["changes"]]
    assert all(0 < change["accuracy"]["value"] < 1 for change in document["changes"] if change["accuracy"]["n"])
    assert Path(document["page"]).is_file()


@pytest.fixture
def answers(release: Release, bench: TellingBench, tmp_path: Path) -> Path:
    score = evaluate(release, knowing(bench, "able", lambda number: True), split="test", out=tmp_path / "asked")
    assert score.answers is not None
    return score.answers


def _rewritten(answers: Path, change: Callable[[list[dict[str, Any]]], Any]) -> Path:
    rows = [json.loads(line) for line in answers.read_text().splitlines()]
    change(rows)
    path = answers.with_name("changed.jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda rows: rows.pop(3), "has no prediction for 1 of the items"),
        (lambda rows: rows.clear(), "is empty"),
        (lambda rows: rows[4].update(model="other"), "line 5: model is 'other'"),
        (lambda rows: rows[0].pop("protocol"), "line 1: has no protocol"),
        (lambda rows: [row.update(release_id="0" * 64) for row in rows], "score it on its own release"),
        (lambda rows: [row.update(tasks=[5]) for row in rows], "line 1: has no tasks"),
        (lambda rows: rows[2].update(error="lost"), "line 3: give either an error"),
        (lambda rows: rows.append(rows[0]), "already has a prediction in line 1"),
        (lambda rows: [row.update(protocol="no-such") for row in rows], "no-such"),
    ],
)
def test_answers_that_do_not_fit_are_refused_and_not_counted(
    release: Release, key: AnswerKey, answers: Path, change: Any, problem: str
) -> None:
    with pytest.raises(BenchwrightError, match=problem):
        score_answers(release, _rewritten(answers, change), key)
    log = log_path(key.path)
    assert not log.exists() or log.read_text() == ""


def test_the_key_of_another_release_is_refused(
    release: Release, bench: TellingBench, answers: Path, tmp_path: Path
) -> None:
    other = freeze_sealed(tmp_path / "other", bench)
    with pytest.raises(BenchwrightError, match="give the key of this release"):
        score_answers(release, answers, read_answer_key(tmp_path / "other" / "keys" / "telling-1.0.key.json"))
    assert other.release_id != release.release_id
    opened = freeze_sealed(tmp_path / "open", bench, sealed=())
    with pytest.raises(BenchwrightError, match="has no sealed splits"):
        score_answers(opened, answers, read_answer_key(tmp_path / "keys" / "telling-1.0.key.json"))


def test_a_system_is_scored_only_so_often(release: Release, key: AnswerKey, answers: Path) -> None:
    def other(letter: str) -> Path:
        path = _rewritten(answers, lambda rows: rows[0].update(reply=f"({letter})"))
        return path.rename(path.with_name(f"{letter}.jsonl"))

    first, second, third = (other(letter) for letter in "ABC")
    for path in (first, second, first, second):
        score_answers(release, path, key, limit=2)
    with pytest.raises(
        BenchwrightError, match=r"able was scored with 2 different answer files, which is the limit.*--limit"
    ):
        score_answers(release, third, key, limit=2)
    score_answers(release, third, key, limit=2, name="another team's")
    rows = [json.loads(line) for line in log_path(key.path).read_text().splitlines()]
    assert [row["system"] for row in rows] == ["able"] * 4 + ["another team's"]
    assert stat.S_IMODE(log_path(key.path).stat().st_mode) == 0o600
    log_path(key.path).write_text("lost\n")
    with pytest.raises(DataError, match="line 1 is damaged"):
        score_answers(release, first, key)


def _command(*words: object) -> Any:
    done = in_process(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def board(release: Release, key: AnswerKey, bench: TellingBench, tmp_path: Path) -> Path:
    """A folder with the results of four systems: two able ones, one that guesses, and one with a hostile name."""
    for name, knows in {
        "able": lambda number: number % 10 > 0,
        "as able": lambda number: number % 10 < 9,
        "poor": lambda number: number % 5 == 0,
        "<script>alert(1)</script>": lambda number: number % 4 == 0,
    }.items():
        asked = evaluate(release, knowing(bench, name, knows), split="test", out=tmp_path / "asked")
        assert asked.answers is not None
        score_answers(release, asked.answers, key, out=tmp_path / "board")
    return tmp_path / "board"


def test_systems_that_cannot_be_told_apart_share_a_rank(board: Path) -> None:
    leaderboard = leaderboard_of(board)
    ranks = {row.score.title: str(row.ranked.rank) for row in leaderboard.rows}
    assert ranks == {"able": "1–2", "as able": "1–2", "poor": "3–4", "<script>alert(1)</script>": "3–4"}
    assert [row.ranked.groups for row in leaderboard.rows] == ["a", "a", "b", "b"]
    assert leaderboard.chance == pytest.approx(3 / 8)
    assert leaderboard.tasks == ("pictures", "words")


def test_one_system_has_no_rank(board: Path) -> None:
    for folder in board.iterdir():
        if folder.name != "able":
            shutil.rmtree(folder)
    leaderboard = leaderboard_of(board)
    assert leaderboard.why_no_ranks is not None
    assert [row.ranked.rank for row in leaderboard.rows] == [None]
    assert leaderboard.document()["systems"][0]["rank"] is None


def test_the_page_is_one_file_that_fetches_nothing_and_escapes_names(board: Path, tmp_path: Path) -> None:
    document = _command("evaluate", "leaderboard", board, "--out", tmp_path / "page" / "board.html")
    assert [(row["system"], row["rank"]) for row in document["systems"]][:2] == [("able", [1, 2]), ("as able", [1, 2])]
    page = (tmp_path / "page" / "board.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert "https://" not in page
    assert "light-dark(" in page


def test_the_commands_ask_score_and_rank(release: Release, tmp_path: Path) -> None:
    key = tmp_path / "keys" / "telling-1.0.key.json"
    for model in ("random", "constant:A"):
        document = _command(
            "evaluate", "run", release.path, "--model", model, "--split", "test", "--out", tmp_path / "r"
        )
        assert document["metrics"] == {}
    files = sorted((tmp_path / "r").glob("*/answers.jsonl"))
    document = _command("evaluate", "score", release.path, *files, "--key", key, "--out", tmp_path / "board")
    assert [score["model"] for score in document["scores"]] == ["constant:A", "random"]
    assert all(0 < score["metrics"]["accuracy"]["value"] < 1 for score in document["scores"])
    done = in_process("evaluate", "score", release.path, files[0], "--key", key, "--split", "test")
    assert done.returncode == 2
    assert "leave out --split with --key" in done.stderr
