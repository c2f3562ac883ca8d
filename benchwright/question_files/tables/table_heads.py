"""The head of a question table as authors save it: the row with the names of the columns.

| first rows                                                      | names                                              |
|-----------------------------------------------------------------|----------------------------------------------------|
| titles, notes, lines that begin with `#`                        | the first row below them that names a question     |
| a heading such as "Options" above `A` to `D`, and these below   | those of both rows                                 |
| `option,option,option`                                          | `option,option.1,option.2`, as pandas names them   |
| one name fewer than cells, the names of rows first (R)          | one more, for the names of the rows                |

Only the first rows are examined. If no row names a question with its key or options, the first row has the names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from benchwright.files.table_text import TableLine
from benchwright.files.tables import TableForm, TableHead, header_names
from benchwright.source_files.picture_names import is_picture_name

from ..mapping.columns import ColumnMapping, guessed_columns, is_option_word
from ..mapping.configs import split_of

_LONGEST_NAME = 80
_FEWEST_NAMES = 3
"""Smallest number of names in a header that is not the first row."""
_ROW_NAMES = "row names"
_TITLES = 3


def question_table(asked: Collection[str]) -> TableForm:
    """Return the known form of question tables.

    Args:
        asked: Columns to read whatever their names.
    """
    wanted = frozenset(asked)
    return TableForm(lambda lines: _head(lines, wanted), _are_splits, _in_split)


def _in_split(sheet: str, values: Mapping[str, str]) -> Mapping[str, str]:
    """Return the values of a row, with its sheet's split added unless the row states one."""
    return {"split": split_of(sheet) or sheet, **values}


def _are_splits(titles: Sequence[str]) -> bool:
    """Return whether the names of sheets are those of a benchmark's splits."""
    splits = [split_of(title) for title in titles]
    return None not in splits and len({*splits}) == len(splits)


def _head(lines: Sequence[TableLine], asked: frozenset[str]) -> TableHead | None:
    if not lines or lines[0].problem:
        return None
    for number, line in enumerate(lines):
        if line.problem:
            continue
        names, below = header_names(line.cells), lines[number + 1 :]
        titles = [" ".join(filter(None, above.cells)) for above in lines[:number][:_TITLES]]
        above = f"; rows above are left out: {'; '.join(titles)[:100]!a}" if number else ""
        both = _grouped(names, below)
        if both is not None and _names_questions(both, below, asked, is_first=number == 0):
            entries = f"{line.entry} and {below[0].entry}"
            return TableHead(both, number + 2, f"the names of the columns are those of {entries}{above}")
        made = _numbered(names)
        if not _names_questions(made, below, asked, is_first=number == 0):
            continue
        told = [f"the names of the columns are those of {line.entry}{above}"] if number else []
        if made != names:
            told.append(f"columns with the same name are numbered: {', '.join(made)[:200]}")
        if (with_rows := _with_row_names(made, below)) is not None:
            made = with_rows
            told.append("the first column has no name, as R writes the names of rows; it is kept as such")
        return TableHead(made, number + 1, "; ".join(told))
    return None


def _names_questions(
    names: Sequence[str], below: Sequence[TableLine], asked: frozenset[str], *, is_first: bool
) -> bool:
    """Return whether a row names the columns of questions, keys or replies; rows after the first must name more."""
    stated = [name for name in names if name]
    if len({*stated}) != len(stated) or any(len(name) > _LONGEST_NAME for name in stated):
        return False
    if asked and len(asked.intersection(stated)) >= min(2, len(asked)):
        return True
    columns = guessed_columns(stated)
    if is_first:
        return columns.has_questions or columns.has_keys or bool(columns.replies)
    is_whole = columns.has_questions and bool(columns.column("answer") or columns.column("options") or columns.options)
    rows = [header_names(line.cells) for line in below if not line.problem]
    fit = [len(row) <= len(names) + 1 for row in rows]
    return is_whole and len(stated) >= _FEWEST_NAMES and bool(fit) and all(fit)


def _grouped(top: Sequence[str], below: Sequence[TableLine]) -> list[str] | None:
    """Return the names from two rows, the upper of which has headings over several columns; None for other rows.

    A heading is above the first of its columns, with empty cells above the others. Other columns have their name in
    either row, or the same in both if their cells are merged.
    """
    if not below or below[0].problem:
        return None
    sub = header_names(below[0].cells)
    width = max(len(top), len(sub))
    upper, lower = ([*row, *[""] * (width - len(row))] for row in (top, sub))
    made, inner = [], 0
    for place, (above, under) in enumerate(zip(upper, lower, strict=True)):
        is_heading = bool(above) and place + 1 < width and not upper[place + 1] and bool(lower[place + 1])
        if above and under and above != under and not is_heading:
            return None
        inner += bool(under) and not above
        made.append(under or above)
    columns = guessed_columns([name for name in made if name])
    return made if inner and len(columns.options) >= 2 and columns.has_questions else None


def _numbered(names: Sequence[str]) -> list[str]:
    """Return names with repeated option names numbered as in pandas."""
    counts = Counter(names)
    seen: Counter[str] = Counter()
    made = []
    for name in names:
        repeated = counts[name] > 1 and is_option_word(name)
        made.append(f"{name}.{seen[name]}" if repeated and seen[name] else name)
        seen[name] += 1
    return made


def _with_row_names(names: Sequence[str], below: Sequence[TableLine]) -> list[str] | None:
    """Return column names, with one added for the row names if all rows have one more cell, as in tables written by R.

    Unquoted text that contains a delimiter also produces such rows. The row names and the ids must therefore be
    distinct single words, pictures must be in the resulting picture columns, and no cell may begin with a space, as the
    rest of a sentence does.
    """
    rows = [line.cells for line in below if not line.problem]
    if not rows or any(len(row) != len(names) + 1 for row in rows) or not any(row[-1].strip() for row in rows):
        return None
    made = [_ROW_NAMES, *names]
    columns = guessed_columns(made)
    image = columns.column("image")
    own = [0, *([made.index(name)] if (name := columns.column("id")) else [])]
    is_apart = all(len({row[place] for row in rows}) == len(rows) for place in own)
    are_words = all(row[place] and not any(map(str.isspace, row[place])) for row in rows for place in own)
    has_pictures = image is not None and all(is_picture_name(row[made.index(image)]) for row in rows)
    is_split = any(cell[:1].isspace() for row in rows for cell in row)
    return made if is_apart and are_words and has_pictures and not is_split and _has_key(columns) else None


def _has_key(columns: ColumnMapping) -> bool:
    return columns.column("answer") is not None
