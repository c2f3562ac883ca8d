"""The backend `predictions:FILE`, which reads predictions in our own format or that of another evaluation program."""

from __future__ import annotations

from pathlib import Path

from benchwright.errors import DataError
from benchwright.files.tables import TABLE_ENDS
from benchwright.replies.reply_files import is_reply_file

from .base import Backend
from .options import BackendOptions
from .predictions import PredictionsFile
from .tool_replies import ToolReplies, is_of_tool


def predictions(argument: str, options: BackendOptions) -> Backend:
    """Return the backend that answers from a file, such as `predictions:replies.jsonl`.

    Raises:
        DataError: The file is missing, or its name does not match any format of replies.
    """
    del options
    path = Path(argument)
    if not argument or not path.is_file():
        raise DataError(
            f"predictions file {argument!r} is not a file; write predictions:FILE with a table, such as .jsonl or .csv"
        )
    if not is_reply_file(path.name):
        raise DataError(
            f"{path}: predictions are read from tables ({', '.join(TABLE_ENDS)}) and from .json and .eval logs; rename "
            "or convert it"
        )
    return ToolReplies(path) if is_of_tool(path) else PredictionsFile(path)
