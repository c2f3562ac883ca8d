"""An audit of a source: runs its checks, and writes their findings as a report and a page."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchwright.engines import default_workers
from benchwright.errors import BenchwrightError, StorageError
from benchwright.machine.storage_faults import is_of_the_machine, naming, storage_fault
from benchwright.progress import Progress, Silent
from benchwright.raised import RaisedError
from benchwright.workspace.atomic import write_json
from benchwright.workspace.item_cache import ItemCache

from .check import BLIND, CUE_POWERS, FOUND, AuditCheck, AuditContext, CheckSkipped
from .evidence import MEASURES, given_replies
from .fewest_changes import with_fewest_changes
from .findings.baseline import Baseline, read_baseline, write_baseline
from .findings.finding import Finding, by_weight
from .findings.page import write_page
from .findings.report import DOCUMENT, AuditReport, CheckRun
from .picture_measures import PictureMeasures
from .registry import all_checks
from .safety_classifier import load_safety
from .source.audited_items import AuditedItems, UnreadableRow
from .source.kept_values import KeptValues, KnownPictures
from .source.reading import read_source

if TYPE_CHECKING:
    from benchwright.diagnostics.meaning.wordnet import WordNet
    from benchwright.diagnostics.models.sentence_model import SentenceModel
    from benchwright.diagnostics.models.unsafe_labels import UnsafeLabels
    from benchwright.models.endpoints.chat import ChatSettings

logger = logging.getLogger(__name__)

_CACHE = "cache"
"""Folder of measured values, inside the output folder; users can delete it at any time."""
_FILES, _ORIGINS = "audit picture files 1", "audit origins 1"
_MEMORY_MB = 400
_UNEXPECTED = 3
"""Exit code if a check raised an unexpected exception."""
_CACHE_BYTES = 4 << 30


class AuditSettings(NamedTuple):
    """Settings of an audit.

    Args:
        pictures: Folder of the pictures if they lie elsewhere.
        columns: Column names by field, for columns whose names are not recognizable.
        against: Collections with which to compare pictures and questions.
        corpora: Texts to search for questions: files, or folders with files.
        replies: Replies of models, each as the model's name (empty if the file states it) and the file.
        people: Files of answers that people gave without seeing the key.
        allowed_licences: Allowed licenses of pictures.
        model: Model behind an endpoint that checks may query about questions and pictures; None if there is none.
        unsafe: Settings of the step `safety`, whose model finds unsafe pictures; None skips that check.
        wordnet: Folder of a WordNet in Princeton's file format (WNDB), for the meanings of options and questions; None
            if there is none.
        sentences: Folder of a sentence model for the library `transformers`, used to find paraphrased questions; None
            if there is none.
        ocr: Whether to read the text in pictures, which takes seconds per picture and needs the extra `filters`.
        workers: Number of processes; None for one per processor, as far as memory allows.
        baseline: File of accepted findings.
        write_baseline: File for a new baseline that accepts all findings.
    """

    pictures: Path | None = None
    columns: Mapping[str, str | int | list[str]] = {}
    against: tuple[Path, ...] = ()
    corpora: tuple[Path, ...] = ()
    replies: tuple[tuple[str, Path], ...] = ()
    people: tuple[Path, ...] = ()
    allowed_licences: tuple[str, ...] = ()
    model: ChatSettings | None = None
    unsafe: UnsafeLabels | None = None
    wordnet: Path | None = None
    sentences: Path | None = None
    ocr: bool = False
    workers: int | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None


def audit(
    source: Path,
    out: Path,
    settings: AuditSettings | None = None,
    *,
    checks: Sequence[AuditCheck] | None = None,
    progress: Progress | None = None,
    shown: Callable[[str], None] | None = None,
) -> AuditReport:
    """Return the audit of a source, and write it as a page and as JSON.

    Args:
        source: File of questions, folder or archive with such files, or release.
        out: Folder of the output, created if missing: `audit.html`, `audit.json`, and measured values in `cache/`.
            Files of an earlier audit are replaced.
        settings: Settings; None for the defaults.
        checks: Checks to run; None for all.
        progress: Receiver of progress reports; none by default.
        shown: Function that receives each line about the reading of the source, before any check runs.

    Raises:
        DataError: The source contains no questions or cannot be read, or the baseline file is not a baseline.
        PrerequisiteError: The folder in `unsafe` contains no classifier, that in `wordnet` no WordNet, or that in
            `sentences` no model, or the content is damaged.
        BenchwrightError: The output cannot be written, the classifier lacks a label, or a file of replies is unusable.
    """
    settings = settings or AuditSettings()
    progress = progress or Silent()
    accepting = Baseline() if settings.baseline is None else read_baseline(settings.baseline)
    safety = None if settings.unsafe is None else load_safety(settings.unsafe)  # before hours of work
    wordnet, sentences = _meaning(settings)
    if out.exists() and not out.is_dir():
        raise BenchwrightError(f"{out} is a file; give a folder for the audit with --out")
    with naming(out):
        (out / _CACHE).mkdir(parents=True, exist_ok=True)
    progress.phase("reading", 0, "items")
    with ItemCache(out / _CACHE / "measures.sqlite", max_bytes=_CACHE_BYTES) as cache:
        context = AuditContext(
            cache,
            out / _CACHE,
            against=settings.against,
            corpora=settings.corpora,
            replies=settings.replies,
            people=settings.people,
            allowed_licences=settings.allowed_licences,
            model=settings.model,
            safety=safety,
            wordnet=wordnet,
            sentences=sentences,
            ocr=settings.ocr,
            workers=settings.workers or default_workers(_MEMORY_MB),
            progress=progress,
        )
        known_pictures = KnownPictures(KeptValues(cache, _FILES), KeptValues(cache, _ORIGINS))
        audited = read_source(
            source,
            objects=out / _CACHE / "objects",
            pictures=settings.pictures,
            columns=settings.columns,
            known=known_pictures,
        )
        known_pictures.save()
        for line in audited.reading:
            if shown is not None:
                shown(line)
        if settings.replies or settings.people:
            given_replies(audited, context)  # an unusable file is reported before any work
        runs: list[CheckRun] = []
        findings: list[Finding] = context.memo.setdefault(FOUND, [])
        progress.phase("checks", 0, "items")
        for check in all_checks() if checks is None else checks:
            run, found = _run(check, audited, context)
            found = [with_fewest_changes(finding, audited) for finding in found]
            runs.append(run)
            findings += found
        audited = _with_broken_pictures(audited, context)
        new, accepted = accepting.divide(sorted(findings, key=by_weight))
        report = AuditReport(
            audited,
            tuple(runs),
            tuple(new),
            tuple(accepted),
            blind=context.memo.get(BLIND),
            cue_powers=context.memo.get(CUE_POWERS, ()),
        )
        progress.phase("page", 0, "pictures")
        report = replace(report, page=write_page(report, out, cache))
    write_json(out / DOCUMENT, report.to_json())
    if settings.write_baseline is not None:
        known = read_baseline(settings.write_baseline) if settings.write_baseline.exists() else accepting
        write_baseline(settings.write_baseline, known.with_findings(findings))
    return report


def _meaning(settings: AuditSettings) -> tuple[WordNet | None, SentenceModel | None]:
    """Return the WordNet and the sentence model that the settings name."""
    wordnet = sentences = None
    if settings.wordnet is not None:
        from benchwright.diagnostics.meaning.wordnet import WordNet

        wordnet = WordNet(settings.wordnet)
    if settings.sentences is not None:
        from benchwright.diagnostics.models.sentence_model import load_sentences

        sentences = load_sentences(settings.sentences)
    return wordnet, sentences


def _with_broken_pictures(audited: AuditedItems, context: AuditContext) -> AuditedItems:
    """Return the audited source, with the pictures that could not be decoded added to its unreadable pictures."""
    measured: Mapping[str, PictureMeasures] = context.memo.get(MEASURES, {})
    broken = [
        UnreadableRow(audited.pictures[image_id].name, measures.failed)
        for image_id, measures in measured.items()
        if measures.failed is not None
    ]
    return replace(audited, unreadable=(*audited.unreadable, *sorted(broken)))


def _run(check: AuditCheck, audited: AuditedItems, context: AuditContext) -> tuple[CheckRun, list[Finding]]:
    """Run a check; skip it if it lacks an input, and record its exception without stopping other checks.

    Raises:
        StorageError: The disk is full or fails, which would make every other check fail too.
    """
    started = time.perf_counter()
    context.failed.clear()
    found: list[Finding] = []
    run = CheckRun(check.name, check.title, "done")
    try:
        for finding in check.run(audited, context):
            found.append(finding)
    except CheckSkipped as error:
        run = run._replace(state="skipped", why=str(error))
    except (StorageError, MemoryError):
        raise
    except BenchwrightError as error:
        run = run._replace(state="failed", why=str(error), exit_code=error.exit_code)
    except Exception as error:
        if (fault := storage_fault(error)) is not None and is_of_the_machine(error):
            raise fault from error
        logger.warning("the check %s failed", check.name, exc_info=True)
        run = run._replace(state="failed", why=str(RaisedError.of(error)), exit_code=_UNEXPECTED)
    finally:
        context.save_values()
    if context.failed and run.state != "failed":
        failed_on = audited.in_order(
            item_id
            for failed in context.failed
            for item_id in (
                *failed.item_ids,
                *(one for it in failed.pictures for one in audited.items_of_picture.get(it, ())),
            )
        )
        why = str(context.failed[0].error)
        run = run._replace(state="failed", why=why, failed_on=failed_on, exit_code=_UNEXPECTED)
    run = run._replace(findings=len(found), seconds=time.perf_counter() - started)
    logger.info("%s: %d findings in %.1f s", check.name, len(found), run.seconds)
    return run, found
