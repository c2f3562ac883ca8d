"""BLINK's validation accuracies (paper, tables 1 and 2), recomputed from the repository's `eval/`.

| file | what |
|---|---|
| `val_answers.json` | gold choice, such as `(A)`, by question |
| `saved_outputs/MODEL/Task Name.json` | `{"val": [...], "test": [...]}`: outputs, and the choices read from them |
| `saved_val_predictions/MODEL.json` | choice by question; used if the model has no folder of outputs |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from benchwright.errors import DataError
from benchwright.replies.answers import read_answer
from benchwright.replies.readers.blink import settled_choice
from benchwright.texts.normalization import counted

from ..metrics.papers.blink import per_task, total
from ..metrics.papers.shares import Share
from .cells import Recount
from .files import as_row, json_document, names_in, needed, plain_or_gzipped

Reading = Literal["published", "rule", "robust"]

OPTIONS: Mapping[str, int] = {
    "Visual_Similarity": 2, "Counting": 4, "Relative_Depth": 2, "Jigsaw": 2, "Art_Style": 2,
    "Functional_Correspondence": 4, "Semantic_Correspondence": 4, "Spatial_Relation": 2, "Object_Localization": 2,
    "Visual_Correspondence": 4, "Multi-view_Reasoning": 2, "Relative_Reflectance": 3, "Forensic_Detection": 4,
    "IQ_Test": 4,
}  # fmt: skip
"""Number of options of each task, in the order of table 1."""

_OUTPUTS, _CHOICES = "saved_outputs", "saved_val_predictions"


class Output(NamedTuple):
    """The raw output for a question, and the choice that the repository read from the output."""

    question: str
    task: str
    output: str
    choice: str


def models(data: Path) -> tuple[str, ...]:
    """Return the names of the models with files in this folder, sorted."""
    data = _root(data)
    folders = [path.name for path in (data / _OUTPUTS).iterdir() if path.is_dir()] if (data / _OUTPUTS).is_dir() else []
    return tuple(sorted({*folders, *names_in(data / _CHOICES, ".json")}))


def recount(data: Path, model: str, reading: Reading = "published") -> Recount:
    """Return the accuracy on each task and the mean across tasks.

    The readings are:

    - `published` compares the stored choice with the gold one, as texts: "(C) Point C" is not "(C)".
    - `rule` reads the raw output only by the repository's rule, so answers settled by its judge are counted as wrong.
    - `robust` reads it with our reader, which sees only letters, because the repository lacks the options' texts.

    A question without an output is counted as wrong, as in the repository. The mean is left out unless the model has
    outputs for all tasks.
    """
    data = _root(data)
    gold = read_answers(data)
    if (data / _OUTPUTS / model).is_dir():
        choices = {
            output.question: read_choice(output, reading)
            for output in read_outputs(data, model)
            if output.question in gold
        }
    else:
        if reading != "published":
            raise DataError(f"{data / _OUTPUTS} has no outputs of {model}; count with --reading published")
        choices = dict(_texts(needed(data / _CHOICES, f"{model}.json")))
    answered = {_task_of(question) for question in choices}
    judged = [(_task_of(q), choices.get(q) == right) for q, right in gold.items() if _task_of(q) in answered]
    tasks = dict(_ordered(per_task(judged)))
    complete = answered >= OPTIONS.keys()
    missing = [q for q in gold if q not in choices and _task_of(q) in answered]
    notes = [] if complete else [f"no val_total: {len(tasks)} of {len(OPTIONS)} tasks have outputs"]
    if missing:
        notes.append(f"{counted(len(missing), 'question')} without an output counted as wrong, such as {missing[0]}")
    cells = ({"val_total": total(tasks)} if complete else {}) | {f"val/{task}": share for task, share in tasks.items()}
    return Recount(model, cells, tuple(notes))


def read_answers(data: Path) -> dict[str, str]:
    """Return the gold choice of each validation question."""
    return dict(_texts(needed(data, "val_answers.json")))


def read_outputs(data: Path, model: str, splits: tuple[str, ...] = ("val",)) -> Iterator[Output]:
    """Yield a model's outputs task by task.

    Raises:
        DataError: The folder is empty, or a file has unexpected content.
    """
    folder = data / _OUTPUTS / model
    names = names_in(folder, ".json")
    if not names:
        raise DataError(f"{folder} contains no JSON file of a task")
    for name in names:
        path = plain_or_gzipped(folder, f"{name}.json")
        assert path is not None
        document = as_row(json_document(path), str(path)).values
        for split in splits:
            rows = document.get(split)
            if not isinstance(rows, list):
                raise DataError(f"{path}: {split} is {ascii(rows)[:80]}, not a list of outputs")
            for place, value in enumerate(rows, start=1):
                row = as_row(value, f"{path}: {split}, entry {place}")
                question = row.text("idx")
                yield Output(question, _known(question, row.where), row.said("full_prediction"), row.text("prediction"))


def read_choice(output: Output, reading: Reading) -> str | None:
    """Return the choice that an output names according to the given reading."""
    letters = "ABCDE"[: OPTIONS[output.task]]
    if reading == "published":
        return output.choice
    if reading == "rule":
        return settled_choice(output.output, letters)
    letter = read_answer(output.output, [(key, None) for key in letters]).letter
    return None if letter is None else f"({letter})"


def _task_of(question: str) -> str:
    """Return the task in a question's id: `Art_Style` of `val_Art_Style_12`."""
    return question.partition("_")[2].rpartition("_")[0]


def _root(data: Path) -> Path:
    """Return the folder that contains the files, which is `eval` in the repository."""
    return data / "eval" if (data / "eval").is_dir() else data


def _known(question: str, where: str) -> str:
    task = _task_of(question)
    if task not in OPTIONS:
        raise DataError(f"{where}: {ascii(question)[:80]} is not the id of a question of BLINK's {len(OPTIONS)} tasks")
    return task


def _ordered(tasks: Mapping[str, Share]) -> Iterator[tuple[str, Share]]:
    for task in OPTIONS:
        if task in tasks:
            yield task, tasks[task]


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    row = as_row(json_document(path), str(path))
    for question in row.values:
        _known(question, str(path))
        yield question, row.text(question)
