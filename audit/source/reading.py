"""Reading of any source of questions for an audit: a file, a folder or archive with such files, or a frozen release.

Unlike in a run, nothing is refused because a key or picture is missing; such items are audited as far as possible. Rows
that are not questions are listed with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.canonical import digest
from benchwright.errors import DataError
from benchwright.images.formats.walking import Limits
from benchwright.images.identify import uri_for
from benchwright.question_files.absent_pictures import nearly_all_absent
from benchwright.question_files.indexed_rows import ROTATED, AbsentPicture, IndexedPicture
from benchwright.question_files.item_check import ReadQuestions, read_questions
from benchwright.question_files.keys.key_report import key_summaries
from benchwright.question_files.question_files import QuestionFile
from benchwright.question_files.questions.file_question import FileQuestion
from benchwright.questions.own_ids import OWN_ID, STATED_ID
from benchwright.records import LETTERS, Item, Source
from benchwright.replies.model_replies import ModelReplies
from benchwright.replies.reply_files import UnreadReply
from benchwright.rights import read_source_table, stated_source
from benchwright.source_files.files import DatasetFiles
from benchwright.source_files.item_files import Columns
from benchwright.source_files.refusals import AMBIGUOUS_PICTURE, MISSING_PICTURE
from benchwright.texts.normalization import counted
from benchwright.workspace.objects import ObjectStore

from .audited_items import (
    UNREADABLE_PICTURE,
    AuditedItem,
    AuditedItems,
    OpenItem,
    RotatedQuestion,
    RowFault,
    UnreadableRow,
    WordlessItem,
)
from .kept_values import KnownPictures
from .source_replies import letter_alone, replies_of_source

_SOURCE_TABLES = ("sources.csv", "sources.tsv")
_NAMED_FILES = 3
"""Number of files with the same layout that a line names."""
_FAULTY_ROWS = frozenset({"empty_option", "too_few_options", "ambiguous_key"})
"""Reasons that mean that the options of a row are not valid options of an item, or that it has no single key."""
_OF_PICTURES = frozenset({MISSING_PICTURE, AMBIGUOUS_PICTURE, UNREADABLE_PICTURE})
"""Reasons about pictures that do not prevent checks of the question and that have separate findings."""
_LICENCE_COLUMNS = ("licence", "license", "image_license", "image_licence")


def read_source(
    source: Path,
    *,
    objects: Path,
    pictures: Path | None = None,
    columns: Columns | None = None,
    known: KnownPictures,
) -> AuditedItems:
    """Return the items of a source with their pictures, and its unreadable parts.

    Args:
        source: File of questions, folder or archive that contains such files, or folder of a release.
        objects: Folder for pictures stored in files, archives or a release.
        pictures: Folder of the pictures if they lie elsewhere.
        columns: Column names by field, for columns whose names are not recognizable.
        known: An earlier audit's knowledge of the pictures.

    Raises:
        DataError: The source contains no questions, or cannot be read.
    """
    reading = _SourceReading(ObjectStore(objects, tmp=objects), known)
    objects.mkdir(parents=True, exist_ok=True)
    reading.read(source, pictures, columns)
    return reading.result(source)


@dataclass
class _SourceReading:
    """The state of reading a source."""

    objects: ObjectStore
    known: KnownPictures
    limits: Limits = field(default_factory=Limits)
    items: list[AuditedItem] = field(default_factory=list)
    pictures: dict[str, IndexedPicture] = field(default_factory=dict)
    unreadable: list[UnreadableRow] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    """Ids of the items of a release."""
    absent: dict[str, AbsentPicture] = field(default_factory=dict)
    """Reason each missing picture is missing, by the name that items use for it."""
    replies: list[ModelReplies] = field(default_factory=list)
    without_words: list[FileQuestion] = field(default_factory=list)
    wordless: tuple[WordlessItem, ...] = ()
    rotations: list[RotatedQuestion] = field(default_factory=list)
    faults: list[RowFault] = field(default_factory=list)
    open_items: list[OpenItem] = field(default_factory=list)
    left_out: list[RowFault] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def result(self, source: Path) -> AuditedItems:
        self._report_absent()
        return AuditedItems(
            source,
            tuple(self.items),
            self.pictures,
            tuple(self.unreadable),
            tuple(self.lines),
            self.absent,
            tuple(self.replies),
            self.wordless,
            tuple(self.rotations),
            tuple(self.faults),
            tuple(self.open_items),
            self._rows_left_out(),
            tuple(self.files),
        )

    def _rows_left_out(self) -> tuple[RowFault, ...]:
        """Return the rows that no check covers, each with a unique id."""
        known = {each.item_id for each in self.items} | {each.item_id for each in self.wordless}
        known |= {each.item_id for each in self.open_items} | {each.item_id for each in self.rotations}
        faulty = {each.where for each in self.faults}
        return tuple(
            row._replace(item_id=row.where) if row.item_id in known or not row.item_id else row
            for row in self.left_out
            if row.where not in faulty
        )

    def _id_in_source(self, original: Item) -> str:
        """Return the id of a release's item in its original source, unless another item has the same id."""
        own = str(original.attributes.get(OWN_ID) or original.item_id)
        own = original.item_id if own in self.taken else own
        self.taken.add(own)
        return own

    def read(self, source: Path, pictures: Path | None, columns: Columns | None) -> None:
        """Read the questions of a source, with their pictures."""
        with read_questions(
            source,
            pictures=pictures,
            mapping=columns,
            store=self.objects,
            keeps_repeats=True,
            identify=self.known.identify,
        ) as read:
            self.files = [file.path for file in read.files if file.model is None]
            self.lines += _lines_of_files(read.files) or [f"a release of Benchwright: {source}"]
            self.lines += [f"{note.file}: {note.note}" for note in read.notes]
            self.lines += key_summaries([table.document() for table in read.keys])
            for picture in read.index.pictures():
                name = picture.source.uri if picture.source is not None and picture.source.uri else picture.name
                self.pictures[picture.image_id] = picture._replace(name=name)
            if (line := nearly_all_absent(read.index, read.picture_files)) is not None:
                self.lines.append(f"a source most of whose pictures are missing: {line}")
            self.absent = {absent.name: absent for absent in read.index.absent()}
            taken = {(each.file, each.row) for each in read.index.questions() if self._take(each)}
            models = {file.path: file.model for file in read.files if file.model is not None}
            unread: list[tuple[str, UnreadReply]] = []
            for row in read.refused():
                if (row.file, row.entry) in taken:
                    continue
                where = ", ".join(part for part in (row.file, row.entry) if part)
                reason = f"{row.reason}: {row.detail}"
                if row.file in models:
                    unread.append((models[row.file], UnreadReply(where, reason)))
                else:
                    self.unreadable.append(UnreadableRow(where, reason))
                    if row.entry and not row.by_rule and row.reason not in _OF_PICTURES:
                        self.left_out.append(RowFault(row.source_id or "", where, row.reason, row.detail))
            for each in read.index.refused_for(_FAULTY_ROWS):
                if each.file not in models:
                    where = f"{each.file}, {each.entry}"
                    self.faults.append(RowFault(each.source_id or each.entry, where, str(each.reason), each.detail))
            self._take_wordless()
            self._take_replies(read, unread)
            self._state_sources(read.picture_files)

    def _take(self, question: FileQuestion) -> bool:
        """Add a question; return False if no part of it can be checked."""
        own, original = question.question.key, question.question.item
        where = f"{question.file}, {question.row}"
        if question.question.key_fault is not None:
            self.faults.append(RowFault(own, where, *question.question.key_fault))
        if question.outcome == ROTATED:
            problem = question.detail.partition("; ")[2]
            self.rotations.append(RotatedQuestion(own, question.question.rotates or "", where, problem))
            return True
        if question.question.kind == "open" and (question.question.ask or _is_answer_in_words(question)):
            self._take_open(question, where)
            return True
        if not question.question.ask:
            self.without_words.append(question)
            return True
        item = question.item_for_texts(digest(["audit", own])[:32])
        if item is None:
            return False
        missing = [name for name, image_id in zip(question.names, question.image_ids, strict=True) if image_id is None]
        if original is not None:
            own = self._id_in_source(original)
        names = question.names if original is None else ()
        padded = tuple(LETTERS[place] for place in question.question.padded)
        self.items.append(AuditedItem(own, item, question.question.split, where, tuple(missing), names, padded))
        return True

    def _take_open(self, question: FileQuestion, where: str) -> None:
        """Add a question without options, whose words, pictures and key can be checked."""
        asked = question.question
        item = question.open_item_for_texts(digest(["audit", asked.key])[:32])
        missing = [name for name, image_id in zip(question.names, question.image_ids, strict=True) if image_id is None]
        stated = str(asked.labels.get(STATED_ID) or asked.key)
        self.open_items.append(
            OpenItem(asked.key, item, asked.stated_answer, asked.split, where, tuple(missing), question.names, stated)
        )

    def _take_wordless(self) -> None:
        """Add the questions without words for which at least the number of options is known."""
        keys = [
            each.question.answer if each.question.options else letter_alone(each.question.stated_answer)
            for each in self.without_words
        ]
        numbers: dict[str, int] = {}
        for each, key in zip(self.without_words, keys, strict=True):
            if key is not None:
                numbers[each.question.task] = max(numbers.get(each.question.task, 2), key + 1)
        wordless = []
        for each, key in zip(self.without_words, keys, strict=True):
            question, where = each.question, f"{each.file}, {each.row}"
            texts = tuple(option if isinstance(option, str) else None for option in question.options)
            options = texts or (None,) * numbers.get(question.task, 0)
            if not options:
                self.unreadable.append(UnreadableRow(where, f"{each.outcome}: {each.detail}, and no option is known"))
                self.left_out.append(RowFault(question.key, where, str(each.outcome), "no option is known"))
                continue
            groups = [f"source:{question.group}"] if question.group else []
            groups += [f"picture:{image_id}" for image_id in each.stand_ins] if each.names else []
            stated = str(question.labels.get(STATED_ID) or question.key)
            wordless.append(
                WordlessItem(
                    question.key, question.task, options, key, question.split, where, tuple(groups), stated, bool(texts)
                )
            )
        self.wordless = tuple(wordless)
        self.without_words = []

    def _take_replies(self, read: ReadQuestions, unread: Sequence[tuple[str, UnreadReply]]) -> None:
        """Add models' replies from files next to the questions; replies to rotations belong to no item of the audit.

        Unusable rows of such files are recorded as unread replies, or as unreadable rows if no model's replies are
        used.
        """
        rotated = {each.item_id for each in self.rotations}
        items = [*(each.keyed_item for each in self.items), *(each.keyed_item for each in self.wordless)]
        replies = (reply for reply in read.index.replies() if reply.key not in rotated)
        self.replies = replies_of_source(replies, items, unread)
        if len(unread) > sum(len(replies.unread) for replies in self.replies):
            used = {row for replies in self.replies for row in replies.unread}
            self.unreadable += [UnreadableRow(row.where, row.reason) for _, row in unread if row not in used]
        if self.replies:
            files = sum(file.model is not None for file in read.files)
            beside = f" from {counted(files, 'file')} next to the questions" if files else ""
            counts = ", ".join(f"{replies.model} {len(replies.letters):,}" for replies in self.replies)
            self.lines.append(f"replies of models{beside}: {counts}")

    def _report_absent(self) -> None:
        """List the missing pictures, or write a single line if all are missing."""
        if self.absent and not self.pictures:
            first = next(iter(self.absent.values()))
            reason = f"none of the {counted(len(self.absent), 'picture')} that items name can be read: {first.detail}"
            self.unreadable.insert(0, UnreadableRow("pictures", reason))
        else:
            self.unreadable += [UnreadableRow(name, absent.detail) for name, absent in self.absent.items()]

    def _state_sources(self, folder: DatasetFiles) -> None:
        """Add the picture origins that are stated in the table next to the pictures and in the files."""
        names = {picture.name: image_id for image_id, picture in self.pictures.items()}
        table = None
        if folder.root.is_dir():
            beside = [name for name in _SOURCE_TABLES if (folder.root / name).is_file()]
            try:
                table = read_source_table(folder.root, [*(uri_for(name) for name in names), *beside])
            except DataError as error:
                self.unreadable.append(UnreadableRow(beside[0], str(error)))
        for name, image_id in names.items():
            picture = self.pictures[image_id]
            embedded = self.known.embedded_sources(image_id, picture.file, picture.media_type, limits=self.limits)
            if table is not None or embedded:
                source = stated_source(uri_for(name), table, embedded).source
                self.pictures[image_id] = picture._replace(source=source)
        self._state_licences_of_rows()

    def _state_licences_of_rows(self) -> None:
        """Take the license of a picture from the row of its item, if a license column states one."""
        for audited in self.items:
            licence = next(
                (audited.item.attributes.get(name) for name in _LICENCE_COLUMNS if name in audited.item.attributes),
                None,
            )
            if not isinstance(licence, str) or not licence.strip():
                continue
            for image in audited.item.images:
                picture = self.pictures.get(image.image_id)
                if picture is not None and (picture.source is None or picture.source.licence is None):
                    source = picture.source or Source(uri=uri_for(picture.name))
                    self.pictures[image.image_id] = picture._replace(
                        source=source.model_copy(update={"licence": licence})
                    )


def _is_answer_in_words(question: FileQuestion) -> bool:
    """Return whether the key of a question that has only a key consists of words instead of an option's letter."""
    stated = question.question.stated_answer
    return stated is not None and letter_alone(stated) is None


def _lines_of_files(files: Sequence[QuestionFile]) -> list[str]:
    """Return one line about the question files for each set of columns."""
    by_columns: dict[str, list[str]] = {}
    for file in files:
        if file.model is None:
            by_columns.setdefault(str(file.columns), []).append(file.path)
    return [
        ", ".join(paths[:_NAMED_FILES])
        + (f" and {len(paths) - _NAMED_FILES:,} more" if len(paths) > _NAMED_FILES else "")
        + f": {columns}"
        for columns, paths in by_columns.items()
    ]
