"""Scoring a model on a release: ask under a protocol, read, judge, count, write.

Up to three models are asked: the scored one, another that the protocol names for a round, and a judge.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace as replace_in
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.canonical import digest, file_digest
from benchwright.errors import BenchwrightError
from benchwright.files.parquet_tables import ParquetTable
from benchwright.progress import Progress, Silent
from benchwright.questions.own_ids import OwnIds
from benchwright.record_map import RecordMap, map_here
from benchwright.release import Release
from benchwright.release.format.blind_strategy import read_blind_strategy
from benchwright.replies.readers import READERS, ROBUST
from benchwright.rooms import catalogue
from benchwright.statistics.resampling import RESAMPLES
from benchwright.workspace.atomic import replacing, write_json
from benchwright.workspace.item_cache import ItemCache
from benchwright.workspace.private_files import make_private_folder

from .ask import EvaluationPlan, ModelContext, ask_rounds
from .backends.answer_files import ANSWERS_FILE, AnswerHead, answer_lines
from .backends.base import Backend, BackendContext, labelled, parse_model
from .backends.options import BackendOptions
from .backends.predictions import PredictionsFile
from .backends.result_names import identity_of, slug
from .given_predictions import judged_tables
from .item_response.subset import SUBSET_FILE
from .item_sample import whole_estimates
from .judging.judge import MAX_TOKENS
from .prompting.prompts import VANILLA
from .prompting.release_files import check_files, columns_of
from .protocols.base import Protocol
from .protocols.names import parse_protocol
from .protocols.sampled import draws_of, sampled
from .result_folder import refuse_others, result_folder, results_folder, warn_of_replacement
from .results.judged_predictions import JudgedWriter
from .results.metric_rows import read_metric_rows, with_labels
from .results.outcomes import Outcomes, has_words, letters_or_words, no_answers, outcomes_of
from .results.run_progress import RunProgress, TokenUsage
from .results.score import MAX_ERRORS, PREDICTIONS_FILE, SCORE_FILE, Score, figures, read_score
from .results.unread import unread_in

if TYPE_CHECKING:
    import pyarrow as pa

    from benchwright.statistics.proportions import Estimate

    from .item_response.subset import Subset
    from .judging.judge import Judge
    from .judging.judge_queue import JudgeQueue


def _contexts_of(
    plan: EvaluationPlan,
    backend: Backend,
    options: BackendOptions,
    logs: Path | None,
    item_cache: ItemCache,
    record_map: RecordMap,
    *,
    other_releases: bool,
) -> list[ModelContext]:
    """Return the model for each round: the scored one, or another that the protocol names."""
    contexts = []
    for number in range(plan.protocol.rounds):
        other_model = plan.protocol.model_of_round(number, options)
        asked_backend = backend if other_model is None else parse_model(*other_model)
        contexts.append(
            ModelContext(
                asked_backend,
                _backend_context(plan, asked_backend, logs, item_cache, record_map, other_releases=other_releases),
            )
        )
    return contexts


def _backend_context(
    plan: EvaluationPlan,
    backend: Backend,
    logs: Path | None,
    item_cache: ItemCache,
    record_map: RecordMap,
    *,
    other_releases: bool,
) -> BackendContext:
    return BackendContext(
        release_id=plan.release.release_id,
        content_id=plan.release.content_id,
        item_ids=cache(lambda: _item_ids(plan.release)),
        own_ids=cache(lambda: _own_ids(plan.release)),
        log_folder=None if logs is None else logs / slug(backend.name),
        other_releases=other_releases,
        labelled=partial(labelled, plan.release),
        cache=item_cache,
        record_map=record_map,
    )


def _judge_queue_of(
    judge: Judge,
    plan: EvaluationPlan,
    options: BackendOptions,
    logs: Path | None,
    scratch: Path,
    item_cache: ItemCache,
    record_map: RecordMap,
    other_releases: bool,
) -> JudgeQueue:
    """Return the queue that collects replies for a judge."""
    from .judging.judge_queue import JudgeQueue

    backend = parse_model(judge.model, judge.options(options)) if isinstance(judge.model, str) else judge.model
    backend_context = _backend_context(plan, backend, logs, item_cache, record_map, other_releases=other_releases)
    return JudgeQueue(judge, backend, backend_context, scratch / "judge-queue.jsonl")


def _item_ids(release: Release) -> frozenset[str]:
    """Return the ids of all items in all splits, without reading any picture."""
    check_files(release, None)
    batches = columns_of(release, None, ["item_id"])
    return frozenset(item_id for batch in batches for item_id in batch.column("item_id").to_pylist())


def _own_ids(release: Release) -> OwnIds:
    """Return the items of all splits by their ids in the source, without reading any picture."""
    check_files(release, None)
    batches = columns_of(release, None, ["item_id", "attributes"])
    columns = ((batch.column("item_id").to_pylist(), batch.column("attributes").to_pylist()) for batch in batches)
    return OwnIds(pair for ids, attributes in columns for pair in zip(ids, attributes, strict=True))


READER_VERSION = 4
"""Version to raise when a reply may be read differently than before; it is part of a score's settings."""


def evaluate(
    release: Release | Path,
    model: str | Backend,
    *,
    protocol: str | Protocol = VANILLA,
    reader: str = ROBUST,
    judge: Judge | None = None,
    split: str | None = None,
    out: Path | None = None,
    log_folder: Path | None = None,
    options: BackendOptions | None = None,
    replace: bool = False,
    cache: ItemCache | None = None,
    max_errors: float = MAX_ERRORS,
    name: str | None = None,
    limit: int | None = None,
    subset: Subset | None = None,
    progress: Progress | None = None,
    record_map: RecordMap = map_here,
) -> Score:
    """Score a model on a release.

    On a sealed split, whose answers are not in the release, the score has no metrics; its field `answers` names the
    answer file in `out`, which is for the keeper of the key.

    The files to be read are first compared with the release's manifest. Memory does not grow with the release except
    for about 100 bytes per item while metrics are computed. Equal replies from a backend give identical bytes.

    Args:
        release: Release, or its folder.
        model: Backend, or its name, such as `constant:A`.
        protocol: Protocol under which items are asked, or its name and settings, such as `shuffle:k=3`.
        reader: Reader that finds letters in replies: `robust`, or a paper's exact reader
            (`benchwright.replies.readers`).
        judge: Model that reads the replies that the robust reader cannot read; None for no judge.
        split: Name of the split to ask; all splits if None.
        out: Folder for results, which go to a folder in it named by model, protocol, reader and settings
            (`results_name`), as `predictions.parquet` and `score.json`; if None, nothing is written.
        log_folder: Folder for logs of replies, each in a folder named by the model; `out` if None.
        options: Options of the model; the defaults if None.
        replace: Whether results from a different release or split may be overwritten.
        cache: Cache, kept between runs, for replies that depend only on a single question; None for no cache.
        max_errors: Proportion of errors among the asked items, 0 to 1, above which the score is unfit.
        name: Name of the result in lists, in place of the model's name.
        limit: Number of items to ask, a stratified sample (`item_sample`), above 0; all items if None.
        subset: Subset to ask in place of all items (`item_response.subset`); not together with `limit`.
        progress: Receiver of progress reports.
        record_map: Mapper that applies a program that answers questions one by one; by default in this process.

    Raises:
        BenchwrightError: The model or split does not exist, or `out` contains other results.
        DataError: The release is damaged, or predictions do not match it.
        CheckFailed: The first questions all failed in the same way; there is no score, and an earlier one is kept.
    """
    opened = release if isinstance(release, Release) else Release.open(release)
    setting = parse_protocol(protocol) if isinstance(protocol, str) else protocol
    effective = setting.decoding(options or BackendOptions())
    backend = parse_model(model, effective) if isinstance(model, str) else model
    setting = sampled(setting, effective, backend)
    effective = effective.model_copy(update={"scored": backend.name})
    if reader not in READERS:
        raise BenchwrightError(f"unknown reader {reader!r}; choose from {', '.join(READERS)}")
    if split is not None and split not in opened.splits:
        raise BenchwrightError(f"{opened.path} has no split {split!r}; it has {', '.join(opened.splits)}")
    sealed = sealed_splits_asked(opened, split)
    if subset is not None:
        _refuse_beside_subset(setting, limit)
    if sealed and (limit is not None or subset is not None):
        raise BenchwrightError(
            f"an answer file answers all items, and {', '.join(sealed)} is sealed; leave out --limit, or try the "
            "model on an open split (--split NAME --limit N)"
        )
    if sealed and judge is not None:
        raise BenchwrightError("a judge reads replies at scoring; give it to `evaluate score --key`")
    if judge is not None and reader != ROBUST:
        raise BenchwrightError(f"a judge needs the reader {ROBUST!r}; {reader!r} reads as its paper does, without one")
    with tempfile.TemporaryDirectory(prefix="benchwright-") as folder, ExitStack() as open_files:
        looks, keeps_replies = getattr(backend, "looks", True), getattr(backend, "keeps_replies", False)
        plan = EvaluationPlan(
            opened,
            split,
            setting,
            backend.tasks,
            reader,
            looks=looks,
            keeps_replies=cache is not None and keeps_replies,
        )
        logs, item_cache = log_folder or out, cache or ItemCache(None)
        if judge is not None:
            judge_queue = _judge_queue_of(judge, plan, effective, logs, Path(folder), item_cache, record_map, replace)
            open_files.callback(judge_queue.close)
            plan = replace_in(plan, judge_queue=judge_queue)
        if limit is not None:
            check_files(opened, split)
            plan = plan.limited_to(limit)
        if subset is not None:
            check_files(opened, split)
            plan = plan.subset_by(subset)
        return _scored(
            plan,
            backend,
            effective,
            out,
            logs,
            Path(folder),
            item_cache,
            record_map,
            progress or Silent(),
            replace=replace,
            max_errors=max_errors,
            name=name,
        )


def _refuse_beside_subset(protocol: Protocol, limit: int | None) -> None:
    """Refuse settings that are incompatible with a subset.

    Raises:
        BenchwrightError: A limit is also given, or the protocol has several verdicts per item.
    """
    if limit is not None:
        raise BenchwrightError("a subset determines the number of items; leave out --limit")
    if protocol.repeats or draws_of(protocol) > 1:
        raise BenchwrightError(
            f"the estimate of the whole score needs one verdict per item, and {protocol.text!r} gives several; ask "
            "the subset under another protocol and without --samples, or ask all items"
        )


def sealed_splits_asked(release: Release, split: str | None) -> list[str]:
    """Return the sealed splits among those to be asked; empty if a key has provided their answers.

    Raises:
        BenchwrightError: Both sealed and open splits are to be asked.
    """
    wanted = release.splits if split is None else (split,)
    sealed = [name for name in wanted if name in release.withheld_splits]
    if sealed and len(sealed) < len(wanted):
        raise BenchwrightError(
            f"{release.path}: the answers of {', '.join(sealed)} are sealed, and those of the other splits are open; "
            "ask one split at a time (--split)"
        )
    return sealed


def _answered(
    plan: EvaluationPlan, contexts: Sequence[ModelContext], folder: Path | None, scratch: Path, watched: RunProgress
) -> tuple[Path | None, Outcomes]:
    """Ask sealed items, and return the answer file that was written and the outcomes of the items."""
    draft = scratch / PREDICTIONS_FILE
    _ask_all(plan, contexts, draft, scratch, watched)
    if folder is None:
        return None, outcomes_of(draft)
    tasks = None if plan.tasks is None else tuple(sorted(plan.tasks))
    names = contexts[-1].backend.name, plan.protocol.text, plan.read_by
    head = AnswerHead(plan.release.release_id, plan.split, tasks, *names, draws_of(plan.protocol))
    make_private_folder(folder)
    with ParquetTable(draft, title=str(draft)) as file, replacing(folder / ANSWERS_FILE, private=True) as path:
        rows = (row for batch in file.batches() for row in batch.to_pylist())
        with path.open("w", encoding="utf-8") as handle:
            for line in answer_lines(head, rows):
                handle.write(line + "\n")
    return folder / ANSWERS_FILE, outcomes_of(draft)


def _scored(
    plan: EvaluationPlan,
    backend: Backend,
    options: BackendOptions,
    out: Path | None,
    logs: Path | None,
    scratch: Path,
    cache: ItemCache,
    record_map: RecordMap,
    progress: Progress,
    *,
    replace: bool,
    max_errors: float,
    name: str | None,
) -> Score:
    opened, split, setting = plan.release, plan.split, plan.protocol
    identity = _identity(plan, backend)
    folder = None if out is None else result_folder(out, backend, plan, identity, replace=replace)
    before = None
    if folder is not None and not replace and (folder / SCORE_FILE).exists():
        before = read_score(folder)
        refuse_others(folder, before, backend, plan)
    check_files(opened, split)
    spent = TokenUsage(options.prices)
    contexts = _contexts_of(plan, backend, options, logs, cache, record_map, other_releases=replace)
    if sealed_splits_asked(opened, split):
        answers, outcomes = _answered(plan, contexts, folder, scratch, RunProgress(progress, spent))
        return _score(plan, contexts, None, outcomes, spent, max_errors).model_copy(
            update={"name": name, "identity": identity, "answers": answers}
        )
    with results_folder(folder) as place:
        with replacing(place / PREDICTIONS_FILE, private=True) as draft:
            _ask_all(plan, contexts, draft, scratch, RunProgress(progress, spent))
            rows = with_labels(read_metric_rows(draft, setting), opened, split)
            outcomes, unread = outcomes_of(draft), unread_in(draft, repeats=setting.repeats)
            # A score must never lie next to predictions that it was not made from.
            (place / SCORE_FILE).unlink(missing_ok=True)
        score = _score(plan, contexts, rows, outcomes, spent, max_errors).model_copy(
            update={"name": name, "identity": identity, "unread": unread}
        )
        if folder is not None and before is not None:
            warn_of_replacement(folder, before, score)
        if plan.sample is not None and plan.sample.subset is not None:
            write_json(place / SUBSET_FILE, plan.sample.subset.model_dump(mode="json"))
        write_json(place / SCORE_FILE, score.document())
    return score


def take_metrics(judged: pa.Table) -> dict[str, Estimate]:
    """Return every metric that the rooms provide, by name.

    Raises:
        BenchwrightError: Two metrics compute a figure with the same name.
    """
    estimates: dict[str, Estimate] = {}
    for name, metric in catalogue("metrics").items():
        figures_of: Mapping[str, Estimate] = metric.load()(judged)
        if twice := sorted(estimates.keys() & figures_of):
            raise BenchwrightError(f"metric {name!r} gives a figure {twice[0]!r}, as another metric does; rename it")
        estimates |= figures_of
    return estimates


def _ask_all(
    plan: EvaluationPlan, contexts: Sequence[ModelContext], draft: Path, scratch: Path, watched: RunProgress
) -> None:
    """Ask every item that the model and the protocol can take, judge the replies, and write the rows to `draft`."""
    release, model = plan.release, contexts[-1].backend.name
    stamp = {
        "model": model,
        "protocol": plan.protocol.text,
        "reader": plan.read_by,
        "release_id": release.release_id,
        "content_id": release.content_id,
    }

    def begin(number: int) -> None:
        of_several = f", round {number + 1} of {len(contexts)}" if len(contexts) > 1 else ""
        watched.phase(f"{contexts[number].backend.name}{of_several}", _askable(plan))

    asked = answered = 0
    with JudgedWriter(draft, stamp) as writer:
        if plan.in_outline and isinstance(contexts[-1].backend, PredictionsFile) and contexts[-1].backend.is_plain:
            begin(0)
            for table in judged_tables(plan, contexts[-1].backend, contexts[-1].backend_context):
                writer.add_table(table)
                watched.through(table.num_rows)
                asked += table.num_rows
                answered += letters_or_words(table)
        else:
            for row in ask_rounds(plan, contexts, scratch, watched, begin):
                writer.add(row)
                asked += 1
                answered += has_words(row)
    if asked and not answered:
        raise no_answers(model, outcomes_of(draft))


def _score(
    plan: EvaluationPlan,
    contexts: Sequence[ModelContext],
    rows: pa.Table | None,
    outcomes: Outcomes,
    spent: TokenUsage,
    max_errors: float,
) -> Score:
    release, backend = plan.release, contexts[-1].backend
    other_models = {
        context.backend.name: dict(context.backend.settings) for context in contexts if context.backend is not backend
    }
    settings: dict[str, Any] = {
        "backend": dict(backend.settings),
        **({} if rows is None else {"intervals": _intervals(rows)}),
        "protocol": plan.protocol.settings(),
        "reader": READER_VERSION,
    }
    return Score(
        model=backend.name,
        protocol=plan.protocol.text,
        reader=plan.read_by,
        release=f"{release.name} {release.version}",
        release_id=release.release_id,
        content_id=release.content_id,
        split=plan.split,
        settings=settings | ({"other_models": other_models} if other_models else {}),
        metrics={} if rows is None else figures(_estimates(rows, plan)),
        **outcomes._asdict() | ({"right_items": None} if rows is None else {}),
        max_errors=max_errors,
        items=sum(_counts(release, plan.split).values()),
        blind_strategy=read_blind_strategy(release),
        samples=draws_of(plan.protocol),
        limit=None if plan.sample is None else len(plan.sample.item_ids),
        limit_of=None if plan.sample is None else plan.sample.of,
        subset=None if plan.sample is None or plan.sample.subset is None else plan.sample.subset.digest,
        usage=spent.usage(),
        judge=None if plan.judge_queue is None else plan.judge_queue.summary(),
    )


def _estimates(rows: pa.Table, plan: EvaluationPlan) -> dict[str, Estimate]:
    """Return the values of every metric; for a sample, accuracies are estimates for all items."""
    estimates = take_metrics(rows)
    return estimates if plan.sample is None else estimates | whole_estimates(rows, plan.sample)


def _intervals(judged: pa.Table) -> dict[str, Any]:
    """Return the basis of the intervals: their level, the clusters of the asked items, and any resamples."""
    import pyarrow.compute as pc

    clusters = pc.count_distinct(judged.column("group")).as_py()
    return {
        "level": 0.95,
        "clusters": clusters,
        "resamples": RESAMPLES if clusters < judged.num_rows else None,
    }


def _askable(plan: EvaluationPlan) -> int:
    """Return the number of items that the model can take; the protocol may take fewer of them."""
    if plan.sample is not None:
        return len(plan.sample.item_ids)
    counts = _counts(plan.release, plan.split)
    return sum(n for task, n in counts.items() if plan.tasks is None or task in plan.tasks)


def _counts(release: Release, split: str | None) -> dict[str, int]:
    """Return the number of items by task."""
    count_by_task: dict[str, int] = {}
    for name, counts in release.manifest.counts.splits.items():
        if split is None or name == split:
            for task, n in counts.tasks.items():
                count_by_task[task] = count_by_task.get(task, 0) + n
    return count_by_task


def _identity(plan: EvaluationPlan, backend: Backend) -> dict[str, Any]:
    """Return all settings that can change a reply or its reading, except those in the protocol's own text form."""
    identity = identity_of(getattr(backend, "identity", {}))
    if files := plan.protocol.files():
        identity["examples"] = digest([file_digest(path) if path.is_file() else None for path in files])
    if (draws := draws_of(plan.protocol)) > 1:
        identity["samples"] = draws
    if plan.sample is not None:
        identity["limit"] = len(plan.sample.item_ids)
        if plan.sample.subset is not None:
            identity["subset"] = plan.sample.subset.digest
    if (judge_queue := plan.judge_queue) is not None:
        judge = identity_of(getattr(judge_queue.backend, "identity", {}))
        usual = {"base_url": identity.get("base_url"), "temperature": 0.0, "max_tokens": MAX_TOKENS}
        judge = {name: value for name, value in judge.items() if name not in usual or value != usual[name]}
        judge |= {"asks": "all"} if judge_queue.judge.asks == "all" else {}
        identity |= {"judge": judge} if judge else {}
    return identity
