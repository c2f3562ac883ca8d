"""The common part of all tests: their tiers, the real data next to the checkout, and a count per group at the end.

Tiers are markers (`pyproject.toml`) that a test gets from its folder or from the servers that it starts; `slow` and
`thorough` are set explicitly. `make test-fast` runs tests without any of them, `make test` also slow ones, `make
test-outside` those that need a browser, a server or another environment, and `make test-thorough` the long walks among
these, which need not run for every change.

A group is a folder of `tests/`. With BENCHWRIGHT_REQUIRE_ALL set, as in continuous integration, a skipped test fails
the run, unless it is skipped because the data next to the checkout is absent.
"""

from __future__ import annotations

import os

# Several test processes share the processors: more threads in each would wait for one another by spinning. The
# libraries imported below read this on import.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import re
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest
from chat_server import running_chat_server
from engine_here import with_few_shards, without_workers
from first_store import stores_made_once
from served_vlm import running_served_vlm

from benchwright.release.format.manifest import read_manifest
from benchwright.release.verification.contents import check_contents

__all__ = ["running_chat_server", "running_served_vlm"]
"""Fixtures of other modules, for all tests."""

# A busy machine is no failure, and the same tree gives the same result: `--hypothesis-profile explore` draws anew.
hypothesis.settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("explore", deadline=None)
hypothesis.settings.load_profile("repeatable")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background ignores the signal; programs under test would inherit that and could not be interrupted.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parent.parent
TIER_OF_FOLDER = {
    "browser": "browser",
    "tutorials": "thorough",
    "label_studio": "environment",
    "paddle": "environment",
    "consumers": "environment",
    "installs": "thorough",
    "e2e": "slow",
}
WITHOUT_TIERS = re.compile(r"not \((\w+(?: or \w+)*)\)")
"""The marker expressions of `make test` and `make test-fast`."""
MARK_OF_MODULE = re.compile(r"^pytestmark = .*$", re.MULTILINE)
TIER_OF_FIXTURE = {"postgres": "server", "served_vlm": "server", "machines": "server"}
SHARED = ROOT.parent / "shared" / "data"
NO_DATA = "the data beside the checkout is absent"


@pytest.fixture(scope="session")
def ii_bench() -> Path:
    """II-Bench's dev set and 250 test questions: 285 image files of 246 images, with known duplicates."""
    folder = SHARED / "ii_bench"
    if not folder.is_dir():
        pytest.skip(NO_DATA)
    return folder


@pytest.fixture(scope="session")
def published_data() -> Path:
    """Folder with `mvp_bench`, `blink` and `ii_bench`: published files of four, three and one models."""
    if not all((SHARED / name / "expected.json").is_file() for name in ("mvp_bench", "blink", "ii_bench")):
        pytest.skip(NO_DATA)
    return SHARED


@pytest.fixture(autouse=True)
def _contents_checked_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare every verification of a release the separate process that protects it from hostile Parquet.

    The tests of the release format keep that process, and so do commands that a test runs as processes.
    """
    if "release" not in request.path.parent.parts:
        monkeypatch.setattr(
            "benchwright.release.verification.verify.check_contents_apart",
            lambda root: check_contents(root, read_manifest(root)[0]),
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Spare a test, and fixtures that it is the first to use, work outside its point.

    Recipes run in this process and in two shards unless the test asks for workers, a new store in a file is a copy of
    the first, and writes do not wait for the disk, since no power cut is expected.
    """
    with pytest.MonkeyPatch.context() as patch:
        if item.get_closest_marker("workers") is None:
            without_workers(patch)
            with_few_shards(patch)
        stores_made_once(patch)
        patch.setattr(os, "fsync", lambda _file: None)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Disable the collector of cycles during the collection of thousands of tests, none of which is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip modules whose whole tier this run leaves out: reading one takes longer than many a test.

    These are folders of such a tier, and modules with it in their `pytestmark`.
    """
    without = WITHOUT_TIERS.fullmatch(config.option.markexpr)
    if without is None or not collection_path.is_relative_to(ROOT / "tests"):
        return None
    tiers = without[1].split(" or ")
    if any(TIER_OF_FOLDER.get(name) in tiers for name in collection_path.relative_to(ROOT / "tests").parts):
        return True
    if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
        return None
    marked = MARK_OF_MODULE.search(collection_path.read_text(encoding="utf-8"))
    return True if marked and any(f"pytest.mark.{tier}" in marked[0] for tier in tiers) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        tiers = {TIER_OF_FOLDER.get(name) for name in item.path.relative_to(ROOT / "tests").parts[:-1]}
        tiers |= {TIER_OF_FIXTURE.get(name) for name in getattr(item, "fixturenames", ())}
        for tier in tiers - {None}:
            item.add_marker(tier)


def _group(report: pytest.TestReport | pytest.CollectReport) -> str:
    parts = report.nodeid.split("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "tests"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.getreports(outcome):
            if outcome != "passed" or report.when == "call":
                counts.setdefault(_group(report), Counter())[outcome] += 1
    terminalreporter.section("tests per group")
    for group, found in sorted(counts.items()):
        terminalreporter.write_line(f"{group:14} " + ", ".join(f"{n} {what}" for what, n in sorted(found.items())))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not os.environ.get("BENCHWRIGHT_REQUIRE_ALL") or exitstatus != 0:
        return
    unexcused = [report for report in reporter.getreports("skipped") if NO_DATA not in str(report.longrepr)]
    if unexcused:
        reporter.write_line(f"{len(unexcused)} tests were skipped where none may be: {unexcused[0].nodeid}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
