"""Groups that a curator declares: pictures that are alike by design, such as the two of a pair."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from benchwright.errors import RecipeError

_MOST_BYTES = 256 << 20


def read_groups(path: Path) -> Mapping[str, tuple[str, ...]]:
    """Return the groups of each picture, sorted, by its path below the image folder.

    The file is CSV with the columns `path` and `group`; a picture may stand in several groups.

    Raises:
        RecipeError: It cannot be read, or a row lacks one of the two.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise RecipeError(f"groups {path} is larger than {_MOST_BYTES:,} bytes; give only the groups that matter")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RecipeError(f"groups {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RecipeError(f"groups {path} is not UTF-8 text (byte {error.start})") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if missing := {"path", "group"} - set(reader.fieldnames or ()):
        raise RecipeError(f"groups {path}: line 1: there is no column {sorted(missing)[0]!r}; it needs path and group")
    found: defaultdict[str, set[str]] = defaultdict(set)
    for row in reader:
        if not row["path"] or not row["group"]:
            raise RecipeError(f"groups {path}: line {reader.line_num}: path and group must both be given, not {row}")
        found[row["path"]].add(row["group"])
    return {name: tuple(sorted(groups)) for name, groups in sorted(found.items())}
