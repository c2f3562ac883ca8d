"""Search of a folder for files of questions and of models' replies, and their content."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from pydantic import ValidationError

from benchwright.canonical import digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.files.tables import WITH_HEADER, table_end
from benchwright.machine.storage_faults import is_of_the_machine
from benchwright.questions.own_ids import STATED_ID
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.refusals import RefusedRow
from benchwright.source_files.rows import BadRow, Row, guarded

from .keys.key_reading import all_places
from .keys.present_options import with_form_of_options
from .layouts.pictures_by_id import TEMPLATE
from .looked_into import LookedInto, kept_out, settled
from .mapping.columns import KEYS, SETTINGS, ColumnMapping, guessed_columns
from .mapping.configs import file_labels
from .mapping.listed_options import with_listed_options
from .mapping.own_columns import FileColumns, file_columns
from .mapping.readings import Reading
from .mapping.reply_columns import model_of_path, reply_of, without_ends
from .pictures.picture_cells import PLAIN_CELLS, PictureCells
from .pictures.picture_columns import with_named_pictures
from .question_rows import DEFAULT_TASK, question_of, stated_id, stated_key
from .questions.asked_question import MAX_KEY, AskedPicture, AskedQuestion, ModelReply, task_name
from .tables.joined_files import JoinedFile
from .tables.rows import ENDS, rows_of
from .tables.settings import setting_names, start_anew

_UNREADABLE_FILE = "unreadable_file"
_SHOWN = 3
_SAMPLE = 200
"""Number of rows from which columns are guessed."""
_MOST_REPEATED, _FEW_ROWS = 0.3, 10
"""Largest proportion of repeated values in a guessed `id` column, and the smallest number of rows to check."""

_NEARLY_ALL = 0.98
"""Smallest proportion of responses that must name an option for responses to be possible keys."""

_SPELLED = {"1": "Yes", "0": "No", "True": "Yes", "False": "No"}
Stated = Mapping[str, str | int | list[str]]
"""Columns by field, as stated by a curator."""


class QuestionFile(NamedTuple):
    """A file of questions, or of models' replies to them.

    Args:
        path: Path below the folder.
        columns: The columns by field.
        split: Split that its name contains; None if there is none.
        reading: How keys name options; None if no key of the files with these columns does.
        is_binary: Whether keys are 1 and 0 for yes and no, without options.
        config: Configuration from its folder or the dataset's card, such as a subject; None if there is none.
        model: Model of its replies, from its path; None for a file of questions.
        starts_anew: Whether its ids denote other questions in other files, so that they need its path as a prefix.
        has_marks: Whether options begin with marks, such as `A.`, that are not part of their words.
        own: The file's columns, and the origins of its rows' columns.
        absent: Number of option cells that contain no option, such as `NaN`.
        picture_cells: Which options are names of pictures, and how cells list several.
        keyed_splits: Stated splits that have keys, so that "None" and "-1" are answers.
    """

    path: str
    columns: ColumnMapping
    split: str | None
    reading: Reading | None = None
    is_binary: bool = False
    config: str | None = None
    model: str | None = None
    starts_anew: bool = False
    has_marks: bool = False
    own: FileColumns = FileColumns()
    absent: int = 0
    picture_cells: PictureCells = PLAIN_CELLS
    keyed_splits: frozenset[str | None] = frozenset()

    @property
    def first_answer(self) -> int:
        """Return the number of the first option for number keys: 0 or 1."""
        return int(self.reading == "from_1")

    @property
    def stated(self) -> dict[str, str | int | list[str]]:
        """Return the columns and the reading of keys in the form of a stated mapping."""
        return {**self.columns.stated(), **({} if self.reading is None else {KEYS: self.reading})}


def question_files(
    files: DatasetFiles,
    stated: Stated | None = None,
    *,
    only: Sequence[str] = (),
    stated_by_file: Mapping[str, Stated] | None = None,
    unread: list[RefusedRow] | None = None,
    looked_into: list[LookedInto] | None = None,
) -> list[QuestionFile]:
    """Return the files of questions in a folder, then those of replies.

    Questions are rows with a text, and with options or an answer; if there are none, rows with an id and an answer
    (keys). Replies are rows with an id and a model's reply.

    Args:
        files: The folder.
        stated: Columns that a curator states, by field (`guessed_columns`).
        only: Paths of the files to read; by default, all that contain questions.
        stated_by_file: The same by path or pattern; takes precedence over `stated`.
        unread: List that receives files that cannot be read at all; by default they are omitted.
        looked_into: List that receives every searched file with what it is used for, or why it is unused.

    Raises:
        DataError: The folder has no question file, a named one is missing, or its columns are unclear.
    """
    if missing := [path for path in only if not files.has(path)]:
        raise DataError(f"file {files.shown(missing[0])} is missing; {files.contents()}")
    search = _Search(files, stated, tuple(only), stated_by_file or {}, [] if unread is None else unread)
    for path in only or files.walk(suffixes=ENDS):
        search.look_into(path)
    search.settle()
    kept, replies = search.questions or search.keys, search.replies
    if not kept and not replies:
        looked_at = search.looked_at
        seen = f"looked into {', '.join(looked_at[:8])}{files.damage()}" if looked_at else files.contents()
        damaged = {row.file for row in search.damaged}
        others = [f"{file.file}: {file.why}" for file in search.left if file.file not in damaged]
        reasons = "".join(f"; {why}" for why in [*map(str, search.damaged[:_SHOWN]), *others[:_SHOWN]])
        raise DataError(f"{files.shown('')} contains no question file ({', '.join(ENDS)}); {seen}{reasons}")
    search.check_stated()
    if looked_into is not None:
        looked_into += search.outcomes()
    models = _models_by_path(files, replies)
    return [
        *_labelled(files, kept, start_anew({file.path: search.contents.get(file.path, {}) for file in kept})),
        *(file._replace(model=models[file.path], config=None) for file in _labelled(files, replies)),
    ]


@dataclass
class _Search:
    """The search for questions in the files of a folder, with its results so far."""

    files: DatasetFiles
    stated: Stated | None
    only: tuple[str, ...]
    stated_by_file: Mapping[str, Stated]
    damaged: list[RefusedRow]
    looked_at: list[str] = field(default_factory=list)
    questions: list[QuestionFile] = field(default_factory=list)
    keys: list[QuestionFile] = field(default_factory=list)
    replies: list[QuestionFile] = field(default_factory=list)
    contents: dict[str, dict[str, str]] = field(default_factory=dict)
    """The questions in the first rows of each question file, by id."""
    joined: list[JoinedFile] = field(default_factory=list)
    left: list[LookedInto] = field(default_factory=list)
    """Files that are not used."""
    unlike: dict[str, Sequence[str]] = field(default_factory=dict)
    """Columns of files that lack a stated column and have guessed columns, by path."""
    responses: dict[str, QuestionFile] = field(default_factory=dict)
    """Question files without a key but with a column `response`, with that column as their key."""

    def look_into(self, path: str) -> None:
        """Search a file for questions.

        Raises:
            DataError: A named file contains no questions or is unreadable, or its columns are unclear.
        """
        self.looked_at.append(path)
        asked = _named([self.stated or {}, *self.stated_by_file.values()])
        try:
            entries = list(islice(rows_of(self.files, path, asked=asked, joined=self.joined), _SAMPLE))
        except (BenchwrightError, OSError) as error:
            if self.only or is_of_the_machine(error):
                raise
            self.damaged.append(RefusedRow(path, "", _UNREADABLE_FILE, str(error)))
            self.left.append(LookedInto(path, None, str(error)))
            return
        rows = [row for row in entries if isinstance(row, Row)]
        names = list(dict.fromkeys(str(name) for row in rows for name in row.document))
        if names:
            self._take(path, rows, names)
        else:
            self._leave(path, [row for row in entries if isinstance(row, RefusedRow)])

    def _leave(self, path: str, wrong: Sequence[RefusedRow]) -> None:
        """Record that a file has no readable row.

        Raises:
            DataError: The file was requested by name.
        """
        if self.only:
            why = f"none of its rows can be read; {wrong[0].entry}: {wrong[0].detail}" if wrong else "it holds no rows"
            raise DataError(f"{self.files.shown(path)}: {why}")
        # Archives and JSON may hold other data without questions; a table has rows.
        self.damaged += wrong[:1] if table_end(path) in WITH_HEADER else []
        if not path.lower().endswith(".txt"):  # texts of any kind, except lines with a question and a key
            why = wrong[0].detail if wrong else "none of its rows is a question or a key"
            self.left.append(LookedInto(path, None, why))

    def _take(self, path: str, rows: Sequence[Row], names: Sequence[str]) -> None:
        """Use a file according to its columns.

        Raises:
            DataError: The columns of a named file are unclear.
        """
        own = next((columns for pattern, columns in self.stated_by_file.items() if fnmatchcase(path, pattern)), None)
        is_stated = bool(self.only) or _all_there(self.stated, names)
        said = own if own is not None else self.stated if is_stated else _settings(self.stated)
        if own is None and not is_stated:
            self.unlike[path] = names
        model = model_of_path(path)
        columns = _columns_of(rows, names, said, of=self.files.shown(path), is_of_replies=model is not None)
        file = QuestionFile(path, columns, None, own=file_columns(rows))
        if columns.column("id"):
            self.contents[path] = _contents(rows, columns)
        if model is None and (name := _response_column(columns)) is not None and _may_be_keys(rows, columns, name):
            keyed = _columns_of(
                rows, names, {**(said or {}), "answer": name}, of=self.files.shown(path), is_of_replies=False
            )
            self.responses[path] = file._replace(columns=keyed)
        if columns.column("id") and (columns.replies or (model is not None and columns.has_keys)):
            self.replies.append(file._replace(model=model or path.rpartition("/")[2].partition(".")[0]))
        elif columns.has_questions or (columns.has_keys and columns.column("image") and TEMPLATE in names):
            # Keys of questions whose words a file gives by number are not keys of other questions.
            self.questions.append(file)
        elif columns.has_keys:
            self.keys.append(file)
        elif self.only:
            raise DataError(f"{self.files.shown(path)}: {_lacking(columns, names)}")
        else:
            self.left.append(LookedInto(path, None, _lacking(columns, names[:12])))

    def settle(self) -> None:
        """Determine the uses of files that can be decided only from all files together.

        A response is the key of its question, unless a question file has most of the ids: then it is a reply to those
        questions. Rows with keys, options and pictures are questions without words, unless they are joined to others.
        """
        asked = {
            own
            for file in self.questions
            if file.path not in self.responses
            for own in self.contents.get(file.path, ())
        }
        for path, file in self.responses.items():
            own = self.contents.get(path, {}).keys()
            if len(own & asked) <= len(own) / 2:
                self.replies = [other for other in self.replies if other.path != path]
                self.questions = [*(other for other in self.questions if other.path != path), file]
        if self.questions:
            joined = {file.path for file in self.joined}
            wordless = [file for file in self.keys if file.path not in joined and _has_all_but_words(file.columns)]
            self.questions += wordless
            self.keys = [file for file in self.keys if file not in wordless]
        order = {path: number for number, path in enumerate(self.looked_at)}
        self.questions.sort(key=lambda file: order[file.path])

    def check_stated(self) -> None:
        """Check that a file has the stated columns.

        Raises:
            DataError: Each question file lacks one of them, so that the statement would have no effect.
        """
        kept = [file.path for file in self.questions or self.keys]
        if not kept or not all(path in self.unlike for path in kept):
            return
        path = max(kept, key=lambda path: len(set(self.unlike[path]) & set(_named([self.stated or {}]))))
        guessed_columns(self.unlike[path], self.stated, of=self.files.shown(path))
        lacking = [name for name in _named([self.stated or {}]) if name not in self.unlike[path]]
        raise DataError(f"{self.files.shown(path)}: column {', '.join(map(repr, lacking))} is missing")

    def outcomes(self) -> list[LookedInto]:
        """Return the use of each file, or the reason why it is unused, sorted by path."""
        kept = self.questions or self.keys
        taken = [LookedInto(file.path, "questions" if self.questions else "keys") for file in kept]
        taken += [LookedInto(file.path, "replies") for file in self.replies]
        taken += kept_out([file.path for file in self.keys] if self.questions else [], self.joined)
        return settled([*self.left, *taken])


def _response_column(columns: ColumnMapping) -> str | None:
    """Return the column `response` of a question file without a key or a model; None for another file."""
    name = columns.replies.get("reply", "")
    is_asked = bool(columns.column("question") and (columns.options or columns.column("options") or columns.images))
    is_asked = is_asked or bool(columns.column("question") and columns.column("image"))
    is_reply = columns.column("answer") is not None or "model" in columns.replies or "choice" in columns.replies
    return name if is_asked and not is_reply and name.lower() == "response" else None


def _may_be_keys(rows: Sequence[Row], columns: ColumnMapping, name: str) -> bool:
    """Return whether a column names an option in nearly all rows that have options."""
    keyed = ColumnMapping(fields={**columns.fields, "answer": name}, options=columns.options)
    found = []
    for row in rows:
        with guarded("", row.entry):
            key = stated_key(row.document, keyed)
            if key is not None and key.texts:
                found.append(any(place is not None for place in all_places(key)))
    return sum(found) >= _NEARLY_ALL * len(found)


def _has_all_but_words(columns: ColumnMapping) -> bool:
    """Return whether rows have all parts of a question except its text, which may be in the picture."""
    has_options = bool(columns.options or columns.column("options"))
    return columns.has_keys and has_options and bool(columns.images or columns.column("image"))


def _lacking(columns: ColumnMapping, names: Sequence[str]) -> str:
    """Return a message about the columns of a question file that another file lacks, and how to state them."""
    lacks = []
    if not columns.column("question"):
        lacks.append("a column for the question (--column question=COLUMN)")
    if not columns.column("answer") and not columns.column("options") and not columns.options:
        lacks.append("a column for the options (--column options=COLUMN) or for the key (--column answer=COLUMN)")
    there = ", ".join(f"{field} is {column}" for field, column in columns.fields.items())
    known = f"; so far {there}" if there else ""
    return f"it lacks {' and '.join(lacks)}{known}; its columns are {', '.join(names)[:1000]}"


def _labelled(files: DatasetFiles, found: Sequence[QuestionFile], anew: Collection[str] = ()) -> list[QuestionFile]:
    labels = file_labels(files, [file.path for file in found])
    settings = setting_names(anew)
    told = []
    for file in found:
        split, config = labels[file.path]
        if file.path in anew and config is None and split is None:
            config = settings[file.path]
        told.append(file._replace(split=split, config=config, starts_anew=file.path in anew))
    return told


def _contents(rows: Sequence[Row], columns: ColumnMapping) -> dict[str, str]:
    """Return the content of the question in each row, by its id."""
    identity = columns.column("id")
    names = [columns.column(field) for field in ("question", "image", "options")]
    names = [*filter(None, names), *columns.images, *columns.options]
    known = [row.document for row in rows if identity is not None and row.document.get(identity) is not None]
    return {str(row[identity]): digest([repr(_with_hashes(row.get(name))) for name in names]) for row in known}


def _with_hashes(value: Any) -> Any:
    """Return a value with a hash in place of each picture, because converting megabytes to text takes long."""
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, Mapping):
        return {name: _with_hashes(part) for name, part in value.items()}
    return [_with_hashes(part) for part in value] if isinstance(value, list | tuple) else value


def _named(mappings: Iterable[Stated]) -> list[str]:
    """Return all columns that mappings name."""
    return [
        name
        for mapping in mappings
        for field, column in mapping.items()
        if field not in SETTINGS
        for name in (column if isinstance(column, list) else [column])
        if isinstance(name, str) and name
    ]


def _all_there(stated: Stated | None, names: Sequence[str]) -> bool:
    return all(name in names for name in _named([stated or {}]))


def _settings(stated: Stated | None) -> Stated:
    """Return a curator's settings for files with other columns: how keys name options."""
    return {field: value for field, value in (stated or {}).items() if field in SETTINGS}


def _columns_of(
    rows: Sequence[Row], names: Sequence[str], said: Stated | None, *, of: str, is_of_replies: bool
) -> ColumnMapping:
    """Return the columns by field, from their names and, if several fit, from some rows."""
    columns = guessed_columns(names, said, of=of)
    if columns.column("question") and not is_of_replies and "id" not in (said or {}):
        columns = _with_unique_id(rows, columns, partial(guessed_columns, names, said, of=of))
    if "image" not in (said or {}):
        columns = with_named_pictures([row.document for row in rows], columns)
    documents = [row.document for row in rows]
    return with_form_of_options(documents, with_listed_options(documents, names, columns, said))


def _with_unique_id(
    rows: Sequence[Row], columns: ColumnMapping, guessed: Callable[..., ColumnMapping]
) -> ColumnMapping:
    """Return the columns with the first guess of `id` whose values do not repeat; without `id` if all repeat."""
    no_ids: list[str] = []
    while (column := columns.column("id")) is not None:
        values = [str(value) for row in rows if (value := row.document.get(column)) is not None]
        # Rows repeated by mistake do not disqualify an id.
        if len(values) < _FEW_ROWS or len(values) - len(set(values)) <= _MOST_REPEATED * len(values):
            break
        no_ids.append(column)
        columns = guessed(no_ids=no_ids)
    return columns


class ReadRow(NamedTuple):
    """The content of a row of a file.

    Args:
        row: Name of the row.
        question: The question; None if the row is a reply to a question in another file.
        pictures: Pictures of the question.
        reply: A model's reply to it; None if there is none.
        position: Index of the row or entry in its file, from 0.
    """

    row: str
    question: AskedQuestion | None
    pictures: list[AskedPicture]
    reply: ModelReply | None = None
    position: int | None = None


def rows_in(files: DatasetFiles, file: QuestionFile) -> Iterator[ReadRow | RefusedRow]:
    """Yield the content of each row of a file of questions or replies.

    A row of replies also has its question, if stated: a file of results may be the only file.
    """
    for row in rows_of(files, file.path, asked=file.columns.taken):
        if isinstance(row, RefusedRow):
            yield row
            continue
        with guarded(file.path, row.entry) as guard:
            if file.model is None:
                yield ReadRow(row.entry, *_question(row, file), None, row.position)
            else:
                reply = reply_of(row.document, file.columns, file.model)
                yield ReadRow(row.entry, *_question_beside(row, file), reply, row.position)
        if guard.refusal is not None:
            source_id = stated_id(row.document, file.columns)
            yield guard.refusal._replace(position=row.position, source_id=source_id)


def _question(row: Row, file: QuestionFile) -> tuple[AskedQuestion, list[AskedPicture]]:
    document: Mapping[str, Any] = row.document
    if file.is_binary and (answer := file.columns.column("answer")) is not None and answer in document:
        document = {**document, answer: _SPELLED.get(str(document[answer]), document[answer])}
    question, pictures = question_of(
        document,
        file.columns,
        row=row.entry,
        reading=file.reading,
        has_marks=file.has_marks,
        picture_cells=file.picture_cells,
        keyed_splits=file.keyed_splits,
    )
    told: dict[str, Any] = {}
    if question.split is None and file.split is not None:
        told["split"] = file.split
    if question.task == DEFAULT_TASK and file.config is not None:
        told["task"] = task_name(file.config)
    if file.starts_anew and len(key := f"{file.path}:{question.key}") <= MAX_KEY and file.columns.column("id"):
        told |= {"key": key, "labels": {**question.labels, STATED_ID: question.key}}
    return (question.model_copy(update=told) if told else question), pictures


def _question_beside(row: Row, file: QuestionFile) -> tuple[AskedQuestion | None, list[AskedPicture]]:
    """Return the question in a row with a reply; None if there is none, or if another file must contain it."""
    if not file.columns.replies or not (file.columns.has_questions or file.columns.has_keys):
        return None, []
    try:
        return _question(row, file)
    except (BadRow, ValidationError):
        return None, []


def _models_by_path(files: DatasetFiles, replies: Sequence[QuestionFile]) -> dict[str, str]:
    """Return the model of each file of replies.

    If a file's name contains the name of a model that another file states in a column, such as `GPT4o_evaluated` next
    to `GPT4o`, the file contains replies of that model.
    """
    stated: set[str] = set()
    for file in replies:
        if column := file.columns.replies.get("model"):
            try:
                first = next((r for r in islice(rows_of(files, file.path), 10) if isinstance(r, Row)), None)
            except BenchwrightError:
                continue
            if first is not None and (name := first.document.get(column)):
                stated.add(str(name))
    models = {}
    for file in replies:
        held = [name for name in stated if name in (file.model or "")]
        models[file.path] = max(held, key=len) if held else file.model or without_ends(file.path.rpartition("/")[2])
    return models
