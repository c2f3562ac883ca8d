"""Limits on reading untrusted files, and the environment variables that change them.

A small file can expand beyond a machine's memory. Every reader of tables, JSON, archives, packed files, Arrow and
Parquet measures values before making them, and its message names the variable that raises the limit. Users who trust a
large file set that variable; sizes are in MiB, such as `BENCHWRIGHT_MAX_ROW_MIB=256`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from benchwright.errors import BenchwrightError

MIB = 1 << 20


@dataclass(frozen=True)
class Bound:
    """A limit that an environment variable can change.

    Args:
        variable: Name of the variable.
        usual: The limit if the variable is unset, in bytes or as a count.
        unit: Unit of the variable: a number of bytes, or 1 for a count.
    """

    variable: str
    usual: int
    unit: int = 1

    def most(self, usual: int | None = None) -> int:
        """Return the limit currently in force.

        Args:
            usual: The reader's limit if the variable is unset; default `self.usual`.

        Raises:
            BenchwrightError: The variable is not a positive number.
        """
        text = os.environ.get(self.variable, "").strip()
        if not text:
            return self.usual if usual is None else usual
        try:
            most = int(float(text) * self.unit)
        except (ValueError, OverflowError):
            most = 0
        if most < 1:
            example = self.usual // self.unit
            raise BenchwrightError(
                f"{self.variable} is {text[:40]!a}, not a positive number; set it to, say, {example}"
            )
        return most

    def or_raise(self, usual: int | None = None) -> str:
        """Return the end of a message, which explains how to raise the limit."""
        return f"or set {self.variable} to more than {self.most(usual) / self.unit:.12g}"


ROW_BYTES = Bound("BENCHWRIGHT_MAX_ROW_MIB", 64 * MIB, MIB)
"""Largest number of bytes in a row, a line or an entry of a list; in text tables, of characters."""
ROW_VALUES = Bound("BENCHWRIGHT_MAX_ROW_VALUES", 2_000_000)
"""Largest number of values in a row, including those in lists; each becomes an object."""
COLUMNS = Bound("BENCHWRIGHT_MAX_COLUMNS", 16_384)
"""Largest number of columns in a table, the same as in spreadsheet programs; the columns of hundreds of rows may add
up."""
DOCUMENT_BYTES = Bound("BENCHWRIGHT_MAX_DOCUMENT_MIB", 256 * MIB, MIB)
"""Largest number of bytes in a file read as a whole."""
DOCUMENT_VALUES = Bound("BENCHWRIGHT_MAX_DOCUMENT_VALUES", 8_000_000)
"""Largest number of values in a file read as a whole; they take less than a gigabyte."""
UNPACKED_BYTES = Bound("BENCHWRIGHT_MAX_UNPACKED_MIB", 8192 * MIB, MIB)
"""Largest unpacked size, in bytes, of a packed file or archive member; COCO's largest file has 0.5 GB."""
MEMBERS = Bound("BENCHWRIGHT_MAX_MEMBERS", 2_000_000)
"""Largest number of members in an archive; their names are kept in memory, about half a gigabyte for that many."""
ROW_GROUP_BYTES = Bound("BENCHWRIGHT_MAX_ROW_GROUP_MIB", 320 * MIB, MIB)
"""Largest number of bytes that a Parquet row group may state if this process reads it."""
READER_BYTES = Bound("BENCHWRIGHT_MAX_READER_MIB", 1024 * MIB, MIB)
"""Memory limit of the process that reads Parquet and Arrow (`arrow_reader`), on top of its memory at the start."""

BOUNDS = (
    ROW_BYTES, ROW_VALUES, COLUMNS, DOCUMENT_BYTES, DOCUMENT_VALUES, UNPACKED_BYTES, MEMBERS, ROW_GROUP_BYTES,
    READER_BYTES,
)  # fmt: skip


def bounds_in_force() -> tuple[int, ...]:
    """Return the values of all limits.

    Raises:
        BenchwrightError: A variable is not a positive number.
    """
    return tuple(bound.most() for bound in BOUNDS)
