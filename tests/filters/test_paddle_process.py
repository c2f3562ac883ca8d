"""The connection to PaddleOCR's process: frames return as they were sent, and no failure of the other side is fatal.

The other side is played by small scripts here; tests/paddle talks to PaddleOCR itself.
"""

from __future__ import annotations

import io
import json
import stat
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.diagnostics.picture_text import paddle_process, paddle_worker
from benchwright.diagnostics.picture_text.paddle import PaddleText, paddle_python
from benchwright.diagnostics.picture_text.paddle_models import PaddleModel, PaddleModels
from benchwright.diagnostics.picture_text.paddle_process import PaddleDied, PaddleProcess
from benchwright.diagnostics.picture_text.paddle_worker import FrameError, read_frame, write_frame
from benchwright.errors import PrerequisiteError

GREETING = {"format": paddle_worker.FORMAT, "version": "0", "models": "none"}
PICTURE = np.zeros((4, 5, 3), np.uint8)
BEGIN = f"""#!{sys.executable}
import json, os, struct, sys, time
sys.path.insert(0, {str(Path(paddle_worker.__file__).parent)!r})
from paddle_worker import read_frame, write_frame
sys.stdin, out = sys.stdin.buffer, sys.stdout.buffer
asked = read_frame(sys.stdin)
write_frame(out, {GREETING!r})
"""


@pytest.fixture
def plays(tmp_path: Path) -> Any:
    """Return a function that makes an interpreter which runs a script of ours, whatever it is asked to run."""

    def make(script: str, begin: str = BEGIN) -> Path:
        program = tmp_path / "python"
        program.write_text(begin + script, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return program

    return make


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.lists(st.tuples(json_values, st.binary(max_size=50)), max_size=4))
def test_frames_come_back_as_they_were_sent(frames: list[tuple[Any, bytes]]) -> None:
    pipe = io.BytesIO()
    for document, pixels in frames:
        write_frame(pipe, document, pixels)
    pipe.seek(0)
    assert [read_frame(pipe) for _ in frames] == frames
    assert read_frame(pipe) is None


@given(st.binary(min_size=1, max_size=40))
def test_bytes_that_are_no_frame_are_refused(noise: bytes) -> None:
    pipe = io.BytesIO(noise)
    try:
        frame = read_frame(pipe)
    except FrameError:
        return
    assert frame is not None
    assert len(noise) >= 8 + sum(struct.unpack(">II", noise[:8]))


def test_a_frame_of_terabytes_is_refused_unread() -> None:
    with pytest.raises(FrameError, match="exceeds the limit"):
        read_frame(io.BytesIO(struct.pack(">II", 2**32 - 1, 2**32 - 1) + b"x" * 99))


def test_what_is_no_number_is_never_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_frame(io.BytesIO(), [float("nan")])


ANSWERS_ONE = "asked = read_frame(sys.stdin)\nwrite_frame(out, {'answer': asked[0]['sizes']})\n"


def test_a_process_that_ended_is_started_anew(plays: Any) -> None:
    process = PaddleProcess(plays(ANSWERS_ONE), {})  # it ends after each answer
    assert [process.read([PICTURE] * count) for count in (1, 2, 3)] == [[[4, 5]] * count for count in (1, 2, 3)]
    process.close()


def test_a_picture_over_which_three_processes_end_is_blamed(plays: Any, tmp_path: Path) -> None:
    count = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n"
    process = PaddleProcess(plays(count + "read_frame(sys.stdin)\nos._exit(9)\n"), {})
    with pytest.raises(PaddleDied, match="3 paddleocr processes"):
        process.detect(PICTURE)
    assert (tmp_path / "starts").read_text() == "xxx"
    assert process.pid is None


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("out.write(b'hello from a library\\n' * 9); out.flush()", id="what a library prints"),
        pytest.param("out.write(struct.pack('>II', 2**31, 0)); out.flush()", id="two gigabytes"),
        pytest.param("out.write(struct.pack('>II', 90, 0) + b'{}'); out.flush()", id="cut short"),
        pytest.param("write_frame(out, ['no object'])", id="a list"),
        pytest.param("out.write(struct.pack('>II', 99999, 0) + b'[' * 99999); out.flush()", id="a deep nest"),
    ],
)
def test_answers_that_are_none_end_the_process_and_never_the_worker(answer: str, plays: Any) -> None:
    process = PaddleProcess(plays(f"read_frame(sys.stdin)\n{answer}\n"), {})
    with pytest.raises(PaddleDied):
        process.detect(PICTURE)


def test_a_process_that_says_nothing_is_given_up(plays: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paddle_process, "ANSWER_S", 0.05)
    process = PaddleProcess(plays("time.sleep(60)\n"), {})
    with pytest.raises(PaddleDied):
        process.detect(PICTURE)


@pytest.mark.parametrize(
    ("begin", "script", "words"),
    [
        (f"#!{sys.executable}\n", "raise SystemExit(3)\n", "ended with exit status 3"),
        (f"#!{sys.executable}\n", "print('Python 3.11')\n", "exceeds the limit"),
        (BEGIN.replace("write_frame(out, {'format'", "write_frame(out, {'form'"), "", "uses another format"),
        (BEGIN.replace(repr(GREETING), "{'format': 1, 'error': 'no such model'}"), "", "no such model"),
        ("not a program", "", "cannot be started"),
    ],
    ids=["ends", "prints", "another format", "says why", "is no program"],
)
def test_an_interpreter_that_does_not_serve_is_told_with_what_it_said(
    begin: str, script: str, words: str, plays: Any
) -> None:
    with pytest.raises(PrerequisiteError, match=rf"{words}.*make paddle"):
        PaddleProcess(plays(script, begin), {})


MODELS = PaddleModels(PaddleModel("det", None), PaddleModel("rec", None))


@pytest.mark.parametrize(
    "answer",
    [
        {"boxes": []},
        [{"corners": [[0, 0], [1, 1]], "confidence": 1}],
        [{"corners": [[0, 0], [1, 1], [2, "x"]], "confidence": 1}],
        [{"corners": [[0, 0], [1, 1], [2, 1e999]], "confidence": 1}],
        [{"corners": [[0, 0], [1, 1], [2, 2]], "confidence": "x"}],
        [{"corners": [[0, 0], [1, 1], [2, 2]]}],
        [7],
        [[]] * 10_001,
    ],
)
def test_boxes_that_are_none_are_refused(answer: Any, plays: Any) -> None:
    text = json.dumps(answer)
    script = f"read_frame(sys.stdin)\ntext = {text!r}.encode()\ntext = b'{{\"answer\": ' + text + b'}}'\n"
    script += "out.write(struct.pack('>II', len(text), 0) + text); out.flush(); sys.stdin.read(1)\n"
    engine = PaddleText(MODELS, confidence=0.3, python=plays(script))
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        engine.detect(PICTURE)


def test_as_many_readings_as_lines_are_wanted(plays: Any) -> None:
    engine = PaddleText(MODELS, confidence=0.3, python=plays(ANSWERS_ONE.replace("asked[0]['sizes']", "[]")))
    assert engine.read([]) == []
    with pytest.raises(ValueError, match="one reading per line"):
        engine.read([PICTURE])


def test_the_setting_comes_before_the_variable_and_starts_from_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mine", "other"):
        (tmp_path / name).write_text("")
    monkeypatch.setenv("BENCHWRIGHT_PADDLE_PYTHON", str(tmp_path / "other"))
    assert paddle_python("mine", beside=tmp_path) == tmp_path / "mine"
    assert paddle_python(None, beside=tmp_path) == tmp_path / "other"


def test_without_any_paddleocr_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("BENCHWRIGHT_PADDLE_PYTHON", raising=False)
    monkeypatch.setitem(sys.modules, "paddleocr", None)
    with pytest.raises(PrerequisiteError, match=r"make paddle.*BENCHWRIGHT_PADDLE_PYTHON"):
        paddle_python(None, beside=tmp_path)
    with pytest.raises(PrerequisiteError, match=r"setting `python`: gone is not a file"):
        paddle_python("gone", beside=tmp_path)
