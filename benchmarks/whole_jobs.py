"""Whole jobs as users start them, each compared with a peer or the simplest equivalent, in one run.

    make bench                                              # small sizes: under ten minutes on two cores
    .venv/bin/python benchmarks/whole_jobs.py --size full   # 300 photographs, 5,000 files, 150,000 letters
    .venv/bin/python benchmarks/whole_jobs.py --jobs freeze score

Every side is a separate process; processor seconds, memory and bytes cover all its processes. The ratio is that of
processor seconds: compare it between runs, and seconds only within one. A line with commit and machine is appended to
`benchmarks/results/whole_jobs.jsonl`. A failed job fails the run, after the others have run. `tests/budgets` has the
same jobs, small, measured by their decoding, encoding, reading and writing.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import freeze_release
import scoring
from composites import write_composites
from kept_results import keep, last_ratios, result_of, table
from measuring import Cost, benchwright, compile_modules, cost_of

import audit
from benchwright.cli.demo import prepare_photographs

HERE = Path(__file__).resolve().parent
_MEASURABLE_S = 0.1
"""Shortest processor time of a peer for a ratio, in seconds; systems count in hundredths."""

FAST = "not (slow or browser or server or environment or thorough)"


class Sizes(NamedTuple):
    """The size of each job.

    Attributes:
        photographs: Photographs of 320 to 640 pixels: duplicates, perception, blink.
        items: Number of audited questions, with a picture each.
        upright: Number of frozen JPEG files of 170 kB.
        turned: Number of JPEG files of 12 megapixels with three questions each.
        webp: Number of WebP files of one megapixel with five questions each.
        letters: Number of scored answers.
    """

    photographs: int
    items: int
    upright: int
    turned: int
    webp: int
    letters: int


SIZES = {"small": Sizes(40, 200, 500, 2, 40, 20_000), "full": Sizes(300, 1434, 5_000, 4, 1_187, 150_000)}


class Row(NamedTuple):
    """One job: its name, its peer, and the cost of both."""

    name: str
    beside: str
    ours: dict[str, Any]
    peer: dict[str, Any]


class Bench:
    """The folder of a run, with the photographs and results that several jobs use.

    Args:
        folder: An empty folder.
        sizes: Size of each job.
    """

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder, self.sizes = folder, sizes
        self.photographs = folder / "photographs"
        prepare_photographs(folder / "demo")
        write_composites(folder / "demo", self.photographs, sizes.photographs)

    def duplicates(self) -> Iterator[Row]:
        """Search for copies among photographs."""
        ours = cost_of(benchwright("filter", "duplicates", self.photographs, "--workers", 2, "--json"))
        yield _row("duplicates", "imagehash", ours, self._plain("hash", self.photographs, self.folder / "pairs"))

    def perception(self) -> Iterator[Row]:
        """Turn photographs into a scored release, and repeat with nothing changed, and with one photograph more."""
        run = self._run("perception")
        least = self._plain("make", self.photographs, self.folder / "made")
        yield _row("perception", "decode, warp, encode", cost_of(run), least)
        start = self._plain("start")
        yield _row("nothing changed", "imports of a run", cost_of(run), start)
        write_composites(self.folder / "demo", self.photographs, self.sizes.photographs + 1)
        yield _row("one image added", "decode, warp, encode", cost_of(run), least)
        workspace = self.folder / "perception"
        [release] = _newest(workspace / "releases")
        page = self._plain("page", release, self.folder / "page")
        report = benchwright(
            "evaluate", "report", workspace / "results", "--release", release, "--out", self.folder / "report.html"
        )
        yield _row("report", "decode, reduce, encode", cost_of(report), page)

    def blink(self) -> Iterator[Row]:
        """Turn photographs into items that wait for annotators."""
        ours = cost_of(self._run("blink"))
        yield _row(
            "blink", "decode, warp, encode", ours, self._plain("make", self.photographs, self.folder / "for_blink")
        )

    def audit(self) -> Iterator[Row]:
        """Audit an existing benchmark."""
        folder = self.folder / "audited"
        folder.mkdir()
        audit.write_questions(folder, self.sizes.items)
        ours = cost_of(benchwright("audit", folder / "q.csv", "--out", folder / "audit", "--json"))
        yield _row("audit", "imagehash", ours, self._plain("hash", folder / "images", folder / "pairs"))

    def freeze(self) -> Iterator[Row]:
        """Freeze upright, turned and WebP pictures into releases, and verify and export these."""
        for kind, count in (
            ("upright", self.sizes.upright), ("turned", self.sizes.turned), ("webp", self.sizes.webp)
        ):  # fmt: skip
            folder = self.folder / kind
            (folder / "pictures").mkdir(parents=True)
            freeze_release.write(kind, folder / "pictures", count)
            costs = freeze_release.measured(kind, folder, exports=True)["costs"]
            yield Row(f"freeze {kind}", "copy and hash", costs["freeze"], costs["copy with checksums"])
            yield Row(f"freeze {kind} again", "copy and hash", costs["freeze again"], costs["copy with checksums"])
            yield Row(f"verify {kind}", "sha256sum", costs["verify"], costs["sha256sum"])
            if kind == "upright":  # releases of the others are too small for a difference
                above = freeze_release.above_start(costs)
                yield Row(f"verify {kind}, above its start", "sha256sum", above, costs["sha256sum"])
            for name, plain in freeze_release.FORMATS.items():
                yield Row(f"export {kind}, {name}", plain, costs[name], costs[plain])

    def score(self) -> Iterator[Row]:
        """Score letters with intervals."""
        folder = self.folder / "scoring"
        folder.mkdir()
        release = folder / "release"
        scoring.write(release, self.sizes.letters)
        letters = scoring.predictions(folder / "letters.jsonl", release, "letters")
        ours = cost_of(benchwright("evaluate", "score", release, letters, "--out", folder / "results", "--json"))
        yield _row("score", "pyarrow, no intervals", ours, self._plain("score", release, letters))

    def tests(self) -> Iterator[Row]:
        """Run the fast tier of the tests."""
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", FAST]
        collected = cost_of([*pytest, "--collect-only", "-n", "0", str(HERE.parent / "tests")])
        yield _row("tests", "collecting them", cost_of([*pytest, "-n", "2", str(HERE.parent / "tests")]), collected)

    def _plain(self, *words: object) -> Cost:
        return cost_of([sys.executable, str(HERE / "plain_jobs.py"), *map(str, words)])

    def _run(self, recipe: str) -> list[str]:
        workspace = self.folder / recipe
        return benchwright("run", recipe, "--images", self.photographs, "--workspace", workspace, "--workers", 2)


JOBS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    "duplicates": Bench.duplicates,
    "perception": Bench.perception,
    "blink": Bench.blink,
    "audit": Bench.audit,
    "freeze": Bench.freeze,
    "score": Bench.score,
    "tests": Bench.tests,
}


def _row(name: str, beside: str, ours: Cost, peer: Cost) -> Row:
    return Row(name, beside, ours.to_json(), peer.to_json())


def _ratio(row: Row) -> float | None:
    """Return our processor time divided by the peer's; None if the peer's is too short to be measured."""
    return round(row.ours["cpu_s"] / row.peer["cpu_s"], 2) if row.peer["cpu_s"] >= _MEASURABLE_S else None


def _newest(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime_ns)[-1:]


def run(names: list[str], sizes: Sizes) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the jobs' costs by name, and the reasons of failed ones; each runs whether or not others failed."""
    jobs: dict[str, Any] = {}
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), sizes)
        for job in names:
            try:
                for row in JOBS[job](bench):
                    ratio = _ratio(row)
                    jobs[row.name] = {"beside": row.beside, "ratio": ratio, "ours": row.ours, "peer": row.peer}
                    times = f"{row.peer['cpu_s']} s of" if ratio is None else f"{ratio} times"
                    print(f"{row.name}: {row.ours['cpu_s']} s, {times} {row.beside}", file=sys.stderr, flush=True)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the others run
                failures[job] = f"{type(error).__name__}: {error}"
                print(f"{job} FAILED: {failures[job]}", file=sys.stderr, flush=True)
    return jobs, failures


def main() -> None:
    """Run the jobs, store their costs, and print them next to the last run's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=sorted(SIZES), default="small")
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), help="all but `tests` by default")
    parser.add_argument("--tests", action="store_true", help="measure the fast tier of the tests as well")
    given = parser.parse_args()
    names = given.jobs or [name for name in JOBS if name != "tests"]
    if given.tests and "tests" not in names:
        names.append("tests")
    compile_modules()
    last = last_ratios(given.size)
    jobs, failures = run(names, SIZES[given.size])
    result = result_of(jobs, failures, size=given.size)
    keep(result)
    print(table(result, last))
    if failures:
        raise SystemExit("failed: " + "; ".join(f"{job} ({why.splitlines()[-1]})" for job, why in failures.items()))


if __name__ == "__main__":
    main()
