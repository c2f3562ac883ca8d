"""Whole jobs do no more than their budgets: pictures decoded and encoded, files and rows read, requests, bytes.

Counts, not seconds: a picture decoded once too often fails on any machine. The budgets are the smallest numbers that
the current implementation needs. After reducing a job's work, lower them here; if one has to be raised, state why.
`make bench` measures the same jobs in seconds and memory.
"""

from __future__ import annotations

import json
import shutil
import sys
import urllib.request
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from counted_work import ROOT, Work
from PIL import Image
from servers import serving

from benchwright.recipes import bundled_recipes

pytestmark = pytest.mark.slow

PICTURES, QUESTIONS = 6, 3
"""Photographs, a third of them turned by EXIF and a third WebP, and the questions about each in the imported exam."""
ITEMS = PICTURES * QUESTIONS
MODULES_OF_AN_UNCHANGED_RUN = 408
"""Of our own, those of SQLAlchemy's schema among them: the campaign asks the review store in every run."""


class Budget(NamedTuple):
    """The most that a job may do.

    Attributes:
        decoded: Pictures decoded, in full or reduced.
        decoded_each: Times that one picture is.
        encoded: Pictures encoded.
        encoded_each: Times that the same pixels are.
        opened_each: Times that the file of one picture is opened.
        rows: Rows read of Parquet files, without their pictures.
        rows_with_pictures: Rows read with their pictures.
        hashed_kb: Kilobytes of the files that are hashed as a whole, each time that they are; a tenth more than measured.
        written_kb: Kilobytes passed to the system, temporary files and pipes included; a tenth more than measured, and
            20 more where that is little, because how many workers a machine starts shows in their pipes.
    """

    decoded: int = 0
    decoded_each: int = 0
    encoded: int = 0
    encoded_each: int = 0
    opened_each: int = 0
    rows: int = 0
    rows_with_pictures: int = 0
    hashed_kb: int = 0
    written_kb: int = 0


BUDGETS: Mapping[str, Budget] = {
    # Pixels are compared in full; codes and visual words take JPEGs at a reduced size, which is cheaper than sharing the
    # full picture and gives other values. The decoder of the other two pictures has no reduced size: these share one.
    "duplicates": Budget(decoded=12, decoded_each=3, opened_each=5, rows=186, hashed_kb=1040, written_kb=900),
    # A part of a photograph that a task cut: encoded as PNG and, where it is released, as JPEG, each once; decoded for
    # the release, by the specialist that answers and for the page. Rows depend a little on the order of jobs. The
    # release is hashed as it is written; the step's note of what it made and scoring take that.
    "perception": Budget(
        decoded=64,
        decoded_each=4,
        encoded=56,
        encoded_each=1,
        opened_each=6,
        rows=520,
        rows_with_pictures=18,
        hashed_kb=3070,
        written_kb=11650,
    ),
    # The campaign reads its items, to see that their tasks are as they were; of other steps, what they removed.
    "nothing_changed": Budget(rows=30, hashed_kb=295, written_kb=40),
    # A seventh photograph: it and what is made of it are decoded and encoded; of the others some are on the run's page.
    # Of the release, the row groups that hold its two items are read with pictures, by two specialists and the report.
    "one_image_more": Budget(
        decoded=17,
        decoded_each=3,
        encoded=15,
        encoded_each=1,
        opened_each=5,
        rows=620,
        rows_with_pictures=12,
        hashed_kb=4000,
        written_kb=6800,
    ),
    # Only the two turned photographs are decoded, and encoded upright, by a worker, to which they go through a pipe; the
    # card shows an example, for which it looks at one. A file is read by the reader of questions, by ingest for its facts
    # and for what it says of its source, and by freeze to decide what becomes of it and to write it.
    "freeze": Budget(
        decoded=3, decoded_each=1, encoded=3, encoded_each=1, opened_each=5, rows=114, hashed_kb=480, written_kb=840
    ),
    # The card's example is held against the picture that it was taken from; every row is read once.
    "verify": Budget(decoded=2, decoded_each=1, rows_with_pictures=ITEMS, hashed_kb=257, written_kb=20),
    # Each of six drawings is held against the picture that it was drawn on, both decoded once; the card's example, and
    # the pictures that it was taken from, once.
    "verify_marked": Budget(decoded=16, decoded_each=2, rows_with_pictures=9, hashed_kb=2120, written_kb=20),
    # Each row is read once to be written, and once without pictures for its shape; what is expected to be read back lies
    # in a temporary file.
    "export_jsonl": Budget(opened_each=2, rows=ITEMS, rows_with_pictures=ITEMS, hashed_kb=121, written_kb=125),
    "export_webdataset": Budget(rows=ITEMS, rows_with_pictures=ITEMS, hashed_kb=341, written_kb=340),
    # Each picture is decoded to be measured, for what the adversary sees of it, and for the page. Its file is read for
    # these three, to be identified and hashed, and for what it says of people, places and its source.
    "audit": Budget(decoded=18, decoded_each=3, encoded=PICTURES, encoded_each=1, opened_each=7, written_kb=1620),
    # Pictures are sent as the release holds them, but for two in WebP: a server that may not read it gets PNG.
    "evaluate": Budget(
        decoded=2,
        decoded_each=1,
        encoded=2,
        encoded_each=1,
        rows=6 * ITEMS,
        rows_with_pictures=ITEMS,
        hashed_kb=103,
        written_kb=50,
    ),
    # Three columns of the release and three of the replies (what was said, how it ended, what was unread).
    "score": Budget(rows=6 * ITEMS, hashed_kb=104, written_kb=30),
    # Each picture is shown once on the page, as a preview.
    "report": Budget(
        decoded=PICTURES,
        decoded_each=1,
        encoded=PICTURES,
        encoded_each=1,
        rows=9 * ITEMS,
        rows_with_pictures=ITEMS,
        hashed_kb=103,
        written_kb=550,
    ),
}


class Jobs:
    """The jobs, each run once, when its counts or what it makes are first wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.photographs = folder / "photographs"
        _write_photographs(self.photographs)

    def _count(self, *words: object) -> Work:
        return Work.of(self.folder, sys.executable, "-m", "benchwright", *words)

    def _run(self, recipe: object, images: Path, workspace: str) -> Work:
        # One worker: what workers keep of a picture for the next step depends on who gets it.
        return self._count("run", recipe, "--images", images, "--workspace", self.folder / workspace, "--workers", 1)

    @cached_property
    def duplicates(self) -> Work:
        return self._count("filter", "duplicates", self.photographs, "--workers", 1, "--json")

    @cached_property
    def perception(self) -> Work:
        text = bundled_recipes()["perception"].read_text(encoding="utf-8")
        # At sixteen, shards of six pictures are mostly empty files.
        self._recipe.write_text(text.replace("shards: 16", "shards: 2"), encoding="utf-8")
        return self._run(self._recipe, self.photographs, "perception")

    @property
    def _recipe(self) -> Path:
        return self.folder / "perception.yaml"

    @cached_property
    def nothing_changed(self) -> Work:
        assert self.perception
        return self._run(self._recipe, self.photographs, "perception")

    @cached_property
    def one_image_more(self) -> Work:
        from skimage import data

        assert self.nothing_changed
        # Beside the folder in which the questions of other jobs look for their pictures.
        images, workspace = self.folder.with_name("photographs_and_one"), self.folder / "one_image_more"
        shutil.copytree(self.photographs, images)
        shutil.copytree(self.folder / "perception", workspace)
        Image.fromarray(np.ascontiguousarray(data.immunohistochemistry()[100:356, 60:380])).save(
            images / "6.jpg", quality=88
        )
        return self._run(self._recipe, images, workspace.name)

    @cached_property
    def freeze(self) -> Work:
        self._write_exam("exam.csv", "")
        steps = [{"step": "items", "file": "exam.csv"}, {"step": "freeze", "name": "exam", "version": "1.0"}]
        recipe = self.folder / "exam.yaml"
        recipe.write_text(json.dumps({"name": "exam", "seed": 3, "shards": 2, "steps": steps}), encoding="utf-8")
        return self._run(recipe, self.photographs, "exam")

    def _write_exam(self, name: str, folder: str) -> Path:
        """Write the questions; their pictures are named with a folder, if not empty."""
        rows = [
            f"What is number {number} of {path.stem}?,noise,silence,A,{folder}{path.name}"
            for path in sorted(self.photographs.iterdir())
            for number in range(QUESTIONS)
        ]
        (self.folder / name).write_text("\n".join(["question,A,B,answer,image", *rows]), encoding="utf-8")
        return self.folder / name

    @cached_property
    def audit(self) -> Work:
        questions = self._write_exam("audited.csv", f"{self.photographs.name}/")
        return self._count("audit", questions, "--out", self.folder / "audit", "--json")

    @property
    def release(self) -> Path:
        assert self.freeze
        return self.folder / "exam" / "releases" / "exam-1.0"

    @cached_property
    def verify(self) -> Work:
        return self._count("release", "verify", self.release)

    @cached_property
    def verify_marked(self) -> Work:
        assert self.perception
        return self._count("release", "verify", *(self.folder / "perception" / "releases").glob("perception-*"))

    def _export(self, name: str) -> Work:
        return self._count("release", "export", self.release, "--format", name, "--out", self.folder / name)

    @cached_property
    def export_jsonl(self) -> Work:
        return self._export("jsonl")

    @cached_property
    def export_webdataset(self) -> Work:
        return self._export("webdataset")

    @cached_property
    def evaluate(self) -> Work:
        stub = [sys.executable, str(ROOT / "tests" / "stub_endpoint.py"), "--port"]
        with serving(lambda port: [*stub, str(port)], log=self.folder / "stub.log", health="/health") as server:
            work = self._count(
                "evaluate", "run", self.release, "--model", "openai:stub", "--base-url", f"{server.url}/v1",
                "--out", self.folder / "results",
            )  # fmt: skip
            with urllib.request.urlopen(f"{server.url}/stats") as reply:
                self.requests = json.load(reply)["requests"]
        return work

    @cached_property
    def score(self) -> Work:
        import pyarrow.parquet as pq

        table = pq.read_table(self.release / "data", columns=["item_id"])
        lines = [json.dumps({**row, "answer": "A"}) for row in table.to_pylist()]
        (self.folder / "letters.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return self._count(
            "evaluate", "score", self.release, self.folder / "letters.jsonl", "--out", self.folder / "results"
        )

    @cached_property
    def report(self) -> Work:
        assert self.evaluate
        return self._count(
            "evaluate", "report", self.folder / "results", "--release", self.release, "--out", self.folder / "report"
        )


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    return Jobs(tmp_path_factory.mktemp("budgets") / "all")


def _write_photographs(folder: Path) -> None:
    from skimage import data

    folder.mkdir(parents=True)
    turned = Image.Exif()
    turned[274] = 6
    for number, source in enumerate(
        (data.astronaut(), data.chelsea(), data.coffee(), data.rocket(), data.hubble_deep_field(), data.retina())
    ):
        picture = Image.fromarray(np.ascontiguousarray(source[100:356, 60:380]))
        if number % 3 == 2:
            picture.save(folder / f"{number}.webp", quality=80)
        else:
            picture.save(folder / f"{number}.jpg", quality=88, **({"exif": turned} if number % 3 else {}))


def _done(work: Work) -> Budget:
    """Return what a job did, in the words of a budget."""
    return Budget(
        decoded=work.decoded.total(),
        decoded_each=max(work.decoded.values(), default=0),
        encoded=work.encoded.total(),
        encoded_each=max(work.encoded.values(), default=0),
        opened_each=max(work.pictures_opened(), default=0),
        rows=work.rows["without"],
        rows_with_pictures=work.rows["with pictures"],
        hashed_kb=work.hashed_bytes // 1000,
        written_kb=work.written_bytes // 1000,
    )


@pytest.mark.parametrize("job", BUDGETS)
def test_a_job_does_no_more_than_its_budget(jobs: Jobs, job: str) -> None:
    done, budget = _done(getattr(jobs, job))._asdict(), BUDGETS[job]._asdict()
    assert {what: (done[what], most) for what, most in budget.items() if done[what] > most} == {}


def test_the_files_of_a_release_are_at_most_1_3_times_the_pictures_they_show(jobs: Jobs) -> None:
    pictures = sum(path.stat().st_size for path in jobs.photographs.iterdir())
    assert sum(path.stat().st_size for path in (jobs.release / "data").iterdir()) <= 1.3 * pictures


def test_an_endpoint_is_asked_once_a_question(jobs: Jobs) -> None:
    assert jobs.evaluate
    assert jobs.requests == ITEMS


def test_a_run_that_changes_nothing_writes_no_table_picture_release_or_result(jobs: Jobs) -> None:
    workspace = jobs.folder / "perception"
    written = {path.relative_to(workspace).parts[0] for path in jobs.nothing_changed.wrote}
    assert written <= {"lock", "review.sqlite", "review.sqlite-turn", "runs", "tmp"}


def test_a_run_that_changes_nothing_imports_only_what_says_so(jobs: Jobs) -> None:
    imported = jobs.nothing_changed.modules
    unused = {"cv2", "pandas", "pyarrow.dataset", "scipy", "sqlalchemy.dialects.postgresql"}
    ours = {"construction.readers", "models.endpoints.client", "pipeline.request_plans", "replies.answers"}
    assert imported & (unused | {f"benchwright.{name}" for name in ours}) == set()
    assert sum(name.startswith("benchwright.") for name in imported) <= MODULES_OF_AN_UNCHANGED_RUN


def test_questions_are_frozen_and_verified_without_pandas(jobs: Jobs) -> None:
    assert "pandas" not in jobs.freeze.modules | jobs.verify.modules


def test_letters_are_scored_without_scipy_and_the_patterns_of_replies(jobs: Jobs) -> None:
    assert jobs.score.modules & {"pyarrow.dataset", "scipy", "benchwright.replies.answers"} == set()


_PROGRAM = """
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
from benchwright.images import decode_rgb
from benchwright.images.made_pictures import encode_jpeg

if __name__ == "__main__":
    path = Path(sys.argv[1])
    pixels = np.zeros((40, 30, 3), np.uint8)
    path.write_bytes(encode_jpeg(pixels))
    for method in ("spawn", "forkserver"):
        with ProcessPoolExecutor(1, mp_context=get_context(method)) as pool:
            pool.submit(decode_rgb, path).result()
    cv2.imencode(".png", pixels)
"""


_FREEZING = """
import sys
from pathlib import Path

from benchwright.release.format.parquet import PieceLimits
from benchwright.workspace.checked_files import checked_files
from benchwright.workspace.item_cache import pictures_of
from tests.small_bench import bench_of

folder, count = Path(sys.argv[1]), int(sys.argv[2])
bench = bench_of(count, 30_000)
(folder / "objects").mkdir(exist_ok=True)
for image_id, data in bench.files.items():
    (folder / "objects" / image_id).write_bytes(data)
checked, limits = checked_files(folder), PieceLimits(part_bytes=200_000, parts=8)
with pictures_of(folder / "cache") as store:
    release = bench.write(
        folder / f"tiny-{count}", version=f"0+{count}", store=store, limits=limits, note=checked.note,
        image_bytes=lambda record: (folder / "objects" / record.image_id).read_bytes(),
    )
for name in release.manifest.files:
    checked.digest(release.path / name)
"""


def test_a_draft_with_an_item_more_reads_one_part_and_hashes_each_file_once(tmp_path: Path) -> None:
    program, folder = tmp_path / "program.py", tmp_path / "workspace"
    program.write_text(_FREEZING, encoding="utf-8")
    folder.mkdir()
    first, more = (Work.of(folder, sys.executable, program, folder, count) for count in (40, 41))
    data = sum(path.stat().st_size for path in (folder / "tiny-41" / "data").iterdir())
    assert len(list((folder / "tiny-41" / "data").iterdir())) == 8
    opened = [sum(path.parent.name == "objects" for path in work.read) for work in (first, more)]
    # A part's, and those of the four items that the card could show.
    assert opened[0] == 40
    assert opened[1] <= 9 + 4
    assert first.hashed_bytes <= 1.1 * data
    assert more.hashed_bytes <= 1.1 * data


def test_work_in_every_process_is_counted(tmp_path: Path) -> None:
    program, picture = tmp_path / "program.py", tmp_path / "picture.jpg"
    program.write_text(_PROGRAM, encoding="utf-8")
    work = Work.of(tmp_path, sys.executable, program, picture)
    assert sorted(work.encoded.values()) == [1, 1]
    assert {form for form, _ in work.encoded} == {"JPEG", "OpenCV"}
    assert list(work.decoded.values()) == [2]
    assert len(work.decoders) == 2
    assert (work.read[picture], work.wrote[picture]) == (2, 1)
    assert work.written_bytes >= picture.stat().st_size
