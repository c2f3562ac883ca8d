"""The command line as a contract: light start, exit codes, one JSON document, helpful messages."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from walks import benchwright, in_process, make_photographs

HEAVY = ("torch", "cv2", "streamlit", "pyarrow", "PIL", "numpy", "openai", "sqlalchemy", "pydantic", "rich")


def test_help_and_import_load_nothing_heavy() -> None:
    code = (
        "import sys, benchwright\n"
        "from benchwright.cli.main import invoke\n"
        "assert invoke(['--help']) == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr.strip() == "[]"


def test_help_lists_commands_by_section_and_leaves_steps_to_their_own_command() -> None:
    text = in_process("--help").stdout
    assert text.index("\nBuild:\n") < text.index("\n  run ") < text.index("\nScore:\n") < text.index("\n  evaluate ")
    assert "jigsaw" not in text
    listed = in_process("steps").stdout
    assert all(f"\n{name} " in f"\n{listed}" for name in ("exact_duplicates", "jigsaw", "verify", "freeze"))


def test_a_command_that_fails_ends_its_process_with_its_code_and_no_traceback() -> None:
    done = benchwright("steps", "jigsav")
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with a recipe and with a folder `p` of photographs."""
    make_photographs(tmp_path / "p", count=1)
    (tmp_path / "walk.yaml").write_text("name: walk\nshards: 2\nsteps: [jigsaw]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["rum"], "there is no command 'rum'; did you mean 'run'?", id="command"),
        pytest.param(["filter", "duplikates"], "there is no command 'filter duplikates'; did you mean 'duplicates'?", id="subcommand"),
        pytest.param(["run"], "Missing argument 'RECIPE'", id="run: no recipe"),
        pytest.param(["run", "nowhere.yaml"], "recipe nowhere.yaml cannot be read", id="run: recipe not there"),
        pytest.param(["run", "walk.yaml"], "no images: give a folder with --images", id="run: no images"),
        pytest.param(["run", "walk.yaml", "--images", "nowhere"], "image folder", id="run: image folder not there"),
        pytest.param(["run", "walk.yaml", "--workers", "0"], "'--workers': 0 is not in the range", id="run: no workers"),
        pytest.param(["run", "walk.yaml", "--engine", "dask"], "'--engine': 'dask'", id="run: engine"),
        pytest.param(["run", "walk.yaml", "--images", "p", "--workspace", "walk.yaml"], "walk.yaml is a file", id="run: file as workspace"),
        pytest.param(["run", "walk.yaml", "--images", "p", "--workspace", "p"], "p is not a workspace and not empty", id="run: full folder"),
        pytest.param(["recipes", "blinc"], "no bundled recipe 'blinc'; bundled recipes are blink, demo, ii-bench, marked-photographs, mm-sap, mvp-bench, perception", id="recipes: name"),
        pytest.param(["demo"], "Missing option '--out'", id="demo: no folder"),
        pytest.param(["trace", "abcdef", "--workspace", "p"], "p is not a workspace", id="trace: no workspace"),
        pytest.param(["trace", "abcdef"], "no workspace here; give one with --workspace", id="trace: none to guess"),
        pytest.param(["outcomes", "p"], "p is not a workspace", id="outcomes: no workspace"),
        pytest.param(["gc", "nowhere"], "nowhere is not a workspace", id="gc: no workspace"),
        pytest.param(["steps", "jigsav"], "there is no step named 'jigsav'; did you mean 'jigsaw'?", id="steps: name"),
        pytest.param(["filter", "duplicates", "nowhere"], "nowhere", id="filter duplicates: folder not there"),
        pytest.param(["filter", "duplicates", "p", "--distance", "99"], "--distance", id="filter duplicates: distance"),
        pytest.param(["release", "verify", "nowhere"], "nowhere", id="release verify: not there"),
        pytest.param(["release", "show", "p"], "p", id="release show: no release"),
        pytest.param(["release", "freeze", "--workspace", "p", "--name", "x", "--version", "1"], "p", id="release freeze: no workspace"),
        pytest.param(["review", "status", "--workspace", "p"], "p", id="review status: no workspace"),
        pytest.param(["review", "export", "--workspace", "p", "--out", "t.csv"], "p", id="review export: no workspace"),
        pytest.param(["review", "import", "nowhere.csv", "--workspace", "p"], "p", id="review import: no workspace"),
        pytest.param(["review", "agreement", "--ratings", "nowhere.csv"], "nowhere.csv", id="review agreement: no file"),
        pytest.param(["evaluate", "run", "p", "--model", "random"], "p", id="evaluate run: no release"),
        pytest.param(["evaluate", "run", "p"], "--model", id="evaluate run: no model"),
        pytest.param(["evaluate", "score", "p", "nowhere.jsonl"], "p", id="evaluate score: no release"),
        pytest.param(["evaluate", "extract", "nowhere.jsonl"], "nowhere.jsonl", id="evaluate extract: no file"),
        pytest.param(["evaluate", "summary", "nowhere"], "nowhere", id="evaluate summary: no results"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("scene")
def test_wrong_use_exits_with_two_and_says_what_is_wrong(arguments: list[str], words: str) -> None:
    plain = in_process(*arguments)
    assert plain.returncode == 2, plain.stderr
    assert words in plain.stderr
    assert "Traceback" not in plain.stderr
    assert plain.stdout == ""
    as_json = in_process(*arguments, "--json")
    assert as_json.returncode == 2
    assert words in json.loads(as_json.stdout)["error"]["message"]


def test_doctor_names_what_is_missing_and_how_to_get_it() -> None:
    done = in_process("doctor", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["ok"]
    for check in document["checks"]:
        assert check["ok"] or check["fix"]


def test_a_defect_of_ours_keeps_its_traceback_and_exits_with_three(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchwright.cli import doctor
    from benchwright.cli.main import main

    def broken() -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(doctor, "examine", broken)
    monkeypatch.setattr(sys, "argv", ["benchwright", "doctor"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 3
    assert "ZeroDivisionError: on purpose" in capsys.readouterr().err
