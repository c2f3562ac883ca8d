"""Making a report: reads results and release once, in parallel, and writes the page."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError
from benchwright.record_map import Kept, RecordMap, map_here
from benchwright.release import Release
from benchwright.texts.normalization import counted
from benchwright.workspace.atomic import replacing
from benchwright.workspace.item_cache import ItemCache

from ..prompting.release_files import check_files
from ..results.score import Score, read_scores

if TYPE_CHECKING:
    from benchwright.progress import Progress
    from benchwright.review_files.findings import Findings

    from .content.pictures import MakePictures

REPORT_FILE = "report.html"
_MAX_SIDE_PX = 384


class WrittenReport(NamedTuple):
    """Facts about a report that was written.

    Args:
        path: File of the page.
        release: Name and version of the release.
        release_id: Id of the release.
        models: Titles of the models, by name.
        items: Number of items in the split.
        shown: Number of items on the page.
        pictures: Number of pictures and layers of marks on the page.
        size_bytes: Size of the page in bytes.
        data: Folder with its data as JSON and CSV.
    """

    path: Path
    release: str
    release_id: str
    models: tuple[str, ...]
    items: int
    shown: int
    pictures: int
    size_bytes: int
    data: Path

    def document(self) -> dict[str, Any]:
        """Return the facts as JSON values."""
        return {
            "report": str(self.path),
            "release": self.release,
            "release_id": self.release_id,
            "models": list(self.models),
            "items": self.items,
            "shown": self.shown,
            "pictures": self.pictures,
            "size_bytes": self.size_bytes,
            "data": str(self.data),
        }

    def describe(self) -> str:
        """Return the facts as one line of text."""
        return (
            f"report: {self.path} ({self.size_bytes / 1e6:.1f} MB; {counted(len(self.models), 'model')}, "
            f"{self.shown:,} of {counted(self.items, 'item')}, {counted(self.pictures, 'picture')}); data in "
            f"{self.data}"
        )


def write_report(
    results: Path,
    release: Release | Path,
    *,
    out: Path | None = None,
    max_items: int | None = None,
    max_side_px: int = _MAX_SIDE_PX,
    data: Path | None = None,
    findings: Path | None = None,
    shortcuts: Path | None = None,
    cache: ItemCache | None = None,
    record_map: RecordMap = map_here,
    progress: Progress | None = None,
) -> WrittenReport:
    """Write the report on all models in a folder of results.

    Equal results and an equal release give identical bytes. Memory does not grow with the release except for the ids of
    its items; pictures go through a temporary file.

    Args:
        results: Folder of results that `evaluate run` wrote.
        release: Release on which the models were scored.
        out: File for the page; `<results>/report.html` if None. It replaces an older report there.
        max_items: Largest number of items on the page; if there are more, it shows a sample by split and task. If None,
            as many as fit into about 5 MB, between 24 and 500.
        max_side_px: Longest side of the pictures on the page, in pixels.
        data: Folder for the same data as JSON and CSV; if None, a folder next to the page, named after it with `-data`.
        findings: File of an error analysis of these models, as `review results` writes it.
        shortcuts: File that `filter shortcuts` printed with `--json`; the page shows its best solvers with the models.
        cache: Cache of reduced pictures, kept between reports; no cache if None.
        record_map: Mapper that applies the reduction to pictures; by default in this process.
        progress: Receiver of progress reports.

    Raises:
        BenchwrightError: `out` exists and is not a report, or cannot be written.
        DataError: There are no results, they belong to a different release or are damaged, or the release is damaged.
    """
    from benchwright.diagnostics.keys.item_analysis import discrimination, proportion_right
    from benchwright.release.format.human_baseline import read_human_baseline

    from ..analysis.comparison import comparison_over_all
    from ..analysis.reply_matrix import read_reply_matrix
    from ..analysis.same_items import samples_of
    from ..item_response.calibration import fitted_replies
    from ..metrics.base import task_numbers
    from ..results.human_baseline import human_figures
    from .content.label_sums import LabelSums
    from .content.pairs import pair_lines
    from .content.people import people_of, people_tables
    from .content.reference_points import read_cheats, reference_points
    from .content.score_table import board_of
    from .data_files import ItemTable, folder_of, prepare, write_report_data, write_scores
    from .gathering import ItemObservers, Spool, gather, strata
    from .page import PageContents, write_page
    from .page_budget import affordable_items

    target = out or results / REPORT_FILE
    folder = data or folder_of(target)
    made = _picture_maker(cache, record_map)
    _refuse_foreign_file(target)
    opened = release if isinstance(release, Release) else Release.open(release)
    scores = read_scores(results)
    _check_release(scores[0], opened, results)
    error_findings = None if findings is None else _findings(findings, opened)
    check_files(opened, scores[0].split)
    items = list(strata(opened, scores[0].split))
    human, baseline = human_figures(opened, scores[0].split), read_human_baseline(opened)
    people = people_of(human, baseline)
    sheet = read_reply_matrix(results, scores, opened)
    comparison = comparison_over_all(sheet)
    board = board_of(scores, people, comparison.ranking, comparison.why_no_ranks)
    scores = [line.score for line in board.lines]
    prepare(folder)
    with TemporaryDirectory(prefix="benchwright-") as scratch:
        spool = Spool(Path(scratch))
        with spool, ItemTable(folder, [line.model for line in board.lines]) as table:
            beside = ItemObservers(
                table,
                LabelSums(),
                proportion_right(sheet.right, sheet.asked),
                discrimination(sheet.right, sheet.asked, task_numbers(sheet.items.column("task"))[1]),
            )
            gathered = gather(
                results,
                opened,
                scores,
                people,
                items,
                spool,
                beside,
                max_items=affordable_items(results, opened, scores, items, max_side_px=max_side_px, made=made)
                if max_items is None
                else max_items,
                max_side_px=max_side_px,
                made=made,
                progress=progress,
            )
        pairs = pair_lines(sheet, comparison, [line.model for line in board.lines])
        samples = samples_of(sheet, baseline or {})
        shown = PageContents(
            opened,
            board,
            pairs,
            comparison,
            people_tables(human, samples),
            reference_points(board, {} if shortcuts is None else read_cheats(shortcuts)),
            beside.sums,
            beside.difficulty,
            fitted_replies(sheet),
            error_findings,
            gathered,
            max_side_px,
        )
        try:
            write_scores(folder, scores)
            write_report_data(
                folder, opened, board, comparison, pairs, shown.reference_points, beside.sums, samples, error_findings
            )
            with replacing(target) as draft:
                write_page(draft, shown, spool)
        except OSError as error:
            raise BenchwrightError(f"{target} cannot be written: {error.strerror or error}") from error
    return WrittenReport(
        target,
        scores[0].release,
        opened.release_id,
        tuple(score.title for score in scores),
        gathered.items,
        gathered.shown,
        gathered.pictures,
        target.stat().st_size,
        folder,
    )


def _picture_maker(cache: ItemCache | None, record_map: RecordMap) -> MakePictures:
    from .content.pictures import WantedPicture, page_picture

    kept = Kept(cache or ItemCache(None), WantedPicture.kept_as)
    return partial(record_map, page_picture, what="pictures", kept=kept)


def _findings(path: Path, release: Release) -> Findings:
    """Return the findings of an error analysis.

    Raises:
        DataError: The findings belong to a different release.
    """
    from benchwright.review_files.findings import read_findings

    findings = read_findings(path)
    if findings.release_id != release.release_id:
        raise DataError(
            f"{path} is an error analysis on {findings.release} (release {findings.release_id[:12]}), and "
            f"{release.path} is release {release.release_id[:12]}; give the error analysis of this release, or none"
        )
    return findings


def _check_release(score: Score, release: Release, results: Path) -> None:
    if score.release_id != release.release_id:
        raise DataError(
            f"{results} contains scores on {score.release} (release {score.release_id[:12]}), but {release.path} is "
            f"{release.name} {release.version} (release {release.release_id[:12]}); give the release that was scored"
        )


def _refuse_foreign_file(path: Path) -> None:
    """Refuse to replace any file other than a report page, because only such a page can be reproduced.

    Raises:
        BenchwrightError: The file is not a report, or its folder does not exist.
    """
    if not path.parent.is_dir():
        raise BenchwrightError(f"{path.parent} is not a folder; create it, or give another path with --out")
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise BenchwrightError(f"{path} exists and is not a regular file; give another name with --out")
    if path.exists():
        from .page import GENERATOR

        with path.open("rb") as handle:
            start = handle.read(2000)
        if f'<meta name="generator" content="{GENERATOR}">'.encode() not in start:
            raise BenchwrightError(f"{path} exists and is not a report of this command; give another name with --out")
