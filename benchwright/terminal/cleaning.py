"""The way of every text to the terminal: what strangers wrote can neither command it nor show a text as another.

Messages of endpoints, names of files and splits, options of questions: all of it ends up in what commands print. It is
cleaned once, where standard output and standard error begin, so that no command has to think of it; tracebacks, logs
and warnings go the same way. Only what Benchwright draws itself (colours of tables, bars) commands the terminal.
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
"""Stands for the escape character in texts that Benchwright coloured; nobody else can know it."""


def clean(text: str) -> str:
    """Return a text as it may go to a terminal: `\\x1b` in place of an escape character, our own colours kept."""
    return escaped(text, keep="\t\n").replace(_OURS, "\x1b")


def coloured(text: str) -> str:
    """Return a text that `console` drew so that its colours reach the terminal through a cleaned standard output."""
    return text.replace("\x1b", _OURS) if isinstance(sys.stdout, CleanStream) else text


def json_escaped(text: str) -> str:
    """Return a JSON document with hidden characters spelled as JSON has it, so that it is the same for programs."""
    return escaped(text, keep="\t\n", spell=_as_in_json)


def _as_in_json(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


class CleanStream(io.TextIOWrapper):
    """Standard output or standard error, by which nothing reaches a terminal that it would obey.

    Args:
        plain: The stream as Python opened it.
    """

    def __init__(self, plain: io.TextIOWrapper) -> None:
        self.plain = plain
        # Of a stream in ASCII click would make one of its own, past this one.
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
    """Clean what this process prints from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and not isinstance(stream, CleanStream):
            stream.flush()
            setattr(sys, name, CleanStream(stream))


def plain_stream(stream: TextIO) -> TextIO:
    """Return the stream below a cleaned one, for what Benchwright draws itself."""
    return stream.plain if isinstance(stream, CleanStream) else stream


def console(file: TextIO, **settings: object) -> Console:
    """Return a console of rich that cleans every text before it draws it.

    Args:
        file: Stream that it writes to, its own commands to the terminal included.
        settings: Settings of `rich.console.Console`.
    """
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

    class CleanConsole(Console):
        """A console whose texts are cleaned; only rich commands the terminal."""

        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """Yield the parts of what is drawn."""
            for segment in super().render(renderable, options):
                yield segment if segment.control else segment._replace(text=escaped(segment.text, keep="\t\n"))

    return CleanConsole(file=file, **settings)  # type: ignore[arg-type]


def clean_redirected(drawing: Console) -> None:
    """Clean what is printed while rich draws bars: it prints that itself, above them, with commands it finds in it."""
    from rich.file_proxy import FileProxy

    class CleanProxy(FileProxy):
        """Standard output or standard error above bars, cleaned."""

        # Of a stream that names no encoding click would take the one below, past this one.
        encoding = "utf-8"
        errors = "backslashreplace"

        def write(self, text: str) -> int:
            """Write a text, cleaned."""
            return super().write(clean(text))

    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, FileProxy):
            setattr(sys, name, CleanProxy(drawing, stream.rich_proxied_file))
