"""The cleaning of all terminal output, so that foreign text can neither control the terminal nor disguise itself.

Commands print endpoints' messages, names of files and splits, and options of questions. Standard output and standard
error clean all of it, so that no command needs to; tracebacks, logs and warnings also pass through them. Only
Benchwright's own drawing (colors of tables, bars) may control the terminal.
"""

from __future__ import annotations

import codecs
import io
import secrets
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

from benchwright.texts.hidden_characters import escaped

if TYPE_CHECKING:
    from rich.console import Console

_OURS = f"\ufdd0{secrets.token_hex(16)}\ufdd1"
"""Placeholder for the escape character in texts that Benchwright colored, unknown to any other author."""


def clean(text: str) -> str:
    """Return a text safe for a terminal: `\\x1b` in place of an escape character, with Benchwright's own colors."""
    return escaped(text, keep="\t\n").replace(_OURS, "\x1b")


def coloured(text: str) -> str:
    """Return a text drawn by `console` in a form whose colors survive the cleaning of standard output."""
    return text.replace("\x1b", _OURS) if isinstance(sys.stdout, CleanStream) else text


def json_escaped(text: str) -> str:
    """Return a JSON document with hidden characters as JSON escapes, which programs read as the same document."""
    return escaped(text, keep="\t\n", spell=_as_in_json)


def _as_in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


class CleanStream(io.TextIOWrapper):
    """Standard output or standard error without control sequences for a terminal.

    Args:
        plain: The stream that Python opened.
    """

    def __init__(self, plain: io.TextIOWrapper) -> None:
        self.plain = plain
        # Click would replace an ASCII stream with its own, which bypasses this one.
        is_ascii = codecs.lookup(plain.encoding).name == "ascii"
        super().__init__(
            plain.buffer,
            "utf-8" if is_ascii else plain.encoding,
            "backslashreplace" if is_ascii else plain.errors,
            line_buffering=plain.line_buffering,
            write_through=plain.write_through,
        )

    def write(self, text: str) -> int:
        """Write a text, cleaned."""
        super().write(clean(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:  # type: ignore[override]  # bytes too, in typeshed
        """Write texts, cleaned."""
        for line in lines:
            self.write(line)


def clean_standard_streams() -> None:
    """Clean this process's output from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, CleanStream):
            stream.flush()
            setattr(sys, name, CleanStream(stream))


def plain_stream(stream: TextIO) -> TextIO:
    """Return the stream beneath a cleaned one, for Benchwright's own drawing."""
    return stream.plain if isinstance(stream, CleanStream) else stream


def console(file: TextIO, **settings: object) -> Console:
    """Return a rich console that cleans every text before drawing it.

    Args:
        file: Stream for its output, including its own control sequences.
        settings: Settings of `rich.console.Console`.
    """
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class CleanConsole(Console):
        """A console that cleans its texts; only rich controls the terminal."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """Yield the parts of the drawing, with their texts cleaned."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=escaped(segment.text, keep="\t\n"))

    return CleanConsole(file=file, **settings)  # type: ignore[arg-type]


def clean_redirected(drawing: Console) -> None:
    """Clean text that is printed while rich draws bars; rich would print it above them with its control sequences."""
    from rich.file_proxy import FileProxy

    class CleanProxy(FileProxy):
        """Standard output or standard error above progress bars, cleaned."""

        # For a stream without an encoding, click would use the one below, which bypasses this one.
        encoding = "utf-8"
        errors = "backslashreplace"

        def write(self, text: str) -> int:
            """Write a text, cleaned."""
            return super().write(clean(text))

    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, FileProxy):
            setattr(sys, name, CleanProxy(drawing, stream.rich_proxied_file))
