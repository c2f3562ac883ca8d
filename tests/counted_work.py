"""The work of a command in all its processes: pictures decoded and encoded, rows read, files opened, bytes written.

Unlike seconds, counts are the same on every machine and under any load. `budgets/counting/sitecustomize.py` counts in
every process that starts with its folder on PYTHONPATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

ROOT = Path(__file__).resolve().parent.parent
_COUNTING = ROOT / "tests" / "budgets" / "counting"
_PICTURES = frozenset({".jpg", ".png", ".webp"})
_MEASURE = (
    "import json, sys; from pathlib import Path; from measuring import cost_of; "
    "print(json.dumps(cost_of(sys.argv[2:], output=Path(sys.argv[1])).written_mb))"
)


@dataclass
class Work:
    """The counted work, by its objects.

    Attributes:
        decoded: Number of decodings of each picture, by format and digest of its file.
        encoded: Number of encodings of the same pixels, by format and digest.
        read: Number of openings of each file for reading.
        wrote: Number of openings of each file for writing.
        rows: Number of rows read from Parquet files without pictures, and with them.
        hashed_bytes: Bytes of the files hashed as a whole, counted each time.
        modules: Modules imported by processes at their end; terminated workers report nothing.
        decoders: The processes that decoded pictures.
        written_bytes: Bytes that all processes passed to the system.
        output: Output of the command.
    """

    decoded: Counter[tuple[str, str]] = field(default_factory=Counter)
    encoded: Counter[tuple[str, str]] = field(default_factory=Counter)
    read: Counter[Path] = field(default_factory=Counter)
    wrote: Counter[Path] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    hashed_bytes: int = 0
    modules: set[str] = field(default_factory=set)
    decoders: set[int] = field(default_factory=set)
    written_bytes: int = 0
    output: str = ""

    @classmethod
    def of(cls, folder: Path, *command: object) -> Self:
        """Run a command to its end and return its work; files are those below a folder.

        Raises:
            AssertionError: The command failed.
        """
        log, output = folder.with_name(f"{folder.name}.counted"), folder.with_name(f"{folder.name}.printed")
        log.unlink(missing_ok=True)
        paths = os.pathsep.join(map(str, (_COUNTING, ROOT, ROOT / "benchmarks")))
        counting = {"COUNTED_WORK": str(log), "COUNTED_FOLDER": str(folder), "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, "-c", _MEASURE, output, *map(str, command)],
            capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL,
            # The first process to compile a module would write it.
            env={**os.environ, **counting, "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        work = cls(output=output.read_text(encoding="utf-8"))
        for line in log.read_text(encoding="utf-8").splitlines():
            work._add(*line.split("\t"))
        work.written_bytes = round(json.loads(done.stdout) * 1e6) - log.stat().st_size
        return work

    def _add(self, pid: str, kind: str, *values: str) -> None:
        if kind == "decode":
            self.decoded[values[0], values[1]] += 1
            self.decoders.add(int(pid))
        elif kind == "encode":
            self.encoded[values[0], values[1]] += 1
        elif kind == "rows":
            self.rows[values[0]] += int(values[1])
        elif kind == "hash":
            self.hashed_bytes += int(values[0])
        elif kind == "module":
            self.modules.add(values[0])
        else:
            (self.read if kind == "read" else self.wrote)[Path(values[0])] += 1

    def pictures_opened(self) -> Iterator[int]:
        """Yield the number of openings for reading of each picture's file; those of a workspace have no suffix."""
        for path, times in self.read.items():
            if path.suffix in _PICTURES or "objects" in path.parts:
                yield times
