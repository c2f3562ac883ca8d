"""An audit of a source: its checks are run, and their findings become a report and a page."""

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
from .evidence import MEASURES, brought_replies
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
"""Folder, below the output, of what was measured; it can be deleted at any time."""
_FILES, _ORIGINS = "audit picture files 1", "audit origins 1"
_MEMORY_MB = 400
_UNEXPECTED = 3
"""Exit code where a check raised what nobody foresaw."""
_CACHE_BYTES = 4 << 30


class AuditSettings(NamedTuple):
    """Settings of an audit.

    Args:
        pictures: Folder of the pictures where they lie elsewhere.
        columns: Columns by field where their names do not tell.
        against: Collections that pictures and questions are compared with.
        corpora: Texts that questions are looked for in: files, or folders with files.
        replies: Replies of models: name of the model, empty where the file says it, and the file.
        people: Files of people's answers, given without the key.
        allowed_licences: Licences that pictures may have.
        model: Model behind an endpoint that checks may ask about questions and pictures; None asks none.
        unsafe: Settings of the step `safety`, whose model says which pictures are unsafe; None looks for none.
        wordnet: Folder of a WordNet in Princeton's files (WNDB), for what options and questions mean; None for none.
        sentences: Folder of a sentence model of transformers, for questions asked in other words; None for none.
        ocr: Whether the text in pictures is read, which takes seconds a picture and the extra `filters`.
        workers: Number of processes; None for one a processor, as memory allows.
        baseline: File of accepted findings.
        write_baseline: File to which a baseline that accepts all that was found is written.
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
    """Return what is wrong with the items of a source, and write it as a page and as JSON.

    Args:
        source: File of questions, folder or archive with such files, or release.
        out: Folder of the output, made where it is not there: `audit.html`, `audit.json`, and in `cache/` what was
            measured. Files of an earlier audit are replaced.
        settings: Settings; the defaults where None.
        checks: Checks to run; all where None.
        progress: Receiver of progress; default none.
        shown: Function that is called with each line that says how the source is read, before anything is checked.

    Raises:
        DataError: The source holds no questions, or cannot be read; or the baseline is none.
        PrerequisiteError: There is no classifier in the folder of `unsafe`, no WordNet in that of `wordnet` or no model
            in that of `sentences`, or it is damaged.
        BenchwrightError: The output cannot be written, the classifier lacks a label, or a file of replies is of no use.
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
            brought_replies(audited, context)  # a file of no use is known before any work
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
    """Return the WordNet and the sentence model that settings name."""
    wordnet = sentences = None
    if settings.wordnet is not None:
        from benchwright.diagnostics.meaning.wordnet import WordNet

        wordnet = WordNet(settings.wordnet)
    if settings.sentences is not None:
        from benchwright.diagnostics.models.sentence_model import load_sentences

        sentences = load_sentences(settings.sentences)
    return wordnet, sentences


def _with_broken_pictures(audited: AuditedItems, context: AuditContext) -> AuditedItems:
    """Return what was audited, with the pictures that only decoding showed to be broken among what is unreadable."""
    measured: Mapping[str, PictureMeasures] = context.memo.get(MEASURES, {})
    broken = [
        UnreadableRow(audited.pictures[image_id].name, measures.failed)
        for image_id, measures in measured.items()
        if measures.failed is not None
    ]
    return replace(audited, unreadable=(*audited.unreadable, *sorted(broken)))


def _run(check: AuditCheck, audited: AuditedItems, context: AuditContext) -> tuple[CheckRun, list[Finding]]:
    """Run a check; one that lacks something is skipped, and what one raises is recorded and ends no other.

    Raises:
        StorageError: The disk is full or fails: no other check could go on either.
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
