"""Files that contain only letters or only replies, read as columns: JSON Lines of `item_id` and `answer` or `reply`.

Files with any other rows, valid or not, are left to the row reader (`predictions`), which also reports faults, so that
the rules for rows exist in one place only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchwright.records import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

_ENDS = (".jsonl", ".ndjson")
_PIECE_BYTES = 32 << 20
"""Largest number of bytes of a file to hold in memory at once, not counting the rest of a line."""
_LINE_BYTES = 1 << 16
"""Largest size of a line in bytes. Blocks have this size, and each must contain a whole line."""
_ID = r"^[0-9a-f]{32}(\.[a-z0-9]+)?$"


def prediction_columns(path: Path) -> pa.Table | None:
    """Return the rows of a file of letters or replies only, as columns `item_id`, `line`, `text` and `is_letter`; None
    for any other file.

    Ids are well formed, and each text is a letter or a reply like the first row's. The function does not check whether
    items are known and occur once.

    Raises:
        OSError: The file cannot be read.
    """
    import pyarrow as pa

    if path.suffix.lower() not in _ENDS:
        return None
    tables: list[pa.Table] = []
    rows, field = 0, ""
    for piece in _pieces(path):
        if not field:
            field = "answer" if b'"answer"' in piece.partition(b"\n")[0] else "reply"
        table = _columns_of(piece, field)
        if table is None:
            return None
        lines = pa.array(range(rows + 1, rows + 1 + table.num_rows), pa.int64())
        tables.append(table.add_column(1, "line", lines))
        rows += table.num_rows
    return pa.concat_tables(tables).combine_chunks() if tables else None


def _pieces(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces of whole lines; a piece ends early at a line that is too long to be read as columns."""
    with path.open("rb") as handle:
        while piece := handle.read(_PIECE_BYTES):
            yield piece + (b"" if piece.endswith(b"\n") else handle.readline(_LINE_BYTES))


def _columns_of(data: bytes, field: str) -> pa.Table | None:
    """Return whole lines as columns `item_id`, `text` and `is_letter`, or None if any line has another form."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import json

    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    # Every line begins an object, and objects hold only texts. As many rows as lines therefore mean one row per line.
    if not data.startswith(b"{") or data.count(b"\n{") + 1 != lines:
        return None
    try:
        table = json.read_json(
            pa.BufferReader(data),
            read_options=json.ReadOptions(use_threads=False, block_size=_LINE_BYTES),
            parse_options=json.ParseOptions(
                explicit_schema=pa.schema([("item_id", pa.string()), (field, pa.string())]),
                unexpected_field_behavior="error",
            ),
        ).combine_chunks()
        table.validate(full=True)
    except pa.ArrowException:
        return None
    ids, texts = table.column("item_id"), table.column(field)
    if table.num_rows != lines or ids.null_count or texts.null_count:
        return None
    is_plain = pc.match_substring_regex(ids, _ID)
    if field == "answer":
        is_plain = pc.and_(is_plain, pc.is_in(texts, value_set=pa.array(LETTERS)))
    if not pc.all(is_plain, min_count=0).as_py():
        return None
    is_letter = pa.repeat(field == "answer", lines)
    return pa.table({"item_id": ids, "text": texts.cast(pa.large_binary()), "is_letter": is_letter})
