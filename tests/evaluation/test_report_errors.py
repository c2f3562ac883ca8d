"""Inputs that do not belong together are refused with a message, and only a report is ever replaced."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchwright.cli.main import invoke
from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.prompting.release_files import check_files, note_checked
from benchwright.evaluation.report.writing import write_report
from benchwright.evaluation.run import evaluate
from benchwright.release import Release
from benchwright.workspace.checked_files import CheckedFiles


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Release:
    for number in range(3):
        bench.add(f"q{number}", answer="AB"[number % 2])
    return bench.release(tmp_path / "release")


@pytest.fixture
def results(release: Release, tmp_path: Path) -> Path:
    evaluate(release, "constant:A", out=tmp_path / "results")
    return tmp_path / "results"


def test_another_release_than_the_one_that_was_scored_is_refused(results: Path, bench: Any, tmp_path: Path) -> None:
    bench.add("one more")
    other_release = bench.release(tmp_path / "other", version="2.0")
    with pytest.raises(
        DataError, match=r"scores on by-hand 1\.0 .* is by-hand 2\.0 .* give the release that was scored"
    ):
        write_report(results, other_release)


def test_results_of_several_releases_are_refused(results: Path, bench: Any, tmp_path: Path, release: Release) -> None:
    bench.add("one more")
    evaluate(bench.release(tmp_path / "other", version="2.0"), "random", out=results)
    with pytest.raises(DataError, match="cannot be compared"):
        write_report(results, release)


def test_a_folder_without_results_is_refused(release: Release, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="contains no results"):
        write_report(tmp_path / "empty", release)


def test_a_release_that_its_workspace_knows_is_not_read_again_and_is_refused_once_changed(
    release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [data] = (release.path / "data").glob("*.parquet")
    checked = CheckedFiles(tmp_path)
    checked.digest(data)
    with monkeypatch.context() as reading:
        reading.setattr("hashlib.file_digest", None)
        note_checked(release, checked)
        check_files(release, None)
    data.write_bytes(data.read_bytes() + b"\0")
    opened = Release.open(release.path)
    note_checked(opened, checked)
    for changed in (release, opened):
        with pytest.raises(DataError, match="has changed since the freeze"):
            check_files(changed, None)


def test_a_changed_release_is_refused(results: Path, release: Release) -> None:
    [data] = (release.path / "data").glob("*.parquet")
    data.write_bytes(data.read_bytes() + b"\0")
    with pytest.raises(DataError, match="has changed since the freeze"):
        write_report(results, release)


def rewritten(path: Path, change: Any) -> None:
    table = pq.read_table(path)
    pq.write_table(change(table), path)


DAMAGES = {
    "a missing file": (lambda path: path.unlink(), "the file is missing"),
    "no Parquet": (lambda path: path.write_bytes(b"PAR1 and nothing"), "not a Parquet file"),
    "a row too few": (lambda path: rewritten(path, lambda t: t.slice(1)), "asked: the rows have 2, the score 3"),
    "rows out of order": (
        lambda path: rewritten(path, lambda t: t.take([2, 0, 1])), "belongs to no item of the release, or is out of order",
    ),
    "another verdict": (
        lambda path: rewritten(
            path, lambda t: t.set_column(t.column_names.index("right"), "right", pa.array([False] * 3))
        ), "right: the rows have 0, the score 2",
    ),
    "another model": (
        lambda path: rewritten(
            path, lambda t: t.replace_schema_metadata({**t.schema.metadata, b"model": b"random"})
        ), "it has model 'random', the score 'constant:A'",
    ),
    "no column": (lambda path: rewritten(path, lambda t: t.drop_columns(["reply"])), "it lacks columns"),
    "a newer format": (
        lambda path: rewritten(path, lambda t: t.replace_schema_metadata({**t.schema.metadata, b"version": b"9"})),
        "version '9' of the format",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_predictions_are_named(name: str, results: Path, release: Release) -> None:
    damage, message = DAMAGES[name]
    damage(results / "constant-A" / "predictions.parquet")
    with pytest.raises(DataError, match=r"predictions\.parquet is not the source of the score") as caught:
        write_report(results, release)
    assert message in str(caught.value)
    assert str(caught.value).endswith("score the model again")
    assert not (results / "report.html").exists()


def test_an_older_report_is_replaced_and_nothing_else(results: Path, release: Release, tmp_path: Path) -> None:
    first = write_report(results, release)
    evaluate(release, "random", out=results)
    assert write_report(results, release).path == first.path
    assert "random" in first.path.read_text(encoding="utf-8")
    mine = tmp_path / "mine.html"
    mine.write_text("<!DOCTYPE html><title>Mine</title>")
    with pytest.raises(BenchwrightError, match="is not a report of this command"):
        write_report(results, release, out=mine)
    assert mine.read_text() == "<!DOCTYPE html><title>Mine</title>"
    with pytest.raises(BenchwrightError, match="not a regular file"):
        write_report(results, release, out=release.path)
    with pytest.raises(BenchwrightError, match="is not a folder"):
        write_report(results, release, out=tmp_path / "nowhere" / "r.html")
    link = tmp_path / "link.html"
    link.symlink_to(first.path)
    with pytest.raises(BenchwrightError, match="not a regular file"):
        write_report(results, release, out=link)


def test_the_command_says_where_the_report_is(
    results: Path, release: Release, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["evaluate", "report", str(results), "--release", str(release.path)]
    assert invoke([*words, "--out", str(tmp_path / "r.html"), "--max-items", "2", "--max-side", "64", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["report"] == str(tmp_path / "r.html")
    assert (document["items"], document["shown"], document["models"]) == (3, 2, ["constant:A"])
    assert document["size_bytes"] == (tmp_path / "r.html").stat().st_size
    assert invoke(words) == 0
    assert capsys.readouterr().out.startswith(f"report: {results / 'report.html'} (0.")


def test_the_package_does_not_load_jinja() -> None:
    import subprocess

    code = "import sys, benchwright.evaluation.report, benchwright.evaluation.step;sys.exit('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
