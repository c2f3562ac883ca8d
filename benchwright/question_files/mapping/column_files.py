"""Files that map columns to fields (`--columns mapping.yaml`): written with guesses, edited, and read again.

```yaml
format: benchwright/columns
version: 1
columns: {question: frage, options: [o1, o2, o3], answer: richtig}
```

`columns` applies to every question file with these columns; `files` has a mapping for each path, which may contain `*`.
A file without `format` is a single such mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import Field, ValidationError

from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Record
from benchwright.source_files.rows import first_mistake
from benchwright.workspace.atomic import replacing

FORMAT: Literal["benchwright/columns"] = "benchwright/columns"
VERSION = 1
_MAX_BYTES = 1 << 20
StatedColumns = dict[str, str | int | list[str]]
"""Columns by field, and settings such as `keys` and `encoding`."""


class ColumnFile(Record):
    """Content of a column file.

    Attributes:
        columns: Columns by field for all files that have them.
        files: Columns by field, by path or pattern of paths; these take precedence over `columns`.
    """

    format: Literal["benchwright/columns"] = FORMAT
    version: int = Field(VERSION, ge=1)
    columns: StatedColumns = Field(default_factory=dict)
    files: dict[str, StatedColumns] = Field(default_factory=dict)


def read_columns(path: Path) -> ColumnFile:
    """Return the content of a column file.

    Raises:
        DataError: The file cannot be read, has a newer version, or has other content.
    """
    try:
        with path.open("rb") as handle:
            data = handle.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise DataError(f"{path} has more than {_MAX_BYTES >> 20} MiB; it should name columns by field")
        text = data.decode("utf-8")
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)):
            raise DataError(f"{path}: aliases (`*name`) are not supported; write the columns out")
        document: Any = yaml.safe_load(text)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise DataError(f"{path} is not YAML in UTF-8: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(document, Mapping):
        raise DataError(f"{path} names no columns; write `question: ask`, a field and its column on each line")
    if "format" not in document:
        document = {"columns": document}
    elif document["format"] != FORMAT:
        raise DataError(f"{path}: format is {document['format']!r}, not {FORMAT!r}")
    elif isinstance(version := document.get("version"), int) and version > VERSION:
        raise DataError(f"{path} has version {version}; this Benchwright reads up to {VERSION}: update it")
    try:
        return ColumnFile.model_validate(document)
    except ValidationError as error:
        raise DataError(f"{path}: {first_mistake(error)}; a field has one column or a list of columns") from None


def write_columns(path: Path, files: Mapping[str, Mapping[str, str | int | list[str]]]) -> None:
    """Write the columns of each question file, for a curator to edit.

    Args:
        path: Path of the new file.
        files: Columns by field, by path of the question file; equal mappings are written only once.

    Raises:
        BenchwrightError: The path already exists, or is not writable.
    """
    if path.exists() or path.is_symlink():
        raise BenchwrightError(f"{path} already exists, perhaps with your changes; name another file")
    mappings = [dict(columns) for columns in files.values()]
    is_same = all(columns == mappings[0] for columns in mappings)
    content: dict[str, Any] = {"columns": mappings[0]} if is_same else {"files": {k: dict(v) for k, v in files.items()}}
    head = "# Columns by field. Edit this file and pass it with --columns, or as `mapping` of the step `items`.\n"
    text = yaml.safe_dump(
        {"format": FORMAT, "version": VERSION, **content}, sort_keys=False, allow_unicode=True, width=100
    )
    try:
        with replacing(path) as draft:
            draft.write_text(head + text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BenchwrightError(f"{path} cannot be written: {error.strerror or error}") from error
