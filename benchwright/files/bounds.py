"""How much of a stranger's file is read at most, and the variables of the environment that change it.

A small file can unfold to more than a machine has. Every reader of tables, JSON, archives, packed files, Arrow and
Parquet measures what it is about to make, and its message names the variable that raises the bound. Whoever knows a
large file and trusts it sets that variable; sizes are in MiB, such as `BENCHWRIGHT_MAX_ROW_MIB=256`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from benchwright.errors import BenchwrightError

MIB = 1 << 20


@dataclass(frozen=True)
class Bound:
    """A bound that a variable of the environment changes.

    Args:
        variable: The variable.
        usual: The bound where it is not set, in bytes or as a number of things.
        unit: What a one in the variable stands for: bytes, or one thing.
    """

    variable: str
    usual: int
    unit: int = 1

    def most(self, usual: int | None = None) -> int:
        """Return the bound.

        Args:
            usual: The bound of this reader where the variable is not set; default `self.usual`.

        Raises:
            BenchwrightError: The variable is no positive number.
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
            raise BenchwrightError(f"{self.variable} is {text[:40]!a}, no positive number; set it such as to {example}")
        return most

    def or_raise(self, usual: int | None = None) -> str:
        """Return what a message says last: how to have more read."""
        return f"or set {self.variable} to more than {self.most(usual) / self.unit:.12g}"


ROW_BYTES = Bound("BENCHWRIGHT_MAX_ROW_MIB", 64 * MIB, MIB)
"""Most bytes of a row, a line, an entry of a list; of a table in text, most characters."""
ROW_VALUES = Bound("BENCHWRIGHT_MAX_ROW_VALUES", 2_000_000)
"""Most values of a row, those in lists included; each becomes an object."""
COLUMNS = Bound("BENCHWRIGHT_MAX_COLUMNS", 16_384)
"""Most columns of a table: as many as spreadsheet programs keep; columns are found from hundreds of rows together."""
DOCUMENT_BYTES = Bound("BENCHWRIGHT_MAX_DOCUMENT_MIB", 256 * MIB, MIB)
"""Most bytes of a file that is read as a whole."""
DOCUMENT_VALUES = Bound("BENCHWRIGHT_MAX_DOCUMENT_VALUES", 8_000_000)
"""Most values of a file that is read as a whole, which take less than a gigabyte."""
UNPACKED_BYTES = Bound("BENCHWRIGHT_MAX_UNPACKED_MIB", 8192 * MIB, MIB)
"""Most bytes of a packed file, or of a member of an archive, once unpacked: COCO's largest file has 0.5 GB."""
MEMBERS = Bound("BENCHWRIGHT_MAX_MEMBERS", 2_000_000)
"""Most members of an archive: their names are kept in memory, about half a gigabyte for so many."""
ROW_GROUP_BYTES = Bound("BENCHWRIGHT_MAX_ROW_GROUP_MIB", 320 * MIB, MIB)
"""Most bytes that a row group of a Parquet file may state, where this process reads it."""
READER_BYTES = Bound("BENCHWRIGHT_MAX_READER_MIB", 1024 * MIB, MIB)
"""Most memory that the process takes that reads Parquet and Arrow (`arrow_reader`), besides what it starts with."""

BOUNDS = (
    ROW_BYTES, ROW_VALUES, COLUMNS, DOCUMENT_BYTES, DOCUMENT_VALUES, UNPACKED_BYTES, MEMBERS, ROW_GROUP_BYTES,
    READER_BYTES,
)  # fmt: skip


def bounds_in_force() -> tuple[int, ...]:
    """Return every bound.

    Raises:
        BenchwrightError: A variable is no positive number.
    """
    return tuple(bound.most() for bound in BOUNDS)
