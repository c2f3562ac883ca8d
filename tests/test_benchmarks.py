"""Benchmarks measure what works: a job that fails ends the run, memory is the job's own, and imports do not rot."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"


def _python(*words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, check=False, cwd=FOLDER, timeout=300)


def test_a_job_that_fails_ends_the_run_with_its_error() -> None:
    done = _python("-c", "import sys, measuring; measuring.cost_of([sys.executable, '-c', 'import no_such_thing'])")
    assert done.returncode == 1
    assert "No module named 'no_such_thing'" in done.stderr
    assert "nothing is measured" in done.stderr


def test_the_memory_of_a_job_is_its_own(tmp_path: Path) -> None:
    job = "import sys; sys.path.insert(0, '.'); from measuring import peak_mb; print(peak_mb())"
    parent = "import subprocess, sys; held = bytearray(300 << 20); subprocess.run([sys.executable, '-c', sys.argv[1]])"
    assert float(_python("-c", parent, job).stdout) < 200


_MEASURED = """
import sys
from measuring import cost_of
held = bytearray(300 << 20)
print(cost_of([sys.executable, "-c", "import time; x = bytearray(150 << 20); del x; time.sleep(0.4)"]).peak_mb)
print(cost_of([sys.executable, "-c", "import time; time.sleep(0.2)"]).peak_mb)
"""


def test_a_short_peak_of_a_job_counts_and_the_memory_of_its_parent_does_not() -> None:
    done = _python("-c", _MEASURED)
    short, small = map(float, done.stdout.split())
    assert 150 <= short < 200
    assert 0 < small < 60


_JOBS = """
import sys, kept_results, whole_jobs
from pathlib import Path
from whole_jobs import Row

def fails(bench):
    raise SystemExit("no such disk")
    yield

def works(bench):
    for name, peer in ("works", 2.0), ("short", 0.01):
        yield Row(name, "nothing", *({"cpu_s": cpu_s, "peak_mb": 1.0, "written_mb": 0.0} for cpu_s in (3.0, peer)))

whole_jobs.Bench = lambda folder, sizes: None
whole_jobs.JOBS = {"fails": fails, "works": works}
kept_results.FILE = Path(sys.argv.pop(1))
whole_jobs.main()
"""


@pytest.mark.slow
def test_a_job_that_fails_fails_the_run_after_the_others_ran_and_all_is_kept(tmp_path: Path) -> None:
    kept = tmp_path / "results" / "kept.jsonl"
    first, second = (_python("-c", _JOBS, kept, *more) for more in ([], ["--jobs", "works"]))
    assert first.returncode == 1
    assert "failed: fails (SystemExit: no such disk)" in first.stderr
    assert [line.split()[-7:-4] for line in first.stdout.splitlines()[1:]] == [["2.0", "1.50", "-"], ["0.0", "-", "-"]]
    assert second.returncode == 0
    assert [line.split()[-7:-4] for line in second.stdout.splitlines()[1:]] == [
        ["2.0", "1.50", "1.50"],
        ["0.0", "-", "-"],
    ]
    runs = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [(sorted(run["jobs"]), sorted(run["failed"])) for run in runs] == [
        (["short", "works"], ["fails"]),
        (["short", "works"], []),
    ]
    assert runs[0]["machine"]["cores"]


_FED = """
import json, random_weights, sys
import numpy as np
from pathlib import Path
from PIL import Image
from fed_card import fed
from benchwright.construction.manipulation.manipulate import Manipulate

folder = Path(sys.argv[1])
random_weights.TINY["sam.pth"](folder / "sam.pth")
pictures = [folder / f"{number}.jpg" for number in range(3)]
for number, path in enumerate(pictures):
    noise = np.random.default_rng(number).integers(0, 256, (90, 120 + number, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
masks = {"by": "segment_anything", "weights": "sam.pth"}
step = Manipulate.model_validate({"masks": masks}, context={"folder": folder})
print(json.dumps(fed("sam", step, folder / "sam.pth", pictures, work=folder, pictures_in_all=12)))
"""


@pytest.mark.slow
def test_a_sam_whose_encoder_is_with_the_card_is_fed_beside_a_plain_loop(tmp_path: Path) -> None:
    for needed in ("torch", "segment_anything"):
        if find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    job = "import sys; sys.path.insert(0, '../tests'); exec(sys.argv.pop(1))"
    done = _python("-c", job, _FED, tmp_path)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert measured["failed"] == 0
    assert min(measured[name] for name in ("loop_per_s", "fed_per_s")) > 0


@pytest.mark.slow
def test_scoring_is_measured_to_its_end(tmp_path: Path) -> None:
    done = _python("scoring.py", "--folder", tmp_path / "s", "--items", 30)
    assert done.returncode == 0, done.stderr
    assert {job["exit_code"] for job in json.loads(done.stdout)["measured"].values()} == {0}


def test_what_benchmarks_import_of_benchwright_is_there() -> None:
    paths = sorted(FOLDER.glob("*.py"))
    assert paths
    assert {path.name: missing for path in paths if (missing := list(_missing_imports(path)))} == {}


def _missing_imports(path: Path) -> Iterator[str]:
    """Yield each missing name that a benchmark imports, including those of jobs in texts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    programs = [tree, *(program for text in texts if "import " in text and (program := _parsed(text)) is not None)]
    for node in (node for program in programs for node in ast.walk(program)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "benchwright":
            module = __import__(str(node.module), fromlist=["*"])
            for alias in node.names:
                if not hasattr(module, alias.name) and find_spec(f"{node.module}.{alias.name}") is None:
                    yield f"{node.module}.{alias.name}"


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None
