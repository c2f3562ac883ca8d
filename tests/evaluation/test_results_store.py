"""A store of results.

Facts held here: equal results are one run and a changed one is another; no command deletes or overwrites anything; two
writers lose nothing; a board ranks only what can be compared; files of other programs are read by our reader.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from report_page import ReportPage

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.backends.base import PerQuestion
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.results_store.board import board_of
from benchwright.evaluation.results_store.exporting import export_runs
from benchwright.evaluation.results_store.store import ResultsStore
from benchwright.evaluation.run import evaluate
from benchwright.release import Release

pytestmark = pytest.mark.slow


def as_able(number: int) -> Any:
    return lambda question, content_id: "(B)" if int(question.text[1:]) < number else "(A)"


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    for number in range(30):
        bench.add(f"q{number}", answer="B")
    return bench.release(tmp_path / "release")


@pytest.fixture
def results(release: Release, tmp_path: Path) -> Path:
    for name, right in {"strong": 29, "weak": 2}.items():
        evaluate(release, PerQuestion(name, as_able(right)), out=tmp_path / "out")
    return tmp_path / "out"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_equal_results_are_one_run_and_a_changed_one_is_another(
    release: Release, results: Path, tmp_path: Path
) -> None:
    store = ResultsStore(tmp_path / "store")
    before = contents(results)
    assert len(store.merge([results]).added) == 2
    assert store.merge([results]).added == ()
    evaluate(release, PerQuestion("weak", as_able(5)), out=tmp_path / "later")
    assert len(store.merge([tmp_path / "later"]).added) == 1
    weak = [run for run in store.runs() if run.title == "weak"]
    assert len(weak) == 2
    assert len({run.setup for run in weak}) == 1
    assert contents(results) == before
    with pytest.raises(DataError, match="several runs"):
        store.find("weak")


def test_other_files_of_an_equal_run_are_kept_beside_those_that_are_there(results: Path, tmp_path: Path) -> None:
    store = ResultsStore(tmp_path / "store")
    log = next(results.glob("weak*")) / "replies.jsonl"
    for words in ("one", "two", "two"):
        log.write_text(words, encoding="utf-8")
        store.merge([results])
    folder = store.find("weak").folder
    assert sorted(path.read_text(encoding="utf-8") for path in folder.glob("replies*")) == ["one", "two"]


def test_names_are_unique_and_go_along_and_what_is_removed_comes_back(results: Path, tmp_path: Path) -> None:
    store, other = ResultsStore(tmp_path / "store"), ResultsStore(tmp_path / "other")
    store.merge([results])
    store.rename("weak", "night run")
    with pytest.raises(BenchwrightError, match="is already the name of run"):
        store.rename("strong", "night run")
    assert len(other.merge([store.folder]).added) == 2
    run = other.find("night run")
    before = contents(run.folder)
    _, place = other.remove(run.run)
    assert contents(place) == before
    assert [left.title for left in other.runs()] == ["strong"]
    assert other.merge([place]).added == (run.run,)

    export_runs(store.runs(), tmp_path / "exported")
    assert [score.title for score in read_scores(tmp_path / "exported")] == ["night run", "strong"]
    with pytest.raises(BenchwrightError, match="already exists and is kept"):
        export_runs(store.runs(), tmp_path / "exported")


def test_two_writers_lose_nothing(release: Release, results: Path, tmp_path: Path) -> None:
    store = ResultsStore(tmp_path / "store")
    for number in range(3, 9):
        evaluate(release, PerQuestion(f"m{number}", as_able(number)), out=tmp_path / f"out{number}")
    store.merge([results])
    words = (
        "import sys; from pathlib import Path; from benchwright.evaluation.results_store.store import ResultsStore\n"
        "store = ResultsStore(Path(sys.argv[1]))\n"
        "for n in sys.argv[3:]:\n"
        "    store.merge([Path(f'{sys.argv[2]}{n}')]); store.rename(f'm{n}', f'run {n}')\n"
    )
    start = [sys.executable, "-c", words, str(store.folder), str(tmp_path / "out")]
    writers = [subprocess.Popen([*start, *numbers]) for numbers in ("345", "678")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert {run.name for run in store.runs()} == {None, *(f"run {n}" for n in range(3, 9))}


def test_a_board_ranks_only_what_can_be_compared(bench: Any, release: Release, results: Path, tmp_path: Path) -> None:
    bench.add("q30", answer="B")
    newer = bench.release(tmp_path / "newer", version="1.1")
    evaluate(newer, PerQuestion("strong", as_able(29)), out=tmp_path / "on_newer")
    store = ResultsStore(tmp_path / "store")
    store.merge([results, tmp_path / "on_newer"])
    board = board_of(store.runs())
    ranks = [[row.ranked.rank for row in block.board.rows] for block in board.blocks]
    assert sorted(ranks, key=len) == [[None], [(1, 1), (2, 2)]]
    assert [(pair.why, pair.shared) for pair in board.apart] == [("another release", 30)]


def test_files_of_other_programs_are_read_and_stand_beside_ours(
    release: Release, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "theirs_samples_demo.jsonl"
    ids = [released.item.item_id for released in release.items()]
    rows = [{"doc_id": k, "doc": {"id": item}, "filtered_resps": ["The answer is (B)."]} for k, item in enumerate(ids)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    store = str(tmp_path / "store")
    assert invoke(["results", "merge", str(results), str(file), "--store", store]) == 2
    assert not (tmp_path / "store").exists()
    assert invoke(["results", "merge", str(results), str(file), "--release", str(release.path), "--store", store]) == 0
    capsys.readouterr()
    assert invoke(["results", "board", "--store", store, "--json"]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert [system["system"] for system in block["board"]["systems"]] == ["theirs_samples_demo", "strong", "weak"]
    for command in (["list"], ["show", "weak"], ["board"]):
        assert invoke(["results", *command, "--store", store]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 100


def test_links_in_a_result_are_refused(results: Path, tmp_path: Path) -> None:
    (next(results.glob("weak*")) / "notes").symlink_to("/etc/hostname")
    with pytest.raises(DataError, match="not a plain file"):
        ResultsStore(tmp_path / "store").merge([results])
    with pytest.raises(DataError, match="is not a store of results"):
        ResultsStore(tmp_path / "store").runs()


def test_the_page_of_a_board_has_a_column_for_each_block_and_says_what_is_apart(
    release: Release, results: Path, bench: Any, tmp_path: Path
) -> None:
    bench.add("q30", answer="B")
    later = bench.release(tmp_path / "later", version="2.0")
    evaluate(later, PerQuestion("strong", as_able(28)), out=tmp_path / "out-2")
    store = tmp_path / "store"
    assert invoke(["results", "merge", str(results), str(tmp_path / "out-2"), "--store", str(store)]) == 0
    assert invoke(["results", "board", "--store", str(store), "--out", str(tmp_path / "board.html")]) == 0
    page = ReportPage(tmp_path / "board.html")
    [compared, apart, *_] = [[element.text for element in row] for row in page.tables()]
    assert compared[:3] == [
        "system",
        "1. by-hand 1.0 all splits, read by robust",
        "2. by-hand 2.0 all splits, read by robust",
    ]
    assert compared[3] == "strong"
    assert [cell.split()[0] for cell in compared[4:6]] == ["0.97", "0.90"]
    assert compared[6:] == ["weak", "0.07 [0.02, 0.21] rank 2", "–"]
    assert apart[3:] == ["1 and 2", "another release", "30"]
