"""Files of letters alone, read as columns: JSON Lines of `item_id` and `answer`, each line one plain object.

Whatever is not as plain as that, be it a fault or not, is left to the reader of rows (`predictions`), which says what
is wrong, so that there is one account of what a row may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.records import LETTERS

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

_ENDS = (".jsonl", ".ndjson")
_MOST_BYTES = 256 << 20
"""Most bytes of a file that is held in memory at once."""
_LINE_BYTES = 1 << 16
"""Most bytes of a line; blocks are of this size, and no block may be without a whole line."""
_ID = r"^[0-9a-f]{32}(\.[a-z0-9]+)?$"


def letter_columns(path: Path) -> pa.Table | None:
    """Return the rows of a file of letters alone: `item_id`, `line`, `text` and `is_letter`; None for other files.

    Ids are well formed, and each text is a letter; whether items are known, and each is there once, is not looked at.

    Raises:
        OSError: The file cannot be read.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import json

    if path.suffix.lower() not in _ENDS or path.stat().st_size > _MOST_BYTES:
        return None
    data = path.read_bytes()
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    # Every line begins an object, and no other object begins anywhere, so that rows are lines.
    if not data.startswith(b"{") or not data.count(b"\n{") + 1 == data.count(b"{") == lines:
        return None
    schema = pa.schema([("item_id", pa.string()), ("answer", pa.string())])
    try:
        table = json.read_json(
            pa.BufferReader(data),
            read_options=json.ReadOptions(use_threads=False, block_size=_LINE_BYTES),
            parse_options=json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        ).combine_chunks()
        table.validate(full=True)
    except pa.ArrowException:
        return None
    ids, answers = table.column("item_id"), table.column("answer")
    is_plain = pc.and_(pc.match_substring_regex(ids, _ID), pc.is_in(answers, value_set=pa.array(LETTERS)))
    if table.num_rows != lines or ids.null_count or not pc.all(is_plain, min_count=0).as_py():
        return None
    return pa.table(
        {
            "item_id": ids,
            "line": pa.array(range(1, lines + 1), pa.int64()),
            "text": answers.cast(pa.large_binary()),
            "is_letter": pa.repeat(True, lines),
        }
    )
