"""Output to a terminal: no control codes from strangers; our colors arrive.

- Commands print messages of endpoints, names of files and splits, and texts, escaped, even in error messages.
- Every path is cleaned: prints, logs, warnings, tracebacks, threads, tables, bars, and lines above bars.
- Colors of tables and movements of bars arrive.
- With `--json`, programs read the same texts as before.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chat_server import ChatServer
from small_bench import bench_of
from terminal_runs import on_terminal, python_on_terminal
from walks import benchwright, command

from benchwright.terminal.output import emit

EVIL = "\x1b]0;owned\x07\x1b[8mhidden\x9b2J\u202egnp\r"
"""Sets the title of a window, hides text, clears the screen, turns the order, and begins the line anew."""

_ALL_WAYS = f"""
import logging, sys, threading, traceback, warnings
from benchwright.terminal.cleaning import clean_standard_streams
from benchwright.terminal.progress_bars import ProgressBars
from benchwright.terminal.output import emit, note
from benchwright.evaluation.results.summary import drawn
from rich.table import Table
from rich import box
evil = {EVIL!r}
clean_standard_streams()
emit({{}}, as_json=False, text="emitted " + evil)
emit({{"name": "document " + evil}}, as_json=True, text="")
note("noted " + evil)
print("printed", evil)
print("written to errors", evil, file=sys.stderr)
sys.stdout.writelines(["lines " + evil + "\\n"])
logging.getLogger("strange").warning("logged %s", evil)
warnings.warn("warned " + evil)
try:
    raise RuntimeError("raised " + evil)
except RuntimeError:
    traceback.print_exc()
def fail():
    raise RuntimeError("thread " + evil)
thread = threading.Thread(target=fail)
thread.start()
thread.join()
table = Table("head " + evil, box=box.SIMPLE_HEAD, header_style="bold red")
table.add_row("cell " + evil)
emit({{}}, as_json=False, text=lambda: "above\\n" + drawn(table))
with ProgressBars() as bars:
    bars.phase("phase " + evil, 3)
    bars.beside("beside " + evil)
    bars.warn("warning " + evil)
    note("noted above " + evil)
    print("printed above", evil)
    bars.advance(3)
"""
_WAYS = (
    "emitted", "document", "noted", "printed", "written to errors", "lines", "logged", "warned", "raised", "thread",
    "head", "cell", "phase", "beside", "warning", "noted above", "printed above",
)  # fmt: skip


def commanded(received: str) -> list[str]:
    """Return the commands of a stranger that a terminal got."""
    parts = {"\x1b]0;": "title", "\x07": "bell", "\x1b[8m": "conceal", "\x9b": "clear", "\u202e": "order"}
    return [name for part, name in parts.items() if part in received]


@pytest.fixture(scope="module")
def all_ways() -> str:
    code, received = python_on_terminal(_ALL_WAYS)
    assert code == 0, received
    return received


def test_a_terminal_obeys_nobody_by_any_way(all_ways: str) -> None:
    assert commanded(all_ways) == []
    assert "gnp\r" not in all_ways.replace("\r\n", "\n")


@pytest.mark.parametrize("way", _WAYS)
def test_what_came_by_every_way_is_shown_escaped(way: str, all_ways: str) -> None:
    assert f"{way} \\x1b]0;owned" in all_ways or f"{way} \\u001b]0;owned" in all_ways


def test_colours_of_tables_and_movements_of_bars_are_ours_and_arrive(all_ways: str) -> None:
    assert "\x1b[1;31mhead" in all_ways.replace("\x1b[1;31m head", "\x1b[1;31mhead")
    assert "\x1b[?25l" in all_ways  # the cursor hides while bars are drawn
    assert "\ufdd0" not in all_ways


@pytest.mark.slow
def test_what_an_endpoint_says_is_shown_escaped(tmp_path: Path) -> None:
    release = bench_of(2, 300).write(tmp_path / "r")
    server = ChatServer()
    server.behave = lambda words, attempt, handler: server.say(handler, 400, {"error": {"message": f"no {EVIL}"}})
    try:
        words = [
            "evaluate",
            "run",
            release.path,
            "--model",
            "openai:m",
            "--base-url",
            server.url,
            "--out",
            tmp_path / "o",
        ]
        _, received = on_terminal(command(*words))
    finally:
        server.close()
    assert "no \\x1b]0;owned" in received.replace("\r\n", "")
    assert commanded(received) == []


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["release", "verify", f"no {EVIL}"], id="file"),
        pytest.param(["release", "export", "{release}", "--format", "jsonl", "--out", "o", "--splits", f"no {EVIL}"], id="split"),
        pytest.param([f"no {EVIL}"], id="command"),
    ],
)  # fmt: skip
def test_a_mistake_shows_names_escaped(words: list[str], tmp_path: Path) -> None:
    if "{release}" in words:
        bench_of(1, 300).write(tmp_path / "r")
    code, received = on_terminal(command(*(word.format(release=tmp_path / "r") for word in words)), cwd=tmp_path)
    assert code == 2
    assert "owned" in received
    assert commanded(received) == []


def test_an_unexpected_error_keeps_its_traceback_escaped() -> None:
    program = (
        "from benchwright.cli import main as cli\n"
        f"def fail(words): raise RuntimeError({EVIL!r})\n"
        "cli.invoke = fail\n"
        "cli.main()"
    )
    code, received = python_on_terminal(program)
    assert code == 3
    assert "RuntimeError: \\x1b]0;owned" in received
    assert commanded(received) == []


def test_programs_read_the_same_texts_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    document = {f"no {EVIL}": "\U000e0041 می\u200cخواهم 👩\u200d🚀 \udcff"}
    emit(document, as_json=True, text="")
    printed = capsys.readouterr().out
    assert json.loads(printed) == document
    assert commanded(printed) == []
    assert "می\u200cخواهم 👩\u200d🚀" in printed


def test_an_output_in_ascii_gets_every_text_escaped(tmp_path: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = benchwright("release", "verify", f"nö {EVIL}", env=env, cwd=tmp_path)
    assert "\\x1b]0;owned" in done.stderr
    assert commanded(done.stderr) == []
