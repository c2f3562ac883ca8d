"""II-Bench's rates (paper, tables 9 to 12) and the prompts that were sent, from the repository's `results/`.

A file `MODEL_SPLIT_MODE.jsonl` contains one record per line: the question as asked (with its options in the order
sent), its labels, `prompt` and `response`. Accuracy counts records with an `answer`; the answers of the test set are
sealed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from benchwright.errors import DataError
from benchwright.replies.answers import read_answer
from benchwright.replies.readers.ii_bench import option_label

from ..metrics.papers.ii_bench import Response, State, rates
from ..metrics.papers.shares import Share
from ..protocols.ii_bench_prompts import KEYWORD_MODES, MODES, OPTIONS, Mode, prompt
from .cells import PromptMatches, Recount
from .files import SourceRow, as_row, json_lines, names_in, needed

Reading = Literal["published", "robust"]

_LABEL = re.compile(r"[A-Z][A-Za-z-]{1,30}(?: [A-Za-z-]{1,30}){0,3}")
"""Form of II-Bench's labels: a few words, the first capitalized."""

_FOLDER = "results"
_LETTERS = "ABCDEF"


class PublishedReply(NamedTuple):
    """A question as it was asked; `response` is None for a failed call, `answer` is None if sealed."""

    where: str
    question_id: str
    question: str
    options: tuple[str, ...]
    labels: Mapping[str, tuple[str, ...]]
    prompt: str
    response: str | None
    answer: str | None


def models(data: Path) -> tuple[str, ...]:
    """Return the names of the models with files in this folder, sorted."""
    return tuple(sorted({model for model, _, _ in _files(data)}))


def recount(data: Path, model: str, reading: Reading = "published") -> Recount:
    """Return miss rate, error rate and prompt matches by mode, and accuracy where answers are not sealed.

    For a model with results on several splits, those on the test set are used.
    """
    files = [(split, mode) for name, split, mode in _files(data) if name == model]
    split = "test" if any(name == "test" for name, _ in files) else min(name for name, _ in files)
    modes = {mode for name, mode in files if name == split}
    cells: dict[str, Share] = {}
    notes: list[str] = []
    prompts: dict[str, PromptMatches] = {}
    for mode in (known for known in MODES if known in modes):
        rows = list(read_results(needed(data / _FOLDER, f"{model}_{split}_{mode}.jsonl")))
        shares = rates(_read(row, reading) for row in rows)
        names = ("miss", "error") if any(row.answer is None for row in rows) else ("accuracy", "miss", "error")
        cells |= {f"{name}/{mode}": shares[name] for name in names}
        prompts[mode] = compared = _compare_prompts(rows, mode)
        cells[f"prompt_match/{mode}"] = Share(len(rows) - len(compared.unmatched), len(rows))
        for (sent, now), ids in compared.other_labels.items():
            notes.append(
                f"{mode}: {len(ids)} prompts have the label {sent!r} where the data has {now!r} ({_some(ids)})"
            )
        if ids := compared.unmatched:
            notes.append(f"{mode}: {len(ids)} prompts differ from our rendering with every label ({_some(ids)})")
    left = sorted(modes - set(MODES))
    notes += [f"not counted: modes {', '.join(left)}"] if left else []
    cells = dict(sorted(cells.items(), key=lambda cell: cell[0].partition("/")[0]))
    return Recount(model, cells, tuple(notes), prompts=prompts)


def read_results(path: Path) -> Iterator[PublishedReply]:
    """Yield the questions in a results file.

    Raises:
        DataError: A record has unexpected content.
    """
    for row in json_lines(path):
        listed = row.values.get("questions")
        if not isinstance(listed, list) or len(listed) != 1:
            raise DataError(f"{row.where}: questions is {ascii(listed)[:80]}, not a list of one question")
        question = as_row(listed[0], row.where)
        options = question.values.get("options")
        if not isinstance(options, list) or len(options) != OPTIONS or not all(isinstance(o, str) for o in options):
            raise DataError(f"{row.where}: options is {ascii(options)[:80]}, not a list of {OPTIONS} texts")
        failed = isinstance(question.values.get("response"), dict)
        yield PublishedReply(
            row.where,
            question.text("id"),
            question.text("question"),
            tuple(options),
            _labels(row),
            question.text("prompt"),
            None if failed else question.text("response"),
            question.one_of("answer", tuple(_LETTERS)) if "answer" in question.values else None,
        )


def _compare_prompts(rows: Sequence[PublishedReply], mode: Mode) -> PromptMatches:
    """Compare the prompts that were sent with our rendering, byte for byte.

    The data were revised after models were asked, so a prompt may contain a label under an older name (the domain
    Politics became part of Others). The label is therefore read from the prompt: the text at its position must look
    like a label, or like several labels in a mode that gives several, and everything else must be equal.
    """
    as_now = 0
    sent_with: dict[tuple[str, str], list[str]] = {}
    unmatched: list[str] = []
    for row in rows:
        labels = row.labels.get(mode, ()) if mode in KEYWORD_MODES else ()
        if mode in KEYWORD_MODES and not labels:
            raise DataError(f"{row.where}: meta_data has no {mode}")
        if prompt(mode, row.question, row.options, labels) == row.prompt:
            as_now += 1
        elif (label := _sent_label(row, mode)) is not None:
            sent_with.setdefault((label, ",".join(labels)), []).append(row.question_id)
        else:
            unmatched.append(row.question_id)
    return PromptMatches(as_now, {pair: tuple(ids) for pair, ids in sorted(sent_with.items())}, tuple(unmatched))


def _sent_label(row: PublishedReply, mode: Mode) -> str | None:
    """Return the text at the label's position if the rest of the prompt equals our rendering, otherwise None."""
    if mode not in KEYWORD_MODES:
        return None
    place = "\0"
    before, _, after = prompt(mode, row.question, row.options, (place,)).partition(place)
    if not (row.prompt.startswith(before) and row.prompt.endswith(after)):
        return None
    sent = row.prompt[len(before) : len(row.prompt) - len(after)]
    labels = sent.split(",") if mode == "rhetoric" else [sent]
    return sent if all(_LABEL.fullmatch(label) for label in labels) else None


def _some(ids: Sequence[str]) -> str:
    """Return the first few ids as text; the JSON document lists all of them."""
    return ", ".join(ids[:8]) + (f" and {len(ids) - 8} more" if len(ids) > 8 else "")


def _read(row: PublishedReply, reading: Reading) -> Response:
    """Return the outcome of a response according to a given reading."""
    letter: str | None = None
    state: State
    if row.response is None:
        state = "error"
    elif not row.response:
        state = "empty"
    else:
        if reading == "robust":
            letter = read_answer(row.response, list(zip(_LETTERS, row.options, strict=True))).letter
        else:
            letter = option_label(row.response, row.options)
        state = "miss" if letter is None else "read"
    return Response(state, letter is not None and letter == row.answer, row.labels)


def _labels(row: SourceRow) -> dict[str, tuple[str, ...]]:
    """Return a question's labels by attribute; in the data, some are strings and some are lists."""
    values = as_row(row.values.get("meta_data"), row.where).values
    by_attribute: dict[str, tuple[str, ...]] = {}
    for attribute in ("domain", "emotion", "rhetoric", "image_type", "difficulty"):
        value = values.get(attribute, [])
        labels = [value] if isinstance(value, str) else value
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise DataError(f"{row.where}: {attribute} is {ascii(value)[:80]}, neither a text nor a list of texts")
        by_attribute[attribute] = tuple(labels)
    return by_attribute


def _files(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the model, split and mode of each results file."""
    for name in names_in(data / _FOLDER, ".jsonl"):
        model_and_split, _, mode = name.rpartition("_")
        model, _, split = model_and_split.rpartition("_")
        if model:
            yield model, split, mode
