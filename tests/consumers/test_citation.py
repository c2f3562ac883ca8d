"""cffconvert, the reference tool for `CITATION.cff`, accepts the citation of every release as valid."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from consumer_runs import offline
from small_bench import small_bench

from benchwright.release.format.statements import Statements


@pytest.fixture(scope="session")
def cffconvert(consumer_python: Path) -> Path:
    """The folder of cffconvert, which lies apart since it wants older libraries than the other tools."""
    folder = consumer_python.parents[1] / "cff"
    if not folder.is_dir():
        pytest.skip("no cffconvert beside the tools that read exports: make consumers")
    return folder


def validated(python: Path, cffconvert: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    program = "from cffconvert.cli.cli import cli; cli()"
    return subprocess.run(
        [python, "-c", program, "--validate"], capture_output=True, text=True, check=False, timeout=60, cwd=folder,
        env=offline(folder) | {"PYTHONPATH": str(cffconvert)},
    )  # fmt: skip


STATED = {
    "nothing": {},
    "authors": {"authors": ["Ada Example", "Ångström: the group, no. 1", "\u05d0\u05d1 \U0001f600"]},
    "url": {"authors": ["A"], "url": "https://example.org/a?b=1&c=d#e"},
}


@pytest.mark.parametrize("licence", ["cc-by-4.0", None, "all rights reserved", "my own licence: no. 1"])
@pytest.mark.parametrize("stated", STATED.values(), ids=STATED)
def test_the_citation_is_valid(
    consumer_python: Path, cffconvert: Path, tmp_path: Path, stated: dict[str, object], licence: str | None
) -> None:
    release = small_bench().write(tmp_path / "r", statements=Statements.model_validate(stated), licence=licence)
    shutil.copy(release.path / "CITATION.cff", tmp_path)
    done = validated(consumer_python, cffconvert, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "valid according to schema version 1.2.0" in done.stdout


@pytest.mark.parametrize("change", [{"authors": []}, {"type": "benchmark"}, {"license": "my own"}, {"url": "example"}])
def test_what_the_format_forbids_is_refused(
    consumer_python: Path, cffconvert: Path, tmp_path: Path, change: dict[str, object]
) -> None:
    release = small_bench().write(tmp_path / "r")
    cited = yaml.safe_load((release.path / "CITATION.cff").read_text(encoding="utf-8"))
    (tmp_path / "CITATION.cff").write_text(yaml.safe_dump(cited | change), encoding="utf-8")
    assert validated(consumer_python, cffconvert, tmp_path).returncode != 0
