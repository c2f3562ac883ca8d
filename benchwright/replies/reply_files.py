"""Rows of reply files, in the layouts that evaluation programs write.

| layout | file | item's id | reply |
|---|---|---|---|
| `benchwright` | `predictions`, any table | `item_id` | `reply`, or the letter in `answer` |
| `vlmevalkit` | result table, or `.json` | `index` | `prediction` |
| `lmms-eval` | `*_samples_*.jsonl` | an id in `doc`, else `doc_id` | `filtered_resps`, else `resps` |
| `inspect` | log `.json` or `.eval` | a sample's `id` | the scorer's `answer`, else `output.completion` |
| `helm` | `display_predictions.json` | `instance_id` | `predicted_text` |
| `helm` | `scenario_state.json` | `instance.id` of a request | its first completion |
| `mapping` | `.json`, one object | its keys | its values |
| `table` | any table, or `.json` | a column of `ID_COLUMNS` | a column of `_REPLY_COLUMNS` |

A table is any file that `files.tables` reads. Text and JSON may be gzipped, and a folder is read as all its files
together (BLINK's `saved_outputs/MODEL`).
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import DataError
from benchwright.files.bounded_json import bounded_json
from benchwright.files.bounds import MIB, ROW_BYTES, UNPACKED_BYTES
from benchwright.files.tables import TABLE_ENDS, Table
from benchwright.records import LETTERS
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import BAD_ROW, RefusedRow
from benchwright.source_files.rows import Row, json_document

ID_COLUMNS = (
    "item_id", "source_id", "question_id", "questionid", "qid", "id", "idx", "index", "sample_id", "uid", "key",
    "instance_id",
)  # fmt: skip
"""Columns that may contain an item's id, in lower case."""

_REPLY_COLUMNS = (
    "prediction", "reply", "response", "output", "model_answer", "model_output", "model_response", "completion",
    "generated_text", "generation", "pred", "full_prediction", "predicted_text", "text", "answer",
)  # fmt: skip
"""Columns that may contain a reply, most likely first, in lower case."""

_KEY_COLUMNS = ("target", "gold", "gt", "ground_truth", "correct_answer", "answer")
"""Columns that may repeat an item's key, in lower case."""

_MODEL_COLUMNS = ("model", "model_id", "model_name", "annotator", "rater", "worker", "participant")
"""Columns that name the model or annotator, in lower case."""

OWN_SCORER = "benchwright"
"""Scorer of the letters that `evaluate export` writes into an inspect_ai log; used even if it gives no letter."""

MAX_ROWS = 5_000_000
MAX_FILE_CHARS, MAX_UNPACKED_BYTES = 1 << 30, 2 << 30
"""Largest numbers of characters of replies in a file or folder, and of bytes of an unpacked archive or spreadsheet."""
_SUFFIXES = (*TABLE_ENDS, ".json", ".eval")
_ERROR = "\0error"
"""Internal column for the cause of a failed request; no file has a column with this name."""


class ReplyRow(NamedTuple):
    """One reply in a file.

    Args:
        where: File and row, as in `out.jsonl: line 3`.
        ids: Candidate values of the item's id, by column.
        text: The reply, or a letter if a scorer has already read one.
        model: Name of the model if the row states it; otherwise empty.
        key: The item's key if the row repeats it; otherwise empty.
        options: Texts of the options shown to the model, if the row lists them; otherwise empty.
        column: Column that holds the reply, in lower case.
    """

    where: str
    ids: Mapping[str, str]
    text: str
    model: str = ""
    key: str = ""
    options: tuple[str, ...] = ()
    column: str = ""


class UnreadReply(NamedTuple):
    """An unused row, or a whole unused file, of replies, with the reason.

    Args:
        where: File and row, as in `out.jsonl: line 3`.
        reason: Reason why the row or file is unused.
        ids: Candidate values of the item's id, if the row only lacks a reply; otherwise empty.
        error: Cause of the missing reply, if the row states one; otherwise empty.
        is_repeat: Whether the row is a further reply to an item, as in a log of epochs; only the first reply is used.
    """

    where: str
    reason: str
    ids: Mapping[str, str] = {}
    error: str = ""
    is_repeat: bool = False


def reply_rows(path: Path) -> Iterator[ReplyRow | UnreadReply]:
    """Yield the replies of a file, or of all files of a folder, and the problems of other rows.

    Raises:
        DataError: The file does not exist, is of an unknown kind, or cannot be read at all.
        PrerequisiteError: The file is a spreadsheet, and the package that reads it is missing.
    """
    if path.is_dir():
        names = sorted(p.name for p in path.iterdir() if p.is_file() and _suffix(p.name) in _SUFFIXES)
        if not names:
            raise DataError(f"{path} contains no reply file ({', '.join(_SUFFIXES)}, gzipped or not)")
        for name in names:
            yield from _bounded(_rows_of(path / name), path)
        return
    if not path.is_file():
        raise DataError(f"{path} does not exist; give a file of a model's replies, or a folder of such files")
    yield from _bounded(_rows_of(path), path)


def _bounded(rows: Iterator[ReplyRow | UnreadReply], path: Path) -> Iterator[ReplyRow | UnreadReply]:
    left = MAX_FILE_CHARS
    for row in rows:
        left -= len(row.text) if isinstance(row, ReplyRow) else 0
        if left < 0:
            raise DataError(f"{path} contains more than {MAX_FILE_CHARS:,} characters of replies; split it")
        yield row


def is_reply_file(name: str) -> bool:
    """Return whether a file with the given name is readable as replies."""
    return _suffix(name) in _SUFFIXES


def row_of_record(record: Mapping[str, Any], where: str = "") -> ReplyRow | UnreadReply:
    """Return one row of a table as a reply; `where` is its location, for messages."""
    return _reply_row(record, where)


def _suffix(name: str) -> str:
    return Path(name.lower().removesuffix(".gz")).suffix


def _rows_of(path: Path) -> Iterator[ReplyRow | UnreadReply]:
    suffix = _suffix(path.name)
    if suffix not in _SUFFIXES:
        raise DataError(f"{path}: reply files are {', '.join(_SUFFIXES)}, gzipped or not; convert it")
    if suffix == ".eval":
        yield from _inspect_archive(path)
        return
    documents = _documents(path, suffix)
    for number, row in enumerate(documents):
        if number >= MAX_ROWS:
            raise DataError(f"{path} has more than {MAX_ROWS:,} rows; split it")
        if isinstance(row, RefusedRow):
            yield UnreadReply(_where(path, row.entry), row.detail)
        elif not isinstance(row.document, Mapping):
            kind = type(row.document).__name__
            yield UnreadReply(_where(path, row.entry), f"a {kind}, not columns with values")
        else:
            yield _reply_row(row.document, _where(path, row.entry))


def _where(path: Path, entry: str) -> str:
    return f"{path.name}: {entry}" if entry else path.name


def _documents(path: Path, suffix: str) -> Iterator[Row | RefusedRow]:
    if suffix == ".json":
        yield from _json_entries(DatasetFiles(path.parent), path)
        return
    for entry, values, problem in Table.at(path).records():
        yield RefusedRow(path.name, entry, BAD_ROW, problem) if problem else Row(entry, values)


def _json_entries(files: DatasetFiles, path: Path) -> Iterator[Row | RefusedRow]:
    """Yield the entries of a JSON document: a list, lists by split, a log of inspect_ai or HELM, or replies by id."""
    row = json_document(files, path.name)
    if isinstance(row, RefusedRow):
        raise DataError(f"{path}: {row.detail}")
    document = row.document
    if isinstance(document, list):
        yield from (Row(f"entry {number}", _first_trial(entry)) for number, entry in enumerate(document, start=1))
    elif isinstance(document, dict) and isinstance(samples := document.get("samples"), list):
        model = _model_of_log(document)
        yield from (Row(f"sample {number}", _sample(entry, model)) for number, entry in enumerate(samples, start=1))
    elif isinstance(document, dict) and isinstance(states := document.get("request_states"), list):
        yield from (Row(f"request {number}", _request_state(entry)) for number, entry in enumerate(states, start=1))
    elif isinstance(document, dict) and document and all(isinstance(v, list) for v in document.values()):
        for name, entries in document.items():
            yield from (Row(f"{name}, entry {number}", entry) for number, entry in enumerate(entries, start=1))
    elif isinstance(document, dict) and document and all(v is None or isinstance(v, str) for v in document.values()):
        yield from (Row(ascii(name)[1:-1][:80], {"id": name, "reply": text}) for name, text in document.items())
    else:
        raise DataError(
            f"{path}: neither a list of rows, nor a log of inspect_ai or HELM, nor an object from item id to reply"
        )


def _inspect_archive(path: Path) -> Iterator[ReplyRow | UnreadReply]:
    """Yield the replies of an inspect_ai log in its archive form: `header.json` and `samples/*.json`."""
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(archive)
            names = [name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json")]
            header = "header.json" if "header.json" in archive.namelist() else "_journal/start.json"
            model = _model_of_log(_member(archive, header))
            for name in names:
                where = f"{path.name}: {ascii(name)[1:-1]}"
                try:
                    yield _reply_row(_sample(_member(archive, name), model), where)
                except (ValueError, RecursionError) as error:
                    yield UnreadReply(where, f"no JSON: {error}")
    except (OSError, KeyError, ValueError, NotImplementedError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path} cannot be read as an inspect_ai log ({error}); `inspect log dump` writes it as JSON"
        ) from error


def _check_size(archive: zipfile.ZipFile) -> None:
    most = UNPACKED_BYTES.most(MAX_UNPACKED_BYTES)
    if sum(member.file_size for member in archive.infolist()) > most:
        more = UNPACKED_BYTES.or_raise(MAX_UNPACKED_BYTES)
        raise ValueError(f"it unpacks to more than {most / MIB:g} MiB; split it, {more}")


def _member(archive: zipfile.ZipFile, name: str) -> Mapping[str, Any]:
    with archive.open(name) as handle:
        data = handle.read((most := ROW_BYTES.most()) + 1)
    if len(data) > most:
        raise ValueError(f"more than {most / MIB:g} MiB; split it, {ROW_BYTES.or_raise()}")
    document = bounded_json(data)
    if not isinstance(document, dict):
        raise ValueError(f"a {type(document).__name__}, not an object")
    return document


def _model_of_log(log: Mapping[str, Any]) -> str:
    spec = log.get("eval")
    return str(spec.get("model") or "") if isinstance(spec, Mapping) else ""


def _sample(sample: Any, model: str) -> Any:
    """Return a sample of an inspect_ai log as a row; only its first epoch is used."""
    if not isinstance(sample, Mapping):
        return sample
    epoch = sample.get("epoch")
    if isinstance(epoch, int) and epoch > 1:
        return {"": f"epoch {epoch}; only the first counts"}
    scores = sample.get("scores")
    answers = (
        {name: score.get("answer") for name, score in scores.items() if isinstance(score, Mapping)}
        if isinstance(scores, Mapping)
        else {}
    )
    letters = (a for a in answers.values() if isinstance(a, str) and len(a.strip()) == 1 and a.strip() in LETTERS)
    letter = answers[OWN_SCORER] if OWN_SCORER in answers else next(letters, None)
    output = sample.get("output")
    completion = output.get("completion") if isinstance(output, Mapping) else None
    failure = sample.get("error")
    if failure and not completion:
        return {"id": sample.get("id"), _ERROR: _message_of(failure)}
    return {
        "id": sample.get("id"),
        "reply": letter if letter is not None else completion,
        "target": sample.get("target"),
        "choices": sample.get("choices"),
        "model": model,
    }


def _message_of(failure: Any) -> str:
    message = failure.get("message") if isinstance(failure, Mapping) else failure
    return str(message)[:1000] if message else "no reply"


def _first_trial(entry: Any) -> Any:
    """Return an entry of a list, unless it is another HELM trial of an item, since only the first trial is used."""
    if isinstance(entry, Mapping) and "instance_id" in entry:
        return _repeat_of(entry, entry) or entry
    return entry


def _repeat_of(trial: Mapping[str, Any], instance: Mapping[str, Any]) -> dict[str, str] | None:
    number = trial.get("train_trial_index")
    if isinstance(number, int) and number > 0:
        return {"": f"trial {number + 1}; only the first counts"}
    if isinstance(altered := instance.get("perturbation"), Mapping):
        return {"": f"the item altered ({ascii(altered.get('name'))[:40]}); only the unaltered item counts"}
    return None


def _request_state(state: Any) -> Any:
    """Return a request of HELM's `scenario_state.json` as a row; options are those that the prompt listed."""
    if not isinstance(state, Mapping) or not isinstance(instance := state.get("instance"), Mapping):
        return state
    if repeat := _repeat_of(state, instance):
        return repeat
    row: dict[str, Any] = {"instance_id": instance.get("id")}
    request, result, shown = (state.get(name) for name in ("request", "result", "output_mapping"))
    if isinstance(request, Mapping):
        row["model"] = request.get("model")
    if isinstance(shown, Mapping):
        row |= {letter: shown[letter] for letter in LETTERS if letter in shown}
    completions = result.get("completions") if isinstance(result, Mapping) else None
    if isinstance(completions, list) and completions and isinstance(completions[0], Mapping):
        return {**row, "predicted_text": completions[0].get("text")}
    failure = result.get("error") if isinstance(result, Mapping) else None
    return {**row, _ERROR: _message_of(failure)}


def _reply_row(document: Mapping[str, Any], where: str) -> ReplyRow | UnreadReply:
    if "" in document and len(document) == 1:
        return UnreadReply(where, str(document[""]), is_repeat=True)
    lowered = {str(name).strip().lower(): value for name, value in document.items()}
    doc = lowered.get("doc")
    inner = {str(name).strip().lower(): value for name, value in doc.items()} if isinstance(doc, Mapping) else {}
    ids = {name: text for name in ID_COLUMNS if (text := _id(lowered.get(name)))}
    ids |= {f"doc.{name}": text for name in ID_COLUMNS if (text := _id(inner.get(name)))}
    if text := _id(lowered.get("doc_id")):
        ids["doc_id"] = text
    found = None if _ERROR in document else _reply_of(lowered)
    problem, error = _problem(document, ids, found)
    if found is None or problem:
        is_only_empty = bool(error) or (found is not None and found[1] is None)
        return UnreadReply(where, problem, ids if is_only_empty else {}, error)
    column, reply = found
    model = next((str(v) for name in _MODEL_COLUMNS if isinstance(v := lowered.get(name), str) and v), "")
    key = next((str(v) for n in _KEY_COLUMNS if n != column and isinstance(v := lowered.get(n), str | int)), "")
    return ReplyRow(where, ids, str(reply), model, key, _options(document), column)


def _problem(document: Mapping[str, Any], ids: Mapping[str, str], found: tuple[str, Any] | None) -> tuple[str, str]:
    """Return the reason why a row gives no reply, or an empty string if it gives one, and the error that the row states
    for the reply.
    """
    if not ids:
        return f"no id of an item (columns {', '.join(map(repr, list(document)[:12]))})", ""
    if error := str(document.get(_ERROR, "")):
        return f"no reply: {error}", error
    if found is None:
        return f"no reply (columns {', '.join(map(repr, list(document)[:12]))})", ""
    column, reply = found
    if reply is None:
        return f"{column} is empty", ""
    if not isinstance(reply, str | int | float) or isinstance(reply, bool):
        return f"{column} is a {type(reply).__name__}, not a text", ""
    return "", ""


def _reply_of(lowered: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the column and the value of a reply; lmms-eval puts replies into lists, nested once or twice."""
    for name in ("filtered_resps", "resps"):
        value = lowered.get(name)
        while isinstance(value, list) and len(value) > 0:
            value = value[0]
        if isinstance(value, str):
            return name, value
    return next(((name, lowered[name]) for name in _REPLY_COLUMNS if name in lowered), None)


def _id(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, float) and value.is_integer():  # a spreadsheet's whole numbers
        value = int(value)
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _options(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options that a row lists: columns A, B, ..., or a list of texts in `choices` or `options`."""
    lettered: list[str] = []
    for letter in LETTERS:
        value = document.get(letter)
        if value is None or value == "" or (isinstance(value, float) and isnan(value)):
            break
        lettered.append(str(value))
    if len(lettered) > 1:
        return tuple(lettered)
    listed = document.get("choices", document.get("options"))
    if isinstance(listed, Sequence) and not isinstance(listed, str) and len(listed) > 1:
        texts = [option for option in listed if isinstance(option, str)]
        return tuple(texts) if len(texts) == len(listed) else ()
    return ()
