"""Files of replies from other evaluation programs, used as a backend: VLMEvalKit, lmms-eval, inspect_ai, HELM.

`benchwright.replies.reply_files` reads the rows, as it does for `audit --replies`. Rows identify items by our ids or by
their ids in the source. Like any file of predictions, the file must match the release.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import DataError
from benchwright.files.tables import Table, table_end
from benchwright.records import LETTERS
from benchwright.replies.reply_files import ReplyRow, UnreadReply, reply_rows, row_of_record
from benchwright.texts.normalization import counted

from ..prompting.question import Question, Reply, item_of
from .predictions import ID_COLUMNS, Prediction, PredictionsFile

if TYPE_CHECKING:
    from .base import BackendContext

logger = logging.getLogger(__name__)

_COLUMNS_OF_TOOLS = frozenset({"prediction", "filtered_resps", "resps", "predicted_text"})
_COLUMNS_OF_QUESTIONS = frozenset({"question", "options", "choices", "a", "b"})


def is_of_tool(path: Path) -> bool:
    """Return whether a file of replies is in another program's format rather than that of `predictions`."""
    if table_end(path.name) is None:
        return True  # a log, or a whole JSON document
    try:
        record = next(Table.at(path).records(), None)
    except DataError:
        return False
    return record is not None and isinstance(record.values, Mapping) and _is_record_of_tool(record.values)


def _is_record_of_tool(record: Mapping[str, Any]) -> bool:
    columns = {str(name).strip().lower() for name in record}
    if columns & _COLUMNS_OF_TOOLS:
        return True
    if columns & set(ID_COLUMNS) and ("reply" in columns or "answer" in columns):
        return "reply" not in columns and bool(columns & _COLUMNS_OF_QUESTIONS)
    row = row_of_record(record)
    return isinstance(row, ReplyRow) or bool(row.ids)


class ToolReplies(PredictionsFile):
    """Backend that answers from another program's file, which must match the release exactly."""

    is_plain = False

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._entries: list[str] = []
        self._shown: dict[int, tuple[str, ...]] = {}

    def _entry(self, line: int) -> str:
        return self._entries[line]

    def _rows(self, context: BackendContext) -> Generator[tuple[str, Prediction]]:
        """Yield each row with the id of its item, or with the id stated in the row if no item has that id.

        Raises:
            DataError: A row is malformed, or the file contains keys or the replies of several models.
        """
        rows = self._usable_rows()
        known, own = context.item_ids(), context.own_ids()

        def is_known(name: str) -> bool:
            try:
                return item_of(own.item_id(name)) in known
            except DataError:  # several items share this name, which is a fault only of the column that names items
                return False

        from benchwright.replies.model_replies import id_column

        column = id_column((row.ids for row in rows), is_known)
        for line, row in enumerate(rows):
            name = row.ids.get(column) or next(iter(row.ids.values()))
            try:
                item_id = own.item_id(name)
            except DataError as error:
                raise DataError(f"{self._at(line)}: {error}") from None
            if isinstance(row, ReplyRow):
                self._shown[line] = row.options
                yield item_id, Prediction(line, row.text, is_letter=False)
            else:
                yield item_id, Prediction(line, "", is_letter=False, error=row.error or None)

    def _usable_rows(self) -> list[ReplyRow | UnreadReply]:
        """Return the rows that identify items: those with a reply, and those marked as having none."""
        rows: list[ReplyRow | UnreadReply] = []
        faults: list[UnreadReply] = []
        repeats: list[UnreadReply] = []
        for row in reply_rows(self.path):
            if isinstance(row, UnreadReply) and not row.ids:
                (repeats if row.is_repeat else faults).append(row)
            else:
                rows.append(row)
        if faults:
            first = faults[0]
            raise DataError(
                f"{self.path.parent / first.where}: {first.reason} ({counted(len(faults), 'such row')}); correct or "
                "remove them"
            )
        replies = [row for row in rows if isinstance(row, ReplyRow)]
        if not replies:
            empty = next((f"; {row.where}: {row.reason}" for row in rows if isinstance(row, UnreadReply)), "")
            raise DataError(f"{self.path} contains no replies{empty}")
        if all(row.column == "answer" for row in replies) and any(row.options for row in replies):
            raise DataError(
                f"{self.path} has no column of replies: next to options, 'answer' contains the keys; if these are a "
                "model's replies, rename the column to prediction"
            )
        if len(models := {row.model for row in replies}) > 1:
            raise DataError(
                f"{self.path} contains replies of {', '.join(map(repr, sorted(models)))}; give each its own file"
            )
        if repeats:
            logger.warning(
                "%s: %s left out, such as %s (%s)",
                self.path, counted(len(repeats), "row"), repeats[0].where, repeats[0].reason,
            )  # fmt: skip
        self._entries = [row.where.removeprefix(f"{self.path.name}: ") for row in rows]
        return rows

    def _reply(self, prediction: Prediction, question: Question) -> Reply:
        if prediction.error is not None:
            return Reply(question.item_id, error=prediction.error)
        from benchwright.replies.answers import read_answer
        from benchwright.replies.model_replies import places_of_options

        shown, options = self._shown.get(prediction.line, ()), [choice.text for choice in question.choices]
        if not shown or not all(options):  # pictures, and options without words, which other programs' tables lose
            return Reply(question.item_id, text=prediction.text)
        places = places_of_options(shown, options)
        if isinstance(places, str):
            raise DataError(f"{self._at(prediction.line)}: {places}; score the release that the model was asked")
        letter = read_answer(prediction.text, list(zip(LETTERS, shown, strict=False))).letter
        if letter is None or places == sorted(places):
            return Reply(question.item_id, text=prediction.text)
        return Reply(question.item_id, text=prediction.text, letter=question.choices[places[LETTERS.index(letter)]].key)
