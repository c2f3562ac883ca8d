"""Whole jobs as people start them, each beside a peer or the plain job that does the least possible, in one run.

    make bench                                              # small sizes: under ten minutes on two cores
    .venv/bin/python benchmarks/whole_jobs.py --size full   # 300 photographs, 5,000 files, 150,000 letters
    .venv/bin/python benchmarks/whole_jobs.py --jobs freeze score

Every side is a process of its own; processor seconds, memory and bytes are those of all its processes together. The
ratio is that of processor seconds: compare it between runs, and seconds only within one. A line with commit and machine
is added to `benchmarks/results/whole_jobs.jsonl`. A job that fails fails the run, after the others have run.
`tests/budgets` holds the same jobs, small, by what they decode, encode, read and write.
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
FAST = "not (slow or browser or server or environment or thorough)"


class Sizes(NamedTuple):
    """How much each job gets.

    Attributes:
        photographs: Photographs of 320 to 640 pixels: duplicates, perception, blink.
        items: Questions with a picture each that are audited.
        upright: JPEG files of 170 kB that are frozen.
        turned: JPEG files of 12 megapixels with three questions each.
        webp: WebP files of one megapixel with five questions each.
        letters: Answers that are scored.
    """

    photographs: int
    items: int
    upright: int
    turned: int
    webp: int
    letters: int


SIZES = {"small": Sizes(40, 200, 500, 2, 40, 20_000), "full": Sizes(300, 1434, 5_000, 4, 1_187, 150_000)}


class Row(NamedTuple):
    """One job: its name, what it stands beside, and what both cost."""

    name: str
    beside: str
    ours: dict[str, Any]
    peer: dict[str, Any]


class Bench:
    """The folder of a run, with the photographs and results that several jobs use.

    Args:
        folder: An empty folder.
        sizes: How much each job gets.
    """

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        self.folder, self.sizes = folder, sizes
        self.photographs = folder / "photographs"
        prepare_photographs(folder / "demo")
        write_composites(folder / "demo", self.photographs, sizes.photographs)

    def duplicates(self) -> Iterator[Row]:
        """Copies among photographs."""
        ours = cost_of(benchwright("filter", "duplicates", self.photographs, "--workers", 2, "--json"))
        yield _row("duplicates", "imagehash", ours, self._plain("hash", self.photographs, self.folder / "pairs"))

    def perception(self) -> Iterator[Row]:
        """Photographs to a scored release, and the same again with nothing changed, and with one photograph more."""
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
        """Photographs to items that wait for people."""
        ours = cost_of(self._run("blink"))
        yield _row(
            "blink", "decode, warp, encode", ours, self._plain("make", self.photographs, self.folder / "for_blink")
        )

    def audit(self) -> Iterator[Row]:
        """A benchmark that exists."""
        folder = self.folder / "audited"
        folder.mkdir()
        audit.write_questions(folder, self.sizes.items)
        ours = cost_of(benchwright("audit", folder / "q.csv", "--out", folder / "audit", "--json"))
        yield _row("audit", "imagehash", ours, self._plain("hash", folder / "images", folder / "pairs"))

    def freeze(self) -> Iterator[Row]:
        """Upright, turned and WebP pictures to releases, which are verified and exported."""
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
        """Letters to scores with intervals."""
        folder = self.folder / "scoring"
        folder.mkdir()
        release = folder / "release"
        scoring.write(release, self.sizes.letters)
        letters = scoring.predictions(folder / "letters.jsonl", release, "letters")
        ours = cost_of(benchwright("evaluate", "score", release, letters, "--out", folder / "results", "--json"))
        yield _row("score", "pyarrow, no intervals", ours, self._plain("score", release, letters))

    def tests(self) -> Iterator[Row]:
        """The fast tier of the tests."""
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


def _newest(folder: Path) -> list[Path]:
    return sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime_ns)[-1:]


def run(names: list[str], sizes: Sizes) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what the jobs cost, by their names, and why others failed; each runs whether or not others failed."""
    jobs: dict[str, Any] = {}
    failures: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), sizes)
        for job in names:
            try:
                for row in JOBS[job](bench):
                    ratio = round(row.ours["cpu_s"] / max(0.01, row.peer["cpu_s"]), 2)
                    jobs[row.name] = {"beside": row.beside, "ratio": ratio, "ours": row.ours, "peer": row.peer}
                    print(f"{row.name}: {row.ours['cpu_s']} s, {ratio} times {row.beside}", file=sys.stderr, flush=True)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it is, the others run
                failures[job] = f"{type(error).__name__}: {error}"
                print(f"{job} FAILED: {failures[job]}", file=sys.stderr, flush=True)
    return jobs, failures


def main() -> None:
    """Run the jobs, keep what they cost, and print it beside the last run."""
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
