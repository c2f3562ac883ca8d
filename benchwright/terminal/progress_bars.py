"""Progress on standard error: bars on a terminal, otherwise one line per phase."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING

from benchwright.terminal.cleaning import clean_redirected, console, plain_stream
from benchwright.terminal.output import note
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


class ProgressBars:
    """A `benchwright.progress.Progress` on the terminal; use it as a context manager."""

    def __init__(self) -> None:
        self._bars: Bars | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressBars:
        if sys.stderr.isatty():
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
            from rich.progress import TimeRemainingColumn as Left

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.fields[count]}"))
            rates = (TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[beside]}", markup=False))
            drawing = console(plain_stream(sys.stderr))
            self._bars = Progress(*columns, TimeElapsedColumn(), Left(), *rates, console=drawing)
            self._bars.start()
            clean_redirected(drawing)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            if kind is None:
                self._end_phase()
            self._bars.stop()

    def phase(self, name: str, total: int, unit: str = "images") -> None:
        """Begin a bar, or print a line."""
        if self._bars is None:
            note(f"{name}: {counted(total, unit.removesuffix('s'), unit)}" if total else name)
            return
        self._end_phase()
        self._task = self._bars.add_task(name, total=total or None, count=_count(0, total), rate="", beside="")

    def _end_phase(self) -> None:
        """Fill the bar of a phase whose size was initially unknown."""
        if self._bars is not None and self._task is not None and self._bars.tasks[self._task].total is None:
            self._bars.update(self._task, total=1, completed=1)

    def advance(self, records: int) -> None:
        """Move the bar."""
        if self._bars is not None and self._task is not None:
            self._bars.advance(self._task, records)
            task = self._bars.tasks[self._task]
            self._bars.update(self._task, rate=_rate(task.speed), count=_count(task.completed, task.total))

    def beside(self, text: str) -> None:
        """Show a text next to the bar."""
        if self._bars is not None and self._task is not None:
            self._bars.update(self._task, beside=text)

    def warn(self, message: str) -> None:
        """Print a warning above the bars."""
        if self._bars is not None:
            self._bars.console.print(f"warning: {message}", markup=False, highlight=False)
        else:
            note(f"warning: {message}")

    def another(self) -> ProgressBars:
        """Return a receiver that draws further bars among these."""
        bars = ProgressBars()
        bars._bars = self._bars
        return bars


def _count(completed: float, total: float | None) -> str:
    """Return the number of finished records, and the total if known; empty before the first record if it is unknown."""
    if total:
        return f"{completed:.0f}/{total:.0f}"
    return f"{completed:.0f}" if completed else ""


def _rate(speed: float | None) -> str:
    """Return the speed as text, in records per second, or per minute if it is below one per second."""
    if not speed:
        return ""
    return f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min"
